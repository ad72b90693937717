package io.maestro.claude.internal.coder;

import io.maestro.agent.Limits;
import io.maestro.agent.spi.AgentContext;
import io.maestro.environment.Environment;
import io.maestro.llm.Usage;
import io.maestro.story.CoderState;
import io.maestro.tools.InputSchema;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolResult;
import io.maestro.tools.ToolSignal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A task without a story around it: remembers what it was told, and answers calls as a test says. */
final class FakeTask implements AgentContext {
    final List<String> calls = new CopyOnWriteArrayList<>();
    final List<String> refused = new CopyOnWriteArrayList<>();
    final List<String> ownTools = new CopyOnWriteArrayList<>();
    final List<String> records = new CopyOnWriteArrayList<>();
    final Map<String, Function<String, Call>> answers = new HashMap<>();
    List<String> terminal = List.of("submit_plan");
    final List<String> unread = new ArrayList<>();
    final List<String> reserved = new CopyOnWriteArrayList<>();
    final List<String> ended = new CopyOnWriteArrayList<>();

    /** What the shell takes. */
    InputSchema shell = InputSchema.empty();

    volatile @Nullable String session;
    volatile @Nullable String exceeded;
    volatile @Nullable RuntimeException refusal;
    CoderState state = CoderState.PLANNING;
    boolean decides;
    volatile @Nullable Environment environment;

    FakeTask() {
        answers.put("submit_plan", input -> ending("submit_plan", "plan"));
        answers.put("ask_question", input -> ending("ask_question", "question"));
        answers.put("container_switch", input -> new Call(ToolResult.ok("runs in image b now"), Optional.empty()));
        answers.put("shell", input -> new Call(ToolResult.ok("ran"), Optional.empty()));
    }

    static Call ending(String signal, String name) {
        return new Call(ToolResult.ok("accepted"), Optional.of(new ToolSignal(signal, Map.of(name, "text"))));
    }

    @Override
    public String agentId() {
        return "coder-001";
    }

    @Override
    public String role() {
        return "coder";
    }

    @Override
    public String storyId() {
        return "1";
    }

    @Override
    public int attempt() {
        return 1;
    }

    @Override
    public CoderState state() {
        return state;
    }

    @Override
    public Environment environment() {
        Environment there = environment;
        if (there == null) {
            throw new UnsupportedOperationException();
        }
        return there;
    }

    @Override
    public Limits limits() {
        return Limits.defaults();
    }

    @Override
    public List<ToolDefinition> tools() {
        List<ToolDefinition> tools = new ArrayList<>();
        terminal.forEach(name -> tools.add(
                ToolDefinition.builder(name).description("d").terminal().build()));
        tools.add(ToolDefinition.builder("shell").description("d").input(shell).build());
        return tools;
    }

    @Override
    public Call call(String callId, String tool, String input) {
        calls.add(tool + " " + input);
        return answers.get(tool).apply(input);
    }

    @Override
    public ToolResult refuse(String callId, String tool, String input, String reason) {
        refused.add(callId + " " + tool);
        return ToolResult.error(reason);
    }

    @Override
    public void ownToolStarted(String callId, String tool, String arguments) {
        ownTools.add(callId + " " + tool + " " + arguments);
    }

    @Override
    public void ownToolFinished(String callId, String tool, Duration duration, boolean error, String answer) {
        ownTools.add(callId + " " + tool + (error ? " failed " : " ") + answer);
    }

    @Override
    public boolean decidesOnOwnTools() {
        return decides;
    }

    @Override
    public boolean movesCoder(String tool) {
        return tool.equals("container_switch");
    }

    @Override
    public String instructions() {
        return "instructions";
    }

    @Override
    public String assignment() {
        return "the story";
    }

    @Override
    public String prompt(String prompt, Map<String, ?> variables) {
        return "<" + prompt + " " + new TreeMap<>(variables) + ">";
    }

    @Override
    public Optional<String> session() {
        return Optional.ofNullable(session);
    }

    @Override
    public void session(String id) {
        session = id;
    }

    @Override
    public ModelRequest reserve(String model, long inputTokens, long outputTokens) {
        reserved.add(model + " " + inputTokens + " " + outputTokens);
        RuntimeException planted = refusal;
        if (planted != null) {
            throw planted;
        }
        return new ModelRequest() {
            @Override
            public void used(String answered, Usage usage) {
                ended.add(answered + " " + usage.totalTokens());
            }

            @Override
            public void unanswered(String asked, Usage most) {
                ended.add("unanswered " + asked + " " + most.totalTokens());
            }

            @Override
            public void failed(boolean mayBeCharged) {
                ended.add("failed " + mayBeCharged);
            }
        };
    }

    @Override
    public void used(String model, Usage usage) {}

    @Override
    public Optional<String> exceeded() {
        return Optional.ofNullable(exceeded);
    }

    @Override
    public void record(String role, String content) {
        records.add(role + " " + content);
    }

    @Override
    public void recordOnce(String role, String content) {
        if (!records.contains(role + " " + content)) {
            record(role, content);
        }
    }

    @Override
    public Optional<String> unread() {
        return unread.isEmpty() ? Optional.empty() : Optional.of(unread.remove(0));
    }
}
