package io.maestro.project.internal;

import java.util.List;
import java.util.regex.Pattern;

/** What the lines of build tools look like that say what is wrong. No pattern can be split in more than one way at each place. */
final class FailureForms {
    /** What the line of a failing test begins with; the first group is the test's name, a second one says more. */
    static final List<Pattern> TESTS = List.of(
            // Surefire: [ERROR] SomeTest.method:42 message, [ERROR] SomeTest.method -- Time elapsed: 0.1 s <<< FAILURE!
            Pattern.compile("\\[ERROR] +([\\w$]+(?:[.>][\\w$\\[\\]]+)+)(?:(:\\d+.*)| -- Time elapsed.*)"),
            // Gradle: SomeTest > method() FAILED
            Pattern.compile("(\\S+ > .+) FAILED"),
            // pytest: FAILED tests/test_a.py::test_b - AssertionError, ERROR tests/test_a.py
            Pattern.compile("(?:FAILED|ERROR) (\\S+?\\.py(?:::.+?)?)( - .*)?"),
            // Go: --- FAIL: TestA/case (0.00s)
            Pattern.compile("\\s*--- FAIL: (\\S+) \\(.*\\)"),
            // Cargo: test a::b ... FAILED
            Pattern.compile("test (\\S+)(?: - .*)? \\.\\.\\. FAILED"),
            // Jest and Vitest: ● suite › test, FAIL src/a.test.ts > suite > test
            Pattern.compile("\\s*● (\\S.* › .*\\S)"),
            Pattern.compile("\\s*FAIL\\s+(\\S+\\.[cm]?[jt]sx?(?: > .*\\S)?)"),
            // Mocha and node --test in TAP: not ok 3 - name
            Pattern.compile("\\s*not ok \\d+ -? ?(\\S.*?)(?: # .*)?"));

    /** A line that says how many tests have run: the sum of the first two groups less the third; without groups one. */
    static final List<Pattern> COUNTS = List.of(
            // Surefire, of a module: [ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 2
            Pattern.compile("\\[\\w+] Tests run: (\\d{1,9}), Failures: \\d+, Errors: \\d+, ()Skipped: (\\d{1,9})"),
            // Gradle: 5 tests completed, 1 failed, 2 skipped
            Pattern.compile("(\\d{1,9}) tests? completed, \\d+ failed()(?:, (\\d{1,9}) skipped)?"),
            // pytest: ==== 1 failed, 3 passed, 2 skipped in 0.12s ====
            Pattern.compile(
                    "(?:=+ )?(?=\\d+ (?:failed|passed|error))(?:(\\d{1,9}) failed)?(?:, )?(?:(\\d{1,9}) passed)?"
                            + "[\\w, ]* in \\d[^=]*=*"),
            // Go with -v: === RUN   TestA/case
            Pattern.compile("=== RUN +\\S+"),
            // Cargo: test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out
            Pattern.compile("test result: \\w+\\. (\\d{1,9}) passed; (\\d{1,9}) failed; .*"),
            // Jest: Tests:       1 failed, 2 skipped, 5 passed, 8 total
            Pattern.compile(
                    "Tests: +(?:(\\d{1,9}) failed, )?(?:\\d+ skipped, )?(?:\\d+ todo, )?(?:(\\d{1,9}) passed, )?"
                            + "\\d+ total"),
            // Vitest: Tests  1 failed | 5 passed | 1 skipped (7)
            Pattern.compile("\\s*Tests +(\\d{1,9}) failed(?: \\| (\\d{1,9}) passed)?(?: \\| .*)? \\(\\d+\\)"),
            // Mocha: 5 passing (10ms), 1 failing
            Pattern.compile("\\s+(\\d{1,9}) (?:passing(?: \\(.*\\))?|failing)"),
            // node --test: ℹ pass 5, ℹ fail 1
            Pattern.compile("ℹ (?:pass|fail) (\\d{1,9})"),
            // TAP: ok 1 - name, not ok 2 - name
            Pattern.compile("\\s*(?:not )?ok \\d+(?!.* # (?i:skip|todo))(?: .*)?"));

