package io.maestro.audit;

import io.maestro.llm.Usage;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The record of all that was done, to read. Safe for use by several threads; every method throws {@link StoreException} when
 * the record cannot be read. Rows that Maestro goes on from are types of {@link Store}; what is there for readers only is here.
 */
public interface AuditLog {
    /**
     * Reads all sessions: the lives of the Maestros that wrote here.
     *
     * @return oldest first
     */
    List<Session> sessions();

    /**
     * Reads all stories, each as its latest attempt left it.
     *
     * @return ordered by their ids
     */
    List<Store.StoryRecord> stories();

    /**
     * Reads some sessions; those of years are too many for one list.
     *
     * @param after the {@link Page#last()} of the page before; 0 for the first page
     * @param most how many at most; at least 1
     * @return oldest first
     */
    Page<Session> sessions(long after, int most);

    /**
     * Reads some stories, each as its latest attempt left it.
     *
     * @param after the id of the last story that is known already; empty for none
     * @param most how many at most; at least 1
     * @return ordered by their ids; empty at the end
     */
    List<Store.StoryRecord> stories(String after, int most);

    /**
     * Reads the stories that have not ended, each as its latest attempt stands.
     *
     * @return ordered by their ids
     */
    List<Store.StoryRecord> openStories();

    /**
     * Reads a story, as its latest attempt left it.
     *
     * @param storyId its id
     * @return empty when it is unknown
     */
    Optional<Store.StoryRecord> story(String storyId);

    /**
     * Reads a story's changes of state.
     *
     * @param storyId its id
     * @return oldest first
     */
    List<Store.StateTransition> transitions(String storyId);

    /**
     * Reads the messages of all conversations about a story.
     *
     * @param storyId its id
     * @return oldest first
     */
    List<Store.Message> messages(String storyId);

    /**
     * Reads some messages of all conversations about a story.
     *
     * @param storyId its id
     * @param after the {@link Page#last()} of the page before; 0 for the first page
     * @param most how many at most; at least 1
     * @return oldest first
     */
    Page<Store.Message> messages(String storyId, long after, int most);

    /**
     * Adds up what the requests to models about a story have used and cost, without reading their texts.
     *
     * @param storyId its id, or that of a specification for its scoping and editing
     * @return a row for each attempt, agent, state and model, in this order; where some prices were not known, and where
     *     answers are not known, rows of their own
     */
    List<Cost> costs(String storyId);

    /**
     * Adds up what models have cost by agent, story or day. Requests that are under way are not counted.
     *
     * @param query by what, for which time and how many sums
     * @return the sums in the order of their keys
     * @throws IllegalArgumentException when it comes after a page of another query
     */
    ResultPage<CostSum> costs(CostQuery query);

    /**
     * Reads calls of tools, those too that were refused and the tests that Maestro runs by itself.
     *
     * @param query which calls, in which order and how many
     * @return the rows in the order of the query
     * @throws IllegalArgumentException when it comes after a page of a query with another order
     */
    ResultPage<Store.ToolExecution> calls(CallQuery query);

    /**
     * Reads the calls of tools for a story.
     *
     * @param storyId its id
     * @return oldest first
     */
    List<Store.ToolExecution> toolExecutions(String storyId);

    /**
     * Reads some calls of tools for a story.
     *
     * @param storyId its id
     * @param after the {@link Page#last()} of the page before; 0 for the first page
     * @param most how many at most; at least 1
     * @return oldest first
     */
    Page<Store.ToolExecution> toolExecutions(String storyId, long after, int most);

    /**
     * Reads the requests between agents about a story.
     *
     * @param storyId its id
     * @return oldest first
     */
    List<Store.Effect> effects(String storyId);

    /**
     * Reads the approvals of those requests about a story that several people must approve. A refusal is the request's reply.
     *
     * @param storyId its id
     * @return oldest first, by the id of the request
     */
    Map<String, List<Requests.Approval>> approvals(String storyId);

    /**
     * Reads all specifications.
     *
     * @return ordered by their ids
     */
    List<Store.SpecRecord> specs();

    /**
     * Reads the specifications that have not ended.
     *
     * @return ordered by their ids
     */
    List<Store.SpecRecord> openSpecs();

    /**
     * Reads a specification.
     *
     * @param specId its id
     * @return empty when it is unknown
     */
    Optional<Store.SpecRecord> spec(String specId);

    /**
     * Reads the changes of state of the architect's work on a specification.
     *
     * @param specId its id
     * @return oldest first
     */
    List<Store.SpecTransition> specTransitions(String specId);

    /**
     * Reads the stories that come from a specification, each as its latest attempt left it.
     *
     * @param specId its id
     * @return in the order in which they were submitted
     */
    List<Store.StoryRecord> storiesOf(String specId);

    /**
     * Reads what a coder has to do for a story.
     *
     * @param storyId the story
     * @param attempt which attempt; from 1
     * @return a JSON array, or empty when it has noted nothing
     */
    Optional<String> todos(String storyId, int attempt);

    /**
     * Reads the connections that containers have asked for where they reach listed names only.
     *
     * @param storyId the story, or null for those of no story
     * @param after the page's end before this one; 0 for none
     * @param most how many at most; at least 1
     * @return in the order in which they ended
     */
    Page<NetworkConnection> connections(@Nullable String storyId, long after, int most);

    /**
     * Reads messages to all.
     *
     * @param after the number of the last one that is known already; 0 for none
     * @param most how many at most; at least 1
     * @return oldest first
     */
    List<Store.ChatPost> chat(long after, int most);

    /**
     * The number of the newest message to all.
     *
     * @return 0 when there is none
     */
    long newestPost();

    /**
     * The repositories in which stories were worked on: those of the sessions whose stories have got a branch. More than one
     * are the same repository under several addresses.
     *
     * @return URLs without credentials
     */
    List<String> repositories();

    /**
     * Writes the whole record as it stands at one moment: each row as a JSON object in a line of its own, with the names of
     * the columns and, as {@code table}, that of the table.
     *
     * @param out for example a {@link java.io.Writer} of a file in UTF-8; not closed
     * @throws java.io.UncheckedIOException when it cannot be written to
     */
    void export(Appendable out);

    /**
     * Where the record lies, for people.
     *
     * @return a path or a JDBC URL without credentials
     */
    String location();

    /**
     * One life of a Maestro.
     *
     * @param id unique
     * @param repository the repository's URL, without credentials
     * @param startedAt when it was built
     * @param processId the process that it runs in
     * @param endedAt when it was closed, or null while it runs and when its process was ended without
     */
    record Session(
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
     * @param state in which state; as in {@link Store.Message#state}
     * @param model the model that answered, or the one that was asked where no answer is known
     * @param requests how many requests
     * @param usage their tokens; none where no answer is known
     * @param dollars what they have cost in US dollars, or may have cost at most where no answer is known; null when their
     *     price was not known
     * @param answered false for requests that are under way, or whose process was killed
     */
    record Cost(
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
     * @param key the agent's or story's id, or the date, as the query says; an agent's is empty where an older Maestro pruned
     * @param requests how many requests
     * @param usage their tokens
     * @param dollars what those have cost in US dollars whose price was known
     * @param unpriced the number of those whose price was not known
     */
    record CostSum(String key, long requests, Usage usage, BigDecimal dollars, long unpriced) {}

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
    record NetworkConnection(
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
     * Some rows of a list.
     *
     * @param <T> what they are
     * @param rows oldest first; empty at the end
     * @param last what the next page comes after
     */
    record Page<T>(List<T> rows, long last) {
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
