package io.maestro.audit.internal;

import io.maestro.audit.AuditLog;
import io.maestro.audit.AuditLog.Cost;
import io.maestro.audit.AuditLog.CostSum;
import io.maestro.audit.AuditLog.NetworkConnection;
import io.maestro.audit.AuditLog.Session;
import io.maestro.audit.CallQuery;
import io.maestro.audit.CostQuery;
import io.maestro.audit.Requests;
import io.maestro.audit.ResultPage;
import io.maestro.audit.Store.ChatPost;
import io.maestro.audit.Store.Effect;
import io.maestro.audit.Store.Message;
import io.maestro.audit.Store.SpecRecord;
import io.maestro.audit.Store.SpecTransition;
import io.maestro.audit.Store.StateTransition;
import io.maestro.audit.Store.StoryRecord;
import io.maestro.audit.Store.ToolExecution;
import io.maestro.audit.StoreException;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads a record in a relational database. */
class JdbcAuditLog implements AuditLog {
    private final Database database;
    private final ReadConnection reader;

    JdbcAuditLog(Database database, ReadConnection reader) {
        this.database = database;
        this.reader = reader;
    }

    @Override
    public List<Session> sessions() {
        return reader.read(Selects::sessions);
    }

    @Override
    public List<StoryRecord> stories() {
        return reader.read(Selects::stories);
    }

    @Override
    public Optional<StoryRecord> story(String storyId) {
        return reader.read(database -> Selects.story(database, storyId)).stream()
                .findFirst();
    }

    @Override
    public List<StateTransition> transitions(String storyId) {
        return reader.read(database -> Selects.transitions(database, storyId));
    }

    @Override
    public List<Message> messages(String storyId) {
        return reader.read(database -> Selects.messages(database, storyId));
    }

    @Override
    public List<ToolExecution> toolExecutions(String storyId) {
        return reader.read(database -> Selects.toolExecutions(database, storyId));
    }

    @Override
    public List<Effect> effects(String storyId) {
        return reader.read(database -> Selects.effects(database, storyId));
    }

    @Override
    public Map<String, List<Requests.Approval>> approvals(String storyId) {
        return reader.read(database -> RequestRows.approvals(database, storyId)).stream()
                .collect(Collectors.groupingBy(
                        Map.Entry::getKey, Collectors.mapping(Map.Entry::getValue, Collectors.toList())));
    }

    @Override
    public List<SpecRecord> specs() {
        return reader.read(Selects::specs);
    }

    @Override
    public Optional<SpecRecord> spec(String specId) {
        return reader.read(database -> Selects.spec(database, specId)).stream().findFirst();
    }

    @Override
    public List<SpecTransition> specTransitions(String specId) {
        return reader.read(database -> Selects.specTransitions(database, specId));
    }

    @Override
    public List<StoryRecord> storiesOf(String specId) {
        return reader.read(database -> Selects.storiesOf(database, specId));
    }

    @Override
    public Optional<String> todos(String storyId, int attempt) {
        return reader.read(database -> Selects.todos(database, storyId, attempt)).stream()
                .findFirst();
    }

    @Override
    public Page<NetworkConnection> connections(@Nullable String storyId, long after, int most) {
        int positive = positive(most);
        return reader.read(database -> Selects.connections(database, storyId, after, positive))
                .get(0);
    }

    @Override
    public List<ChatPost> chat(long after, int most) {
        int positive = positive(most);
        return reader.read(database -> Selects.chat(database, after, positive));
    }

    @Override
    public String location() {
        return database.location();
    }

    @Override
    public List<StoryRecord> openStories() {
        return reader.read(Selects::openStories);
    }

    @Override
    public List<SpecRecord> openSpecs() {
        return reader.read(Selects::openSpecs);
    }

    @Override
    public List<String> repositories() {
        return reader.read(Selects::repositories);
    }

    @Override
    public List<Cost> costs(String storyId) {
        return reader.read(database -> Selects.costs(database, storyId));
    }

    @Override
    public ResultPage<CostSum> costs(CostQuery query) {
        return reader.read(database -> List.of(CostSelects.page(database, query)))
                .get(0);
    }

    @Override
    public ResultPage<ToolExecution> calls(CallQuery query) {
        return reader.read(database -> List.of(CallSelects.page(database, query)))
                .get(0);
    }

    @Override
    public void export(Appendable out) {
        reader.read(rows -> {
            try {
                JsonLines.write(rows, database.dialect().snapshot(), out);
                return List.of();
            } catch (SQLException e) {
                // Not to be tried again: some lines may be written.
                throw new StoreException("the record " + database.location() + " could not be exported whole", e);
            }
        });
    }

    @Override
    public long newestPost() {
        return reader.read(Selects::newestPost).get(0);
    }

    @Override
    public Page<Session> sessions(long after, int most) {
        int positive = positive(most);
        return reader.read(database -> Selects.sessions(database, after, positive))
                .get(0);
    }

    @Override
    public List<StoryRecord> stories(String after, int most) {
        int positive = positive(most);
        return reader.read(database -> Selects.stories(database, after, positive));
    }

    @Override
    public Page<Message> messages(String storyId, long after, int most) {
        int positive = positive(most);
        return reader.read(database -> Selects.messages(database, storyId, after, positive))
                .get(0);
    }

    @Override
    public Page<ToolExecution> toolExecutions(String storyId, long after, int most) {
        int positive = positive(most);
        return reader.read(database -> Selects.toolExecutions(database, storyId, after, positive))
                .get(0);
    }

    static int positive(int most) {
        if (most < 1) {
            throw new IllegalArgumentException("at most " + most + " rows: give at least 1");
        }
        return most;
    }
}
