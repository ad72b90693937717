package io.maestro.secrets;

import static io.maestro.testing.AssertThat.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** On texts that are made to slow it down, the work grows as the text does. In the time of the thread, not of the clock. */
class RedactionGrowthTest {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final int SHORT = 40_000;
    private static final int TIMES = 4;

    /** Less is noise. */
    private static final long LEAST = 3_000_000;

    private final SecretRedactor redactor = SecretRedactor.withDefaults();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "password=\"",
                "key ",
                "keykey",
                "token='",
                "-----BEGIN PRIVATE KEY-----\n",
                "\\u0041",
                "secret: |\n",
                "://a:",
                "<password ",
                "an ordinary line, and an escaped one \\n\n",
                "cookie=",
                "QUFB"
            })
    void workGrowsWithTheLength(String unit) {
        long few = work(unit.repeat(SHORT / unit.length()));
        long many = work(unit.repeat(TIMES * SHORT / unit.length()));

        assertThat((double) many / few).isLessThan(2.5 * TIMES);
    }

    private long work(String text) {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 4; i++) {
            long start = THREADS.getCurrentThreadCpuTime();
            redactor.redact(text);
            least = Math.min(least, THREADS.getCurrentThreadCpuTime() - start);
        }
        return Math.max(least, LEAST);
    }
}
