package io.maestro.claude.internal.coder;

import io.maestro.claude.ClaudeResult;
import io.maestro.error.MaestroException;
import io.maestro.llm.LlmUnavailableException;
import java.util.Optional;

/** Failures of the API that the CLI cannot help: what is down for everybody is waited for, what will never work is said. */
final class ApiFailure {
    private ApiFailure() {}

    /**
     * What a failed run must come to, if the API is its reason.
     *
     * @param status the last HTTP status of the API, or 0
     */
    static Optional<MaestroException> of(ClaudeResult result, int status) {
        if (result.ending() != ClaudeResult.Ending.FAILED) {
            return Optional.empty();
        }
        if (status == 401 || status == 403) {
            return Optional.of(new MaestroException("the API refuses the key of Claude Code (HTTP " + status
                    + "); look at ANTHROPIC_API_KEY: " + result.text()));
        }
        if (status == 402) {
            return Optional.of(new MaestroException(
                    "the API wants to be paid (HTTP 402); check the account's billing: " + result.text()));
        }
        if (status == 429 || status >= 500) {
            return Optional.of(new LlmUnavailableException(
                    "the API does not answer Claude Code (HTTP " + status + "): " + result.text(), null, null));
        }
        return Optional.empty();
    }
}
