package io.maestro.examples;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The Markdown documents of the project, and what they name that is not there. */
final class Documents {
    /** Types of others that documents name. */
    private static final Set<String> FOREIGN = Set.of(
            "String",
            "BigDecimal",
            "List",
            "Set",
            "Map",
            "Optional",
            "NoClassDefFoundError",
            "InterruptedException",
            "JsonSerializeAs",
            "System",
            "SystemReader",
            "MyPlugin",
            "MustacheAutoConfiguration",
            "EnvironmentPostProcessor");

    /** The Claude Code CLI's own tools, which look like types. */
    private static final Set<String> TOOLS =
            Set.of("Task", "Bash", "Read", "Glob", "Grep", "Edit", "Write", "NotebookEdit");

    /** What looks like a module, and is an image and a directory of the demo. */
    private static final Set<String> NO_MODULES = Set.of("maestro-bootstrap", "maestro-demo");

    private static final Pattern FENCE = Pattern.compile("(?ms)^```.*?^```$");
    private static final Pattern SPAN = Pattern.compile("`([^`\n]+)`");
    private static final Pattern LINK = Pattern.compile("(?<!!)\\[[^]\n]*]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.*?) *$");
    private static final Pattern TYPE =
            Pattern.compile("(?:new )?(io(?:\\.[a-z0-9]+)+\\.)?([A-Z]\\w*)((?:\\.\\w+(?:\\([^)]*\\))?)*)(?:\\(.*\\))?");
    private static final Pattern PACKAGE = Pattern.compile("io\\.maestro(?:\\.[a-z0-9]+)*");
    private static final Pattern PROFILE = Pattern.compile("\\bmvn\\b[^`\n|]*?\\s-P([\\w,-]+)");
    private static final Pattern PROJECTS = Pattern.compile("\\s-pl ([\\w,./-]+)");
    private static final Pattern MODULE = Pattern.compile("(maestro-[a-z][a-z-]*)((?:/[\\w.-]+)*)/?");
    private static final Pattern DECLARED_PROFILE = Pattern.compile("<profile>\\s*<id>(.*?)</id>");
    private static final Pattern ARTIFACT =
            Pattern.compile("</parent>\\s*(?:<!--.*?-->\\s*)?<artifactId>(.*?)</artifactId>");
    private static final Pattern JAVA_MODULE = Pattern.compile("(?m)^(?:open )?module ([\\w.]+) \\{");
    private static final Pattern PARENT = Pattern.compile("\\b(?:extends|implements) ([\\w., <>]+)");

    private final Path root;
    private final Map<String, List<Path>> sources = new HashMap<>();
    private final Set<String> packages = new HashSet<>();
    private final Set<String> profiles = new HashSet<>();
    private final Set<String> artifacts = new HashSet<>();

