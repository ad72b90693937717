package io.maestro.inbox.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.agent.Architect;
import io.maestro.error.MaestroException;
import io.maestro.record.internal.DecisionRequests;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A reply as it stands in the record.
 *
 * @param decision the name of an {@link Architect.Decision}, or why there is none: {@link #TIMEOUT}, or that the request was
 *     withdrawn
 * @param message an answer, the reason, or what to change; may be empty
 * @param by who decided; empty when nobody did, and in records of before
 * @param plan what a person has made of the plan; null unless one has changed it
 */
public record RecordedReply(
        String decision,
        String message,
        String by,
        @Nullable String plan) {
    /** The decision where nobody replied in time. */
    public static final String TIMEOUT = DecisionRequests.TIMEOUT;

    private static final ObjectMapper JSON = new ObjectMapper();

    /** What somebody decided. */
    public static RecordedReply of(Architect.Reply reply, String by) {
        return new RecordedReply(reply.decision().name(), reply.message(), by, reply.plan());
    }

    /**
     * Reads the record.
     *
     * @throws MaestroException when it is no reply
     */
    public static RecordedReply read(String requestId, String json) {
        try {
            JsonNode reply = JSON.readTree(json);
            return new RecordedReply(
                    reply.path("decision").asText(),
                    reply.path("message").asText(),
                    reply.path("by").asText(),
                    reply.path("plan").isTextual() ? reply.path("plan").asText() : null);
        } catch (JsonProcessingException e) {
            throw new MaestroException("the recorded reply to request " + requestId + " is not readable: " + json, e);
        }
    }

    /**
     * The one place that says what a plan may be given with.
     *
     * @param facts of the request
     * @param approvals how many people must approve it
     * @return why not; empty when it may
     */
    public static Optional<String> planRefused(
            String requestId, Architect.Kind kind, Map<String, String> facts, int approvals) {
        // Other kinds have the plan among their facts, too, as something to read.
        if (kind != Architect.Kind.PLAN_REVIEW || !facts.containsKey(Architect.Request.PLAN)) {
            return Optional.of(
                    "request " + requestId + " is a " + kind + " that asks about no plan: reply without one");
        }
        return approvals > 1
                ? Optional.of("request " + requestId + " needs " + approvals
                        + " people, and they must approve the same plan: ask for changes instead of changing it")
                : Optional.empty();
    }

    /** For the record. */
    public String json() {
        ObjectNode json = JSON.createObjectNode().put("decision", decision).put("message", message);
        if (!by.isEmpty()) {
            json.put("by", by);
        }
        if (plan != null) {
            json.put("plan", plan);
        }
        return json.toString();
    }

    /** Empty unless somebody decided. */
    public Optional<Architect.Decision> decided() {
        for (Architect.Decision one : Architect.Decision.values()) {
            if (one.name().equals(decision)) {
                return Optional.of(one);
            }
        }
        return Optional.empty();
    }

    /** The facts of a request, in their order, as the record has them. */
    public static Map<String, String> facts(String requestId, String json) {
        try {
            Map<String, String> facts = new LinkedHashMap<>();
            JSON.readTree(json)
                    .properties()
                    .forEach(fact -> facts.put(fact.getKey(), fact.getValue().asText()));
            return facts;
        } catch (JsonProcessingException e) {
            throw new MaestroException("request " + requestId + " is not readable in the record: " + json, e);
        }
    }

    /** Facts for the record. */
    public static String json(Map<String, String> facts) {
        ObjectNode sent = JSON.createObjectNode();
        facts.forEach(sent::put);
        return sent.toString();
    }
}
