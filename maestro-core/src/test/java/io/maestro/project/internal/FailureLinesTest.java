package io.maestro.project.internal;

import static io.maestro.testing.AssertThat.assertThat;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FailureLinesTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "[ERROR]   OrderTest.addsTax:42 expected: 3 but was: 2|OrderTest.addsTax",
                "[ERROR] com.example.OrderTest.addsTax -- Time elapsed: 0.012 s <<<"
                        + " FAILURE!|com.example.OrderTest.addsTax",
                "[ERROR]   OrderTest$Nested.addsTax:42 » NullPointer|OrderTest$Nested.addsTax",
                "[ERROR]   OrderTest.rounds(int)[2]:9 x|",
                "OrderTest > addsTax() FAILED|OrderTest > addsTax()",
                "OrderTest > Nested > rounds(int) > [2] 3 FAILED|OrderTest > Nested > rounds(int) > [2] 3",
                "FAILED tests/test_order.py::test_tax[eu] - AssertionError: 3|tests/test_order.py::test_tax[eu]",
                "ERROR tests/test_order.py|tests/test_order.py",
                "--- FAIL: TestTax (0.00s)|TestTax",
                "    --- FAIL: TestTax/eu (0.00s)|TestTax/eu",
                "test order::tests::tax ... FAILED|order::tests::tax",
                "  ● order › adds tax|order › adds tax",
                " FAIL  src/order.test.ts > order > adds tax|src/order.test.ts > order > adds tax",
                "not ok 3 - adds tax # time=1ms|adds tax",
                "\u001b[31mFAILED\u001b[0m tests/test_order.py::test_tax|tests/test_order.py::test_tax",
                "[ERROR] Tests run: 3, Failures: 1|",
                "[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:3.6.1:test|",
                "ok 4 - adds tax|",
                "PASS src/order.test.ts|",
                "BUILD FAILED|",
                "2 tests completed, 1 FAILED|",
            })
    void aTestThatFailedIsKnownByItsLine(String line, String name) {
        FailureLines found = FailureLines.in("before\n" + line + "\nafter");
        if (name == null) {
            assertThat(found.tests()).isEmpty();
        } else {
            assertThat(found.tests()).containsExactly(name);
        }
        assertThat(found.errors()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[ERROR] /builds/src/A.java:[10,5] cannot find symbol",
                "src/A.java:10: error: ';' expected",
                "src/a.c:10:5: fatal error: none.h: No such file or directory",
                "./a.go:10:5: undefined: tax",
                "src/a.ts(10,5): error TS2322: Type 'string' is not assignable",
                "error[E0308]: mismatched types",
                "e: file:///builds/A.kt:3:7 Unresolved reference 'tax'.",
                "ModuleNotFoundError: No module named 'requests'",
            })
    void whatACompilerRefusesIsKept(String line) {
        FailureLines found = FailureLines.in("", "before\n" + line + "\r\nafter: 3");
        assertThat(found.errors()).containsExactly(line);
        assertThat(found.tests()).isEmpty();
    }

    /** Lines that would take for ever where a pattern could be split in many ways. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "a > ",
                "::a",
                ".a",
                "a.py::",
                " › ",
                "a:1:",
                "[ERROR] a",
                " - ",
                "● ",
                "(1,1)",
                " at ",
                "(a.js:1:1",
                ": undefined ",
                "panicked at ",
                "1:1 error "
            })
    @Timeout(20)
    void noLineTakesLong(String part) {
        for (String begin : new String[] {
            "",
            "[ERROR] a",
            "FAILED a.py",
            "● a",
            " FAIL a.ts",
            "not ok 1",
            "e: a",
            "a.go",
            "● a › b\n  at ",
            "thread '",
            "File \"",
            "a.b\n  1:1"
        }) {
            String line = begin + part.repeat(990 / part.length()) + "!";
            FailureLines.in((line.substring(0, Math.min(line.length(), 1000)) + "\n").repeat(48));
        }
    }

    @Test
    void theSummaryIsBoundedAndSaysOfHowMany() {
        String output = IntStream.range(0, 60)
                .mapToObj(i -> "--- FAIL: Test" + i + " (0.00s)")
                .collect(Collectors.joining("\n"));
        assertThat(FailureLines.in(output, output).summary().lines())
                .hasSize(52)
                .startsWith("--- failed tests (60) ---", "Test0")
                .endsWith("Test49", "… and 10 more");
        assertThat(FailureLines.in("x".repeat(100_000), "nothing").summary()).isEmpty();
    }
}
