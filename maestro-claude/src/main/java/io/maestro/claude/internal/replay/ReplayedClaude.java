package io.maestro.claude.internal.replay;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.maestro.agent.Agent;
import io.maestro.agent.spi.AgentContext;
import io.maestro.agent.spi.AgentFactory;
import io.maestro.agent.spi.AgentProject;
import io.maestro.agent.spi.AgentProvider;
import io.maestro.agent.spi.RecordedAnswers;
import io.maestro.environment.Equipment;
import io.maestro.error.MaestroException;
import io.maestro.exec.Executor;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;

/**
 * Claude Code with a recorded story's answers in the place of its model: the CLI runs its own tools and asks a {@link RecordedApi}.
 *
 * @param id the mode's id
 * @param secrets the mode's secrets, which answers may name
 * @param answers what is answered
 * @param at the mode with another address of the API, and a key for it
 */
public record ReplayedClaude(
        String id, List<String> secrets, RecordedAnswers answers, BiFunction<URI, String, AgentFactory> at)
        implements AgentFactory {
    /** Sub-agents' conversations are beside the main one, and the record does not tell them apart; the others use the network. */
    private static final Set<String> NOT_REPLAYED = Set.of("Task", "Agent", "WebFetch", "WebSearch");

    /**
     * Looks at the answers.
     *
     * @throws MaestroException when they used sub-agents or the network
     */
    public ReplayedClaude {
        answers.byState().values().forEach(all -> all.forEach(ReplayedClaude::requireRecorded));
    }

    private static void requireRecorded(String blocks) {
        try {
            for (JsonNode block : new JsonMapper().readTree(blocks)) {
                if (block.path("type").asText().equals("tool_use")
                        && NOT_REPLAYED.contains(block.path("name").asText())) {
                    throw new MaestroException(
                            "the model has used " + block.path("name").asText()
                                    + ", which is not in the record: this story cannot be replayed",
                            null);
                }
            }
        } catch (JsonProcessingException e) {
            throw new MaestroException("a recorded answer is no JSON", e);
        }
    }

    @Override
    public AgentProvider open(AgentProject project) {
        RecordedApi api = new RecordedApi(answers);
        try {
            return new Provider(at.apply(api.url(), api.key()).open(project), api);
        } catch (RuntimeException e) {
            api.close();
            throw e;
        }
    }

    private record Provider(AgentProvider claude, RecordedApi api) implements AgentProvider {
        @Override
        public Equipment equipment(String agentId) {
            return claude.equipment(agentId);
        }

        @Override
        public Optional<String> check(Optional<Executor> executor) {
            return claude.check(executor);
        }

        @Override
        public Agent open(AgentContext task) {
            api.workIn(task.environment().executor().workingDirectory());
            return claude.open(task);
        }

        @Override
        public void close() {
            try {
                claude.close();
            } finally {
                api.close();
            }
        }
    }
}
