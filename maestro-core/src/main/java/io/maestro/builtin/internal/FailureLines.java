package io.maestro.builtin.internal;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds in the output of a build tool which tests have failed and what a compiler has refused. The forms are those that the
 * tools print when they do not write to a terminal; an output of another tool has none, and loses nothing by it. Agents write
 * what is read here: no pattern can be split in more than one way at each place, and long lines are passed over.
 */
final class FailureLines {
    /** What the line of a failing test begins with; the group is the test's name. */
    private static final List<Pattern> TESTS = List.of(
            // Surefire: [ERROR] SomeTest.method:42 message, [ERROR] SomeTest.method -- Time elapsed: 0.1 s <<< FAILURE!
            Pattern.compile("\\[ERROR] +([\\w$]+(?:[.>][\\w$\\[\\]]+)+)(?::\\d+| -- Time elapsed).*"),
            // Gradle: SomeTest > method() FAILED
            Pattern.compile("(\\S+ > .+) FAILED"),
            // pytest: FAILED tests/test_a.py::test_b - AssertionError, ERROR tests/test_a.py
            Pattern.compile("(?:FAILED|ERROR) (\\S+?\\.py(?:::.+?)?)(?: - .*)?"),
            // Go: --- FAIL: TestA/case (0.00s)
            Pattern.compile("\\s*--- FAIL: (\\S+) \\(.*\\)"),
            // Cargo: test a::b ... FAILED
            Pattern.compile("test (\\S+)(?: - .*)? \\.\\.\\. FAILED"),
            // Jest and Vitest: ● suite › test, FAIL src/a.test.ts > suite > test
            Pattern.compile("\\s*● (\\S.* › .*\\S)"),
            Pattern.compile("\\s*FAIL\\s+(\\S+\\.[cm]?[jt]sx?(?: > .*\\S)?)"),
            // Mocha and node --test in TAP: not ok 3 - name
            Pattern.compile("\\s*not ok \\d+ -? ?(\\S.*?)(?: # .*)?"));

    /** A place in a file, and that something is wrong there. */
    private static final List<Pattern> COMPILERS = List.of(
            // Maven: [ERROR] /src/A.java:[10,5] message
            Pattern.compile("\\[ERROR] \\S+:\\[\\d+,\\d+] .*"),
            // javac, gcc, clang: A.java:10: error: message; a.c:10:5: fatal error: message
            Pattern.compile("\\S+:\\d+:(?:\\d+:)? (?:fatal )?error: .*"),
            // Go: ./a.go:10:5: message
            Pattern.compile("(?:\\./)?\\S+\\.go:\\d+:\\d+: .*"),
            // TypeScript: a.ts(10,5): error TS2322: message; Rust: error[E0308]: message
            Pattern.compile("\\S+\\(\\d+,\\d+\\): error .*"),
            Pattern.compile("error(?:\\[E\\d+])?: .*"),
            // Kotlin: e: file:///src/A.kt:10:5 message; Python: SyntaxError: message
            Pattern.compile("e: \\S+:\\d+:\\d+ .*"),
            Pattern.compile("\\w*(?:SyntaxError|ImportError|ModuleNotFoundError): .*"));

    /** A log of colours; they would stand between a word and its line's beginning. */
    private static final Pattern COLOURS = Pattern.compile("\u001b\\[[0-9;]*m");

    private static final int LONGEST_LINE = 1000;
    private static final int MOST = 50;

    private final Set<String> tests = new LinkedHashSet<>();
    private final Set<String> errors = new LinkedHashSet<>();

    private FailureLines() {}

    static FailureLines in(String... outputs) {
        FailureLines found = new FailureLines();
        for (String output : outputs) {
            output.lines().filter(line -> line.length() <= LONGEST_LINE).forEach(found::look);
        }
        return found;
    }

    private void look(String printed) {
        String line = COLOURS.matcher(printed).replaceAll("").stripTrailing();
        for (Pattern pattern : TESTS) {
            Matcher matcher = pattern.matcher(line);
            if (matcher.matches()) {
                tests.add(matcher.group(1));
                return;
            }
        }
        if (COMPILERS.stream().anyMatch(pattern -> pattern.matcher(line).matches())) {
            errors.add(line);
        }
    }

    /** The names of the tests that failed, as the tool prints them. */
    Set<String> tests() {
        return tests;
    }

    /** The lines of compilers that say what is wrong, with file and line as far as they have them. */
    Set<String> errors() {
        return errors;
    }

    /** For a model, before the output itself; empty when nothing was found. */
    String summary() {
        List<String> parts = new ArrayList<>();
        part(parts, "errors", errors);
        part(parts, "failed tests", tests);
        return String.join("\n", parts);
    }

    private static void part(List<String> parts, String what, Set<String> lines) {
        if (!lines.isEmpty()) {
            parts.add("--- " + what + " (" + lines.size() + ") ---");
            lines.stream().limit(MOST).forEach(parts::add);
            if (lines.size() > MOST) {
                parts.add("… and " + (lines.size() - MOST) + " more");
            }
        }
    }
}
