package io.maestro.git.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.git.internal.rules.PathRules;
import io.maestro.internal.Effort;
import io.maestro.internal.RawName;
import io.maestro.internal.Wildmatch;
import io.maestro.testing.Campaign;
import io.maestro.testing.Full;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.eclipse.jgit.attributes.Attribute;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What {@code .gitignore} and {@code .gitattributes} mean: what git says that they mean, in bounded time. */
class PathRulesTest {
    private static final int DIRECTORIES = 150;
    private static final int PATHS = 12;

    private static final String[] PARTS = {
        "a",
        "b",
        "c",
        "ab",
        ".",
        "-",
        "*",
        "*",
        "*",
        "**",
        "***",
        "?",
        "/",
        "/",
        "**/",
        "/**",
        "/**/",
        "[ab]",
        "[!a]",
        "[^b]",
        "[a-c]",
        "[]a]",
        "[a/b]",
        "[\\]]",
        "[b-]",
        "[[:alpha:]]",
        "[[:punct:]]",
        "[[:no:]]",
        "[[:]",
        "[",
        "]",
        "\\*",
        "\\a",
        "\\/",
        "\\",
        "\u00c3\u00bc",
        "\u00fc",
        " ",
        "\\ ",
        "#",
        "!",
        "foo"
    };
    private static final String[] NAMES = {
        "a",
        "b",
        "c",
        "ab",
        "a.b",
        "abc",
        "*",
        "[a]",
        "]",
        "\u00c3\u00bc",
        "\u00fc",
        "a b",
        "a ",
        "\\a",
        "-",
        "foo",
        "#",
        "!a",
        "foob"
    };

    @TempDir
    Path directory;

    private final Map<String, byte[]> ignore = new HashMap<>();
    private final Map<String, byte[]> attributes = new HashMap<>();
    private final Effort effort = new Effort("testing", Long.MAX_VALUE);

    static LongStream seeds() {
        return Campaign.seeds("rules", Campaign.number(2));
    }

    static LongStream moreSeeds() {
        return Campaign.seeds("more rules", 10);
    }

    private static String pick(Random random, String... from) {
        return from[random.nextInt(from.length)];
    }

    private static String pattern(Random random) {
        StringBuilder pattern = new StringBuilder(random.nextInt(6) == 0 ? "!" : "");
        for (int i = 1 + random.nextInt(5); i > 0; i--) {
            pattern.append(pick(random, PARTS));
        }
        return pattern.append(random.nextInt(5) == 0 ? "/" : "").toString();
    }

    private static String lines(Random random, int most, Supplier<String> line) {
        StringBuilder text = new StringBuilder(random.nextInt(10) == 0 ? "\u00ef\u00bb\u00bf" : "");
        for (int i = 1 + random.nextInt(most); i > 0; i--) {
            text.append(line.get()).append(pick(random, "\n", "\n", "\r\n", " \n", "  \r\n", "\t\n"));
        }
        return text.toString();
    }

    private static String attributeLine(Random random) {
        String pattern = pattern(random);
        if (random.nextInt(8) == 0) {
            pattern = "\"" + pattern + pick(random, "", "\\t", "\\303\\274", "\\x", "\\\\")
                    + pick(random, "\"", "\"", "");
        }
        if (random.nextInt(8) == 0) {
            pattern = "[attr]" + pick(random, "m1", "m2", "m3", "-no", " m1");
        }
        StringBuilder line = new StringBuilder(pick(random, "", "", " ")).append(pattern);
        for (int i = random.nextInt(4); i >= 0; i--) {
            line.append(pick(random, " ", "\t", "  "))
                    .append(pick(random, "", "", "", "-", "!"))
                    .append(pick(random, "text", "eol", "binary", "diff", "m1", "m2", "m3", "x"))
                    .append(pick(random, "", "", "", "=v", "=auto", "=", "=a=b"));
        }
        return line.toString();
    }

    private static String path(Random random) {
        StringBuilder path = new StringBuilder(pick(random, NAMES));
        for (int i = random.nextInt(4); i > 0; i--) {
            path.append('/').append(pick(random, NAMES));
        }
        return path.toString();
    }

    private void put(Map<String, byte[]> files, String prefix, String name, String content) throws IOException {
        Path file = directory.resolve(RawName.path(prefix + name));
        Files.createDirectories(file.getParent());
        Files.write(file, RawName.bytes(content));
        files.put(prefix, RawName.bytes(content));
    }

    private List<String> make(Random random) throws IOException {
        TestRepository.git(directory, "init", "-q");
        put(ignore, "", ".gitignore", lines(random, 2, () -> "/d1*/" + pattern(random)));
        put(attributes, "", ".gitattributes", lines(random, 6, () -> attributeLine(random)));
        List<String> paths = new ArrayList<>();
        for (int i = 0; i < DIRECTORIES; i++) {
            String prefix = "d" + i + "/";
            put(ignore, prefix, ".gitignore", lines(random, 3, () -> pattern(random)));
            put(attributes, prefix, ".gitattributes", lines(random, 3, () -> attributeLine(random)));
            if (random.nextInt(4) == 0) {
                put(ignore, prefix + "a/", ".gitignore", lines(random, 2, () -> pattern(random)));
            }
            for (int j = 0; j < PATHS; j++) {
                paths.add(prefix + path(random));
            }
        }
        return paths;
    }

