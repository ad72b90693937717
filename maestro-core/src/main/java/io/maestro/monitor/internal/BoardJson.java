package io.maestro.monitor.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.agent.AgentStatus;
import io.maestro.agent.Limits;
import io.maestro.inbox.InboxItem;
import io.maestro.record.AuditLog;
import java.util.Objects;

/** What the board says of each thing that is on it. */
final class BoardJson {
    private final AuditLog log;
    private final Limits limits;

    BoardJson(AuditLog log, Limits limits) {
        this.log = log;
        this.limits = limits;
    }

    ObjectNode story(AuditLog.StoryRecord row, Used used) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("id", row.id())
                .put("title", row.title())
                .put("state", row.state().name())
                .put("attempt", row.attempt())
                .put("agent", row.agentId())
                .put("spec", row.specId())
                .put("error", row.error())
                .put("commit", row.mergeCommit())
                .put("at", row.updatedAt().toEpochMilli())
                .put("tokens", used.tokens())
                .put("dollars", used.text());
        JsonNode data = MonitorResponses.tree(row.data());
        json.put("tests", data.path("tests").asText(null));
        budget(json, row, data, used);
        ArrayNode dependsOn = json.putArray("dependsOn");
        row.dependsOn().forEach(dependsOn::add);
        return json;
    }

    /** The share of what the story may use; its budget counts from an attempt on, and as often as it was granted. */
    private void budget(ObjectNode json, AuditLog.StoryRecord row, JsonNode data, Used all) {
        int from = data.path("budgetFrom").asInt() == 0
                ? row.attempt()
                : data.path("budgetFrom").asInt();
        Used used = from <= 1 ? all : Used.by(log, row.id(), from);
        double grants = data.path("grants").asInt() + 1.0;
        json.put("usedTokens", used.tokens() / (grants * limits.tokensPerStory()));
        limits.costPerStory()
                .filter(most -> used.dollars() != null && most.signum() > 0)
                .ifPresent(most -> json.put(
                        "usedDollars",
                        Objects.requireNonNull(used.dollars()).doubleValue() / (grants * most.doubleValue())));
    }

    static ObjectNode spec(AuditLog.SpecRecord row, Used used) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("id", row.id())
                .put("title", row.title())
                .put("state", row.state().name())
                .put("error", row.error())
                .put("tokens", used.tokens())
                .put("dollars", used.text());
    }

    static void agent(ObjectNode json, AgentStatus agent) {
        json.put("id", agent.id())
                .put("role", agent.role())
                .put("story", agent.storyId())
                .put("state", agent.state())
                .put("model", agent.model().orElse(null))
                .put("tool", agent.lastCall().orElse(null))
                .put("tokens", agent.usage().totalTokens());
    }

    /** Without its facts, which do not change and may be long: a page reads them once. */
    static void request(ObjectNode json, InboxItem item) {
        json.put("id", item.id())
                .put("kind", item.kind().name())
                .put("story", item.storyId())
                .put("title", item.storyTitle())
                .put("agent", item.coderId())
                .put("at", item.askedAt().toEpochMilli())
                .put("until", item.until().toEpochMilli())
                .put("otherwise", item.otherwise())
                .put("approvals", item.approvals());
        ArrayNode given = json.putArray("given");
        item.given()
                .forEach(approval -> given.addObject()
                        .put("person", approval.person())
                        .put("message", approval.message())
                        .put("at", approval.at().toEpochMilli()));
    }
}
