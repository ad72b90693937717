package io.maestro.secrets.internal;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** The rules of {@code secret-rules.txt}, and those that need code. Read once. */
final class DefaultRules {
    private static final String FILE = "secret-rules.txt";
    private static final String VENDORS = "vendors ";

    /** Behind a word nothing goes on but what somebody writes behind a token. */
    private static final String END = "(?:(?![A-Za-z0-9_-])|(?=[_-]{1,64}+(?![A-Za-z0-9])|[_-]?(?i:"
            + String.join("|", Placeholder.TAILS) + "|x{4})))";

    private static final List<String> LINES = lines();
    private static final List<Rule> ALL = rules();

    private DefaultRules() {}

    /** In order: where two find the same text, the first one gives the mark its name. */
    static List<Rule> all() {
        return ALL;
    }

    private static List<Rule> rules() {
        List<Rule> rules = new ArrayList<>();
        rules.add(new PrivateKeyRule());
        LINES.stream().filter(line -> !line.startsWith(VENDORS)).forEach(line -> rules.add(rule(line)));
        for (SecretKind kind : SecretKind.values()) {
            rules.add(new AssignmentRule(kind, kind == SecretKind.VENDOR ? vendors() : kind.keywords()));
        }
        return List.copyOf(rules);
    }

    private static List<String> vendors() {
        return LINES.stream()
                .filter(line -> line.startsWith(VENDORS))
                .flatMap(line -> Arrays.stream(line.substring(VENDORS.length()).split(" ")))
                .toList();
    }

    private static Rule rule(String line) {
        String[] columns = line.split(" ", 3);
        String regex = columns[2]
                .replace("%W", RegexRule.WORD)
                .replace("%P", RegexRule.PART)
                .replace("%B", RegexRule.WORD + "(?<!\\+|(?<!:/)/)")
                .replace("%U", RegexRule.USER)
                .replace("%E", END)
                .replace("%G", "[\"']?\\s{0,4}[=:]>?\\s{0,4}[\"']?")
                .replace("%D", "(?=[^\\s\"'\\\\]{0,60}\\d)");
        String random = "%R";
        return RegexRule.careful(
                columns[0], List.of(columns[1].split(",")), regex.replace(random, ""), regex.startsWith(random));
    }

    private static List<String> lines() {
        InputStream file = Objects.requireNonNull(DefaultRules.class.getResourceAsStream(FILE), FILE);
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(file, StandardCharsets.UTF_8))) {
            return reader.lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
