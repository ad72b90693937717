package io.maestro.project.internal;

import static java.util.Map.entry;

import io.maestro.files.internal.FileWalk;
import io.maestro.files.internal.SafeDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Tells by the names of its files what a project is written in. */
public final class Languages {
    private static final int MOST_LOOKED_AT = 100_000;
    private static final int MOST_SHOWN = 12;

    private static final Map<String, String> BY_ENDING = byEnding(List.of(
            entry("Java", "java"),
            entry("Kotlin", "kt kts"),
            entry("Groovy", "groovy gradle"),
            entry("Scala", "scala"),
            entry("JavaScript", "js mjs cjs jsx"),
            entry("TypeScript", "ts mts cts tsx"),
            entry("Vue", "vue"),
            entry("Svelte", "svelte"),
            entry("Python", "py pyi"),
            entry("Go", "go"),
            entry("Rust", "rs"),
            entry("C", "c"),
            entry("C++", "cc cpp cxx hpp hh"),
            entry("C headers", "h"),
            entry("C#", "cs"),
            entry("Ruby", "rb"),
            entry("PHP", "php"),
            entry("Swift", "swift"),
            entry("Shell", "sh bash"),
            entry("SQL", "sql"),
            entry("HTML", "html htm"),
            entry("CSS", "css scss less")));

    private Languages() {}

    private static Map<String, String> byEnding(List<Map.Entry<String, String>> languages) {
        Map<String, String> all = new HashMap<>();
        languages.forEach(
                one -> List.of(one.getValue().split(" ", -1)).forEach(ending -> all.put(ending, one.getKey())));
        return all;
    }

    /** How many files there are of each, the most first; what {@code .gitignore} names does not count. */
    public static String in(Path workspace) throws IOException {
        Map<String, Integer> counts = new HashMap<>();
        boolean all = FileWalk.walk(workspace, MOST_LOOKED_AT, true, new FileWalk.WalkReader() {
            @Override
            public boolean enters(String directory) {
                return true;
            }

            @Override
            public void file(String path, BasicFileAttributes attributes, SafeDirectory directory, String name) {
                String ending = name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
                String language = name.indexOf('.') > 0 ? BY_ENDING.get(ending) : null;
                if (language != null && attributes.isRegularFile()) {
                    counts.merge(language, 1, Integer::sum);
                }
            }
        });
        String shown = counts.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder())
                        .thenComparing(Map.Entry.comparingByKey()))
                .limit(MOST_SHOWN)
                .map(one -> one.getKey() + " " + one.getValue())
                .collect(Collectors.joining(", "));
        return (shown.isEmpty() ? "none that is known" : shown)
                + (all ? "" : " (among the first " + MOST_LOOKED_AT + " files and directories)");
    }
}
