package io.maestro.mcp.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Takes what is said to one message of a client: any number of beats, then exactly one of the other three. What comes later is
 * dropped. Safe for use by several threads.
 */
interface Replies {
    /**
     * Says that a call still runs.
     *
     * @param progress the notification that the client has asked for; null where it did not, and only the transport may need a
     *     sign of life
     */
    void beat(@Nullable ObjectNode progress);

    /** The answer to a request, or to a batch. */
    void respond(JsonNode response);

    /** There is nothing to answer. */
    void none();

    /** The client has taken its request back. */
    void cancelled(JsonNode id);

    /**
     * When the first beat is due.
     *
     * @param hasToken whether the client asked for notifications of progress
     * @param interval how often beats come
     * @return null for no beats
     */
    @Nullable
    Duration firstBeat(boolean hasToken, Duration interval);
}
