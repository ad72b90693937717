package io.maestro.agent;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.MaestroBuilder;
import io.maestro.agent.spi.ScriptedCoderMode;
import io.maestro.testkit.ScriptedLlm;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** The same paths where a program works in PLANNING and CODING. */
class ProgramPathsTest extends CoderPathsTest {
    private final List<ScriptedCoderMode> modes = new ArrayList<>();

    @Override
    protected void coder(MaestroBuilder builder, ScriptedLlm model) {
        ScriptedCoderMode mode = new ScriptedCoderMode(model);
        modes.add(mode);
        builder.coderMode(mode).architect(new RuleArchitect());
    }

    /** Whatever the path: none is left open, and the mode is closed last. */
    @AfterEach
    void everyProgramHasEnded() {
        for (ScriptedCoderMode mode : modes) {
            List<String> open = new ArrayList<>();
            for (String call : mode.calls) {
                if (call.startsWith("open ")) {
                    open.add(call.substring(5));
                } else if (call.startsWith("close ")) {
                    assertThat(open.remove(call.substring(6)))
                            .as("%s", mode.calls)
                            .isTrue();
                }
            }
            assertThat(open).as("%s", mode.calls).isEmpty();
            if (!mode.calls.isEmpty()) {
                assertThat(mode.calls).endsWith("end").containsOnlyOnce("end");
            }
        }
    }
}
