package io.maestro.claude.testing;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** What the real CLI has printed once: the resources {@code io/maestro/claude/transcripts}. */
public final class Transcripts {
    /** All of them. */
    public static final List<String> NAMES = List.of(
            "01_bash_write",
            "02_resume_ok",
            "03_resume_new_container",
            "04_resume_unknown",
            "06_partial_messages",
            "08_two_turns",
            "10_interrupt",
            "12_sdk_mcp",
            "13_mcp_http_tools",
            "14_mcp_tool_timeout",
            "17_mcp_pending",
            "20_api_401",
            "22_api_429_retry_after",
            "24_api_529_exhausted",
            "27_max_turns",
            "30_bad_stdin",
            "31_subagent",
            "36_sigterm_in_tool");

    private static final ObjectMapper JSON = new ObjectMapper();

    private Transcripts() {}

    /** The lines of standard output. */
    public static List<String> lines(String name) {
        String resource = "/io/maestro/claude/transcripts/" + name + ".jsonl";
        try (InputStream in = Transcripts.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalArgumentException("no transcript " + resource);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .flatMap(line -> printed(line).stream())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** All of standard output. */
    public static byte[] output(String name) {
        StringBuilder all = new StringBuilder();
        lines(name).forEach(line -> all.append(line).append('\n'));
        return all.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** A line of a recording in both ways is unpacked, if it was printed and not read. */
    private static Optional<String> printed(String line) {
        try {
            JsonNode node = JSON.readTree(line);
            if (!node.has("t") || !node.has("dir")) {
                return Optional.of(line);
            }
            return node.path("dir").asText().equals("out")
                    ? Optional.of(node.path("line").toString())
                    : Optional.empty();
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }
}
