package io.maestro.replay.internal;

import io.maestro.agent.Architect;
import io.maestro.agent.spi.RecordedAnswers;
import io.maestro.error.MaestroException;
import io.maestro.inbox.internal.RecordedReply;
import io.maestro.llm.LlmContent;
import io.maestro.llm.LlmResponse;
import io.maestro.llm.Usage;
import io.maestro.llm.internal.MessageJson;
import io.maestro.record.AuditLog;
import io.maestro.report.internal.ReportSource;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.story.StoryType;
import io.maestro.team.internal.story.StoryProgress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** What the record has of the latest attempt at a story. Immutable. */
public final class Recording {
    private final AuditLog.StoryRecord story;
    private final String coder;
    private final Map<String, List<LlmResponse>> answers = new HashMap<>();
    private final Map<String, Architect.Reply> replies = new HashMap<>();
    private final List<AuditLog.ToolExecution> calls = new ArrayList<>();
    private final Set<String> named = new HashSet<>();
    private final ProgramAnswers programs = new ProgramAnswers();
    private final String base;
    private final NavigableMap<Integer, String> tips;
    private final Set<String> workingDirectories;
    private final List<AuditLog.StateTransition> ways;

    /**
     * Reads it.
     *
     * @throws MaestroException when there is no such story, or it cannot be replayed; the message says why
     */
    public Recording(AuditLog log, String storyId) {
        this.story = log.story(storyId)
                .orElseThrow(
                        () -> new MaestroException("there is no story " + storyId + " in " + log.location(), null));
        this.coder = Optional.ofNullable(story.agentId())
                .orElseThrow(() ->
                        new MaestroException("story " + storyId + " was not begun: nothing can be replayed", null));
        StoryProgress progress = StoryProgress.fromJson(story.data());
        this.tips = progress.checkout().tips();
        this.workingDirectories = progress.checkout().workingDirectories();
        // A record of before the tips were kept has only the last base.
        this.base = Objects.requireNonNullElse(
                tips.isEmpty()
                        ? progress.work().baseCommit()
                        : progress.checkout().instructionsCommit(),
                "");
        List<AuditLog.StateTransition> steps = log.transitions(storyId).stream()
                .filter(step -> step.attempt() == story.attempt())
                .toList();
        if (steps.stream().anyMatch(step -> step.from() == CoderState.ERROR)) {
            throw new MaestroException(
                    "story " + storyId + " went on after it had failed: it cannot be replayed", null);
        }
        this.ways = steps.stream().filter(Recording::endsMerge).toList();
        if (base.isEmpty()) {
            throw new MaestroException("story " + storyId + " has no commit that its work began on", null);
        }
        log.messages(storyId).stream()
                .filter(row -> row.attempt() == story.attempt())
                .forEach(this::read);
        for (AuditLog.Effect effect : ReportSource.requests(log, storyId)) {
            String reply = effect.reply();
            if (effect.attempt() == story.attempt() && reply != null) {
                read(effect, reply);
            }
        }
        log.toolExecutions(storyId).stream()
                .filter(call -> call.attempt() == story.attempt()
                        && call.agentId().equals(coder)
                        && call.parentCallId() == null)
                .forEach(calls::add);
        if (programs.program().isPresent()) {
            requireWhole(steps);
        }
    }

    /** What a program's model has answered is not all that its run has depended on. */
    private void requireWhole(List<AuditLog.StateTransition> steps) {
        if (workingDirectories.isEmpty()) {
            throw new MaestroException(
                    "the record of story " + story.id()
                            + " is of an earlier version and does not say where commands ran:"
                            + " what answers name there would be changed",
                    null);
        }
        if (steps.stream().anyMatch(step -> step.to() == CoderState.BUDGET_REVIEW)) {
            throw new MaestroException(
                    "story " + story.id() + " had used up a budget, and a replay uses none: it cannot be replayed",
                    null);
        }
    }

