package io.maestro.monitor.internal;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.agent.ArchitectTransitions;
import io.maestro.agent.CoderTransitions;
import io.maestro.record.AuditLog;
import io.maestro.record.CallQuery;
import io.maestro.record.ResultPage;
import io.maestro.report.internal.ReportSource;
import io.maestro.report.internal.RowJson;
import io.maestro.story.ArchitectState;
import io.maestro.story.CoderState;
import io.maestro.team.internal.MonitorSource;
import java.util.Collection;
import java.util.Optional;

/** What a page shows when one looks closer, from the record. */
final class Views {
    /** Characters of the parameters of a call that a list shows. */
    private static final int BRIEF = 160;

    /** Rows of calls that are read at once. */
    private static final int CALLS = 1_000;

    /** Messages of the chat that a page shows. */
    private static final int POSTS = 200;

    private final MonitorSource source;

    Views(MonitorSource source) {
        this.source = source;
    }

    /** Which state may follow which. */
    static ObjectNode machines() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        ObjectNode coder = json.putObject("coder");
        for (CoderState state : CoderState.values()) {
            names(coder.putArray(state.name()), CoderTransitions.from(state));
        }
        ObjectNode architect = json.putObject("architect");
        for (ArchitectState state : ArchitectState.values()) {
            names(architect.putArray(state.name()), ArchitectTransitions.from(state));
        }
        return json;
    }

    private static void names(ArrayNode json, Collection<? extends Enum<?>> states) {
        states.forEach(state -> json.add(state.name()));
    }

    /** The newest calls, or those that come after a page: rows of few columns, since there are many. */
    ObjectNode calls(Optional<String> after) {
        CallQuery query = CallQuery.newest().brief(BRIEF).most(CALLS).build();
        ResultPage<AuditLog.ToolExecution> page =
                source.log().calls(after.map(query::after).orElse(query));
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        page.next().ifPresent(next -> json.put("next", next));
        ArrayNode rows = json.putArray("calls");
        for (AuditLog.ToolExecution call : page.rows()) {
            rows.addArray()
                    .add(call.storyId())
                    .add(call.agentId())
                    .add(call.attempt())
                    .add(call.state())
                    .add(call.tool())
                    .add(call.callId())
                    .add(call.at().toEpochMilli())
                    .add(call.durationMillis())
                    .add(ReportSource.failed(call))
                    .add(call.parameters());
        }
        return json;
    }

    /** A call with all that was given and answered; empty when there is none. */
    Optional<ObjectNode> call(String storyId, String agentId, int attempt, String callId) {
        return source
                .log()
                .calls(CallQuery.newest()
                        .story(storyId)
                        .agent(agentId)
                        .attempt(attempt)
                        .call(callId)
                        .most(1)
                        .build())
                .rows()
                .stream()
                .findFirst()
                .map(RowJson::of);
    }

    /** A story, as its latest attempt stands; empty when there is none. */
    Optional<ObjectNode> story(String id) {
        AuditLog log = source.log();
        return log.story(id).map(row -> {
            ObjectNode json = RowJson.of(row);
            log.todos(id, row.attempt()).ifPresent(todos -> json.put("todos", todos));
            Optional.ofNullable(row.mergeCommit()).flatMap(source.diffs()).ifPresent(diff -> json.put("diff", diff));
            json.set("transitions", RowJson.of(log.transitions(id)));
            json.set("requests", RowJson.requests(log, id));
            json.set("costs", RowJson.of(log.costs(id)));
            return json;
        });
    }

    /** A request that waits for people, with all that they decide on; empty when there is none. */
    Optional<ObjectNode> request(String id) {
        return source.inbox().find(id).map(item -> {
            ObjectNode json = JsonNodeFactory.instance.objectNode();
            BoardJson.request(json, item);
            json.put("content", item.storyContent());
            ObjectNode facts = json.putObject("facts");
            item.facts().forEach(facts::put);
            return json;
        });
    }

    /** A specification; empty when there is none. */
    Optional<ObjectNode> spec(String id) {
        AuditLog log = source.log();
        return log.spec(id).map(row -> {
            ObjectNode json = RowJson.of(row);
            json.set("transitions", RowJson.of(log.specTransitions(id)));
            json.set("costs", RowJson.of(log.costs(id)));
            return json;
        });
    }

    /** The newest messages to all. */
    ObjectNode chat() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.set("posts", RowJson.of(source.chat().last(POSTS)));
        return json;
    }
}
