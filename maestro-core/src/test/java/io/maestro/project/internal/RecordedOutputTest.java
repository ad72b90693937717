package io.maestro.project.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static java.util.Map.entry;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is said first of outputs as the tools print them. */
class RecordedOutputTest {
    private static String summary(String output) {
        return FailureLines.in(output).summary();
    }

    @Test
    void maven() {
        assertThat(summary("""
            [INFO] Compiling 3 source files with javac [debug release 17] to target/classes
            [WARNING] /w/src/main/java/A.java:[7,20] [removal] stop() in Thread has been deprecated
            [INFO] -------------------------------------------------------------
            [ERROR] COMPILATION ERROR :\s
            [INFO] -------------------------------------------------------------
            [ERROR] /w/src/main/java/A.java:[10,5] cannot find symbol
              symbol:   variable x
            [ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.13.0:compile
            [ERROR] /w/src/main/java/A.java:[10,5] cannot find symbol
            """)).isEqualTo("""
                    --- errors (1) ---
                    [ERROR] /w/src/main/java/A.java:[10,5] cannot find symbol
                    --- warnings (1) ---
                    [WARNING] /w/src/main/java/A.java:[7,20] [removal] stop() in Thread has been deprecated\
                    """);
        assertThat(summary("""
            [ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.05 s <<< FAILURE! -- in app.OrderTest
            [ERROR] app.OrderTest.addsTax -- Time elapsed: 0.012 s <<< FAILURE!
            org.opentest4j.AssertionFailedError: expected: <3> but was: <2>
            	at app.OrderTest.addsTax(OrderTest.java:42)
            [ERROR] Failures:\s
            [ERROR]   OrderTest.addsTax:42 expected: <3> but was: <2>
            """)).isEqualTo("""
                    --- failed tests (2) ---
                    app.OrderTest.addsTax
                    OrderTest.addsTax:42 expected: <3> but was: <2>\
                    """);
    }

    @Test
    void gradle() {
        assertThat(summary("""
            > Task :test FAILED

            OrderTest > addsTax() FAILED
                org.opentest4j.AssertionFailedError at OrderTest.java:12

            2 tests completed, 1 failed
            """)).isEqualTo("--- failed tests (1) ---\nOrderTest > addsTax() at OrderTest.java:12");
        assertThat(summary("""
            > Task :compileJava FAILED
            /w/src/main/java/A.java:3: error: ';' expected
                    int x = 1
                             ^
            1 error
            > Task :checkstyleMain
            [ant:checkstyle] [ERROR] /w/src/main/java/A.java:1:8: Unused import. [UnusedImports]
            """).lines())
                .containsExactly(
                        "--- errors (2) ---",
                        "/w/src/main/java/A.java:3: error: ';' expected",
                        "[ant:checkstyle] [ERROR] /w/src/main/java/A.java:1:8: Unused import. [UnusedImports]");
    }

    @Test
    void javaScript() {
        assertThat(summary("""

            /w/src/a.js
              1:10  error    'x' is assigned a value but never used  no-unused-vars
              3:1   warning  Unexpected console statement            no-console

            /w/src/b.js
              2:5  error  Parsing error: Unexpected token

            \u2716 3 problems (2 errors, 1 warning)
            """)).isEqualTo("""
                    --- errors (2) ---
                    /w/src/a.js:1:10: error: 'x' is assigned a value but never used  no-unused-vars
                    /w/src/b.js:2:5: error: Parsing error: Unexpected token
                    --- warnings (1) ---
                    /w/src/a.js:3:1: warning: Unexpected console statement            no-console\
                    """);
        assertThat(summary("""
            src/a.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.
            src/b.ts:1:7 - error TS2304: Cannot find name 'y'.
            """))
                .startsWith("--- errors (2) ---\nsrc/a.ts(1,7): error")
                .contains("\nsrc/b.ts:1:7 - error");
        assertThat(summary("""
             FAIL  src/order.test.ts
              \u25cf order \u203a adds tax

                expect(received).toBe(expected)

                  at fail (node_modules/expect/build/index.js:1:2)
                  at Object.<anonymous> (src/order.test.ts:12:20)
            """)).isEqualTo("""
                    --- failed tests (2) ---
                    src/order.test.ts
                    order \u203a adds tax at src/order.test.ts:12:20\
                    """);
        assertThat(summary("""
            not ok 1 - adds tax
              ---
              duration_ms: 1.2
              location: '/w/order.test.js:3:1'
            """)).isEqualTo("--- failed tests (1) ---\nadds tax at /w/order.test.js:3:1");
        assertThat(summary("""
             FAIL  src/order.test.ts > order > adds tax
            AssertionError: expected 3 to be 2
             \u276f src/order.test.ts:12:20
            """))
                .isEqualTo("--- failed tests (1) ---\nsrc/order.test.ts > order > adds tax at src/order.test.ts:12:20");
    }

