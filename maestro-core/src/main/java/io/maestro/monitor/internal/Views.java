package io.maestro.monitor.internal;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.agent.ArchitectState;
import io.maestro.agent.ArchitectTransitions;
import io.maestro.agent.CoderState;
import io.maestro.agent.CoderTransitions;
import io.maestro.audit.AuditLog;
import io.maestro.audit.CallQuery;
import io.maestro.audit.ResultPage;
import io.maestro.inbox.internal.RecordedReply;
import io.maestro.report.internal.ReportSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
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
                .map(call -> JsonNodeFactory.instance
                        .objectNode()
                        .put("story", call.storyId())
                        .put("agent", call.agentId())
                        .put("attempt", call.attempt())
                        .put("state", call.state())
                        .put("tool", call.tool())
                        .put("id", call.callId())
                        .put("parent", call.parentCallId())
                        .put("at", call.at().toEpochMilli())
                        .put("ms", call.durationMillis())
                        .put("failed", ReportSource.failed(call))
                        .put("exitCode", call.exitCode())
                        .put("parameters", call.parameters())
                        .put("result", call.result())
                        .put("error", call.error()));
    }

    /** A story, as its latest attempt stands; empty when there is none. */
    Optional<ObjectNode> story(String id) {
        AuditLog log = source.log();
        return log.story(id).map(row -> {
            ObjectNode json = JsonNodeFactory.instance.objectNode();
            json.put("id", row.id())
                    .put("title", row.title())
                    .put("content", row.content())
                    .put("branch", row.branch())
                    .put("commit", row.mergeCommit())
                    .put("todos", log.todos(id, row.attempt()).orElse(null))
                    .put(
                            "diff",
                            Optional.ofNullable(row.mergeCommit())
                                    .flatMap(source.diffs())
                                    .orElse(null));
            ArrayNode states = json.putArray("states");
            log.transitions(id)
                    .forEach(change -> states.addObject()
                            .put("at", change.at().toEpochMilli())
                            .put("attempt", change.attempt())
                            .put("from", change.from().name())
                            .put("to", change.to().name())
                            .put("reason", change.reason()));
            requests(json.putArray("requests"), ReportSource.requests(log, id), ReportSource.votes(log, id));
            costs(json.putArray("costs"), log.costs(id));
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
            ObjectNode json = JsonNodeFactory.instance.objectNode();
            json.put("id", row.id()).put("title", row.title()).put("content", row.content());
            ArrayNode states = json.putArray("states");
            log.specTransitions(id)
                    .forEach(change -> states.addObject()
                            .put("at", change.at().toEpochMilli())
                            .put("from", change.from().name())
                            .put("to", change.to().name())
                            .put("reason", change.reason()));
            costs(json.putArray("costs"), log.costs(id));
            return json;
        });
    }

    private static void requests(
            ArrayNode json, List<AuditLog.Effect> effects, Map<String, List<ReportSource.Vote>> votes) {
        for (AuditLog.Effect effect : effects) {
            ObjectNode request = json.addObject()
                    .put("id", effect.id())
                    .put("kind", effect.kind())
                    .put("at", effect.requestedAt().toEpochMilli());
            ObjectNode facts = request.putObject("facts");
            for (Map.Entry<String, String> fact :
                    RecordedReply.facts(effect.id(), effect.request()).entrySet()) {
                facts.put(fact.getKey(), fact.getValue());
            }
            String reply = effect.reply();
            if (reply != null) {
                RecordedReply given = RecordedReply.read(effect.id(), reply);
                request.put("decision", given.decision())
                        .put("by", given.by())
                        .put("message", given.message())
                        .put("plan", given.plan());
            }
            ArrayNode each = request.putArray("votes");
            votes.getOrDefault(effect.id(), List.of())
                    .forEach(vote -> each.addObject()
                            .put("person", vote.person())
                            .put("decision", vote.decision())
                            .put("message", vote.message())
                            .put("at", vote.at().toEpochMilli()));
        }
    }

    private static void costs(ArrayNode json, List<AuditLog.Cost> costs) {
        costs.forEach(cost -> json.addObject()
                .put("attempt", cost.attempt())
                .put("agent", cost.agentId())
                .put("state", cost.state())
                .put("model", cost.model())
                .put("requests", cost.requests())
                .put("input", cost.usage().inputTokens() + cost.usage().cacheWriteTokens())
                .put("cached", cost.usage().cacheReadTokens())
                .put("output", cost.usage().outputTokens())
                .put("dollars", cost.dollars() == null ? null : cost.dollars().toPlainString()));
    }

    /** The newest messages to all. */
    ObjectNode chat() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        ArrayNode posts = json.putArray("posts");
        source.chat()
                .last(POSTS)
                .forEach(post -> posts.addObject()
                        .put("number", post.number())
                        .put("at", post.at().toEpochMilli())
                        .put("author", post.author())
                        .put("story", post.storyId())
                        .put("text", post.text()));
        return json;
    }
}
