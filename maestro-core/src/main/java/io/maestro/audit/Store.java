package io.maestro.audit;

import io.maestro.agent.ArchitectState;
import io.maestro.agent.CoderState;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The record of all that happens, and the truth from which a new process goes on. When a write returns, it has reached the disk and is
 * free of secrets, also where the calling thread is interrupted, which it stays: the end of a cancelled story must be recorded. Rows of
 * transitions, messages, tool executions and the chat are never changed. Safe for use by several threads. All times are UTC.
 *
 * <p>Texts are read as they were written, but for the characters that not every database can hold: U+2400 (the picture of
 * NUL) stands in place of U+0000, and U+FFFD in place of a surrogate without its other half.
 */
public interface Store extends AuditLog, AutoCloseable {
    /**
     * Notes that a Maestro has started.
     *
     * @param session the new session
     */
    void beginSession(Session session);

    /**
     * Notes that a Maestro was closed in order.
     *
     * @param sessionId the session
     * @param at when
     */
    void endSession(String sessionId, Instant at);

    /**
     * Writes a new story, or a new attempt at a known one. Stories and specifications share one space of ids: a specification has its
     * own and those that its stories may need, {@code <id>-00} to {@code <id>-99}, from its first row on.
     *
     * @param story the story as it stands
     * @throws io.maestro.error.MaestroException when another specification has the id, or a story of another one, or of none
     * @throws LeaseLostException when another session holds the {@linkplain Leases#story lease} of the story
     */
    void saveStory(StoryRecord story);

    /**
     * Writes a change of state and the story as it stands after it, in one transaction.
     *
     * @param transition the change
     * @param after the story after it
     * @throws LeaseLostException when another session holds the story's {@linkplain Leases#story lease}; nothing is written then
     */
    void recordTransition(StateTransition transition, StoryRecord after);

    /**
     * The stories whose state has changed after a change, and the number of the newest one. Changes are numbered as they are written:
     * one that is committed late may have a lower number than one that was seen. Where the newest number is lower than the one
     * that was given, changes were {@linkplain #prune pruned}.
     *
     * @param after the number of a change; {@link Long#MAX_VALUE} asks for the newest number only
     * @return the ids of the stories, each once, in no order
     */
    Page<String> changedStories(long after);

    /**
     * Writes a new specification, or the same one once more.
     *
     * @param spec the specification as it stands
     * @throws io.maestro.error.MaestroException when a story or another specification has an {@linkplain #saveStory id} that this one has
     * @throws LeaseLostException when another session holds the {@linkplain Leases#spec lease} of the specification
     */
    void saveSpec(SpecRecord spec);

    /**
     * Writes a change of state of the architect's work on a specification, and new stories and next attempts, in one transaction.
     *
     * @param transition the change
     * @param after the specification after it
     * @param stories may be empty
     * @throws LeaseLostException when another session holds the specification's {@linkplain Leases#spec lease}; nothing is written then
     * @throws io.maestro.error.MaestroException when a story has the {@linkplain #saveStory id of another}; nothing is written then
     */
    void recordSpecTransition(SpecTransition transition, SpecRecord after, List<StoryRecord> stories);

    /**
     * Writes a message of a conversation with a model.
     *
     * @param message the message
     */
    void recordMessage(Message message);

    /**
     * Writes a message of a model with what it has cost, and settles its request, in one transaction.
     *
     * @param message the message
     * @param request the request that it answers; one that was never reserved is counted
     * @param dollars what the message has cost in US dollars; kept in billionths, rounded up
     */
    void recordAnswer(Message message, Spending.Request request, BigDecimal dollars);

    /**
     * Writes a call of a tool.
     *
     * @param execution the call
     */
    void recordToolExecution(ToolExecution execution);

    /**
     * Writes a request from one agent to another, before it is sent.
     *
     * @param effect the request, without a reply
     */
    void recordEffect(Effect effect);

    /**
     * Writes the reply to a request, before anything is done about it.
     *
     * @param effectId the request
     * @param reply JSON
     * @param at when
     */
    void completeEffect(String effectId, String reply, Instant at);

    /**
     * Writes a connection of a container.
     *
     * @param connection which has ended
     */
    void recordConnection(NetworkConnection connection);

