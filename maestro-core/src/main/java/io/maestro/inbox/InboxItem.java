package io.maestro.inbox;

import io.maestro.agent.Architect;
import io.maestro.agent.Architect.Kind;
import io.maestro.inbox.internal.RecordedReply;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.DecisionRequests;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A request on which people decide, as it stands at the moment.
 *
 * @param id the request; the same after a restart
 * @param kind what it is about
 * @param storyId the story that waits
 * @param storyTitle its title
 * @param storyContent what is to be done; Markdown
 * @param attempt which attempt; from 1
 * @param coderId the coder that asks
 * @param facts what belongs to the request, by the names in {@link Architect.Request}, in the order in which one reads them
 * @param askedAt when it was asked
 * @param until when it is too late to answer; see {@link #otherwise}
 * @param approvals how many people must approve
 * @param given the approvals so far where several are needed, oldest first
 * @param outcome what has become of it; empty while it is open
 */
public record InboxItem(
        String id,
        Kind kind,
        String storyId,
        String storyTitle,
        String storyContent,
        int attempt,
        String coderId,
        Map<String, String> facts,
        Instant askedAt,
        Instant until,
        int approvals,
        List<AuditLog.Approval> given,
        Optional<Outcome> outcome) {
    /**
     * Copies what can be changed.
     *
     * @param id see the record
     * @param kind see the record
     * @param storyId see the record
     * @param storyTitle see the record
     * @param storyContent see the record
     * @param attempt see the record
     * @param coderId see the record
     * @param facts see the record
     * @param askedAt see the record
     * @param until see the record
     * @param approvals see the record
     * @param given see the record
     * @param outcome see the record
     */
    public InboxItem {
        facts = Collections.unmodifiableMap(new LinkedHashMap<>(facts));
        given = List.copyOf(given);
    }

    /**
     * What has become of a request.
     *
     * @param asked what was asked
     * @param decision what was decided; empty when nobody answered in time, or when the story left the state from which it was
     *     asked, for example because it was cancelled
     * @param person who decided; empty when nobody did
     * @param message what was said; may be empty
     * @param at when
     */
    public record Outcome(
            Kind asked, Optional<Architect.Decision> decision, Optional<String> person, String message, Instant at) {
        /** {@return what kind of answer that was; empty when nobody answered} */
        public Optional<InboxAnswer.Kind> kind() {
            return decision.map(made -> asked == Kind.QUESTION && made != Architect.Decision.REJECTED
                    ? InboxAnswer.Kind.ANSWER
                    : InboxAnswer.Kind.valueOf(made.name()));
        }

        /** One line, such as {@code alice has decided APPROVED: mind the time zones}. */
        @Override
        public String toString() {
            String by = person.orElse("somebody");
            return kind().map(made -> made == InboxAnswer.Kind.ANSWER
                                    ? by + " has answered"
                                    : by + " has decided " + made)
                            .orElse("nobody has decided")
                    + (message.isBlank() ? "" : ": " + message.strip().replaceAll("\\s+", " "));
        }
    }

    /**
     * What happens when nobody answers in time.
     *
     * @return a sentence
     */
    public String otherwise() {
        return switch (kind) {
            case QUESTION -> "The coder goes on without an answer, and decides by itself.";
            case TOOL_CALL -> "The call is refused, and the story goes on.";
            case PLAN_REVIEW, CODE_REVIEW, BUDGET_REVIEW, MERGE ->
                "The story ends in ERROR, since nobody has approved it.";
        };
    }

    /**
     * Names the decision that people made, and what follows from it.
     *
     * @return one line, such as {@code approved: merge of 042 goes on}; empty while there is none
     */
    public Optional<String> decided() {
        boolean call = kind == Kind.TOOL_CALL;
        String refused = "call of " + storyId + " is refused, and the story goes on";
        return outcome.flatMap(Outcome::kind).map(made -> switch (made) {
            case ANSWER -> "answered: " + storyId + " goes on with the answer";
            case APPROVED -> "approved: " + approved();
            case NEEDS_CHANGES ->
                "changes wanted: " + (call ? refused : storyId + " goes back to its coder with these words");
            case REJECTED -> "rejected: " + (call ? refused : storyId + " ends");
        });
    }

    private String approved() {
        return switch (kind) {
            case PLAN_REVIEW ->
                facts.containsKey(Architect.Request.CLAIM)
                        ? storyId + " ends, since there is nothing to do"
                        : "plan of " + storyId + " goes on to coding";
            case CODE_REVIEW -> "change of " + storyId + " goes on towards its merge";
            case BUDGET_REVIEW -> storyId + " gets its budget once more";
            case MERGE -> "merge of " + storyId + " goes on";
            case TOOL_CALL -> "call of " + storyId + " is made";
            case QUESTION -> storyId + " goes on";
        };
    }

    static InboxItem of(DecisionRequests.Row row) {
        String id = row.effect().id();
        String reply = row.effect().reply();
        Kind kind = Kind.valueOf(row.effect().kind());
        return new InboxItem(
                id,
                kind,
                row.effect().storyId(),
                row.storyTitle(),
                row.storyContent(),
                row.effect().attempt(),
                row.effect().agentId(),
                RecordedReply.facts(id, row.effect().request()),
                row.effect().requestedAt(),
                row.until(),
                row.approvals(),
                row.given(),
                reply == null
                        ? Optional.empty()
                        : Optional.of(outcome(
                                kind,
                                RecordedReply.read(id, reply),
                                Objects.requireNonNull(row.effect().repliedAt()))));
    }

    private static Outcome outcome(Kind asked, RecordedReply reply, Instant at) {
        return new Outcome(
                asked, reply.decided(), Optional.of(reply.by()).filter(name -> !name.isEmpty()), reply.message(), at);
    }
}
