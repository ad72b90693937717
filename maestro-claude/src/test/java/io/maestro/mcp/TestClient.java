package io.maestro.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A client that sends what it is told to, and keeps what comes back. */
abstract class TestClient implements AutoCloseable {
    final List<JsonNode> received = new CopyOnWriteArrayList<>();

    abstract void send(String text);

    void send(JsonNode message) {
        send(message.toString());
    }

    /** Sends a request and waits for its answer. */
    JsonNode ask(JsonNode request) {
        send(request);
        return answer(request.path("id"));
    }

    JsonNode answer(JsonNode id) {
        Messages.until("an answer to " + id, () -> find(id) != null);
        JsonNode answer = Objects.requireNonNull(find(id));
        received.remove(answer);
        return answer;
    }

    JsonNode answer(int id) {
        return answer(Messages.MAPPER.getNodeFactory().numberNode(id));
    }

    private @Nullable JsonNode find(JsonNode id) {
        return received.stream()
                .filter(message -> !message.has("method") && message.path("id").equals(id))
                .findFirst()
                .orElse(null);
    }

    List<JsonNode> notifications() {
        return received.stream().filter(message -> message.has("method")).toList();
    }

    JsonNode begin(String version) {
        JsonNode answer = ask(Messages.initialize(version));
        send(Messages.notification("notifications/initialized", "{}"));
        return answer;
    }

    @Override
    public abstract void close();
}