    /**
     * Writes what a coder has to do for a story, in the place of what was there.
     *
     * @param storyId the story
     * @param attempt which attempt; from 1
     * @param todos a JSON array
     */
    void saveTodos(String storyId, int attempt, String todos);

    /**
     * Writes a message to all.
     *
     * @param post the message; its number is not looked at
     * @return its number: greater than those of all messages that anybody has seen before
     */
    long post(ChatPost post);

    /**
     * Removes messages, calls of tools, requests, connections, changes of state and posts of stories and specifications that have
     * ended before a time, and older connections and posts of no story. The stories and specifications themselves stay, with what
     * models have used: what is done is not done again. An SQLite file becomes smaller. PostgreSQL wants the right to delete rows.
     *
     * @param before what ended later stays whole
     * @return how many stories and specifications were pruned
     * @throws StoreException when the record cannot be written; what was pruned until then stays so
     */
    int prune(Instant before);

    /**
     * {@return the same record for others than Maestro, such as a host's user interface: to read, by connections of its own, so
     * that whoever reads much there holds up nobody; usable until this is closed} Each read opens a connection and closes it.
     */
    AuditLog view();

    /** {@return the leases of this store: who works on what} */
    Leases leases();

    /** {@return the costs of this store: what models have cost} */
    Spending spending();

    /** {@return the requests of this store: what waits for people} */
    Requests requests();

    /** {@return the wishes of this store: what is to end} */
    Cancellations cancellations();

    /** Closes the store; a second call does nothing. */
    @Override
    void close();

    /**
     * A story as it stands.
     *
     * @param id the story's id
     * @param sessionId the session that works on it, or worked on it last
     * @param title one line
     * @param content what is to be done; Markdown
     * @param type {@code APP} or {@code DEVOPS}
     * @param express whether it skips planning
     * @param state where it stands
     * @param attempt which attempt; from 1
     * @param agentId the coder, or null before one took it
     * @param branch its branch, or null before there is one
     * @param mergeCommit the commit that brought it into the target branch, or null
     * @param error why it ended in ERROR, or null
     * @param data what the coder must know to go on: plan, feedback, counts; a JSON object
     * @param specId the specification that it comes from, or null
     * @param dependsOn the ids of the stories that must be done before it
     * @param updatedAt when this was written
     */
    record StoryRecord(
            String id,
            String sessionId,
            String title,
            String content,
            String type,
            boolean express,
            CoderState state,
            int attempt,
            @Nullable String agentId,
            @Nullable String branch,
            @Nullable String mergeCommit,
            @Nullable String error,
            String data,
            @Nullable String specId,
            List<String> dependsOn,
            Instant updatedAt) {
        /**
         * Copies the list.
         *
         * @param id see the record
         * @param sessionId see the record
         * @param title see the record
         * @param content see the record
         * @param type see the record
         * @param express see the record
         * @param state see the record
         * @param attempt see the record
         * @param agentId see the record
         * @param branch see the record
         * @param mergeCommit see the record
         * @param error see the record
         * @param data see the record
         * @param specId see the record
         * @param dependsOn see the record
         * @param updatedAt see the record
         */
        public StoryRecord {
            dependsOn = List.copyOf(dependsOn);
        }
    }

    /**
     * A specification as it stands.
     *
     * @param id the specification's id
     * @param sessionId the session that works on it, or worked on it last
     * @param title one line
     * @param content Markdown
     * @param state where the architect stands with it
     * @param data what the architect must know to go on; a JSON object
     * @param error why it ended in ERROR, or null
     * @param updatedAt when this was written
     */
    record SpecRecord(
            String id,
            String sessionId,
            String title,
            String content,
            ArchitectState state,
            String data,
            @Nullable String error,
            Instant updatedAt) {}

    /**
     * A change of state of the architect's work on a specification.
     *
     * @param sessionId the session
     * @param specId the specification
     * @param agentId the architect
     * @param from the state before
     * @param to the state after
     * @param reason why; one line
     * @param at when
     */
    record SpecTransition(
            String sessionId,
            String specId,
            String agentId,
            ArchitectState from,
            ArchitectState to,
            String reason,
            Instant at) {}

