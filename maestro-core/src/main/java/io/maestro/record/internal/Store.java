package io.maestro.record.internal;

import io.maestro.internal.PersonName;
import io.maestro.record.AuditLog;
import io.maestro.record.Cancellation;
import io.maestro.record.Cancellations;
import io.maestro.record.StoreException;
import io.maestro.secrets.CleanText;
import io.maestro.secrets.Redactor;
import io.maestro.story.CoderState;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The record of all that happens, and the truth from which a new process goes on. When a write returns, it has reached the disk and is
 * free of secrets, also where the calling thread is interrupted, which it stays: the end of a cancelled story must be recorded. Rows of
 * transitions, messages, tool executions and the chat are never changed. Safe for use by several threads. All times are UTC.
 *
 * <p>Writes go through one thread, Maestro's reads and the host's each through a connection.
 */
public final class Store extends AuditLog implements AutoCloseable {
    /** Longer than a server takes to start again, and much shorter than a lease. */
    private static final Duration OUTAGE = Duration.ofSeconds(15);

    private final Database database;
    private final RedactingRecords records;
    private final GroupCommit writer;
    private final ReadConnection reader;
    private final ReadConnection viewer;
    private final AuditLog view;
    private final IdRows ids;
    private final CancellationRows cancellationRows;
    private final Leases leases;
    private final Spending spending;
    private final DecisionRequests requests;
    private final MergeQueue mergeQueue;

    private Store(Database database, Redactor redactor, Statements forWriting, Duration outage, ReadConnection reader) {
        super(reader);
        this.database = database;
        this.records = new RedactingRecords(redactor);
        this.writer = new GroupCommit(database, forWriting, GroupCommit.PATIENCE, outage);
        this.reader = reader;
        this.viewer = new ReadConnection(database, outage, false);
        this.view = new AuditLog(viewer);
        this.ids = new IdRows(database.dialect());
        this.cancellationRows = new CancellationRows(database.dialect());
        this.leases = new Leases(writer, database.dialect());
        this.spending = new Spending(writer, reader, database.dialect(), records);
        this.requests = new DecisionRequests(writer, reader, records);
        this.mergeQueue = new MergeQueue(writer, reader, database.dialect(), leases);
    }

    /**
     * Opens a record in an SQLite file.
     *
     * @param file made when it is missing
     * @param redactor takes secrets out
     * @return the open record
     */
    public static Store sqlite(Path file, Redactor redactor) {
        Objects.requireNonNull(redactor, "redactor");
        return open(new SqliteDatabase(file), redactor);
    }

    /**
     * Opens a record in PostgreSQL.
     *
     * @param dataSource gives connections to it
     * @param schema made when it is missing; null for the connections' current one
     * @param redactor takes secrets out
     * @return the open record
     */
    public static Store postgres(DataSource dataSource, @Nullable String schema, Redactor redactor) {
        Objects.requireNonNull(dataSource, "dataSource");
        Objects.requireNonNull(redactor, "redactor");
        return open(new PostgresDatabase(dataSource, schema), redactor);
    }

    static Store open(Database database, Redactor redactor) {
        return open(database, redactor, OUTAGE);
    }

