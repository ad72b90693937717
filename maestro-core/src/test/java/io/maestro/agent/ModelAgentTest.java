package io.maestro.agent;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.AgentBuilder;
import io.maestro.Maestro;
import io.maestro.error.MaestroException;
import io.maestro.testkit.contract.AgentContract;
import io.maestro.testkit.contract.PlayedModel;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Maestro's own loop around a model. */
class ModelAgentTest extends AgentContract {
    private static final String MODEL = "played-model";

    @Override
    protected String model() {
        return MODEL;
    }

    @Override
    protected AgentBuilder withModel(AgentBuilder builder, PlayedModel model) {
        return builder.model(model.client(MODEL));
    }

    @Test
    void whatIsMissingIsSaid() {
        assertThatThrownBy(() -> Maestro.agent().build())
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("directory(…)");
        assertThatThrownBy(() -> Maestro.agent().directory(directory).build())
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("model(…)");
        assertThatThrownBy(() -> Maestro.agent()
                        .directory(Path.of("/no/such/place"))
                        .model(PlayedModel.turns().client(MODEL))
                        .build())
                .hasMessageContaining("/no/such/place");
        assertThatThrownBy(() -> Maestro.agent().id("a b")).hasMessageContaining("'a b'");
    }

    @Test
    void aLimitOnCostNeedsAPriceBeforeAnythingIsAsked() {
        assertThatThrownBy(() -> Maestro.agent()
                        .directory(directory)
                        .model(PlayedModel.turns().client(MODEL))
                        .limits(Limits.builder().costPerStory(BigDecimal.ONE).build())
                        .build())
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining(MODEL);
    }

    @Test
    void textIsToldAsItIsWritten() {
        List<String> told = new ArrayList<>();
        try (Agent agent = withModel(
                        Maestro.agent().directory(directory),
                        PlayedModel.turns(PlayedModel.Said.text("thinking aloud"), PlayedModel.Said.done("x")))
                .stream(told::add)
                .build()) {
            agent.run(AgentTask.of("Do it"));
        }
        assertThat(told).containsExactly("thinking aloud");
    }
}
