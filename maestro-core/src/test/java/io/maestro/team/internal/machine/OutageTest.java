package io.maestro.team.internal.machine;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.error.RetriableException;
import java.time.Duration;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The clock of an outage, against a model of it. */
class OutageTest {
    private static final Duration LIMIT = Duration.ofMinutes(15);
    private static final Duration INTERVAL = Duration.ofSeconds(15);

    private long now = 1_000;
    private final Outage outage = new Outage(() -> now);

    private static RetriableException down(@Nullable Duration retryAfter) {
        return new RetriableException("down", null, retryAfter);
    }

    private void passes(Duration time) {
        now += time.toNanos();
    }

    @Test
    void theFirstFailureIsAlwaysFollowedByATry() {
        outage.failed(down(null), null);
        passes(LIMIT.multipliedBy(2));
        assertThat(outage.pause(LIMIT, INTERVAL)).isNotNull();
        outage.failed(down(null), null);
        assertThat(outage.pause(LIMIT, INTERVAL)).isNull();
    }

    /** A usage limit that says when it ends is slept through, and what is left of the limit is left afterwards. */
    @Test
    void aTimeThatTheServiceNamesIsWaitedForAndNotCounted() {
        outage.failed(down(Duration.ofHours(5)), null);
        Outage.Pause pause = outage.pause(LIMIT, INTERVAL);
        assertThat(pause).isEqualTo(new Outage.Pause(Duration.ofHours(5), false));
        passes(pause.time());
        outage.waited(pause);
        outage.failed(down(null), null);
        assertThat(outage.pause(LIMIT, INTERVAL)).isEqualTo(new Outage.Pause(INTERVAL, true));

        outage.failed(down(Outage.MOST_NAMED), null);
        assertThat(outage.pause(LIMIT, INTERVAL))
                .as("not twice in one outage")
                .isEqualTo(new Outage.Pause(LIMIT, true));
    }

    /** However often it is tried again. */
    @Test
    void theLogHasFewLinesOfALongOutage() {
        int lines = 0;
        for (int tries = 0; tries < 1_000; tries++) {
            outage.failed(down(null), null);
            lines += outage.isWorthALine() ? 1 : 0;
            passes(Duration.ofSeconds(1));
        }
        assertThat(lines).isEqualTo(4);
        outage.ended();
        outage.failed(down(null), null);
        assertThat(outage.isWorthALine()).as("another outage").isTrue();
    }

    @Test
    void anythingMayHappenInAnyOrder() {
        long seed = System.nanoTime();
        System.out.println("OutageTest seed " + seed);
        Random random = new Random(seed);
        // The model: when the outage began, and whether one goes on.
        long began = 0;
        int failures = 0;
        long worked = 0;
        for (int i = 0; i < 20_000; i++) {
            passes(Duration.ofSeconds(random.nextInt(400)));
            switch (random.nextInt(4)) {
                case 0 -> worked = now;
                case 1 -> {
                    outage.ended();
                    failures = 0;
                }
                default -> {
                    failures = failures > 0 && worked > began ? 1 : failures + 1;
                    began = failures == 1 ? now : began;
                    outage.failed(down(null), worked == 0 ? null : worked);
                    boolean over = failures > 1 && now - began >= LIMIT.toNanos();
                    assertThat(outage.pause(LIMIT, INTERVAL) == null)
                            .as("step %d, seed %d", i, seed)
                            .isEqualTo(over);
                }
            }
        }
    }
}
