package io.maestro.team.internal.loop;

import io.maestro.budget.internal.PaidRequest;
import io.maestro.event.MaestroListener;
import io.maestro.llm.LlmContent;
import io.maestro.llm.LlmMessage;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.llm.Usage;
import io.maestro.llm.internal.MessageJson;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Store;
import io.maestro.secrets.CleanText;
import io.maestro.secrets.Redactor;
import io.maestro.team.internal.machine.CancelledException;
import io.maestro.tools.ToolResult;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One agent's conversation with its model about one story, in one state. Every message is in the record before it has a
 * consequence, so that the next process can {@linkplain #resume go on} where this one was killed. Here all that a model is
 * told loses its secrets; what is sent is what is in the record. Used by one thread at a time.
 */
public final class ModelConversation {
    private final Store store;
    private final Redactor redactor;
    private final String sessionId;
    private final int attempt;
    private final LlmRequest.Origin origin;
    private final String system;
    private final List<LlmMessage> messages = new ArrayList<>();

    /** What the user's side has said in the current step. */
    private final Set<String> saidInStep = new HashSet<>();

    /** What the last message answered, when it was replayed from this step and nothing has followed. */
    private List<LlmContent.ToolUse> justAnswered = List.of();

    private long chatShown;
    private ContextWindow.Read read = ContextWindow.Read.NOTHING;
    private long mostTokens = Long.MAX_VALUE;
    private int step;
    private int turnsInStep;
    private @Nullable Instant answeredAt;
    private volatile boolean closed;

    /** Why the last answer ended; null when that is not in the record. */
    private LlmResponse.@Nullable StopReason stopReason;

    private ModelConversation(
            Store store, Redactor redactor, String sessionId, int attempt, LlmRequest.Origin origin, String system) {
        this.store = store;
        this.redactor = redactor;
        this.sessionId = sessionId;
        this.attempt = attempt;
        this.origin = origin;
        this.system = system;
    }

    /** Begins a conversation. */
    public static ModelConversation begin(
            Store store,
            Redactor redactor,
            String sessionId,
            int attempt,
            LlmRequest.Origin origin,
            int step,
            String system) {
        return begin(store, redactor, sessionId, attempt, origin, step, system, "");
    }

    /**
     * Begins a conversation.
     *
     * @param note what the record says of the system prompt beside it; nothing where it is empty
     */
    public static ModelConversation begin(
            Store store,
            Redactor redactor,
            String sessionId,
            int attempt,
            LlmRequest.Origin origin,
            int step,
            String system,
            String note) {
        CleanText clean = CleanText.of(redactor, system);
        ModelConversation conversation =
                new ModelConversation(store, redactor, sessionId, attempt, origin, clean.toString());
        conversation.step = step;
        if (!note.isEmpty()) {
            // First: the conversation is there from its system prompt on.
            conversation.record("note", List.of(new LlmContent.Text(note)), List.of());
        }
        conversation.record("system", List.of(new LlmContent.Text(clean.toString())), List.of(clean));
        return conversation;
    }

    /** Goes on with the conversation that an earlier process had for the same attempt; empty when there was none. */
    public static Optional<ModelConversation> resume(
            Store store, Redactor redactor, String sessionId, int attempt, LlmRequest.Origin origin, int step) {
        ModelConversation conversation = null;
        for (AuditLog.Message row : store.messages(origin.storyId())) {
            if (row.attempt() != attempt
                    || !row.agentId().equals(origin.agentId())
                    || !row.state().equals(origin.state())
                    || row.role().equals("note")) {
                continue;
            }
            List<LlmContent> content = MessageJson.read(row.content());
            if (conversation == null) {
                conversation = new ModelConversation(store, redactor, sessionId, attempt, origin, text(content));
                conversation.step = step;
            }
            conversation.replay(row, content);
        }
        return Optional.ofNullable(conversation);
    }

    private void replay(AuditLog.Message row, List<LlmContent> content) {
        switch (row.role()) {
            case "user" -> {
                justAnswered = row.step() == step ? answered(content) : List.of();
                append(content);
                if (row.step() == step) {
                    content.forEach(this::noteSaid);
                }
            }
            case "assistant" -> {
                noteRead(new Usage(
                        row.inputTokens(), row.outputTokens(), row.cacheReadTokens(), row.cacheWriteTokens()));
                if (!content.isEmpty()) {
                    messages.add(new LlmMessage(LlmMessage.Role.ASSISTANT, content));
                }
                justAnswered = List.of();
                answeredAt = row.at();
                stopReason = row.stopReason() == null ? null : LlmResponse.StopReason.valueOf(row.stopReason());
                if (row.step() == step) {
                    turnsInStep++;
                }
            }
            case "compaction" -> {
                List<LlmMessage> shorter = Compaction.replay(List.copyOf(messages), text(content));
                mostTokens = Compaction.mostTokens(text(content));
                messages.clear();
                messages.addAll(shorter);
            }
            default -> {
                // The system prompt is known.
            }
        }
    }

    /** The calls of the last answer to which these are good results. */
    private List<LlmContent.ToolUse> answered(List<LlmContent> replies) {
        Set<String> good = new HashSet<>();
        for (LlmContent part : replies) {
            if (part instanceof LlmContent.ToolReply reply && !reply.error()) {
                good.add(reply.toolUseId());
            }
        }
        return unanswered().stream().filter(use -> good.contains(use.id())).toList();
    }

    private static String text(List<LlmContent> content) {
        return !content.isEmpty() && content.get(0) instanceof LlmContent.Text text ? text.text() : "";
    }

    LlmRequest.Origin origin() {
        return origin;
    }

    /** Tells what is written in it. */
    WrittenText written(MaestroListener listener) {
        return new WrittenText(origin, attempt, redactor, listener);
    }

    int attempt() {
        return attempt;
    }

    String system() {
        return system;
    }

    public List<LlmMessage> messages() {
        return List.copyOf(messages);
    }

    /** A new step begins; a step that goes on after a crash keeps its count of turns. */
    public void enter(int newStep) {
        if (newStep != step) {
            step = newStep;
            turnsInStep = 0;
            saidInStep.clear();
            justAnswered = List.of();
        }
    }

    /** How often the model has answered in this step. */
    public int turnsInStep() {
        return turnsInStep;
    }

    /**
     * Adds a text, unless the model was told the very same in this step, before a crash. Calls that an earlier step was
     * stopped in are answered first: no service takes a conversation in which a call has no result.
     */
    public void tellOnce(String text) {
        if (isToldInStep(text)) {
            return;
        }
        List<LlmContent> content = new ArrayList<>();
        for (LlmContent.ToolUse use : unanswered()) {
            ToolResult result = executed(use).map(RecordedResult::result).orElseGet(RecordedResult::interrupted);
            content.add(new LlmContent.ToolReply(use.id(), result.text(), result.isError()));
        }
        content.add(new LlmContent.Text(text));
        addUser(content, List.of());
    }

    /** Whether the model was told the very same in this step, perhaps by an earlier process. */
    public boolean isToldInStep(String text) {
        return saidInStep.contains(CleanText.of(redactor, text).toString());
    }

    /** Calls of tools in the model's last answer that have no result yet; after a crash there may be some. */
    List<LlmContent.ToolUse> unanswered() {
        LlmMessage last = last();
        if (last == null || last.role() != LlmMessage.Role.ASSISTANT) {
            return List.of();
        }
        return last.content().stream()
                .filter(LlmContent.ToolUse.class::isInstance)
                .map(LlmContent.ToolUse.class::cast)
                .toList();
    }

    /**
     * Calls whose good results are the last thing in the conversation, written in this step by an earlier process: if one of
     * them is terminal, that process was killed before it could act on the signal.
     */
    List<LlmContent.ToolUse> justAnswered() {
        return justAnswered;
    }

    /** Whether the model has spoken last. */
    boolean endsWithAnswer() {
        LlmMessage last = last();
        return last != null && last.role() == LlmMessage.Role.ASSISTANT;
    }

    /** Why the model's last answer ended; null when that is not known. */
    LlmResponse.@Nullable StopReason stopReason() {
        return stopReason;
    }

    /** What is in the record of a call that {@link #unanswered()} returned: it was run before the crash. */
    Optional<AuditLog.ToolExecution> executed(LlmContent.ToolUse use) {
        Instant since = answeredAt;
        return store.toolExecutions(origin.storyId()).stream()
                .filter(row -> row.attempt() == attempt
                        && row.callId().equals(use.id())
                        && row.parentCallId() == null
                        && row.tool().equals(use.name())
                        && row.agentId().equals(origin.agentId())
                        && since != null
                        && !row.at().isBefore(since))
                // A call that was cancelled while somebody was asked about it is made again, and has two.
                .reduce((earlier, later) -> later);
    }

    private @Nullable LlmMessage last() {
        return messages.isEmpty() ? null : messages.get(messages.size() - 1);
    }

    public void addUser(String text) {
        addUser(List.of(new LlmContent.Text(text)), List.of());
    }

    /**
     * Adds to the user's side. Two messages of a user in a row become one, as the vendors' interfaces want it.
     *
     * @param known texts of it that are clean already
     */
    void addUser(List<LlmContent> content, List<CleanText> known) {
        List<CleanText> scanned = new ArrayList<>(content.size());
        List<LlmContent> clean =
                content.stream().map(part -> clean(part, known, scanned)).toList();
        record("user", clean, scanned);
        justAnswered = List.of();
        append(clean);
        clean.forEach(this::noteSaid);
    }

    private LlmContent clean(LlmContent part, List<CleanText> known, List<CleanText> scanned) {
        if (part instanceof LlmContent.Text text) {
            return new LlmContent.Text(clean(text.text(), known, scanned));
        }
        if (part instanceof LlmContent.ToolReply reply) {
            return new LlmContent.ToolReply(reply.toolUseId(), clean(reply.text(), known, scanned), reply.error());
        }
        return part;
    }

    private String clean(String text, List<CleanText> known, List<CleanText> scanned) {
        CleanText clean = CleanText.of(redactor, text, known);
        scanned.add(clean);
        return clean.toString();
    }

    /** The highest number of a message of the chat that was shown here; 0 when there is none. */
    long chatShown() {
        return chatShown;
    }

    private void append(List<LlmContent> content) {
        chatShown = Math.max(chatShown, ChatInbox.highestIn(content));
        LlmMessage last = last();
        if (last != null && last.role() == LlmMessage.Role.USER) {
            List<LlmContent> both = new ArrayList<>(last.content());
            both.addAll(content);
            messages.set(messages.size() - 1, new LlmMessage(LlmMessage.Role.USER, both));
        } else {
            messages.add(new LlmMessage(LlmMessage.Role.USER, content));
        }
    }

    private void noteSaid(LlmContent part) {
        if (part instanceof LlmContent.Text text) {
            saidInStep.add(text.text());
        }
    }

    /**
     * Adds what the model said; an empty answer is recorded, but cannot be sent back to a model.
     *
     * @param response of the request, whose usage is known
     */
    void addAssistant(LlmResponse response, PaidRequest request) {
        if (closed) {
            request.failed(true);
            throw new CancelledException();
        }
        Usage usage = Objects.requireNonNull(response.usage());
        AuditLog.Message message = message(
                "assistant",
                response.content(),
                response.model(),
                response.stopReason().name(),
                usage);
        answeredAt = message.at();
        request.record(store, message, usage);
        noteRead(usage);
        turnsInStep++;
        stopReason = response.stopReason();
        if (!response.content().isEmpty()) {
            messages.add(new LlmMessage(LlmMessage.Role.ASSISTANT, response.content()));
        }
    }

    /**
     * Makes the conversation shorter; see {@link Compaction}. A row says so, so that one that is rebuilt is made shorter at the
     * same place.
     *
     * @param tokens how many the model can read, as far as it has said so; else {@link Long#MAX_VALUE}
     * @return false when nothing can be left out
     */
    boolean compact(long characters, String todos, long tokens) {
        List<LlmMessage> shorter = Compaction.compact(messages, characters, todos);
        if (MessageSizes.of(shorter) >= MessageSizes.of(messages)) {
            return false;
        }
        String row = Compaction.row(messages, shorter, characters, todos, tokens);
        record("compaction", List.of(new LlmContent.Text(row)), List.of());
        mostTokens = tokens;
        messages.clear();
        messages.addAll(shorter);
        return true;
    }

    /** What the model has read of it, by its own counts. */
    ContextWindow.Read read() {
        return read;
    }

    /** How many tokens the model can read, as far as it has said so; else {@link Long#MAX_VALUE}. */
    long mostTokens() {
        return mostTokens;
    }

    private void noteRead(Usage usage) {
        read = read.then(MessageSizes.of(messages), usage);
    }

    /** Nothing is added any more: the turn of whoever tries ends as cancelled. Safe for use by other threads. */
    public void close() {
        closed = true;
    }

    private void record(String role, List<LlmContent> content, List<CleanText> known) {
        if (closed) {
            throw new CancelledException();
        }
        store.recordMessage(message(role, content, null, null, Usage.NONE), known);
    }

    private AuditLog.Message message(
            String role, List<LlmContent> content, @Nullable String model, @Nullable String stopReason, Usage usage) {
        return new AuditLog.Message(
                sessionId,
                origin.storyId(),
                attempt,
                origin.agentId(),
                origin.state(),
                step,
                role,
                MessageJson.write(content),
                model,
                stopReason,
                usage.inputTokens(),
                usage.outputTokens(),
                usage.cacheReadTokens(),
                usage.cacheWriteTokens(),
                Instant.now());
    }
}
