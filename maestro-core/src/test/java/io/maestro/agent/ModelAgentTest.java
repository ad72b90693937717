package io.maestro.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.AgentBuilder;
import io.maestro.Maestro;
import io.maestro.agent.contract.AgentContract;
import io.maestro.agent.contract.PlayedModel;
import io.maestro.error.MaestroException;
import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmContent;
import io.maestro.llm.LlmInterruptedException;
import io.maestro.llm.LlmMessage;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.llm.LlmResponse.StopReason;
import io.maestro.llm.Usage;
import io.maestro.tools.ToolDefinition;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
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
        return builder.model(new Played(model));
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
                        .model(new Played(PlayedModel.turns()))
                        .build())
                .hasMessageContaining("/no/such/place");
        assertThatThrownBy(() -> Maestro.agent().id("a b")).hasMessageContaining("'a b'");
    }

    @Test
    void aLimitOnCostNeedsAPriceBeforeAnythingIsAsked() {
        assertThatThrownBy(() -> Maestro.agent()
                        .directory(directory)
                        .model(new Played(PlayedModel.turns()))
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

    /** A client that plays. */
    private record Played(PlayedModel played) implements LlmClient {
        @Override
        public String model() {
            return MODEL;
        }

        @Override
        public LlmResponse complete(LlmRequest request) {
            List<String> texts = new ArrayList<>();
            List<PlayedModel.Result> results = new ArrayList<>();
            int turns = 0;
            for (LlmMessage message : request.messages()) {
                if (message.role() == LlmMessage.Role.ASSISTANT) {
                    turns++;
                    continue;
                }
                for (LlmContent part : message.content()) {
                    if (part instanceof LlmContent.Text text) {
                        texts.add(text.text());
                    } else if (part instanceof LlmContent.ToolReply reply) {
                        results.add(new PlayedModel.Result(reply.text(), reply.error()));
                    }
                }
            }
            PlayedModel.Said said = played.say(new PlayedModel.Asked(
                    turns,
                    request.system(),
                    texts,
                    results,
                    request.tools().stream().map(ToolDefinition::name).toList()));
            if (said.hangs()) {
                hang();
            }
            return said.tool().isEmpty()
                    ? answer(new LlmContent.Text(said.text()), StopReason.END_TURN)
                    : answer(
                            new LlmContent.ToolUse(UUID.randomUUID().toString(), said.tool(), json(said)),
                            StopReason.TOOL_USE);
        }

        private static LlmResponse answer(LlmContent content, StopReason reason) {
            return new LlmResponse(MODEL, List.of(content), reason, new Usage(100, 20, 0, 0));
        }

        private static String json(PlayedModel.Said said) {
            try {
                return new com.fasterxml.jackson.databind.ObjectMapper().writeValueAsString(said.input());
            } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
                throw new IllegalArgumentException(e);
            }
        }

        private static void hang() {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new LlmInterruptedException("interrupted", e);
            }
        }
    }
}
