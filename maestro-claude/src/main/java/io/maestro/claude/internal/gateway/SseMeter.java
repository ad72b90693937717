package io.maestro.claude.internal.gateway;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.wire.internal.JsonLimits;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/** Finds the usage in a stream of server-sent events. A line that is too long to be one of those it looks for is not kept. */
final class SseMeter implements UsageMeter {
    private static final int LONGEST_LINE = 1024 * 1024;
    private static final Set<String> WANTED = Set.of("message_start", "message_delta", "message_stop");

    private final Counted counted = new Counted();
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private boolean tooLong;
    private String event = "";

    @Override
    public void read(byte[] bytes, int length) {
        int start = 0;
        for (int i = 0; i < length; i++) {
            if (bytes[i] == '\n' || bytes[i] == '\r') {
                keep(bytes, start, i);
                endLine();
                start = i + 1;
            }
        }
        keep(bytes, start, length);
    }

    private void keep(byte[] bytes, int from, int to) {
        tooLong |= line.size() + (to - from) > LONGEST_LINE;
        if (!tooLong) {
            line.write(bytes, from, to - from);
        }
    }

    private void endLine() {
        if (!tooLong) {
            line(line.toString(StandardCharsets.UTF_8));
        }
        line.reset();
        tooLong = false;
    }

    private void line(String text) {
        if (text.startsWith("event:")) {
            event = text.substring(6).strip();
        } else if (text.startsWith("data:")) {
            if (event.isEmpty() || WANTED.contains(event)) {
                data(text.substring(5));
            }
            event = "";
        }
    }

    private void data(String json) {
        JsonNode root = JsonLimits.tree(json);
        if (root == null) {
            // Not for us; the client will say what it thinks of it.
            return;
        }
        switch (root.path("type").asText()) {
            case "message_start" -> {
                counted.model(root.path("message").path("model").asText());
                counted.counts(root.path("message").path("usage"), true);
            }
            case "message_delta" -> counted.counts(root.path("usage"), false);
            case "message_stop" -> counted.whole();
            default -> {}
        }
    }

    @Override
    public Counted counted() {
        return counted;
    }
}
