package io.maestro.examples.embedding;

import io.maestro.Maestro;
import io.maestro.agent.Agent;
import io.maestro.agent.AgentResult;
import io.maestro.agent.AgentTask;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.llm.LlmClient;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolProvider;
import java.nio.file.Path;
import java.util.concurrent.Semaphore;

/** The interfaces that users implement, in one agent: the README shows the body of its method. */
public final class FourInterfaces {
    private FourInterfaces() {}

    /**
     * Has an agent do something.
     *
     * @param directory where it works
     * @param model does the thinking
     * @param ticketTool makes a tool
     * @param reports several tools
     * @param task what is to be done
     * @return how it ended
     */
    public static AgentResult run(
            Path directory, LlmClient model, ToolFactory ticketTool, ToolProvider reports, String task) {
        Semaphore turns = new Semaphore(2);
        try (Agent agent = Maestro.agent()
                .directory(directory)
                .model(model)
                .tool(ticketTool)
                .tools(tools -> tools.add(reports.tools()))
                .executor(
                        path -> new LimitedExecutor(LocalExecutor.builder(path).build(), turns))
                .build()) {
            return agent.run(AgentTask.of(task));
        }
    }
}
