package io.maestro.llm;

import io.maestro.llm.internal.LlmResponseText;

/**
 * A language model that can call tools. Implementations are safe for use by several threads and keep no conversation: each
 * request carries all of it.
 */
public interface LlmClient {
    /**
     * Which model answers, for the record and for messages.
     *
     * @return the model's name as its vendor spells it
     */
    String model();

    /**
     * Asks the model for its next message. Blocks until it has answered, or the client has given up.
     *
     * @param request the conversation and the tools
     * @return what the model said
     * @throws LlmContextOverflowException when the request is too long for the model
     * @throws LlmException when the same request would fail again: refused credentials, a malformed request
     * @throws LlmUnavailableException when it may go through later: overload, a rate limit, a broken connection; the
     *     client's own retries are used up by then
     * @throws LlmInterruptedException when the calling thread was interrupted before or while it waited; its interrupt
     *     status is set again
     */
    LlmResponse complete(LlmRequest request);

    /**
     * As {@link #complete(LlmRequest)}, and tells what the model writes while it writes it. Unless a client does better, the
     * whole text is told at once when all of it is there.
     *
     * @param request the conversation and the tools
     * @param listener is told of the text, in the calling thread
     * @return what the model said
     */
    default LlmResponse complete(LlmRequest request, LlmStreamListener listener) {
        LlmResponse response = complete(request);
        String text = LlmResponseText.of(response);
        if (!text.isEmpty()) {
            listener.onText(text);
        }
        return response;
    }

    /**
     * Asks the service whether it takes the credentials and knows the model. The model itself is not asked, so that no token is
     * used. It is tried once, for at most 10 seconds.
     *
     * @return true when both hold; false when the client or the service cannot tell
     * @throws LlmException when the service refuses the credentials or has no such model
     * @throws LlmUnavailableException when it cannot be reached now
     * @throws LlmInterruptedException when the calling thread was interrupted; its interrupt status is set again
     */
    default boolean check() {
        return false;
    }
}
