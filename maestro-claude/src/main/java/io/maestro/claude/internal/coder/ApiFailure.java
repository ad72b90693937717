package io.maestro.claude.internal.coder;

import io.maestro.claude.ClaudeResult;
import io.maestro.error.MaestroException;
import io.maestro.llm.LlmUnavailableException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** Failures of the API that the CLI cannot help: what is down for everybody is waited for, what will never work is said. */
final class ApiFailure {
    static final int UNAUTHORIZED = 401;

    /** The CLI's own words for failures that have no HTTP status, or another one. */
    private static final Set<String> DOWN = Set.of("server_error", "rate_limit", "overloaded");

    private ApiFailure() {}

    /**
     * What a failed run must come to, if the API is its reason.
     *
     * @param retryAfter how long the API wants not to be asked, as far as it has said so
     */
    static Optional<MaestroException> of(ClaudeResult result, Optional<Duration> retryAfter) {
        if (result.ending() != ClaudeResult.Ending.FAILED) {
            return Optional.empty();
        }
        int status = result.apiStatus();
        String http = status == 0 ? "" : " (HTTP " + status + ")";
        if (status == UNAUTHORIZED || status == 403 || result.apiError().equals("authentication_failed")) {
            return Optional.of(refusedKey(status, result.text()));
        }
        if (status == 402 || result.apiError().equals("billing_error")) {
            return Optional.of(new MaestroException(
                    "the API wants to be paid" + http + "; check the account's billing: " + result.text()));
        }
        if (status == 429 || status >= 500 || status == 0 && DOWN.contains(result.apiError())) {
            return Optional.of(new LlmUnavailableException(
                    "the API does not answer Claude Code" + http + ": " + result.text(),
                    null,
                    retryAfter.orElse(null)));
        }
        return Optional.empty();
    }

    /**
     * The key is wrong, or may not do this.
     *
     * @param status the HTTP status, or 0
     * @param text what the CLI says of it; may be empty
     */
    static MaestroException refusedKey(int status, String text) {
        return new MaestroException("the API refuses the key of Claude Code"
                + (status == 0 ? "" : " (HTTP " + status + ")")
                + "; correct the variable ANTHROPIC_API_KEY, or the key that ClaudeCodeMode.builder().apiKey(…) was given"
                + (text.isEmpty() ? "" : ": " + text));
    }
}