    Documents(Path root) {
        this.root = root;
        try {
            Files.walkFileTree(root, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                    String name = directory.getFileName().toString();
                    boolean other = !directory.equals(root) && (name.startsWith(".") || name.equals("target"));
                    return other ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    see(file);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void see(Path file) {
        String name = file.getFileName().toString();
        if (name.equals("pom.xml")) {
            String pom = text(file);
            DECLARED_PROFILE.matcher(pom).results().forEach(found -> profiles.add(found.group(1)));
            ARTIFACT.matcher(pom).results().forEach(found -> artifacts.add(found.group(1)));
        } else if (name.equals("module-info.java")) {
            JAVA_MODULE.matcher(text(file)).results().forEach(found -> packages.add(found.group(1)));
        } else if (name.endsWith(".java")) {
            sources.computeIfAbsent(name.replace(".java", ""), type -> new ArrayList<>())
                    .add(file);
            String path = root.relativize(file.getParent()).toString().replace('/', '.');
            int begin = path.indexOf("java.io.maestro");
            if (begin >= 0) {
                packages.add(path.substring(begin + "java.".length()));
            }
        }
    }

    /** The overview, CONTRIBUTING.md, the pages, and the README of each module and of each example, by their paths from the root. */
    Map<String, String> all() {
        Map<String, String> all = new TreeMap<>();
        addAll(root, all);
        addAll(root.resolve("docs"), all);
        addAll(root.resolve("maestro-examples"), all);
        return all;
    }

    private void addAll(Path directory, Map<String, String> all) {
        try (var children = Files.list(directory)) {
            children.map(child -> Files.isDirectory(child) ? child.resolve("README.md") : child)
                    .filter(file -> file.toString().endsWith(".md") && Files.isRegularFile(file))
                    .forEach(file -> all.put(root.relativize(file).toString(), text(file)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The main sources, with what they concatenate in one piece. */
    String messages() {
        return sources.values().stream()
                .flatMap(List::stream)
                .filter(file -> file.toString().contains("/src/main/"))
                .map(file -> text(file).replaceAll("\"\\s*\\+\\s*\"", ""))
                .collect(Collectors.joining("\n"));
    }

    /** What a document says that is not so, one line each. */
    List<String> faults(String document, String text) {
        List<String> faults = new ArrayList<>();
        String prose = FENCE.matcher(text).replaceAll("");
        String unspanned = SPAN.matcher(prose).replaceAll("code");
        LINK.matcher(unspanned).results().forEach(link -> link(document, text, link.group(1), faults));
        SPAN.matcher(prose).results().map(span -> span.group(1)).forEach(span -> span(span, faults));
        named(PROFILE, text).filter(name -> !profiles.contains(name)).forEach(name -> faults.add("no profile " + name));
        named(PROJECTS, text)
                .filter(path -> !Files.isRegularFile(root.resolve(path).resolve("pom.xml")))
                .forEach(path -> faults.add("no project " + path));
        return faults;
    }

    private static Stream<String> named(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .flatMap(found -> List.of(found.group(1).split(",")).stream());
    }

    private void link(String document, String text, String target, List<String> faults) {
        if (target.matches("[a-z]+:.*")) {
            return;
        }
        String[] parts = target.split("#", 2);
        Path file = root.resolve(document).resolveSibling(parts[0]).normalize();
        if (!parts[0].isEmpty() && !(file.startsWith(root) && Files.exists(file))) {
            faults.add("no file for the link " + target);
        } else if (parts.length == 2) {
            String there = parts[0].isEmpty() ? text : text(file);
            if (!anchors(there).contains(parts[1])) {
                faults.add("no heading for the link " + target);
            }
        }
    }

    /** The anchors that GitHub gives the headings. */
    private static Set<String> anchors(String text) {
        Set<String> anchors = new HashSet<>();
        Map<String, Integer> counts = new HashMap<>();
        Matcher heading = HEADING.matcher(FENCE.matcher(text).replaceAll(""));
        while (heading.find()) {
            String anchor = heading.group(1)
                    .toLowerCase(Locale.ROOT)
                    .replaceAll("[^\\p{L}\\p{N} _-]", "")
                    .replace(' ', '-');
            int before = counts.merge(anchor, 1, Integer::sum) - 1;
            anchors.add(before == 0 ? anchor : anchor + "-" + before);
        }
        return anchors;
    }

    private void span(String span, List<String> faults) {
        Matcher type = TYPE.matcher(span);
        Matcher module = MODULE.matcher(span);
        if (type.matches()) {
            type(span, type.toMatchResult(), faults);
        } else if (PACKAGE.matcher(span).matches()) {
            if (packages.stream().noneMatch(known -> known.equals(span) || known.startsWith(span + "."))) {
                faults.add("no package " + span);
            }
        } else if (module.matches()) {
            boolean known = module.group(2).isEmpty()
                    ? artifacts.contains(module.group(1)) || NO_MODULES.contains(module.group(1))
                    : Files.exists(root.resolve(span)) || span.contains("/target/");
            if (!known) {
                faults.add("no module or path " + span);
            }
        } else if (span.startsWith(".ci/") && !Files.exists(root.resolve(span.split(" ")[0]))) {
            faults.add("no program " + span);
        }
    }

    private void type(String span, MatchResult named, List<String> faults) {
        String name = named.group(2);
        if (!name.matches(".*[a-z].*") || FOREIGN.contains(name) || TOOLS.contains(name)) {
            return;
        }
        List<Path> files = sources.getOrDefault(name, List.of()).stream()
                .filter(file -> named.group(1) == null
                        || file.toString().contains(named.group(1).replace('.', '/') + name + ".java"))
                .collect(Collectors.toList());
        if (files.isEmpty()) {
            faults.add("no type " + span);
            return;
        }
        String members = named.group(3).replaceAll("\\([^)]*\\)", "");
        for (String member :
                members.isEmpty() ? new String[0] : members.substring(1).split("\\.")) {
            Pattern word = Pattern.compile("\\b" + member + "\\b");
            if (files.stream()
                    .flatMap(file -> withParents(file).stream())
                    .noneMatch(text -> word.matcher(text).find())) {
                faults.add("no member " + span);
            }
        }
    }

    /** The text of a type and of those that it extends, without comments. */
    private List<String> withParents(Path file) {
        String text = text(file).replaceAll("(?s)/\\*.*?\\*/", "");
        List<String> texts = new ArrayList<>(List.of(text));
        Matcher parent = PARENT.matcher(text);
        while (parent.find()) {
            for (String name : parent.group(1).split("[^\\w.]+")) {
                sources.getOrDefault(name, List.of()).forEach(source -> texts.add(text(source)));
            }
        }
        return texts;
    }

    static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