    private void read(AuditLog.Message row) {
        if (!row.agentId().equals(coder)) {
            return;
        }
        if (row.state().contains("/")) {
            programs.read(row);
            return;
        }
        if (!row.role().equals("assistant")) {
            return;
        }
        List<LlmContent> content = MessageJson.read(row.content());
        for (LlmContent part : content) {
            if (part instanceof LlmContent.ToolUse use) {
                named.add(use.id());
            }
        }
        answers.computeIfAbsent(row.state(), state -> new ArrayList<>())
                .add(new LlmResponse(
                        Objects.requireNonNullElse(row.model(), "recorded"),
                        content,
                        row.stopReason() == null
                                ? LlmResponse.StopReason.OTHER
                                : LlmResponse.StopReason.valueOf(row.stopReason()),
                        new Usage(
                                row.inputTokens(), row.outputTokens(), row.cacheReadTokens(), row.cacheWriteTokens())));
    }

    private void read(AuditLog.Effect effect, String json) {
        RecordedReply reply = RecordedReply.read(effect.id(), json);
        reply.decided()
                .ifPresent(decision -> replies.put(
                        key(effect.id(), effect.kind()),
                        new Architect.Reply(effect.id(), decision, reply.message(), reply.plan())));
    }

    /** Requests are told apart by the step of the coder's, which is the last part of their ids. */
    private static String key(String requestId, String kind) {
        return kind + " " + requestId.substring(requestId.lastIndexOf('/') + 1);
    }

    /** The story, without what it depended on. */
    public Story story() {
        Story.Builder builder = Story.builder(story.id(), story.title())
                .content(story.content())
                .type(StoryType.valueOf(story.type()));
        return story.express() ? builder.express().build() : builder.build();
    }

    /** The program that was the coder; empty when Maestro's own loop was. */
    public Optional<String> program() {
        return programs.program();
    }

    /** What the program's model has answered. */
    public RecordedAnswers programAnswers() {
        return programs.all(workingDirectories);
    }

    /** The commit that its work began on. */
    public String base() {
        return base;
    }

    /** The tips of the target branch that came into the work, in order. */
    public Collection<String> tips() {
        return tips.values();
    }

    /** The tip of the target branch that came into the work next after a step; empty when none came any more. */
    Optional<String> tipAfter(int step) {
        return Optional.ofNullable(tips.higherEntry(step)).map(Map.Entry::getValue);
    }

    /** Whether a story that has waited for its merge goes on. */
    static boolean endsMerge(AuditLog.StateTransition step) {
        return step.from() == CoderState.AWAIT_MERGE && step.to() != CoderState.SUSPEND;
    }

    /** The names of the directory in which commands ran. */
    Set<String> workingDirectories() {
        return workingDirectories;
    }

    /**
     * How the story went on when it had waited for its merge.
     *
     * @param number which time; 0 for the first
     * @return empty when it did not wait so often
     */
    Optional<AuditLog.StateTransition> afterMerge(int number) {
        return number < ways.size() ? Optional.of(ways.get(number)) : Optional.empty();
    }

    /** What was merged; empty when nothing was. */
    public Optional<String> mergeCommit() {
        return Optional.ofNullable(story.mergeCommit());
    }

    /** What the coder's model answered in a state, in order. */
    List<LlmResponse> answers(String state) {
        return answers.getOrDefault(state, List.of());
    }

    /** What was decided on a request; empty when nobody has. */
    Optional<Architect.Reply> reply(Architect.Request request) {
        return Optional.ofNullable(replies.get(key(request.id(), request.kind().name())));
    }

    /** The coder's calls, in the order in which they ended; those that tools made are not among them. */
    public List<AuditLog.ToolExecution> calls() {
        return calls;
    }

    /** Whether the model has made a call; the others are Maestro's own, as its runs of the tests. */
    public boolean isModels(AuditLog.ToolExecution call) {
        return named.contains(call.callId()) || programs.calls().contains(call.callId());
    }
}
