package io.maestro.agent.spi;

import io.maestro.agent.Agent;
import io.maestro.environment.Equipment;
import io.maestro.error.MaestroException;
import io.maestro.exec.Executor;
import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmContent;
import io.maestro.llm.LlmMessage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A coder mode whose program is a model, most often one with a script, that behaves as Claude Code does: it has sessions on a
 * disk of its own, which outlast this life as long as the object does; a call that has no answer when it is ended is gone from
 * its session; a question holds its call open. It writes down what is done with it, one line each.
 */
public final class ScriptedCoderMode implements AgentFactory, AgentProvider {
    /** For example {@code open 042/1 PLANNING}, {@code begin PLANNING}, {@code resume CODING}, {@code close 042/1 CODING}. */
    public final List<String> calls = Collections.synchronizedList(new ArrayList<>());

    public final List<AgentProject> projects = Collections.synchronizedList(new ArrayList<>());
    /** What was asked of it, in its order. */
    public final List<AgentContext> tasks = Collections.synchronizedList(new ArrayList<>());
    /** What it was told first in each of its visits. */
    public final List<List<String>> news = Collections.synchronizedList(new ArrayList<>());

    /** What nobody may see. */
    public volatile List<String> secrets = List.of();
    /** What it needs. */
    public volatile Equipment equipment = Equipment.NONE;
    /** What a check finds. */
    public volatile Function<Optional<Executor>, Optional<String>> found = executor -> Optional.empty();
    /** What it asks. */
    public volatile List<LlmClient> services = List.of();
    /** Called with each line while it is written down. */
    public volatile Consumer<String> watcher = call -> {};
    /** What opening it fails with. */
    public volatile Optional<MaestroException> refusal = Optional.empty();

    private final Map<String, List<LlmMessage>> disk = new ConcurrentHashMap<>();
    final LlmClient model;

    public ScriptedCoderMode(LlmClient model) {
        this.model = model;
    }

    @Override
    public String id() {
        return "scripted";
    }

    @Override
    public List<String> secrets() {
        return secrets;
    }

    @Override
    public AgentProvider open(AgentProject project) {
        projects.add(project);
        if (refusal.isPresent()) {
            throw refusal.get();
        }
        return this;
    }

    @Override
    public Optional<String> check(Optional<Executor> executor) {
        return found.apply(executor);
    }

    @Override
    public List<LlmClient> services() {
        return services;
    }

    @Override
    public Equipment equipment(String agentId) {
        return equipment;
    }

    @Override
    public Agent open(AgentContext task) {
        tasks.add(task);
        called("open " + name(task));
        return new ScriptedWork(this, task);
    }

    @Override
    public void close() {
        called("end");
    }

    static String name(AgentContext task) {
        return task.storyId() + "/" + task.attempt() + " " + task.state();
    }

    void called(String call) {
        calls.add(call);
        watcher.accept(call);
    }

    /** Its sessions. */
    public Map<String, List<LlmMessage>> disk() {
        return disk;
    }

    /** All that was said to the model in a session, as one text. */
    public String said(String session) {
        StringBuilder text = new StringBuilder();
        disk.getOrDefault(session, List.of()).stream()
                .filter(message -> message.role() == LlmMessage.Role.USER)
                .flatMap(message -> message.content().stream())
                .forEach(part -> text.append(
                                part instanceof LlmContent.Text said
                                        ? said.text()
                                        : part instanceof LlmContent.ToolReply reply ? reply.text() : "")
                        .append('\n'));
        return text.toString();
    }
}
