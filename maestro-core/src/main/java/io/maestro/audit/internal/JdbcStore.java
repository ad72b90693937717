package io.maestro.audit.internal;

import io.maestro.agent.CoderState;
import io.maestro.audit.AuditLog;
import io.maestro.audit.Cancellations;
import io.maestro.audit.Leases;
import io.maestro.audit.Redactor;
import io.maestro.audit.Requests;
import io.maestro.audit.Spending;
import io.maestro.audit.Store;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A record in a relational database: writes go through one thread, Maestro's reads and the host's each through a connection. */
public final class JdbcStore extends JdbcAuditLog implements Store {
    /** Longer than a server takes to start again, and much shorter than a lease. */
    private static final Duration OUTAGE = Duration.ofSeconds(15);

    private final Database database;
    private final RedactingRecords records;
    private final GroupCommit writer;
    private final LeaseRows fence;
    private final IdRows ids;
    private final Leases leases;
    private final Spending spending;
    private final SpendingRows costs;
    private final Requests requests;
    private final Cancellations cancellations;

    private final ReadConnection reader;
    private final ReadConnection viewer;
    private final AuditLog view;

    private JdbcStore(
            Database database, Redactor redactor, Statements forWriting, Duration outage, ReadConnection reader) {
        super(database, reader);
        this.database = database;
        this.records = new RedactingRecords(redactor);
        this.reader = reader;
        this.viewer = new ReadConnection(database, outage, false);
        this.view = new JdbcAuditLog(database, viewer);
        this.writer = new GroupCommit(database, forWriting, GroupCommit.PATIENCE, outage);
        this.fence = new LeaseRows(database.dialect());
        this.ids = new IdRows(database.dialect());
        this.leases = new JdbcLeases(writer, fence);
        this.costs = new SpendingRows(database.dialect());
        this.spending = new JdbcSpending(writer, reader, costs, records);
        this.requests = new JdbcRequests(writer, reader, records);
        this.cancellations = new JdbcCancellations(writer, reader, new CancellationRows(database.dialect()), records);
    }

    /**
     * Opens a record in an SQLite file.
     *
     * @param file made when it is missing
     * @param redactor takes secrets out
     * @return the open record
     */
    public static JdbcStore sqlite(Path file, Redactor redactor) {
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
    public static JdbcStore postgres(DataSource dataSource, @Nullable String schema, Redactor redactor) {
        Objects.requireNonNull(dataSource, "dataSource");
        Objects.requireNonNull(redactor, "redactor");
        return open(new PostgresDatabase(dataSource, schema), redactor);
    }

    static JdbcStore open(Database database, Redactor redactor) {
        return open(database, redactor, OUTAGE);
    }

    /**
     * Opens a record.
     *
     * @param outage how long it is tried again while the database cannot be reached
     */
    static JdbcStore open(Database database, Redactor redactor, Duration outage) {
        Statements forWriting = database.connect();
        try {
            database.prepare(forWriting);
            return new JdbcStore(database, redactor, forWriting, outage, new ReadConnection(database, outage, true));
        } catch (RuntimeException | Error e) {
            try {
                forWriting.close();
            } catch (SQLException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    @Override
    public void beginSession(Session session) {
        Session clean = records.clean(session);
        writer.write("the session " + session.id(), database -> Inserts.session(database, clean));
    }

    @Override
    public void endSession(String sessionId, Instant at) {
        writer.write("the end of a session", database -> Inserts.endOfSession(database, sessionId, at));
    }

    @Override
    public void saveStory(StoryRecord story) {
        StoryRecord clean = records.clean(story);
        writer.write("story " + story.id(), database -> {
            fence.check(database, Leases.story(clean.id()), clean.sessionId());
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
        RequestRows.withdraw(database, story.id(), story.attempt() - 1, story.updatedAt());
        Inserts.story(database, story);
    }

    @Override
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
            fence.check(database, Leases.story(cleanStory.id()), cleanTransition.sessionId());
            if (!isSuspension(cleanTransition)) {
                RequestRows.withdraw(database, cleanStory.id(), cleanStory.attempt(), cleanTransition.at());
            }
            Inserts.story(database, cleanStory);
            Inserts.transition(database, cleanTransition);
            if (cleanStory.state().isFinal()) {
                CancellationRows.storyEnded(database, cleanStory.id(), cleanStory.attempt());
            }
        });
    }

    @Override
    public Page<String> changedStories(long after) {
        return reader.read(database -> Selects.changedStories(database, after)).get(0);
    }

    @Override
    public void saveSpec(SpecRecord spec) {
        SpecRecord clean = records.clean(spec);
        writer.write("specification " + spec.id(), database -> {
            fence.check(database, Leases.spec(clean.id()), clean.sessionId());
            ids.require(database, clean);
            Inserts.spec(database, clean);
        });
    }

    @Override
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
            fence.check(database, Leases.spec(cleanSpec.id()), cleanTransition.sessionId());
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

    @Override
    public void recordMessage(Message message) {
        Message clean = records.clean(message);
        writer.write("a message about story " + message.storyId(), database -> Inserts.message(database, clean, null));
    }

    @Override
    public void recordAnswer(Message message, Spending.Request request, BigDecimal dollars) {
        Message clean = records.clean(message);
        long nanodollars = SpendingRows.nanodollars(dollars);
        writer.write("an answer about story " + message.storyId(), database -> {
            Inserts.message(database, clean, nanodollars);
            costs.settle(database, request, nanodollars);
        });
    }

    @Override
    public void recordToolExecution(ToolExecution execution) {
        ToolExecution clean = records.clean(execution);
        writer.write(
                "a tool call for story " + execution.storyId(), database -> Inserts.toolExecution(database, clean));
    }

    @Override
    public void recordConnection(NetworkConnection connection) {
        NetworkConnection clean = records.clean(connection);
        writer.write("a connection of " + connection.agentId(), database -> Inserts.connection(database, clean));
    }

    @Override
    public void recordEffect(Effect effect) {
        Effect clean = records.clean(effect);
        writer.write("the effect " + effect.id(), database -> Inserts.effect(database, clean));
    }

    @Override
    public void completeEffect(String effectId, String reply, Instant at) {
        String clean = records.clean(reply);
        writer.write("the reply to effect " + effectId, database -> Inserts.reply(database, effectId, clean, at));
    }

    @Override
    public void saveTodos(String storyId, int attempt, String todos) {
        String clean = records.clean(todos);
        writer.write("the todos of story " + storyId, database -> Inserts.todos(database, storyId, attempt, clean));
    }

    @Override
    public long post(ChatPost post) {
        ChatPost clean = records.clean(post);
        AtomicLong number = new AtomicLong();
        writer.write("a message to all", rows -> number.set(Inserts.post(rows, database.dialect(), clean)));
        return number.get();
    }

    @Override
    public Leases leases() {
        return leases;
    }

    @Override
    public int prune(Instant before) {
        List<String> finished = reader.read(rows -> Prunes.finished(rows, before));
        for (String id : finished) {
            writer.write("the removal of what is known of " + id, rows -> Prunes.prune(rows, id));
        }
        writer.write("the removal of what is old and of no story", rows -> Prunes.pruneUnrelated(rows, before));
        database.shrink();
        return finished.size();
    }

    @Override
    public void export(Appendable out) {
        // It takes its time.
        view.export(out);
    }

    @Override
    public AuditLog view() {
        return view;
    }

    @Override
    public Requests requests() {
        return requests;
    }

    @Override
    public Cancellations cancellations() {
        return cancellations;
    }

    @Override
    public Spending spending() {
        return spending;
    }

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
