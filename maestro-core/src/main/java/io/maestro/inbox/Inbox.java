package io.maestro.inbox;

import io.maestro.agent.Architect;
import io.maestro.agent.Architect.Kind;
import io.maestro.error.MaestroException;
import io.maestro.inbox.internal.RecordedReply;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.DecisionRequests;
import io.maestro.record.internal.DecisionRequests.ReplyStatus;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What waits for people, on whatever way they answer: a page of the host's, a terminal, a webhook, another process with the same
 * record. Requests come here when {@code Maestro.builder().people(…)} or {@code .architect(…)} gives their kind to people. A
 * request outlasts restarts and keeps its deadline. The first answer counts; whoever comes later is told what was decided. Safe
 * for use by several threads and processes.
 *
 * <pre>{@code
 * for (InboxItem item : maestro.inbox().pending()) {
 *     System.out.println(item.id() + " " + item.kind() + " until " + item.until() + "\n" + item.facts());
 * }
 * maestro.inbox().answer("042/1/4", InboxAnswer.say("alice", "Mind the time zones."));
 * }</pre>
 */
public final class Inbox {
    /** How many requests {@link #pending()} gives at most. */
    public static final int MOST = 1_000;

    private final DecisionRequests requests;
    private final Runnable onAnswer;

    /**
     * For Maestro.
     *
     * @param requests those of a record
     * @param onAnswer told when a request may have been answered here
     */
    @SuppressWarnings("exports") // Hosts get one, and make none.
    public Inbox(DecisionRequests requests, Runnable onAnswer) {
        this.requests = requests;
        this.onAnswer = onAnswer;
    }

    /**
     * The requests that wait.
     *
     * @return oldest first, at most {@value #MOST}
     */
    public List<InboxItem> pending() {
        return pending(0, MOST).rows();
    }

    /**
     * One page of the requests that wait.
     *
     * @param after the {@link AuditLog.Page#last()} of the page before; 0 for the first
     * @param most how many at most; 1 or more
     * @return oldest first; empty at the end
     */
    public AuditLog.Page<InboxItem> pending(long after, int most) {
        AuditLog.Page<DecisionRequests.Row> page = requests.pending(after, most);
        return new AuditLog.Page<>(page.rows().stream().map(InboxItem::of).toList(), page.last());
    }

    /**
     * Looks for a request, whether it waits or not.
     *
     * @param requestId the request
     * @return empty when there is none on which people decide
     */
    public Optional<InboxItem> find(String requestId) {
        return requests.find(Objects.requireNonNull(requestId, "requestId")).map(InboxItem::of);
    }

    /**
     * Answers a request. What counts is in the record when this returns.
     *
     * @param requestId the request
     * @param answer what a person decides
     * @return what came of it, and the request as it stands after that
     * @throws IllegalArgumentException when there is no such request; when the answer is not one to what was asked: a question takes
     *     {@link InboxAnswer.Kind#ANSWER} or REJECTED, everything else any kind but ANSWER; and when a plan is given to what asks
     *     about none, or to what several people must approve
     */
    public Result answer(String requestId, InboxAnswer answer) {
        Objects.requireNonNull(answer, "answer");
        InboxItem item = find(requestId)
                .orElseThrow(() -> new IllegalArgumentException("there is no request '" + requestId
                        + "' on which people decide; pending() has those that wait"));
        requireFits(item, answer);
        Architect.Reply reply = new Architect.Reply(
                requestId, answer.decision(), answer.message(), answer.plan().orElse(null));
        ReplyStatus verdict = requests.reply(
                requestId,
                answer.person(),
                answer.decision() == Architect.Decision.APPROVED,
                answer.message(),
                RecordedReply.of(reply, answer.person()).json(),
                Instant.now());
        onAnswer.run();
        InboxItem after = find(requestId)
                .orElseThrow(() -> new MaestroException("request " + requestId + " was removed meanwhile", null));
        return new Result(
                switch (verdict) {
                    case COUNTS -> Status.COUNTS;
                    case MORE_NEEDED -> Status.MORE_NEEDED;
                    case TOO_LATE, UNKNOWN -> Status.TOO_LATE;
                },
                after);
    }

    /** The one place that says which kind of answer decides on which kind of request. */
    private static void requireFits(InboxItem item, InboxAnswer given) {
        InboxAnswer.Kind answer = given.kind();
        if (item.kind() == Kind.QUESTION
                && (answer == InboxAnswer.Kind.APPROVED || answer == InboxAnswer.Kind.NEEDS_CHANGES)) {
            throw new IllegalArgumentException("request " + item.id() + " is a QUESTION, which " + answer
                    + " does not answer: answer it with a text (say), or reject it");
        }
        if (item.kind() != Kind.QUESTION && answer == InboxAnswer.Kind.ANSWER) {
            throw new IllegalArgumentException("request " + item.id() + " is a " + item.kind()
                    + ", no question, so a text (say) decides nothing: approve it, ask for changes or reject it");
        }
        if (given.plan().isPresent()) {
            RecordedReply.planRefused(item.id(), item.kind(), item.facts(), item.approvals())
                    .ifPresent(why -> {
                        throw new IllegalArgumentException(why);
                    });
        }
    }

    /** What comes of an answer. */
    public enum Status {
        /** It is the answer to the request, and the story goes on. */
        COUNTS,
        /** It is one approval of several; somebody else must approve, too. */
        MORE_NEEDED,
        /** The request was answered before, has run out of time, or was withdrawn. */
        TOO_LATE
    }

    /**
     * What has come of an answer.
     *
     * @param status whether it counts
     * @param item the request, with what was decided on it
     */
    public record Result(Status status, InboxItem item) {
        /**
         * Names the decision that was made, for whoever made it.
         *
         * @return one line, such as {@code approved: merge of 042 goes on}
         */
        public String summary() {
            return switch (status) {
                case COUNTS -> item.decided().orElse("answered");
                case MORE_NEEDED ->
                    "your approval of " + item.id() + ", the " + item.kind() + " of " + item.storyId() + ", is kept; "
                            + (item.approvals() - item.given().size()) + " more must approve";
                case TOO_LATE ->
                    "too late: " + item.outcome().map(Object::toString).orElse("the request was withdrawn");
            };
        }
    }
}
