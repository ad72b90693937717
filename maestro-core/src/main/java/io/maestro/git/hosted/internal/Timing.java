package io.maestro.git.hosted.internal;

import java.time.Duration;

/**
 * How long things take.
 *
 * @param poll until a request is looked at again that waits for checks or people
 * @param settle how long after a push checks may still appear, so that nothing counts as green yet
 * @param mend until it is tried again when somebody has to mend something first
 * @param first the first wait before something is looked for again that a server may not show yet; each next one is twice as
 *     long
 * @param call how long an answer may take
 */
public record Timing(Duration poll, Duration settle, Duration mend, Duration first, Duration call) {
    /** For real servers. */
    public static final Timing DEFAULT = new Timing(
            Duration.ofSeconds(30),
            Duration.ofSeconds(30),
            Duration.ofMinutes(5),
            Duration.ofMillis(250),
            Duration.ofSeconds(60));

    /** How often is looked again. */
    static final int LOOKS = 5;

    /** The wait after so many looks. */
    Duration wait(int looks) {
        return first.multipliedBy(1L << looks);
    }
}
