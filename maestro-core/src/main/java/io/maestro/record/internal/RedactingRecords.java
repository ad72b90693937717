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
import io.maestro.secrets.Redactor;
import io.maestro.secrets.internal.Unscannable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one place where secrets are taken out of what is recorded. Every text passes through the redactor but the names by
 * which rows are found again: ids, branches, commits.
 */
final class RedactingRecords {
    private static final Logger LOG = LoggerFactory.getLogger(RedactingRecords.class);

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

    Message clean(Message message) {
        return new Message(
                message.sessionId(),
                message.storyId(),
                message.attempt(),
                message.agentId(),
                clean(message.state()),
                message.step(),
                clean(message.role()),
                clean(message.content()),
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

    ToolExecution clean(ToolExecution execution) {
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
                cleanNullable(execution.result()),
                cleanNullable(execution.error()),
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
        return text == null ? null : clean(text);
    }

    @SuppressWarnings("ConstantValue") // a host's redactor may return null whatever it promises
    String clean(String text) {
        try {
            String redacted = redactor.redact(text);
            if (redacted != null) {
                return redacted;
            }
            LOG.warn("A redactor returned null; the text is not recorded");
        } catch (RuntimeException | StackOverflowError e) {
            // Not its message: it may quote the text.
            LOG.warn(
                    "A redactor failed with {}; the text is not recorded",
                    e.getClass().getName());
        }
        return Unscannable.inPlaceOf(text);
    }
}
