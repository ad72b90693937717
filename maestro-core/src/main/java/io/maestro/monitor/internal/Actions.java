package io.maestro.monitor.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.inbox.InboxAnswer;
import io.maestro.team.internal.MonitorSource;
import java.util.Locale;

/** What people do on the page. What cannot be done is an IllegalArgumentException or a MaestroException, whose message they see. */
final class Actions {
    private final MonitorSource source;

    Actions(MonitorSource source) {
        this.source = source;
    }

    /** Does it, and says what has come of it. */
    ObjectNode act(String action, JsonNode input) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        switch (action) {
            case "answer" -> json.put("text", answer(input));
            case "chat" ->
                json.put(
                        "number",
                        source.chat()
                                .post(text(input, "person"), text(input, "text"))
                                .number());
            case "cancel" -> {
                String person = input.path("person").asText().strip();
                json.put(
                        "text",
                        source.work().cancel(text(input, "id"), person.isEmpty() ? "somebody on the page" : person));
            }
            case "retry" -> source.work().retry(text(input, "id"));
            case "pause" -> source.work().pause(text(input, "id"));
            case "merge-next" -> source.work().mergeNext(text(input, "id"));
            case "go-on" -> source.work().goOn(text(input, "id"));
            default -> throw new IllegalArgumentException("there is no action '" + action + "'");
        }
        return json;
    }

    private String answer(JsonNode input) {
        InboxAnswer answer = InboxAnswer.of(
                text(input, "person"),
                InboxAnswer.Kind.valueOf(text(input, "decision").toUpperCase(Locale.ROOT)),
                input.path("message").asText());
        if (input.path("plan").isTextual()) {
            answer = answer.withPlan(input.path("plan").textValue());
        }
        return source.inbox().answer(text(input, "id"), answer).summary();
    }

    private static String text(JsonNode input, String name) {
        JsonNode value = input.path(name);
        if (!value.isTextual() || value.textValue().isBlank()) {
            throw new IllegalArgumentException("give " + name + " as a text that is not blank");
        }
        return value.textValue();
    }
}