    @Test
    void go() {
        assertThat(summary("""
            # example.org/app
            ./a.go:10:5: undefined: tax
            # example.org/app/b
            vet: b/b.go:3:2: undefined: x
            b/c.go:7:2: Error return value of `f.Close` is not checked (errcheck)
            --- FAIL: TestTax (0.00s)
                a_test.go:12: expected 3, was 2
            FAIL	example.org/app	0.002s
            """)).isEqualTo("""
                    --- errors (4) ---
                    ./a.go:10:5: undefined: tax
                    vet: b/b.go:3:2: undefined: x
                    b/c.go:7:2: Error return value of `f.Close` is not checked (errcheck)
                    a_test.go:12: expected 3, was 2
                    --- failed tests (1) ---
                    TestTax\
                    """);
    }

    @Test
    void cargo() {
        assertThat(summary("""
               Compiling app v0.1.0 (/w)
            warning: unused variable: `y`
             --> src/main.rs:3:9
              |
            error[E0308]: mismatched types
             --> src/main.rs:2:18
              |
            2 |     let x: i32 = "a";
            error: could not compile `app` (bin "app") due to 1 previous error; 1 warning emitted
            test tests::tax ... FAILED
            thread 'tests::tax' panicked at src/lib.rs:10:5:
            """)).isEqualTo("""
                    --- errors (3) ---
                    src/main.rs:2:18: error[E0308]: mismatched types
                    error: could not compile `app` (bin "app") due to 1 previous error; 1 warning emitted
                    thread 'tests::tax' panicked at src/lib.rs:10:5:
                    --- failed tests (1) ---
                    tests::tax
                    --- warnings (1) ---
                    src/main.rs:3:9: warning: unused variable: `y`\
                    """);
    }

    @Test
    void python() {
        assertThat(summary("""
            F401 [*] `os` imported but unused
             --> a.py:1:8
              |
            1 | import os
            b.py:1:1: F401 'os' imported but unused
            c.py:3: error: Incompatible types in assignment  [assignment]
            c.py:3: note: See the documentation
            d.py:1:0: C0114: Missing module docstring (missing-module-docstring)
            """)).isEqualTo("""
                    --- errors (4) ---
                    a.py:1:8: F401 [*] `os` imported but unused
                    b.py:1:1: F401 'os' imported but unused
                    c.py:3: error: Incompatible types in assignment  [assignment]
                    d.py:1:0: C0114: Missing module docstring (missing-module-docstring)\
                    """);
        assertThat(summary("""
            tests/test_order.py:5:\s
            _ _ _ _ _ _ _ _ _
            src/order.py:9: in tax
            >       assert tax(2) == 3
            E       assert 2 == 3
            tests/test_order.py:12: AssertionError
            FAILED tests/test_order.py::test_tax - assert 2 == 3
            """)).isEqualTo("""
                    --- errors (1) ---
                    tests/test_order.py:12: AssertionError
                    --- failed tests (1) ---
                    tests/test_order.py::test_tax - assert 2 == 3\
                    """);
        assertThat(summary("""
              File "/w/a.py", line 3
                def f(
                     ^
            SyntaxError: '(' was never closed
            """)).isEqualTo("--- errors (1) ---\n/w/a.py:3: SyntaxError: '(' was never closed");
    }

