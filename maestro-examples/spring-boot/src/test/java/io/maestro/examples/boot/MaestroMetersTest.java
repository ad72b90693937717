package io.maestro.examples.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.maestro.event.MaestroEvent;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class MaestroMetersTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final MaestroMeters meters = new MaestroMeters(registry);

    private void call(String tool, boolean error) {
        meters.onEvent(new MaestroEvent.ToolFinished(
                "042",
                "coder-001",
                1,
                "CODING",
                tool,
                "id",
                null,
                Duration.ofMillis(5),
                error,
                null,
                "",
                "",
                Instant.now()));
    }

    private long timers() {
        return registry.find("maestro.tool.calls").timers().size();
    }

    @Test
    void namesThatAModelInventsHaveOneMeter() {
        for (int i = 0; i < 400; i++) {
            call("made up " + i, true);
        }
        assertThat(timers()).isEqualTo(1);
        call("shell", false);
        call("shell", true);
        assertThat(registry.get("maestro.tool.calls").tag("tool", "shell").timers())
                .hasSize(2);
        assertThat(registry.get("maestro.tool.calls")
                        .tag("tool", "other")
                        .timer()
                        .count())
                .isEqualTo(400);
    }

    @Test
    void metersAreBoundedWhateverRuns() {
        for (int i = 0; i < 400; i++) {
            call("tool " + i, false);
        }
        assertThat(timers()).isEqualTo(301);
    }
}
