package io.maestro.exec.local;

import static io.maestro.testing.AssertThat.assertThat;
import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class ProcStatTest {
    private static final String LINE =
            "4242 (%s) S 17 4242 4200 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 987654 2703360 222 18446744073709551615\n";

    @Test
    void aLineIsRead() {
        assertThat(parse(LINE.formatted("sleep"))).contains(new ProcStat(4242, 'S', 17, 4200, 4194560, 987654));
    }

    @Test
    void aProgramMayBeCalledWhatItLikes() {
        assertThat(parse(LINE.formatted("a) Z 1 1 (b"))).contains(new ProcStat(4242, 'S', 17, 4200, 4194560, 987654));
    }

    @Test
    void whatIsCutShortIsNoProcess() {
        String line = LINE.formatted("sleep");
        assertThat(parse("")).isEmpty();
        assertThat(parse(line.substring(0, 40))).isEmpty();
    }

    @Test
    void aZombieIsNotAlive() {
        assertThat(new ProcStat(1, 'Z', 1, 1, 0, 1).isAlive()).isFalse();
        assertThat(new ProcStat(1, 'T', 1, 1, 0, 1).isAlive()).isTrue();
    }

    @Test
    void aThreadOfTheKernelIsOne() {
        assertThat(new ProcStat(2, 'S', 0, 0, 2129984, 1).isOfTheKernel()).isTrue();
        assertThat(new ProcStat(4242, 'S', 17, 4200, 4194560, 1).isOfTheKernel())
                .isFalse();
    }

    private static Optional<ProcStat> parse(String line) {
        byte[] bytes = line.getBytes(US_ASCII);
        return ProcStat.parse(bytes, bytes.length);
    }
}
