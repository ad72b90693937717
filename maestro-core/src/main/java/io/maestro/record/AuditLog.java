package io.maestro.record;

import io.maestro.llm.Usage;
import io.maestro.record.internal.CallSelects;
import io.maestro.record.internal.CostSelects;
import io.maestro.record.internal.JsonLines;
import io.maestro.record.internal.MergeQueue;
import io.maestro.record.internal.ReadConnection;
import io.maestro.record.internal.Selects;
import io.maestro.story.ArchitectState;
import io.maestro.story.CoderState;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The record of all that was done, to read: {@code Maestro.auditLog()}, or {@link io.maestro.MaestroRecord#auditLog()} without a Maestro. Safe
 * for use by several threads; every method throws {@link StoreException} when the record cannot be read. All times are UTC.
 *
 * <p>Texts are read as they were written, but for the characters that not every database can hold: U+2400 (the picture of
 * NUL) stands in place of U+0000, and U+FFFD in place of a surrogate without its other half.
 */
public class AuditLog {
    private final ReadConnection reader;

    /**
     * For Maestro.
     *
     * @param reader reads the record; stays the caller's to close
     */
    @SuppressWarnings("exports") // Hosts get one, and make none.
    public AuditLog(ReadConnection reader) {
        this.reader = reader;
    }

    /**
     * Reads all sessions: the lives of the Maestros that wrote here.
     *
     * @return oldest first
     */
    public List<Session> sessions() {
        return reader.read(Selects::sessions);
    }

    /**
     * Reads all stories, each as its latest attempt left it.
     *
     * @return ordered by their ids
     */
    public List<StoryRecord> stories() {
        return reader.read(Selects::stories);
    }

    /**
     * Reads some sessions; those of years are too many for one list.
     *
     * @param after the {@link Page#last()} of the page before; 0 for the first page
     * @param most how many at most; at least 1
     * @return oldest first
     */
    public Page<Session> sessions(long after, int most) {
        int positive = Selects.positive(most);
        return reader.read(database -> Selects.sessions(database, after, positive))
                .get(0);
    }

    /**
     * Reads some stories, each as its latest attempt left it.
     *
     * @param after the id of the last story that is known already; empty for none
     * @param most how many at most; at least 1
     * @return ordered by their ids; empty at the end
     */
    public List<StoryRecord> stories(String after, int most) {
        int positive = Selects.positive(most);
        return reader.read(database -> Selects.stories(database, after, positive));
    }

    /**
     * Reads the stories that have not ended, each as its latest attempt stands.
     *
     * @return ordered by their ids
     */
    public List<StoryRecord> openStories() {
        return reader.read(Selects::openStories);
    }

    /**
     * Reads a story, as its latest attempt left it.
     *
     * @param storyId its id
     * @return empty when it is unknown
     */
    public Optional<StoryRecord> story(String storyId) {
        return reader.read(database -> Selects.story(database, storyId)).stream()
                .findFirst();
    }

    /**
     * Reads a story's changes of state.
     *
     * @param storyId its id
     * @return oldest first
     */
    public List<StateTransition> transitions(String storyId) {
        return reader.read(database -> Selects.transitions(database, storyId));
    }

    /**
     * Reads the messages of all conversations about a story.
     *
     * @param storyId its id
     * @return oldest first
     */
    public List<Message> messages(String storyId) {
        return reader.read(database -> Selects.messages(database, storyId));
    }

    /**
     * Reads some messages of all conversations about a story.
     *
     * @param storyId its id
     * @param after the {@link Page#last()} of the page before; 0 for the first page
     * @param most how many at most; at least 1
     * @return oldest first
     */
    public Page<Message> messages(String storyId, long after, int most) {
        int positive = Selects.positive(most);
        return reader.read(database -> Selects.messages(database, storyId, after, positive))
                .get(0);
    }

    /**
     * Adds up what the requests to models about a story have used and cost, without reading their texts.
     *
     * @param storyId its id, or that of a specification for its scoping and editing
     * @return a row for each attempt, agent, state and model, in this order; where some prices were not known, and where
     *     answers are not known, rows of their own
     */
    public List<Cost> costs(String storyId) {
        return reader.read(database -> Selects.costs(database, storyId));
    }

    /**
     * Adds up what models have cost by agent, story or day. Requests that are under way are not counted.
     *
     * @param query by what, for which time and how many sums
     * @return the sums in the order of their keys
     * @throws IllegalArgumentException when it comes after a page of another query
     */
    public ResultPage<CostSum> costs(CostQuery query) {
        return reader.read(database -> List.of(CostSelects.page(database, query)))
                .get(0);
    }

    /**
     * Reads calls of tools, those too that were refused and the tests that Maestro runs by itself.
     *
     * @param query which calls, in which order and how many
     * @return the rows in the order of the query
     * @throws IllegalArgumentException when it comes after a page of a query with another order
     */
    public ResultPage<ToolExecution> calls(CallQuery query) {
        return reader.read(database -> List.of(CallSelects.page(database, query)))
                .get(0);
    }

    /**
     * Reads the calls of tools for a story.
     *
     * @param storyId its id
     * @return oldest first
     */
    public List<ToolExecution> toolExecutions(String storyId) {
        return reader.read(database -> Selects.toolExecutions(database, storyId));
    }

    /**
     * Reads some calls of tools for a story.
     *
     * @param storyId its id
     * @param after the {@link Page#last()} of the page before; 0 for the first page
     * @param most how many at most; at least 1
     * @return oldest first
     */
    public Page<ToolExecution> toolExecutions(String storyId, long after, int most) {
        int positive = Selects.positive(most);
        return reader.read(database -> Selects.toolExecutions(database, storyId, after, positive))
                .get(0);
    }

    /**
     * Reads the requests between agents about a story.
     *
     * @param storyId its id
     * @return oldest first
     */
    public List<Effect> effects(String storyId) {
        return reader.read(database -> Selects.effects(database, storyId));
    }

    /**
     * Reads the approvals of those requests about a story that several people must approve. A refusal is the request's reply.
     *
     * @param storyId its id
     * @return oldest first, by the id of the request
     */
    public Map<String, List<Approval>> approvals(String storyId) {
        return reader.read(database -> Selects.approvals(database, storyId)).stream()
                .collect(Collectors.groupingBy(
                        Map.Entry::getKey, Collectors.mapping(Map.Entry::getValue, Collectors.toList())));
    }

    /**
     * Reads all specifications.
     *
     * @return ordered by their ids
     */
    public List<SpecRecord> specs() {
        return reader.read(Selects::specs);
    }

    /**
     * Reads the specifications that have not ended.
     *
     * @return ordered by their ids
     */
    public List<SpecRecord> openSpecs() {
        return reader.read(Selects::openSpecs);
    }

    /**
     * Reads a specification.
     *
     * @param specId its id
     * @return empty when it is unknown
     */
    public Optional<SpecRecord> spec(String specId) {
        return reader.read(database -> Selects.spec(database, specId)).stream().findFirst();
    }

    /**
     * Reads the changes of state of the architect's work on a specification.
     *
     * @param specId its id
     * @return oldest first
     */
    public List<SpecTransition> specTransitions(String specId) {
        return reader.read(database -> Selects.specTransitions(database, specId));
    }

    /**
     * Reads the stories that come from a specification, each as its latest attempt left it.
     *
     * @param specId its id
     * @return in the order in which they were submitted
     */
    public List<StoryRecord> storiesOf(String specId) {
        return reader.read(database -> Selects.storiesOf(database, specId));
    }

    /**
     * Reads what a coder has to do for a story.
     *
     * @param storyId the story
     * @param attempt which attempt; from 1
     * @return a JSON array, or empty when it has noted nothing
     */
    public Optional<String> todos(String storyId, int attempt) {
        return reader.read(database -> Selects.todos(database, storyId, attempt)).stream()
                .findFirst();
    }

    /**
     * Reads the connections that containers have asked for where they reach listed names only.
     *
     * @param storyId the story, or null for those of no story
     * @param after the page's end before this one; 0 for none
     * @param most how many at most; at least 1
     * @return in the order in which they ended
     */
    public Page<NetworkConnection> connections(@Nullable String storyId, long after, int most) {
        int positive = Selects.positive(most);
        return reader.read(database -> Selects.connections(database, storyId, after, positive))
                .get(0);
    }

    /**
     * Reads messages to all.
     *
     * @param after the number of the last one that is known already; 0 for none
     * @param most how many at most; at least 1
     * @return oldest first
     */
    public List<ChatPost> chat(long after, int most) {
        int positive = Selects.positive(most);
        return reader.read(database -> Selects.chat(database, after, positive));
    }

    /**
     * The number of the newest message to all.
     *
     * @return 0 when there is none
     */
    public long newestPost() {
        return reader.read(Selects::newestPost).get(0);
    }

    /**
     * The stories that are to be merged, as they stand in the queue of their target branch. A story comes in when its merge is agreed
     * to and it is not its turn, and stays until it ends.
     *
     * @return by target branch, in the order of their turns
     */
    public List<QueuedMerge> mergeQueue() {
        return reader.read(MergeQueue::all);
    }

    /**
     * The repositories in which stories were worked on: those of the sessions whose stories have got a branch. More than one
     * are the same repository under several addresses.
     *
     * @return URLs without credentials
     */
    public List<String> repositories() {
        return reader.read(Selects::repositories);
    }

    /**
     * Writes the whole record as it stands at one moment: each row as a JSON object in a line of its own, with the names of
     * the columns and, as {@code table}, that of the table.
     *
     * @param out for example a {@link java.io.Writer} of a file in UTF-8; not closed
     * @throws java.io.UncheckedIOException when it cannot be written to
     */
    public void export(Appendable out) {
        reader.read(rows -> {
            try {
                JsonLines.write(rows, reader.database().dialect().snapshot(), out);
                return List.of();
            } catch (SQLException e) {
                // Not to be tried again: some lines may be written.
                throw new StoreException(
                        "the record " + reader.database().location() + " could not be exported whole", e);
            }
        });
    }

    /**
     * Where the record lies, for people.
     *
     * @return a path or a JDBC URL without credentials
     */
    public String location() {
        return reader.database().location();
    }

    /**
     * One life of a Maestro.
     *
     * @param id unique
     * @param repository the repository's URL, without credentials
     * @param startedAt when it was built
     * @param processId the process that it runs in
     * @param endedAt when it was closed, or null while it runs and when its process was ended without
     */
    public record Session(
            String id,
            String repository,
            Instant startedAt,
            long processId,
            @Nullable Instant endedAt) {}

    /**
     * What requests to a model have used and cost, added up.
     *
     * @param attempt which attempt; from 1
     * @param agentId who asked
     * @param state in which state; as in {@link Message#state}
     * @param model the model that answered, or the one that was asked where no answer is known
     * @param requests how many requests
     * @param usage their tokens; none where no answer is known
     * @param dollars what they have cost in US dollars, or may have cost at most where no answer is known; null when their
     *     price was not known
     * @param answered false for requests that are under way, or whose process was killed
     */
    public record Cost(
            int attempt,
            String agentId,
            String state,
            String model,
            long requests,
            Usage usage,
            @Nullable BigDecimal dollars,
            boolean answered) {}

    /**
     * What requests to models have used and cost that have a key in common.
     *
     * @param key the agent's or story's id, or the date, as the query says
     * @param requests how many requests
     * @param usage their tokens
     * @param dollars what those have cost in US dollars whose price was known
     * @param unpriced the number of those whose price was not known
     */
    public record CostSum(String key, long requests, Usage usage, BigDecimal dollars, long unpriced) {}

    /**
     * A story that is to be merged.
     *
     * @param target the branch
     * @param storyId the story
     * @param attempt which attempt; from 1
     * @param waits false while it stands aside with its place kept: its coder works on it again, or it waits for a person or for
     *     the forge's checks
     */
    public record QueuedMerge(String target, String storyId, int attempt, boolean waits) {}

    /**
     * A connection that a container has asked for.
     *
     * @param sessionId the session in which it ended
     * @param agentId whose container
     * @param storyId what the agent works on, or null
     * @param attempt which attempt; from 1
     * @param target the name and port that were asked for, as far as they could be read; may be empty
     * @param address where it went; empty when no connection was made
     * @param sentBytes what the container has sent
     * @param receivedBytes what it was sent
     * @param durationMillis how long it took
     * @param refused why it was refused or cut; empty when it was not
     * @param at when it ended
     */
    public record NetworkConnection(
            String sessionId,
            String agentId,
            @Nullable String storyId,
            int attempt,
            String target,
            String address,
            long sentBytes,
            long receivedBytes,
            long durationMillis,
            String refused,
            Instant at) {}

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
    public record StoryRecord(
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
    public record SpecRecord(
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
    public record SpecTransition(
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
     * @param number orders the messages; given when it is written
     * @param sessionId the session
     * @param storyId the story that it was written for, or null when it is none of a story's
     * @param author who wrote it, for example {@code coder-001} or {@code host}
     * @param text what was said
     * @param at when
     */
    public record ChatPost(
            long number, String sessionId, @Nullable String storyId, String author, String text, Instant at) {}

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
    public record StateTransition(
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
     *     REFUSAL} or {@code OTHER}; null when no model wrote it, and for messages of a program
     * @param inputTokens what the model read for it without a cache; 0 unless a model wrote it
     * @param outputTokens what the model wrote; 0 unless a model wrote it
     * @param cacheReadTokens what the model read from a prompt cache
     * @param cacheWriteTokens what the model read and wrote to a prompt cache
     * @param at when
     */
    public record Message(
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
    public record ToolExecution(
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
    public record Effect(
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

    /**
     * One approval of several that a request needs.
     *
     * @param person who approved
     * @param message what was said with it; may be empty
     * @param at when
     */
    public record Approval(String person, String message, Instant at) {}

    /**
     * Some rows of a list.
     *
     * @param <T> what they are
     * @param rows oldest first; empty at the end
     * @param last what the next page comes after
     */
    public record Page<T>(List<T> rows, long last) {
        /**
         * Copies the list.
         *
         * @param rows see the record
         * @param last see the record
         */
        public Page {
            rows = List.copyOf(rows);
        }
    }
}
