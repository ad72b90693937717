package io.maestro.claude;

import java.util.Optional;

/**
 * Decides on each use of a tool of the CLI's own, its sub-agents' too, before the tool runs. The CLI waits meanwhile. Called by
 * several threads, one for each use, which are interrupted when the run ends.
 */
@FunctionalInterface
public interface ClaudeToolGate {
    /**
     * Decides on a use.
     *
     * @param toolUseId the CLI's id of it
     * @param tool the tool, such as {@code Bash}
     * @param input its arguments: a JSON object
     * @return why it must not run, for the model; empty when it may run. One that throws has refused
     */
    Optional<String> refusal(String toolUseId, String tool, String input);
}
