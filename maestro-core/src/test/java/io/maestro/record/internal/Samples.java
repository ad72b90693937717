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
import io.maestro.story.ArchitectState;
import io.maestro.story.CoderState;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows for tests of a record and of what reads one. Most belong to session {@code s1} and to a story {@code 042}, which {@link
 * #begin} writes.
 */
public final class Samples {
    /** When all of it was. */
    public static final Instant AT = Instant.parse("2026-11-20T10:00:00.123456789Z");

    private Samples() {}

    /**
     * A session that goes on.
     *
     * @param id its id
     * @return a row
     */
    public static Session session(String id) {
        return new Session(id, "https://example.org/app.git", AT, 4711, null);
    }

    /**
     * A story that belongs to no specification.
     *
     * @param id its id
     * @param attempt the attempt, from 1
     * @param state its state
     * @return a row
     */
    public static StoryRecord story(String id, int attempt, CoderState state) {
        return new StoryRecord(
                id, "s1", "A title", "Do it", "APP", false, state, attempt, null, null, null, null, "{}", null,
                List.of(), AT);
    }

    /**
     * A change of state of a coder.
     *
     * @param storyId the story
     * @param attempt the attempt, from 1
     * @param from the state before
     * @param to the state after
     * @return a row
     */
    public static StateTransition transition(String storyId, int attempt, CoderState from, CoderState to) {
        return new StateTransition("s1", storyId, attempt, "coder-001", from, to, "because", AT);
    }

    /**
     * A message of a user to a coder.
     *
     * @param storyId the story
     * @param content a JSON array
     * @return a row
     */
    public static Message message(String storyId, String content) {
        return new Message("s1", storyId, 1, "coder-001", "CODING", 0, "user", content, null, null, 0, 0, 0, 0, AT);
    }

    /**
     * A call that went well.
     *
     * @param storyId the story
     * @param callId the id of the call
     * @return a row
     */
    public static ToolExecution toolExecution(String storyId, String callId) {
        return new ToolExecution(
                "s1",
                "coder-001",
                storyId,
                1,
                "CODING",
                "shell",
                callId,
                null,
                "{\"cmd\":\"ls\"}",
                "out",
                null,
                0,
                12,
                AT);
    }

    /**
     * A connection that was refused.
     *
     * @param storyId the story; null for none
     * @param at when
     * @return a row
     */
    public static NetworkConnection connection(@Nullable String storyId, Instant at) {
        return new NetworkConnection(
                "s1",
                "coder-001",
                storyId,
                2,
                "repo.example.org:443",
                "192.0.2.7",
                1L << 40,
                7,
                12,
                "it took too long",
                at);
    }

    /**
     * A question that is open.
     *
     * @param id its id
     * @return a row
     */
    public static Effect effect(String id) {
        return new Effect(id, "s1", "042", 1, "coder-001", "QUESTION", "{\"q\":1}", AT, null, null);
    }

    /**
     * A story of a specification, which waits.
     *
     * @param specId the specification
     * @param id its id
     * @param attempt the attempt, from 1
     * @param dependsOn the ids of the stories that it waits for
     * @return a row
     */
    public static StoryRecord storyOf(String specId, String id, int attempt, List<String> dependsOn) {
        return new StoryRecord(
                id,
                "s1",
                "A title",
                "Do it",
                "APP",
                false,
                CoderState.WAITING,
                attempt,
                null,
                null,
                null,
                null,
                "{}",
                specId,
                dependsOn,
                AT);
    }

    /**
     * A specification.
     *
     * @param id its id
     * @param state its state
     * @return a row
     */
    public static SpecRecord spec(String id, ArchitectState state) {
        return new SpecRecord(id, "s1", "A specification", "# Do all", state, "{}", null, AT);
    }

    /**
     * A change of state that leads from WAITING.
     *
     * @param specId the specification
     * @param to the state after
     * @return a row
     */
    public static SpecTransition specTransition(String specId, ArchitectState to) {
        return new SpecTransition("s1", specId, "architect", ArchitectState.WAITING, to, "because", AT);
    }

    /**
     * A post of the host that belongs to no story.
     *
     * @param text what is said
     * @return a row
     */
    public static ChatPost post(String text) {
        return new ChatPost(0, "s1", null, "host", text, AT);
    }

    /**
     * Writes a session and a story, to which the other rows refer.
     *
     * @param store an empty record
     */
    public static void begin(Store store) {
        store.beginSession(session("s1"));
        store.saveStory(story("042", 1, CoderState.WAITING));
    }
}
