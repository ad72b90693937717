package io.maestro.examples.embedding;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.agent.Agent;
import io.maestro.agent.AgentResult;
import io.maestro.agent.AgentTask;
import io.maestro.agent.spi.AgentContext;
import io.maestro.agent.spi.AgentFactory;
import io.maestro.agent.spi.AgentProject;
import io.maestro.agent.spi.AgentProvider;
import io.maestro.error.MaestroException;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.story.CoderState;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** An agent program of one command: it reads its task on standard input, changes files, and prints what it has done. */
public final class CommandProgram implements AgentFactory, AgentProvider {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final List<String> command;

    /**
     * An agent that runs a command for each task.
     *
     * @param command the program and its arguments
     */
    public CommandProgram(String... command) {
        this.command = List.of(command);
    }

    @Override
    public String id() {
        return "command";
    }

    @Override
    public AgentProvider open(AgentProject project) {
        return this;
    }

    @Override
    public Agent open(AgentContext context) {
        if (context.decidesOnOwnTools()) {
            throw new MaestroException("the policy for tools cannot see what " + command.get(0)
                    + " does: remove the policy, or choose another agent");
        }
        return new Work(context);
    }

    @Override
    public void close() {}

    private final class Work implements Agent {
        private final AgentContext context;
        private int calls;

        Work(AgentContext context) {
            this.context = context;
        }

        @Override
        public String id() {
            return context.agentId();
        }

        @Override
        public String role() {
            return context.role();
        }

        @Override
        public AgentResult run(AgentTask task) {
            boolean plans = context.state() == CoderState.PLANNING;
            String first = plans ? "Change no file. Print a plan for this:" : "Do this, then print a summary:";
            String text = String.join("\n\n", first, context.assignment(), String.join("\n\n", task.messages()));
            ExecResult result = context.environment()
                    .executor()
                    .run(ExecRequest.command(command)
                            .stdin(text.getBytes(StandardCharsets.UTF_8))
                            .timeLimit(Duration.ofMinutes(30))
                            .build());
            if (result.ending() == ExecResult.Ending.CANCELLED) {
                return AgentResult.cancelled();
            }
            if (!result.succeeded()) {
                return AgentResult.stuck(command.get(0) + " has failed:\n" + result.stderr());
            }
            String said = result.stdout().text();
            return plans ? call("submit_plan", "plan", said) : call("done", "summary", said);
        }

        private AgentResult call(String tool, String argument, String value) {
            AgentContext.Call call = context.call("call-" + ++calls, tool, json(Map.of(argument, value)));
            return call.ends()
                    .map(AgentResult::completed)
                    .orElseGet(() -> AgentResult.stuck(call.result().text()));
        }

        @Override
        public void close() {}
    }

    private static String json(Map<String, String> arguments) {
        try {
            return JSON.writeValueAsString(arguments);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
