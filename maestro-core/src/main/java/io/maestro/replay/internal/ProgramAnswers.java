package io.maestro.replay.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.maestro.agent.spi.RecordedAnswers;
import io.maestro.error.MaestroException;
import io.maestro.record.AuditLog;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Collects what a program's model has answered: each block has a row of its own, which names state and program. */
final class ProgramAnswers {
    private static final JsonMapper JSON = new JsonMapper();

    /** A block of which only the ends were kept, as a text. */
    private static final Pattern CUT = Pattern.compile("^\\{\"(?s:.{1,40000})\\n\\[… \\d+ characters left out …]\\n");

    private final Map<String, List<String>> answers = new HashMap<>();
    private final Map<String, ArrayNode> open = new HashMap<>();
    private final Set<String> calls = new HashSet<>();
    private @Nullable String program;

    /** One row of the coder's conversation with its program, in order. */
    void read(AuditLog.Message row) {
        int slash = row.state().indexOf('/');
        program = row.state().substring(slash + 1);
        String state = row.state().substring(0, slash);
        if (row.role().equals("assistant")) {
            for (JsonNode block : blocks(row)) {
                if (CUT.matcher(block.path("text").asText()).find()) {
                    throw new MaestroException(
                            "an answer in " + state + " of story " + row.storyId() + " was too long for the record: the"
                                    + " story cannot be replayed",
                            null);
                }
                open.computeIfAbsent(state, none -> JSON.createArrayNode()).add(block);
                if (block.path("type").asText().equals("tool_use")) {
                    calls.add(block.path("id").asText());
                }
            }
        } else if (row.role().equals("user")) {
            end(state);
        }
    }

    private void end(String state) {
        ArrayNode blocks = open.remove(state);
        if (blocks != null) {
            answers.computeIfAbsent(state, none -> new ArrayList<>()).add(blocks.toString());
        }
    }

    private static JsonNode blocks(AuditLog.Message row) {
        try {
            return JSON.readTree(row.content());
        } catch (JsonProcessingException e) {
            throw new MaestroException("a message of story " + row.storyId() + " cannot be read", e);
        }
    }

    /** The program's id; empty when Maestro's own loop has worked. */
    Optional<String> program() {
        return Optional.ofNullable(program);
    }

    /** The ids of the calls that its model has made. */
    Set<String> calls() {
        return calls;
    }

    RecordedAnswers all(Set<String> workingDirectories) {
        Set.copyOf(open.keySet()).forEach(this::end);
        return new RecordedAnswers(answers, workingDirectories);
    }
}