    private byte[] git(List<String> paths, String... arguments) throws IOException {
        List<String> command =
                new ArrayList<>(List.of("git", "-c", "core.excludesFile=", "-c", "core.attributesFile="));
        command.addAll(List.of(arguments));
        Path in = directory.resolve(".git/paths");
        try (OutputStream out = Files.newOutputStream(in)) {
            for (String path : paths) {
                out.write(RawName.bytes(path + "\0"));
            }
        }
        Path printed = directory.resolve(".git/printed");
        new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectInput(in.toFile())
                .redirectOutput(printed.toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start()
                .onExit()
                .join();
        return Files.readAllBytes(printed);
    }

    private static String[] fields(byte[] printed) {
        return printed.length == 0 ? new String[0] : RawName.of(printed).split("\0", -1);
    }

    private PathRules rules(PathRules above, String prefix) {
        return above.below(prefix, ignore.get(prefix), attributes.get(prefix));
    }

    private boolean isIgnored(String path) {
        PathRules rules = rules(PathRules.none(effort), "");
        for (int slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
            if (rules.ignored(path.substring(0, slash), true)) {
                return true;
            }
            rules = rules(rules, path.substring(0, slash + 1));
        }
        return rules.ignored(path, Files.isDirectory(directory.resolve(RawName.path(path))));
    }

    private Map<String, String> attributes(String path) {
        PathRules rules = rules(PathRules.none(effort), "");
        for (int slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
            rules = rules(rules, path.substring(0, slash + 1));
        }
        Map<String, String> found = new TreeMap<>();
        for (Attribute attribute : rules.attributes(path).getAll()) {
            found.put(
                    attribute.getKey(),
                    switch (attribute.getState()) {
                        case SET -> "set";
                        case UNSET -> "unset";
                        default -> attribute.getValue();
                    });
        }
        return found;
    }

    @ParameterizedTest
    @MethodSource("seeds")
    @Tag("campaign")
    void anyRulesMeanWhatGitSays(long seed) throws IOException {
        List<String> paths = make(new Random(seed));
        Set<String> ignored = new HashSet<>(List.of(fields(git(paths, "check-ignore", "-z", "--stdin", "--no-index"))));
        assertThat(ignored).isNotEmpty().hasSizeLessThan(paths.size());
        for (String path : paths) {
            assertThat(isIgnored(path))
                    .as("seed %s, %s of %s", seed, path, shown(ignore, path))
                    .isEqualTo(ignored.contains(path));
        }
        Map<String, Map<String, String>> wanted = new HashMap<>();
        String[] fields = fields(git(paths, "check-attr", "-z", "--stdin", "--all"));
        for (int i = 0; i + 2 < fields.length; i += 3) {
            wanted.computeIfAbsent(fields[i], path -> new TreeMap<>()).put(fields[i + 1], fields[i + 2]);
        }
        assertThat(wanted).isNotEmpty();
        for (String path : paths) {
            assertThat(attributes(path))
                    .as("seed %s, %s of %s", seed, path, shown(attributes, path))
                    .isEqualTo(wanted.getOrDefault(path, Map.of()));
        }
    }

    @ParameterizedTest
    @MethodSource("moreSeeds")
    @Full("the short tier has the rules of two seeds")
    void moreRulesMeanWhatGitSays(long seed) throws IOException {
        anyRulesMeanWhatGitSays(seed);
    }

    private static String shown(Map<String, byte[]> files, String path) {
        String prefix = path.substring(0, path.indexOf('/') + 1);
        return List.of("", prefix, prefix + "a/").stream()
                .filter(files::containsKey)
                .map(each -> each + ": " + RawName.of(files.get(each)))
                .toList()
                .toString();
    }

    /** A regular expression with so many stars never ends on such a name. */
    @ParameterizedTest
    @CsvSource({"*, a, b", "[a]*, a, b", "**/, a/, b", "*a/**/, a/, b", "?*, a, b"})
    void theTimeGrowsWithTheLengthsOnly(String part, String name, String last) {
        String pattern = (part + "a").repeat(40) + last;
        String text = name.repeat(2_000);
        assertThat(Wildmatch.matches(pattern, text, new Effort("testing", 8L * pattern.length() * text.length())))
                .isFalse();
    }

    @Test
    void rulesThatTakeTooLongEndAndSoDoThoseOfSomebodyWhoIsCancelled() {
        byte[] many = RawName.bytes(("*a".repeat(100) + "\n").repeat(1_000));
        PathRules bounded = PathRules.none(new Effort("matching", 10_000)).below("", many, null);
        assertThatThrownBy(() -> bounded.ignored("a".repeat(200) + "b", false))
                .isInstanceOf(Effort.Exhausted.class)
                .hasMessageContaining("10000 steps of matching");
        PathRules unbounded = PathRules.none(effort).below("", many, null);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> unbounded.ignored("a".repeat(200) + "b", false))
                .isInstanceOf(CancellationException.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    /** An agent makes macros that name each other. */
    @Test
    void macrosMayBeDeepAndGoRoundInACircle() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 20_000; i++) {
            text.append("[attr]m")
                    .append(i)
                    .append(" m")
                    .append((i + 1) % 20_000)
                    .append('\n');
        }
        PathRules rules = PathRules.none(effort)
                .below("", null, RawName.bytes(text.append("* m7\n").toString()));
        assertThat(rules.attributes("a").getAll()).hasSize(20_000);
    }
}
