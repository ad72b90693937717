package io.maestro.claude.internal.stream;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.maestro.claude.ClaudeEvent;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads the lines of type {@code system} that are understood. */
final class SystemReader {
    private static final int MOST_TOOLS = 1_000;
    private static final int MOST_SERVERS = 100;

    private SystemReader() {}

    /** Stops when it has what it needs; as much again follows. */
    static ClaudeEvent init(JsonParser parser) throws IOException {
        String session = "";
        String model = "";
        String version = "";
        List<String> tools = List.of();
        Map<String, String> servers = Map.of();
        int missing = 0b11111;
        Raw.enter(parser);
        for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            JsonToken value = parser.nextToken();
            switch (name) {
                case "session_id" -> {
                    session = Raw.word(parser);
                    missing &= ~1;
                }
                case "model" -> {
                    model = Raw.word(parser);
                    missing &= ~2;
                }
                case "claude_code_version" -> {
                    version = Raw.word(parser);
                    missing &= ~4;
                }
                case "tools" -> {
                    tools = Raw.words(parser, MOST_TOOLS);
                    missing &= ~8;
                }
                case "mcp_servers" -> {
                    if (value == JsonToken.START_ARRAY) {
                        servers = servers(parser);
                    } else {
                        parser.skipChildren();
                    }
                    missing &= ~16;
                }
                default -> parser.skipChildren();
            }
            if (missing == 0) {
                break;
            }
        }
        return new ClaudeEvent.Init(session, model, version, List.copyOf(tools), Map.copyOf(servers));
    }

    static boolean isCompacting(JsonParser parser) throws IOException {
        Raw.enter(parser);
        for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            parser.nextToken();
            if (name.equals("status")) {
                return Raw.word(parser).equals("compacting");
            }
            parser.skipChildren();
        }
        return false;
    }

    private static Map<String, String> servers(JsonParser parser) throws IOException {
        Map<String, String> servers = new LinkedHashMap<>();
        for (JsonToken token = parser.nextToken(); token != JsonToken.END_ARRAY; token = parser.nextToken()) {
            if (token != JsonToken.START_OBJECT) {
                parser.skipChildren();
                continue;
            }
            String server = "";
            String status = "";
            for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
                parser.nextToken();
                if (name.equals("name")) {
                    server = Raw.word(parser);
                } else if (name.equals("status")) {
                    status = Raw.word(parser);
                } else {
                    parser.skipChildren();
                }
            }
            if (servers.size() < MOST_SERVERS) {
                servers.put(server, status);
            }
        }
        return servers;
    }

    static ClaudeEvent retry(JsonParser parser) throws IOException {
        int attempt = 0;
        int status = 0;
        long delay = 0;
        Raw.enter(parser);
        for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            parser.nextToken();
            switch (name) {
                case "attempt" -> attempt = (int) Raw.count(parser);
                case "error_status" -> status = (int) Raw.count(parser);
                case "retry_delay_ms" -> delay = Raw.count(parser);
                default -> parser.skipChildren();
            }
        }
        return new ClaudeEvent.ApiRetry(attempt, status, delay);
    }

    static String subtype(JsonParser parser) throws IOException {
        Raw.enter(parser);
        for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            parser.nextToken();
            if (name.equals("subtype")) {
                return Raw.word(parser);
            }
            parser.skipChildren();
        }
        return "";
    }
}