    /**
     * Opens a record.
     *
     * @param outage how long it is tried again while the database cannot be reached
     */
    static Store open(Database database, Redactor redactor, Duration outage) {
        Statements forWriting = database.connect();
        try {
            database.prepare(forWriting);
            return new Store(database, redactor, forWriting, outage, new ReadConnection(database, outage, true));
        } catch (RuntimeException | Error e) {
            try {
                forWriting.close();
            } catch (SQLException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    /**
     * Notes that a Maestro has started.
     *
     * @param session the new session
     */
    public void beginSession(Session session) {
        Session clean = records.clean(session);
        writer.write("the session " + session.id(), database -> Inserts.session(database, clean));
    }

    /**
     * Notes that a Maestro was closed in order.
     *
     * @param sessionId the session
     * @param at when
     */
    public void endSession(String sessionId, Instant at) {
        writer.write("the end of a session", database -> Inserts.endOfSession(database, sessionId, at));
    }

    /**
     * Writes a new story, or a new attempt at a known one. Stories and specifications share one space of ids: a specification has its
     * own and those that its stories may need, {@code <id>-00} to {@code <id>-99}, from its first row on.
     *
     * @param story the story as it stands
     * @throws io.maestro.error.MaestroException when another specification has the id, or a story of another one, or of none
     * @throws LeaseLostException when another session holds the {@linkplain Leases#story lease} of the story
     */
    public void saveStory(StoryRecord story) {
        StoryRecord clean = records.clean(story);
        writer.write("story " + story.id(), database -> {
            leases.check(database, Leases.story(clean.id()), clean.sessionId());
            saveStory(database, clean);
        });
    }

    /** A step that is suspended goes on after that, and what it has asked is still open. */
    private static boolean isSuspension(StateTransition transition) {
        return transition.to() == CoderState.SUSPEND
                || transition.from() == CoderState.SUSPEND && !transition.to().isFinal();
    }

    /** An earlier attempt waits for nobody any more. */
    private void saveStory(Statements database, StoryRecord story) throws SQLException {
        ids.require(database, story);
        DecisionRequests.withdraw(database, story.id(), story.attempt() - 1, story.updatedAt());
        Inserts.story(database, story);
    }

    /**
     * Writes a change of state and the story as it stands after it, in one transaction.
     *
     * @param transition the change
     * @param after the story after it
     * @throws LeaseLostException when another session holds the story's {@linkplain Leases#story lease}; nothing is written then
     */
    public void recordTransition(StateTransition transition, StoryRecord after) {
        if (!transition.storyId().equals(after.id())
                || transition.attempt() != after.attempt()
                || transition.to() != after.state()) {
            throw new IllegalArgumentException(
                    "the transition of story %s, attempt %d, to %s does not lead to story %s, "
                                    .formatted(transition.storyId(), transition.attempt(), transition.to(), after.id())
                            + "attempt %s, in %s".formatted(after.attempt(), after.state()));
        }
        StateTransition cleanTransition = records.clean(transition);
        StoryRecord cleanStory = records.clean(after);
        writer.write("a transition of story " + after.id(), database -> {
            leases.check(database, Leases.story(cleanStory.id()), cleanTransition.sessionId());
            if (!isSuspension(cleanTransition)) {
                DecisionRequests.withdraw(database, cleanStory.id(), cleanStory.attempt(), cleanTransition.at());
            }
            Inserts.story(database, cleanStory);
            Inserts.transition(database, cleanTransition);
            if (cleanStory.state().isFinal()) {
                CancellationRows.storyEnded(database, cleanStory.id(), cleanStory.attempt());
                MergeQueue.leave(database, cleanStory.id());
            }
        });
    }

    /**
     * The stories whose state has changed after a change, and the number of the newest one. Changes are numbered as they are written:
     * one that is committed late may have a lower number than one that was seen. Where the newest number is lower than the one
     * that was given, changes were {@linkplain #prune pruned}.
     *
     * @param after the number of a change; {@link Long#MAX_VALUE} asks for the newest number only
     * @return the ids of the stories, each once, in no order
     */
    public Page<String> changedStories(long after) {
        return reader.read(database -> Selects.changedStories(database, after)).get(0);
    }

    /**
     * Writes a new specification, or the same one once more.
     *
     * @param spec the specification as it stands
     * @throws io.maestro.error.MaestroException when a story or another specification has an {@linkplain #saveStory id} that this one has
     * @throws LeaseLostException when another session holds the {@linkplain Leases#spec lease} of the specification
     */
    public void saveSpec(SpecRecord spec) {
        SpecRecord clean = records.clean(spec);
        writer.write("specification " + spec.id(), database -> {
            leases.check(database, Leases.spec(clean.id()), clean.sessionId());
            ids.require(database, clean);
            Inserts.spec(database, clean);
        });
    }

    /**
     * Writes a change of state of the architect's work on a specification, and new stories and next attempts, in one transaction.
     *
     * @param transition the change
     * @param after the specification after it
     * @param stories may be empty
     * @throws LeaseLostException when another session holds the specification's {@linkplain Leases#spec lease}; nothing is written then
     * @throws io.maestro.error.MaestroException when a story has the {@linkplain #saveStory id of another}; nothing is written then
     */
    public void recordSpecTransition(SpecTransition transition, SpecRecord after, List<StoryRecord> stories) {
        if (!transition.specId().equals(after.id()) || transition.to() != after.state()) {
            throw new IllegalArgumentException(
                    "the transition of specification %s to %s does not lead to specification %s in %s"
                            .formatted(transition.specId(), transition.to(), after.id(), after.state()));
        }
        for (StoryRecord story : stories) {
            if (!after.id().equals(story.specId())) {
                throw new IllegalArgumentException("story %s comes from specification %s, not from %s"
                        .formatted(story.id(), story.specId(), after.id()));
            }
        }
        SpecTransition cleanTransition = records.clean(transition);
        SpecRecord cleanSpec = records.clean(after);
        List<StoryRecord> cleanStories = stories.stream().map(records::clean).toList();
        writer.write("a transition of specification " + after.id(), database -> {
            leases.check(database, Leases.spec(cleanSpec.id()), cleanTransition.sessionId());
            Inserts.spec(database, cleanSpec);
            Inserts.specTransition(database, cleanTransition);
            if (cleanSpec.state().isFinal()) {
                CancellationRows.specEnded(database, cleanSpec.id());
            }
            for (StoryRecord story : cleanStories) {
                saveStory(database, story);
            }
        });
    }

    /**
     * Writes a message of a conversation with a model.
     *
     * @param message the message
     */
    public void recordMessage(Message message) {
        recordMessage(message, List.of());
    }

    /**
     * Writes a message of which some texts are clean.
     *
     * @param message the message
     * @param known texts that its content may hold, which are not scanned again
     */
    public void recordMessage(Message message, Collection<CleanText> known) {
        Message clean = records.clean(message, known);
        writer.write("a message about story " + message.storyId(), database -> Inserts.message(database, clean, null));
    }

    /**
     * Writes a message of a model with what it has cost, and settles its request, in one transaction.
     *
     * @param message the message
     * @param request the request that it answers; one that was never reserved is counted
     * @param dollars what the message has cost in US dollars; kept in billionths, rounded up
     */
    public void recordAnswer(Message message, Spending.CostReservation request, BigDecimal dollars) {
        Message clean = records.clean(message, List.of());
        long nanodollars = Spending.nanodollars(dollars);
        writer.write("an answer about story " + message.storyId(), database -> {
            Inserts.message(database, clean, nanodollars);
            spending.settle(database, request, nanodollars);
        });
    }

    /**
     * Writes a call of a tool.
     *
     * @param execution the call
     */
    public void recordToolExecution(ToolExecution execution) {
        recordToolExecution(execution, List.of());
    }

    /**
     * Writes a call of a tool whose answer is clean.
     *
     * @param execution the call
     * @param answer the text of the answer, which is not scanned again
     */
    public void recordToolExecution(ToolExecution execution, CleanText answer) {
        recordToolExecution(execution, List.of(answer));
    }

    private void recordToolExecution(ToolExecution execution, Collection<CleanText> known) {
        ToolExecution clean = records.clean(execution, known);
        writer.write(
                "a tool call for story " + execution.storyId(), database -> Inserts.toolExecution(database, clean));
    }

    /**
     * Writes a request from one agent to another, before it is sent.
     *
     * @param effect the request, without a reply
     */
    public void recordEffect(Effect effect) {
        Effect clean = records.clean(effect);
        writer.write("the effect " + effect.id(), database -> Inserts.effect(database, clean));
    }

    /**
     * Writes the reply to a request, before anything is done about it.
     *
     * @param effectId the request
     * @param reply JSON
     * @param at when
     */
    public void completeEffect(String effectId, String reply, Instant at) {
        String clean = records.clean(reply);
        writer.write("the reply to effect " + effectId, database -> Inserts.reply(database, effectId, clean, at));
    }

    /**
     * Looks for a request between agents.
     *
     * @param id its id
     * @return empty when there is none
     */
    public Optional<Effect> effect(String id) {
        return reader.read(database -> Selects.effect(database, id)).stream().findFirst();
    }

    /**
     * Writes a connection of a container.
     *
     * @param connection which has ended
     */
    public void recordConnection(NetworkConnection connection) {
        NetworkConnection clean = records.clean(connection);
        writer.write("a connection of " + connection.agentId(), database -> Inserts.connection(database, clean));
    }

    /**
     * Writes what a coder has to do for a story, in the place of what was there.
     *
     * @param storyId the story
     * @param attempt which attempt; from 1
     * @param todos a JSON array
     */
    public void saveTodos(String storyId, int attempt, String todos) {
        String clean = records.clean(todos);
        writer.write("the todos of story " + storyId, database -> Inserts.todos(database, storyId, attempt, clean));
    }

    /**
     * Writes a message to all.
     *
     * @param post the message; its number is not looked at
     * @return its number: greater than those of all messages that anybody has seen before
     */
    public long post(ChatPost post) {
        ChatPost clean = records.clean(post);
        AtomicLong number = new AtomicLong();
        writer.write("a message to all", rows -> number.set(Inserts.post(rows, database.dialect(), clean)));
        return number.get();
    }

    /**
     * Removes messages, calls of tools, requests, connections, changes of state and posts of stories and specifications that have
     * ended before a time, and older connections and posts of no story. The stories and specifications themselves stay, with what
     * models have used: what is done is not done again. An SQLite file becomes smaller. PostgreSQL wants the right to delete rows.
     *
     * @param before what ended later stays whole
     * @return how many stories and specifications were pruned
     * @throws StoreException when the record cannot be written; what was pruned until then stays so
     */
    public int prune(Instant before) {
        List<String> finished = reader.read(rows -> Prunes.finished(rows, before));
        for (String id : finished) {
            writer.write("the removal of what is known of " + id, rows -> Prunes.prune(rows, id));
        }
        writer.write("the removal of what is old and of no story", rows -> Prunes.pruneUnrelated(rows, before));
        database.shrink();
        return finished.size();
    }

    /**
     * {@return the same record for others than Maestro, such as a host's user interface: to read, by connections of its own, so
     * that whoever reads much there holds up nobody; usable until this is closed} Each read opens a connection and closes it.
     */
    public AuditLog view() {
        return view;
    }

    /** {@return the leases of this store: who works on what} */
    public Leases leases() {
        return leases;
    }

    /** {@return the costs of this store: what models have cost} */
    public Spending spending() {
        return spending;
    }

    /** {@return the requests of this store: what waits for people} */
    public DecisionRequests requests() {
        return requests;
    }

    /** {@return the merge queue of this store: who is merged when} */
    public MergeQueue merges() {
        return mergeQueue;
    }

    /** {@return what people want to end, for hosts as well; it asks this store} */
    public Cancellations cancellations() {
        return new Cancellations(this);
    }

    /**
     * Asks for the end of a story, or of a specification with all its stories; see {@link Cancellations#ask}.
     *
     * @param id of a story or a specification
     * @param person who asks
     * @param message why
     * @return what has come of it
     */
    public Cancellations.Status cancel(String id, String person, String message) {
        Objects.requireNonNull(id, "id");
        PersonName.check("who asks?", person);
        if (message.length() > Cancellations.MOST_CHARACTERS) {
            throw new IllegalArgumentException(
                    "a message has at most " + Cancellations.MOST_CHARACTERS + " characters, not " + message.length());
        }
        CancellationRows.Asker asker =
                new CancellationRows.Asker(records.clean(person), records.clean(message), Instant.now());
        AtomicReference<Optional<Cancellations.Status>> status = new AtomicReference<>(Optional.empty());
        writer.write("the cancellation of " + id, database -> status.set(cancellationRows.ask(database, id, asker)));
        return Objects.requireNonNull(status.get())
                .orElseThrow(() -> new IllegalArgumentException(
                        "there is no story and no specification '" + id + "' in the record"));
    }

    /** {@return see {@link Cancellations#open()}} */
    public List<Cancellation> openCancellations() {
        return reader.read(CancellationRows::open);
    }

    /**
     * Looks for the cancellation of what has not ended; see {@link Cancellations#open(String)}.
     *
     * @param id of a story or a specification
     * @return empty when nobody wants that any more
     */
    public Optional<Cancellation> openCancellation(String id) {
        Objects.requireNonNull(id, "id");
        return reader.read(database -> CancellationRows.open(database, id)).stream()
                .findFirst();
    }

    /**
     * All that was ever asked of a story or a specification; see {@link Cancellations#of}.
     *
     * @param id of a story or a specification
     * @return oldest first
     */
    public List<Cancellation> cancellationsOf(String id) {
        Objects.requireNonNull(id, "id");
        return reader.read(database -> CancellationRows.of(database, id));
    }

    @Override
    public void export(Appendable out) {
        // It takes its time.
        view.export(out);
    }

    /** Closes the store; a second call does nothing. */
    @Override
    @SuppressWarnings("try") // they are closed, no more
    public void close() {
        try (writer;
                reader;
                viewer) {
            // In the opposite order, each whatever becomes of the others.
        }
    }
}
