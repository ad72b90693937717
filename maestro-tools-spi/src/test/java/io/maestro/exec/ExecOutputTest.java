package io.maestro.exec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.maestro.exec.ExecResult.Ending;
import java.time.Duration;
import java.util.Arrays;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExecOutputTest {
    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    @Test
    void completeOutputIsItsText() {
        ExecOutput output = ExecOutput.of("grün\n");
        assertThat(output.text()).isEqualTo("grün\n");
        assertThat(output.bytes()).isEqualTo(bytes("grün\n"));
        assertThat(output.totalBytes()).isEqualTo(6);
        assertThat(output.omittedBytes()).isZero();
        assertThat(output).hasToString("grün\n");
        assertThat(ExecOutput.of("").text()).isEmpty();
        assertThat(ExecOutput.of("").totalBytes()).isZero();
    }

    @Test
    void whatWasLeftOutIsCounted() {
        ExecOutput output = ExecOutput.of(bytes("begin"), bytes("end"), 1L << 40);
        assertThat(output.text()).isEqualTo("begin\n[... 1099511627776 bytes left out ...]\nend");
        assertThat(output.bytes()).isEqualTo(bytes("beginend"));
        assertThat(output.totalBytes()).isEqualTo((1L << 40) + 8);
        assertThat(output.omittedBytes()).isEqualTo(1L << 40);
    }

    @Test
    void noPartOfAWordIsShownAtTheCut() {
        ExecOutput output = ExecOutput.of(bytes("a ".repeat(200) + "begins"), bytes("ends" + "\nb".repeat(200)), 10);
        assertThat(output.text()).isEqualTo("a ".repeat(200) + "\n[... 20 bytes left out ...]\n" + "\nb".repeat(200));
        assertThat(output.omittedBytes()).isEqualTo(10);
        assertThat(ExecOutput.of(bytes("a".repeat(2000) + "'begins"), bytes("ends'" + "b".repeat(2000)), 10)
                        .text())
                .isEqualTo("a".repeat(2000) + "\n[... 22 bytes left out ...]\n" + "b".repeat(2000));
        assertThat(ExecOutput.of(bytes("€".repeat(1000)), bytes("€".repeat(1000)), 1)
                        .text())
                .isEqualTo("€".repeat(914) + "\n[... 517 bytes left out ...]\n" + "€".repeat(914));
    }

    @Test
    void aCharacterIsWholeWhenHeadAndTailMeetInIt() {
        byte[] text = bytes("a€b");
        for (int cut = 0; cut <= text.length; cut++) {
            byte[] head = Arrays.copyOf(text, cut);
            byte[] tail = Arrays.copyOfRange(text, cut, text.length);
            assertThat(ExecOutput.of(head, tail, 0).text()).isEqualTo("a€b");
        }
    }

    @Test
    void aCharacterThatWasCutIsReplaced() {
        byte[] text = bytes("a€b");
        ExecOutput output = ExecOutput.of(Arrays.copyOf(text, 3), Arrays.copyOfRange(text, 3, 5), 7);
        assertThat(output.text()).isEqualTo("a\ufffd\n[... 7 bytes left out ...]\n\ufffdb");
        assertThat(output.bytes()).isEqualTo(text);
        assertThat(ExecOutput.of(new byte[] {(byte) 0xff, 'x'}, new byte[0], 0).text())
                .isEqualTo("\ufffdx");
    }

    @Test
    void itDoesNotChangeAfterwards() {
        byte[] head = bytes("a");
        byte[] tail = bytes("b");
        ExecOutput output = ExecOutput.of(head, tail, 1);
        head[0] = 'x';
        tail[0] = 'x';
        output.bytes()[0] = 'x';
        assertThat(output.bytes()).isEqualTo(bytes("ab"));
    }

    @Test
    void lessThanNothingCannotBeLeftOut() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ExecOutput.of(new byte[0], new byte[0], -1))
                .withMessage("omitted must be 0 or more, is -1");
    }

    @ParameterizedTest
    @CsvSource({
        "EXITED, 0, true",
        "EXITED, 1, false",
        "EXITED, -1, false",
        "EXITED, , false",
        "TIMED_OUT, 0, false",
        "TIMED_OUT, , false",
        "CANCELLED, 0, false",
        "CANCELLED, , false"
    })
    void onlyExitCodeZeroIsASuccess(Ending ending, Integer exitCode, boolean success) {
        OptionalInt code = exitCode == null ? OptionalInt.empty() : OptionalInt.of(exitCode);
        ExecOutput none = ExecOutput.of("");
        assertThat(new ExecResult(ending, code, none, none, Duration.ZERO).succeeded())
                .isEqualTo(success);
    }
}