    /**
     * A message to all, from an agent or the host.
     *
     * @param number orders the messages; given by {@link #post}
     * @param sessionId the session
     * @param storyId the story that it was written for, or null when it is none of a story's
     * @param author who wrote it, for example {@code coder-001} or {@code host}
     * @param text what was said
     * @param at when
     */
    record ChatPost(long number, String sessionId, @Nullable String storyId, String author, String text, Instant at) {}

    /**
     * A change of state.
     *
     * @param sessionId the session
     * @param storyId the story
     * @param attempt which attempt; from 1
     * @param agentId the coder
     * @param from the state before
     * @param to the state after
     * @param reason why; one line
     * @param at when
     */
    record StateTransition(
            String sessionId,
            String storyId,
            int attempt,
            String agentId,
            CoderState from,
            CoderState to,
            String reason,
            Instant at) {}

    /**
     * A message of a conversation with a model.
     *
     * @param sessionId the session
     * @param storyId the story
     * @param attempt which attempt; from 1
     * @param agentId the agent whose conversation it is
     * @param state the agent's state; where a program worked in it with the coder mode, as in {@code CODING/claude-code}
     * @param step which visit of a state of the coder's it belongs to; counted over the attempt from 0
     * @param role {@code system}, {@code user} or {@code assistant}; {@code compaction} where older messages were left out;
     *     {@code note} for what a program has met, and before a system prompt for the hashes of the repository's instructions in it
     * @param content a JSON array of content blocks in the form of the Anthropic Messages API
     * @param model the model that wrote it, or null
     * @param stopReason why the model ended its answer: {@code END_TURN}, {@code TOOL_USE}, {@code MAX_TOKENS}, {@code
     *     REFUSAL} or {@code OTHER}; null when no model wrote it, and for messages of a program or of an older Maestro
     * @param inputTokens what the model read for it without a cache; 0 unless a model wrote it
     * @param outputTokens what the model wrote; 0 unless a model wrote it
     * @param cacheReadTokens what the model read from a prompt cache
     * @param cacheWriteTokens what the model read and wrote to a prompt cache
     * @param at when
     */
    record Message(
            String sessionId,
            String storyId,
            int attempt,
            String agentId,
            String state,
            int step,
            String role,
            String content,
            @Nullable String model,
            @Nullable String stopReason,
            long inputTokens,
            long outputTokens,
            long cacheReadTokens,
            long cacheWriteTokens,
            Instant at) {}

    /**
     * A call of a tool.
     *
     * @param sessionId the session
     * @param agentId who called
     * @param storyId for which story
     * @param attempt in which attempt; from 1
     * @param state in which state
     * @param tool which tool
     * @param callId the call's id
     * @param parentCallId the id of the call whose tool made this one, or null when the agent did
     * @param parameters what was given; JSON, or the text as it came when it is none
     * @param result what the tool answered, or null when it failed
     * @param error what went wrong, or null
     * @param exitCode the exit code of the command that the tool ran, or null
     * @param durationMillis how long it took
     * @param at when it began
     */
    record ToolExecution(
            String sessionId,
            String agentId,
            String storyId,
            int attempt,
            String state,
            String tool,
            String callId,
            @Nullable String parentCallId,
            String parameters,
            @Nullable String result,
            @Nullable String error,
            @Nullable Integer exitCode,
            long durationMillis,
            Instant at) {}

    /**
     * A request from one agent to another.
     *
     * @param id correlates the reply
     * @param sessionId the session
     * @param storyId the story
     * @param attempt which attempt; from 1
     * @param agentId who asked
     * @param kind {@code QUESTION}, {@code PLAN_REVIEW}, {@code CODE_REVIEW}, {@code BUDGET_REVIEW} or {@code MERGE}
     * @param request what was asked; JSON
     * @param requestedAt when
     * @param reply the answer; JSON, or null while there is none
     * @param repliedAt when, or null while there is none
     */
    record Effect(
            String id,
            String sessionId,
            String storyId,
            int attempt,
            String agentId,
            String kind,
            String request,
            Instant requestedAt,
            @Nullable String reply,
            @Nullable Instant repliedAt) {}
}
