package io.maestro.examples.embedding;

import io.maestro.Maestro;
import io.maestro.agent.Agent;
import io.maestro.agent.AgentResult;
import io.maestro.agent.AgentTask;
import io.maestro.agent.Limits;
import io.maestro.llm.AnthropicClient;
import io.maestro.record.CostScope;
import java.math.BigDecimal;
import java.nio.file.Path;

/** An agent that works alone: the README shows its main method. */
public final class OneAgent {
    private OneAgent() {}

    /**
     * Has an agent do something in a directory.
     *
     * @param args the directory, and what is to be done
     */
    public static void main(String[] args) {
        try (Agent agent = Maestro.agent()
                .directory(Path.of(args[0]))
                .model(AnthropicClient.fromEnvironment("claude-sonnet-5"))
                .limits(Limits.builder()
                        .costCap(CostScope.TOTAL, BigDecimal.ONE)
                        .build())
                .build()) {
            AgentResult result = agent.run(AgentTask.of(args[1]));
            System.out.println(result.ending() + ": " + result.text() + " (" + result.calls() + " calls, "
                    + result.cost().orElseThrow().toPlainString() + " dollars)");
        }
    }
}
