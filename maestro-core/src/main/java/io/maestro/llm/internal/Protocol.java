package io.maestro.llm.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.internal.ApiKey;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.llm.LlmStreamListener;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What one vendor's interface has of its own. Thread-safe. */
public interface Protocol {
    /**
     * What the interface is called, for messages.
     *
     * @return for example {@code Messages API}
     */
    String title();

    /**
     * Which variable of the environment holds the key, for messages.
     *
     * @return its name
     */
    String keyVariable();

    /**
     * Which variable of the environment holds the base URL, for messages.
     *
     * @return its name
     */
    String urlVariable();

    /**
     * The headers that authorize a request and name its version.
     *
     * @param key the key; null where something else authorizes it
     * @return names and values
     */
    Map<String, String> headers(@Nullable ApiKey key);

    /**
     * Writes a request.
     *
     * @param model the model
     * @param request the conversation
     * @param stream whether the answer shall come piece by piece
     * @return the question
     */
    WrittenRequest question(String model, LlmRequest request, boolean stream);

    /**
     * What an error means.
     *
     * @param status the status of HTTP, or 0 in an answer that began well
     * @param error what the service says of it; may be empty
     * @return the meaning
     */
    Fault fault(int status, JsonNode error);

    /** A request that is written, and knows how to read its answer. Used by one thread. */
    interface WrittenRequest {
        /**
         * What is sent.
         *
         * @return a JSON object
         */
        ObjectNode body();

        /**
         * Reads an answer that came as a whole.
         *
         * @param answer the answer
         * @return what the model said
         * @throws UnreadableException when it is no answer
         * @throws ErrorException when it is an error
         */
        LlmResponse read(ObjectNode answer) throws UnreadableException, ErrorException;

        /**
         * Begins to read an answer that comes piece by piece.
         *
         * @param listener is told of the text
         * @return reads one event after another
         */
        Pieces pieces(LlmStreamListener listener);
    }

    /** Puts an answer together. Used by one thread. */
    interface Pieces {
        /**
         * Takes the next piece.
         *
         * @param type the type of the event
         * @param event the event
         * @return the answer, once it is complete
         * @throws UnreadableException when it is no piece of an answer
         * @throws ErrorException when it is an error
         */
        Optional<LlmResponse> take(String type, ObjectNode event) throws UnreadableException, ErrorException;
    }

    /**
     * What an error means.
     *
     * @param status the status of HTTP that belongs to it
     * @param kind whether the same request may go through another time
     * @param advice what to do when the status does not say it; may be empty
     */
    record Fault(int status, AttemptException.FaultKind kind, String advice) {
        static Fault of(int status) {
            boolean passing = status == 408 || status == 409 || status == 429 || status >= 500;
            return new Fault(
                    status, passing ? AttemptException.FaultKind.PASSING : AttemptException.FaultKind.LASTING, "");
        }

        static Fault lasting(int status, String advice) {
            return new Fault(status, AttemptException.FaultKind.LASTING, advice);
        }

        static Fault overflow(int status) {
            return new Fault(
                    status,
                    AttemptException.FaultKind.OVERFLOW,
                    "the conversation is longer than the model takes: shorten it");
        }
    }

    /** An answer, or a piece of it, that cannot be read. */
    final class UnreadableException extends Exception {
        private static final long serialVersionUID = 1L;

        UnreadableException(String message) {
            super(message);
        }
    }

    /** An error in the place of an answer, with a status that says success. */
    final class ErrorException extends Exception {
        private static final long serialVersionUID = 1L;

        private final transient JsonNode error;

        ErrorException(JsonNode error) {
            super("the service reports an error");
            this.error = error;
        }

        JsonNode error() {
            return error;
        }
    }
}
