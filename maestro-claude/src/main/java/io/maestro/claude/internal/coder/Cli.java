package io.maestro.claude.internal.coder;

import io.maestro.claude.ClaudeRun;
import java.time.Duration;
import java.util.Optional;

/** Starts the CLI for one coder in one state, wherever its container is at the moment. Used by the thread of the story. */
interface Cli extends AutoCloseable {
    /**
     * Begins a session.
     *
     * @param sessionId a UUID that no session has yet
     */
    ClaudeRun start(String sessionId, String message);

    /** Goes on with a session. */
    ClaudeRun resume(String sessionId, String message);

    /** The container was exchanged: what was known of it is not true any more. */
    void moved();

    /** Why the last request of the CLI to a model was not let through; empty when it was. */
    Optional<String> refusedBudget();

    /** How long the API wants not to be asked, when it has refused the CLI's last request; empty when that is not known. */
    Optional<Duration> retryAfter();

    @Override
    void close();
}
