package io.maestro.secrets.internal;

import io.maestro.secrets.OrdinaryTexts;
import io.maestro.secrets.SecretRedactor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Ways to look for secrets in ordinary text. {@code io.maestro.bench.RedactionBench} runs them. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class Redactions {
    /** The length of each text, in characters. */
    public static final int CHARACTERS = 120_000;

    /** What kind of text: {@code source}, {@code logs}, {@code lock files} or {@code JSON}. */
    @Param("source")
    public String kind;

    private final SecretRedactor redactor = SecretRedactor.withDefaults();
    private final List<Pattern> rules =
            DefaultRules.all().stream().map(Redactions::pattern).toList();
    private String text;

    /** Makes the text. */
    @Setup
    public void makeText() throws IOException {
        Random random = new Random(1);
        List<String> kinds = switch (kind) {
            case "logs" -> List.of("log", "Maven");
            case "lock files" -> List.of("package-lock.json", "yarn.lock", "Cargo.lock", "go.sum", "poetry.lock");
            case "JSON" -> List.of("JSON");
            default -> List.of();
        };
        text = kinds.isEmpty()
                ? source(random)
                : kinds.stream()
                        .map(each -> OrdinaryTexts.of(each, CHARACTERS / kinds.size(), random))
                        .collect(Collectors.joining())
                        .substring(0, CHARACTERS);
    }

    /** Of this module, in whose directory the benchmark runs. */
    private static String source(Random random) throws IOException {
        try (Stream<Path> walk = Files.walk(Path.of("src/main/java"))) {
            List<Path> files =
                    new ArrayList<>(walk.filter(Files::isRegularFile).sorted().toList());
            Collections.shuffle(files, random);
            StringBuilder text = new StringBuilder();
            for (Path file : files) {
                text.append(Files.readString(file));
                if (text.length() >= CHARACTERS) {
                    return text.substring(0, CHARACTERS);
                }
            }
            throw new IOException("less than " + CHARACTERS + " characters of source in src/main/java, seen from here");
        }
    }

    /** A rule as an expression; of those that are code, what comes nearest. */
    private static Pattern pattern(Rule rule) {
        if (rule instanceof RegexRule regex) {
            return regex.pattern();
        }
        if (rule instanceof PrivateKeyRule) {
            return Pattern.compile(
                    "-----BEGIN[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----[\\s\\S]*?-----END[ A-Z0-9]{0,40}-----");
        }
        String names = rule.keywords().stream().map(Pattern::quote).collect(Collectors.joining("|"));
        return Pattern.compile("(?i)(?:" + names
                + ")[\\w.-]{0,20}[\"'`]?[ \\t]{0,20}(?:=>|[:?+]?=|:|,)[ \\t]{0,20}[\"'`]?[^\\s\"'`]{8,200}");
    }

    /** {@link SecretRedactor} with all its rules and the layers of escapes. */
    @Benchmark
    public String redactor() {
        return redactor.redact(text);
    }

    /** Each rule's expression over the whole text. */
    @Benchmark
    public int naive() {
        int found = 0;
        for (Pattern rule : rules) {
            Matcher matcher = rule.matcher(text);
            while (matcher.find()) {
                found++;
            }
        }
        return found;
    }
}
