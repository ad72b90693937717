package io.maestro.agent.spi;

import io.maestro.agent.Agent;
import io.maestro.agent.AgentResult;
import io.maestro.agent.AgentTask;
import io.maestro.llm.LlmContent;
import io.maestro.llm.LlmMessage;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.llm.internal.MessageJson;
import io.maestro.tools.ToolDefinition;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** See {@link ScriptedCoderMode}. */
final class ScriptedWork implements Agent {
    private final ScriptedCoderMode mode;
    private final AgentContext task;
    private final String terminal;
    private List<LlmMessage> session = new ArrayList<>();
    private LlmContent.@Nullable ToolUse held;
    private boolean closed;

    ScriptedWork(ScriptedCoderMode mode, AgentContext task) {
        this.mode = mode;
        this.task = task;
        this.terminal = task.tools().stream()
                .filter(ToolDefinition::terminal)
                .map(ToolDefinition::name)
                .sorted()
                .collect(Collectors.joining(", "));
    }

    @Override
    public String id() {
        return task.agentId();
    }

    @Override
    public String role() {
        return task.role();
    }

    @Override
    public AgentResult run(AgentTask told) {
        List<String> news = told.messages();
        if (closed) {
            throw new IllegalStateException("closed");
        }
        mode.news.add(news);
        begin(String.join("\n\n", news));
        int reminders = 0;
        for (int turn = 0; turn < task.limits().turnsPerState(); turn++) {
            Optional<String> exceeded = task.exceeded();
            if (exceeded.isPresent()) {
                return AgentResult.overBudget(exceeded.get());
            }
            task.unread().ifPresent(this::tell);
            LlmResponse response = ask();
            if (response.toolUses().isEmpty()) {
                if (++reminders > task.limits().reminders()) {
                    return AgentResult.stuck("it ended its turn without calling one of [" + terminal + "]");
                }
                tell(task.prompt("reminder", Map.of("terminal", terminal)));
            }
            for (LlmContent.ToolUse use : response.toolUses()) {
                Optional<AgentResult> end = call(use);
                if (end.isPresent()) {
                    return end.get();
                }
            }
        }
        return AgentResult.overBudget("all " + task.limits().turnsPerState() + " turns are used up");
    }

    private void begin(String news) {
        if (held != null) {
            append(LlmMessage.Role.USER, List.of(new LlmContent.ToolReply(held.id(), news, false)));
            held = null;
            return;
        }
        String id = task.session().orElseGet(() -> {
            String unused = UUID.randomUUID().toString();
            task.session(unused);
            return unused;
        });
        List<LlmMessage> known = isKept(id) ? mode.disk().get(id) : null;
        if (known == null || known.isEmpty()) {
            mode.called("begin " + task.state());
            keep(id);
            mode.disk().put(id, session);
            tell(task.assignment() + (news.isEmpty() ? "" : "\n\n" + news));
            return;
        }
        session = known;
        mode.called("resume " + task.state());
        forget(!news.isEmpty() && !news.startsWith("You may have been told"));
        tell(news.isEmpty() ? task.prompt("claude-restarted", Map.of("terminal", terminal)) : news);
    }

    /** Whether its session is still where the environment keeps it; one that keeps nothing has it on a disk of its own. */
    private boolean isKept(String id) {
        return task.environment()
                .stateDirectory()
                .map(state -> Files.exists(Path.of(state, id)))
                .orElse(true);
    }

    private void keep(String id) {
        task.environment().stateDirectory().ifPresent(state -> {
            try {
                Files.writeString(Path.of(state, id), "");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /**
     * Calls without an answer are not there in a session that is taken up. That its turn had been ended by one, the model sees
     * from the news: it does not do that again.
     */
    private void forget(boolean wentOn) {
        int last = session.size() - 1;
        if (session.get(last).role() != LlmMessage.Role.ASSISTANT) {
            return;
        }
        List<LlmContent.ToolUse> lost = session.get(last).content().stream()
                .filter(LlmContent.ToolUse.class::isInstance)
                .map(LlmContent.ToolUse.class::cast)
                .toList();
        if (!lost.isEmpty()) {
            session.remove(last);
        }
        if (wentOn && lost.stream().anyMatch(use -> terminal.contains(use.name()))) {
            session.add(new LlmMessage(LlmMessage.Role.ASSISTANT, List.of(new LlmContent.Text("(ended its turn)"))));
        }
    }

    private LlmResponse ask() {
        LlmRequest.Origin origin = new LlmRequest.Origin(
                task.agentId(), task.storyId(), task.state().name());
        LlmResponse response = mode.model.complete(new LlmRequest(
                origin,
                task.instructions(),
                session,
                task.tools(),
                task.limits().answerTokens(),
                OptionalDouble.empty()));
        task.used(response.model(), response.usage());
        if (!response.content().isEmpty()) {
            append(LlmMessage.Role.ASSISTANT, response.content());
            task.record("assistant", MessageJson.write(response.content()));
        }
        return response;
    }

    private Optional<AgentResult> call(LlmContent.ToolUse use) {
        boolean moves = task.movesCoder(use.name());
        if (moves) {
            mode.called("ended for " + use.name());
        }
        AgentContext.Call call = task.call(use.id(), use.name(), use.input());
        if (moves) {
            forget(false);
            mode.called("resume " + task.state());
            tell(task.prompt(
                    "claude-moved",
                    Map.of("tool", use.name(), "answer", call.result().text())));
            return Optional.empty();
        }
        if (call.ends().isPresent() && use.name().equals("ask_question")) {
            held = use;
        } else {
            append(
                    LlmMessage.Role.USER,
                    List.of(new LlmContent.ToolReply(
                            use.id(), call.result().text(), call.result().isError())));
        }
        return call.ends().map(AgentResult::completed);
    }

    private void tell(String text) {
        task.record("user", MessageJson.write(List.of(new LlmContent.Text(text))));
        append(LlmMessage.Role.USER, List.of(new LlmContent.Text(text)));
    }

    private void append(LlmMessage.Role role, List<LlmContent> content) {
        int last = session.size() - 1;
        if (last >= 0 && session.get(last).role() == role) {
            List<LlmContent> both = new ArrayList<>(session.get(last).content());
            both.addAll(content);
            session.set(last, new LlmMessage(role, both));
        } else {
            session.add(new LlmMessage(role, content));
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            mode.called("close " + ScriptedCoderMode.name(task));
        }
    }
}
