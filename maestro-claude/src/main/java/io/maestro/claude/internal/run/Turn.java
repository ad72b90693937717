package io.maestro.claude.internal.run;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.claude.ClaudeEvent;
import io.maestro.claude.ClaudeResult.Ending;

/** Reads the outcome out of what the CLI says. */
final class Turn {
    private static final ObjectMapper JSON = new ObjectMapper();

    private Turn() {}

    /** What a result means; only one without an error is a success, whatever else it says of itself. */
    static Ending ending(ClaudeEvent.Result result) {
        if (!result.isError() && result.subtype().equals("success")) {
            return Ending.COMPLETED;
        }
        return switch (result.subtype()) {
            case "error_max_turns" -> Ending.MAX_TURNS;
            case "error_max_budget_usd" -> Ending.MAX_BUDGET;
            default -> isUnknownSession(result.text()) ? Ending.UNKNOWN_SESSION : Ending.FAILED;
        };
    }

    /** What it means that the CLI has ended without a result. */
    static Ending endingWithoutResult(String stderr) {
        if (isUnknownSession(stderr)) {
            return Ending.UNKNOWN_SESSION;
        }
        return stderr.contains("Session ID") && stderr.contains("already in use")
                ? Ending.SESSION_EXISTS
                : Ending.CRASHED;
    }

    private static boolean isUnknownSession(String text) {
        return text.contains("No conversation found with session ID");
    }

    /** The text of a block of an answer; empty when it is of another kind. */
    static String text(ClaudeEvent.Said said) {
        try {
            JsonNode block = JSON.readTree(said.block());
            return block.path("type").asText().equals("text")
                    ? block.path("text").asText()
                    : "";
        } catch (JsonProcessingException e) {
            return "";
        }
    }
}