    /** A line that says how many of them have failed: the sum of its groups; without groups one. */
    static final List<Pattern> FAILED = List.of(
            Pattern.compile("\\[\\w+] Tests run: \\d+, Failures: (\\d{1,9}), Errors: (\\d{1,9}), Skipped: \\d+"),
            Pattern.compile("\\d+ tests? completed, (\\d{1,9}) failed.*"),
            Pattern.compile("(?:=+ )?(\\d{1,9}) failed[\\w, ]* in \\d[^=]*=*"),
            Pattern.compile("\\s*--- FAIL: .*"),
            Pattern.compile("test result: \\w+\\. \\d+ passed; (\\d{1,9}) failed; .*"),
            Pattern.compile("Tests: +(\\d{1,9}) failed, .*"),
            Pattern.compile("\\s*Tests +(\\d{1,9}) failed.* \\(\\d+\\)"),
            Pattern.compile("\\s+(\\d{1,9}) failing"),
            Pattern.compile("ℹ fail (\\d{1,9})"),
            Pattern.compile("\\s*not ok \\d+(?!.* # (?i:skip|todo))(?: .*)?"));

    /** Where a test failed, in a line behind the one that names it. */
    static final List<Pattern> PLACES_OF_TESTS = List.of(
            // Gradle: org.opentest4j.AssertionFailedError at OrderTest.java:12
            Pattern.compile("\\s+[\\w.$]+(?:: .*)? at ([\\w$]+\\.(?:java|kt|groovy|scala):\\d+)"),
            // Jest: at Object.<anonymous> (src/order.test.ts:12:20)
            Pattern.compile("\\s+at .*\\(([^()\\s]+\\.[cm]?[jt]sx?:\\d+:\\d+)\\)"),
            // Vitest: ❯ src/order.test.ts:12:20; node: location: '/src/order.test.js:3:1'
            Pattern.compile("\\s*❯ (\\S+:\\d+:\\d+)"),
            Pattern.compile("\\s*location: '([^']+:\\d+:\\d+)'"));

    /** A place in a file, and that something is wrong there. */
    static final List<Pattern> ERRORS = List.of(
            // Maven, and its Checkstyle: [ERROR] /src/A.java:[10,5] message
            Pattern.compile("\\[ERROR] \\S+:\\[\\d+(?:,\\d+)?] .*"),
            // Checkstyle of Gradle and Ant: [ant:checkstyle] [ERROR] /src/A.java:1:5: message
            Pattern.compile("\\[ant:\\w+] \\[ERROR] \\S+:\\d+:.*"),
            // javac, gcc, clang, mypy: A.java:10: error: message; a.c:10:5: fatal error: message
            Pattern.compile("\\S+:\\d+:(?:\\d+:)? (?:fatal )?error: .*"),
            // Go: ./a.go:10:5: message
            Pattern.compile("(?:\\./)?\\S+\\.go:\\d+:\\d+: .*"),
            // TypeScript: a.ts(10,5): error TS2322: message; a.ts:10:5 - error TS2322: message
            Pattern.compile("\\S+\\(\\d+,\\d+\\): error .*"),
            Pattern.compile("\\S+:\\d+:\\d+ - error .*"),
            // Rust: error[E0308]: message
            Pattern.compile("error(?:\\[E\\d+])?: .*"),
            Pattern.compile("thread '.*panicked at \\S.*"),
            // Kotlin: e: file:///src/A.kt:10:5 message
            Pattern.compile("e: \\S+:\\d+:\\d+ .*"),
            // A linker
            Pattern.compile(".*: undefined reference to .*"));

    static final List<Pattern> WARNINGS = List.of(
            Pattern.compile("\\[WARN(?:ING)?] \\S+:\\[\\d+(?:,\\d+)?] .*"),
            Pattern.compile("\\S+:\\d+:(?:\\d+:)? [Ww]arning: .*"));

    /**
     * What other linters, and tests of Go and Python, print: a source, its line and a message. What gcc and mypy only add, and
     * the way to an error in Python, do not count.
     */
    static final Pattern FINDING = Pattern.compile(
            "\\s*(?:vet: )?(?:\\./)?[^\\s:]+\\.[A-Za-z]\\w{0,9}:\\d+:(?:\\d+:)?+ ?+" + "(?!note: |in |\\s)\\S.*");

    /** ESLint: a file by itself, and lines below it: 10:5  error  message  rule. */
    static final Pattern FILE_ALONE = Pattern.compile("\\S+\\.\\w+");

    static final Pattern BELOW_FILE = Pattern.compile("\\s+(\\d+:\\d+)\\s+(error|warning)\\s+(\\S.*)");

    /** Rust and Ruff: the place comes behind the message. */
    static final Pattern ARROW = Pattern.compile("\\s*--> (\\S+:\\d+:\\d+)");

    static final Pattern PYTHON_ERROR =
            Pattern.compile("\\w*(?:SyntaxError|IndentationError|ImportError|ModuleNotFoundError): .*");

    /** Its place comes before it. */
    static final Pattern PYTHON_PLACE = Pattern.compile("\\s*File \"([^\"]+)\", line (\\d+).*");

    private FailureForms() {}
}
