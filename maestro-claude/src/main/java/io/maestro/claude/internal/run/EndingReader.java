package io.maestro.claude.internal.run;

import io.maestro.claude.ClaudeEvent;
import io.maestro.claude.ClaudeResult.Ending;

/** Reads how a run has ended from the output of the CLI. */
final class EndingReader {
    private EndingReader() {}

    /** What a result means; only one without an error is a success, whatever else it says of itself. */
    static Ending of(ClaudeEvent.Result result) {
        if (result.stopReason().equals("refusal")) {
            return Ending.REFUSED;
        }
        if (!result.isError() && result.subtype().equals("success")) {
            return Ending.COMPLETED;
        }
        return switch (result.subtype()) {
            case "error_max_turns" -> Ending.MAX_TURNS;
            case "error_max_budget_usd" -> Ending.MAX_BUDGET;
            default -> isUnknownSession(result.text()) ? Ending.UNKNOWN_SESSION : Ending.FAILED;
        };
    }

    /** What it means that the CLI has ended without a result, whatever its exit code. */
    static Ending withoutResult(String errors) {
        if (isUnknownSession(errors)) {
            return Ending.UNKNOWN_SESSION;
        }
        return errors.contains("Session ID") && errors.contains("already in use")
                ? Ending.SESSION_EXISTS
                : Ending.CRASHED;
    }

    private static boolean isUnknownSession(String text) {
        return text.contains("No conversation found with session ID");
    }
}
