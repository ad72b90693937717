package io.maestro.record.internal;

import io.maestro.record.AuditLog.ChatPost;
import io.maestro.record.AuditLog.Effect;
import io.maestro.record.AuditLog.Message;
import io.maestro.record.AuditLog.NetworkConnection;
import io.maestro.record.AuditLog.Session;
import io.maestro.record.AuditLog.SpecRecord;
import io.maestro.record.AuditLog.SpecTransition;
import io.maestro.record.AuditLog.StateTransition;
import io.maestro.record.AuditLog.StoryRecord;
import io.maestro.record.AuditLog.ToolExecution;
import io.maestro.secrets.CleanText;
import io.maestro.secrets.Redactor;
import io.maestro.secrets.internal.JsonFrame;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The one place where secrets are taken out of what is recorded. Every text passes through the redactor but those that it has made,
 * and the names by which rows are found again: ids, branches, commits.
 */
final class RedactingRecords {
    private final Redactor redactor;

    RedactingRecords(Redactor redactor) {
        this.redactor = redactor;
    }

    Session clean(Session session) {
        return new Session(
                session.id(), clean(session.repository()), session.startedAt(), session.processId(), session.endedAt());
    }

    StoryRecord clean(StoryRecord story) {
        return new StoryRecord(
                story.id(),
                story.sessionId(),
                clean(story.title()),
                clean(story.content()),
                clean(story.type()),
                story.express(),
                story.state(),
                story.attempt(),
                story.agentId(),
                story.branch(),
                story.mergeCommit(),
                cleanNullable(story.error()),
                clean(story.data()),
                story.specId(),
                story.dependsOn(),
                story.updatedAt());
    }

    StateTransition clean(StateTransition transition) {
        return new StateTransition(
                transition.sessionId(),
                transition.storyId(),
                transition.attempt(),
                transition.agentId(),
                transition.from(),
                transition.to(),
                clean(transition.reason()),
                transition.at());
    }

    Message clean(Message message, Collection<CleanText> known) {
        return new Message(
                message.sessionId(),
                message.storyId(),
                message.attempt(),
                message.agentId(),
                clean(message.state()),
                message.step(),
                clean(message.role()),
                clean(message.content(), known),
                cleanNullable(message.model()),
                cleanNullable(message.stopReason()),
                message.inputTokens(),
                message.outputTokens(),
                message.cacheReadTokens(),
                message.cacheWriteTokens(),
                message.at());
    }

    Spending.CostReservation clean(Spending.CostReservation request) {
        return new Spending.CostReservation(
                request.id(),
                request.sessionId(),
                request.storyId(),
                request.specId(),
                request.attempt(),
                request.agentId(),
                clean(request.state()),
                clean(request.model()),
                request.most());
    }

    ToolExecution clean(ToolExecution execution, Collection<CleanText> known) {
        return new ToolExecution(
                execution.sessionId(),
                execution.agentId(),
                execution.storyId(),
                execution.attempt(),
                clean(execution.state()),
                clean(execution.tool()),
                clean(execution.callId()),
                cleanNullable(execution.parentCallId()),
                clean(execution.parameters()),
                cleanNullable(execution.result(), known),
                cleanNullable(execution.error(), known),
                execution.exitCode(),
                execution.durationMillis(),
                execution.at());
    }

    NetworkConnection clean(NetworkConnection connection) {
        return new NetworkConnection(
                connection.sessionId(),
                connection.agentId(),
                connection.storyId(),
                connection.attempt(),
                clean(connection.target()),
                clean(connection.address()),
                connection.sentBytes(),
                connection.receivedBytes(),
                connection.durationMillis(),
                clean(connection.refused()),
                connection.at());
    }

    Effect clean(Effect effect) {
        return new Effect(
                effect.id(),
                effect.sessionId(),
                effect.storyId(),
                effect.attempt(),
                effect.agentId(),
                clean(effect.kind()),
                clean(effect.request()),
                effect.requestedAt(),
                cleanNullable(effect.reply()),
                effect.repliedAt());
    }

    SpecRecord clean(SpecRecord spec) {
        return new SpecRecord(
                spec.id(),
                spec.sessionId(),
                clean(spec.title()),
                clean(spec.content()),
                spec.state(),
                clean(spec.data()),
                cleanNullable(spec.error()),
                spec.updatedAt());
    }

    SpecTransition clean(SpecTransition transition) {
        return new SpecTransition(
                transition.sessionId(),
                transition.specId(),
                transition.agentId(),
                transition.from(),
                transition.to(),
                clean(transition.reason()),
                transition.at());
    }

    ChatPost clean(ChatPost post) {
        return new ChatPost(
                post.number(), post.sessionId(), post.storyId(), clean(post.author()), clean(post.text()), post.at());
    }

    private @Nullable String cleanNullable(@Nullable String text) {
        return cleanNullable(text, List.of());
    }

    private @Nullable String cleanNullable(@Nullable String text, Collection<CleanText> known) {
        return text == null ? null : clean(text, known);
    }

    String clean(String text) {
        return CleanText.of(redactor, text).toString();
    }

    /** Scans of JSON that holds texts which are clean only the rest. */
    private String clean(String text, Collection<CleanText> known) {
        Set<String> current = known.stream()
                .filter(each -> each.isCurrent(redactor))
                .map(CleanText::toString)
                .collect(Collectors.toSet());
        boolean clean = current.contains(text)
                || !current.isEmpty()
                        && JsonFrame.of(text, current)
                                .filter(frame -> clean(frame).equals(frame))
                                .isPresent();
        return clean ? text : clean(text);
    }
}
