package io.maestro.team.internal.loop;

import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.withSettings;

import io.maestro.agent.Limits;
import io.maestro.event.MaestroEvent;
import io.maestro.event.MaestroListener;
import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmRequest;
import io.maestro.prompt.internal.Prompts;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Store;
import io.maestro.runtime.ToolRegistry;
import io.maestro.runtime.ToolRuntime;
import io.maestro.runtime.internal.DefaultToolContext;
import io.maestro.team.internal.machine.Events;
import io.maestro.tools.AgentTools;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import io.maestro.tools.ToolSignal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** A real loop over a real runtime and real tools, with a record in memory. */
final class LoopBench implements AutoCloseable {
    static final Map<String, List<String>> SIGNALS = Map.of("done", List.of("summary"));

    final List<AuditLog.Message> messages = Collections.synchronizedList(new ArrayList<>());
    final List<AuditLog.ToolExecution> executions = Collections.synchronizedList(new ArrayList<>());
    final List<MaestroEvent> seen = Collections.synchronizedList(new ArrayList<>());
    private final ToolRegistry registry =
            ToolRegistry.builder().redactor(text -> text).build();
    private final Events events;
    private final ToolRuntime runtime;
    final Store store = mock(Store.class, withSettings().stubOnly().defaultAnswer(call -> {
        switch (call.getMethod().getName()) {
            case "messages" -> {
                return List.copyOf(messages);
            }
            case "recordMessage", "recordAnswer" -> messages.add(call.getArgument(0));
            case "recordToolExecution" -> executions.add(call.getArgument(0));
            default -> throw new UnsupportedOperationException(call.toString());
        }
        return null;
    }));

    LoopBench() {
        this(event -> {});
    }

    LoopBench(MaestroListener listener) {
        this.events = new Events(List.of(seen::add, listener));
        this.runtime = ToolRuntime.builder()
                .record(store::recordToolExecution)
                .redactor(text -> text)
                .listener(events)
                .build();
        // Terminal tools write nothing, and yet they run alone.
        tool(
                "done",
                definition -> definition.readOnly().terminal(),
                call -> ToolResult.builder("done")
                        .signal(new ToolSignal("done", call.arguments().asMap()))
                        .build());
    }

    /** Adds a tool that takes any arguments. */
    LoopBench tool(String name, UnaryOperator<ToolDefinition.Builder> definition, Tool tool) {
        registry.register(new ToolFactory() {
            @Override
            public ToolDefinition definition() {
                return definition
                        .apply(ToolDefinition.builder(name)
                                .description("Does " + name)
                                .input(schema -> schema.allowAdditionalProperties()))
                        .build();
            }

            @Override
            public Tool create(ToolContext context) {
                return tool;
            }
        });
        return this;
    }

    LoopBench reading(String name, Tool tool) {
        return tool(name, ToolDefinition.Builder::readOnly, tool);
    }

    LoopBench writing(String name, Tool tool) {
        return tool(name, definition -> definition, tool);
    }

    AgentTools tools() {
        return registry.agentTools(DefaultToolContext.builder("coder-001", ToolAudience.CODER_CODING)
                .storyId("042")
                .build());
    }

    ModelConversation conversation(String story) {
        ModelConversation conversation = ModelConversation.begin(
                store,
                text -> text,
                "session",
                1,
                new LlmRequest.Origin("coder-001", "042", "CODING"),
                0,
                "You are a coder.");
        conversation.addUser(story);
        return conversation;
    }

    /** The conversation as a process finds it that was started after a crash. */
    LoopInput resumed(LlmClient model, Limits limits) {
        ModelConversation conversation = ModelConversation.resume(
                        store, text -> text, "session-2", 1, new LlmRequest.Origin("coder-001", "042", "CODING"), 0)
                .orElseThrow();
        return LoopInput.of(conversation, tools(), SIGNALS, model, new Meter(limits));
    }

    LoopInput input(LlmClient model, Limits limits) {
        return LoopInput.of(conversation("The story"), tools(), SIGNALS, model, new Meter(limits));
    }

    ToolLoop loop(Limits limits) {
        return loop(limits, state -> OptionalDouble.empty());
    }

    ToolLoop loop(Limits limits, Function<String, OptionalDouble> temperatures) {
        return new ToolLoop(runtime, new Prompts(), events, limits, "session", temperatures);
    }

    ToolLoop.LoopOutcome run(LlmClient model, Limits limits) {
        return loop(limits).run(input(model, limits));
    }

    @Override
    public void close() {
        runtime.close();
    }
}