    @Test
    void gccAndMake() {
        assertThat(summary("""
            cc -c -o a.o a.c
            In file included from a.c:1:
            a.c: In function 'main':
            a.c:3:5: error: 'x' undeclared (first use in this function)
            a.c:3:5: note: each undeclared identifier is reported only once
            a.c:4:9: warning: unused variable 'y' [-Wunused-variable]
            /usr/bin/ld: b.o: in function `f':
            b.c:(.text+0x5): undefined reference to `g'
            make: *** [Makefile:2: a.o] Error 1
            """)).isEqualTo("""
                    --- errors (2) ---
                    a.c:3:5: error: 'x' undeclared (first use in this function)
                    b.c:(.text+0x5): undefined reference to `g'
                    --- warnings (1) ---
                    a.c:4:9: warning: unused variable 'y' [-Wunused-variable]\
                    """);
    }

    @Test
    void whatIsShownIsBounded() {
        String output = "a.c:1:1: error: x\n".concat("a.c:1:2: error: " + "y".repeat(900) + "\n")
                + "b.c:1: warning: z\n".repeat(3);
        assertThat(summary(output).length()).isLessThan(500);
        StringBuilder many = new StringBuilder();
        for (int i = 0; i < 300; i++) {
            many.append("a.c:").append(i).append(": warning: x\na.c:").append(i).append(": error: ");
            many.append("z".repeat(800)).append('\n');
        }
        assertThat(summary(many.toString()).lines())
                .hasSize(1 + 50 + 1 + 1 + 10 + 1)
                .contains("… and 250 more", "… and 290 more")
                .allMatch(line -> line.length() <= 301);
        String beyond = "x\n".repeat(200_000);
        assertThat(summary(beyond + "a.c:1: error: x")).isEmpty();
    }

    /** Of outputs in which something has failed. */
    @Test
    void howManyTestsHavePassed() {
        assertThat(FailureLines.in("all is well\n--- FAIL: TestA (0.00s)\nok  \tpkg\t0.1s")
                        .passing())
                .isEmpty();
        Map.ofEntries(
                        entry("""
                        [ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.1 s <<< FAILURE! -- in A
                        [ERROR] Tests run: 8, Failures: 1, Errors: 0, Skipped: 2
                        [INFO] Tests run: 4, Failures: 0, Errors: 0, Skipped: 0
                        """, 9),
                        entry("7 tests completed, 1 failed, 2 skipped", 4),
                        entry("1 test completed, 1 failed", 0),
                        entry(
                                "=================== 2 failed, 10 passed, 3 skipped in 65.20s (0:01:05) ===================",
                                10),
                        entry("1 failed in 0.02s", 0),
                        entry("1 failed, 3 passed, 1 error in 0.02s", 3),
                        entry(
                                "=== RUN   TestA\n=== RUN   TestA/one\n--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/one\n=== RUN   TestB",
                                1),
                        entry("test result: FAILED. 3 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out", 3),
                        entry("Tests:       1 failed, 2 skipped, 5 passed, 8 total", 5),
                        entry("      Tests  1 failed | 5 passed | 1 skipped (7)", 5),
                        entry("  5 passing (10ms)\n  1 failing", 5),
                        entry("ℹ tests 4\nℹ pass 3\nℹ fail 1\nℹ skipped 0", 3),
                        entry("TAP version 13\nok 1 - a\nnot ok 2 - b\nok 3 - c # SKIP later\n1..3", 1))
                .forEach((output, passing) ->
                        assertThat(FailureLines.in(output).passing()).as(output).hasValue(passing));
    }
}
