package io.maestro.llm.resilience;

import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmInterruptedException;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.llm.LlmStreamListener;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Something around a client. The one place that passes on the methods of the interface. */
abstract class Decorator implements LlmClient {
    private final LlmClient client;

    Decorator(LlmClient client) {
        this.client = Objects.requireNonNull(client, "client");
    }

    @Override
    public final String model() {
        return client.model();
    }

    @Override
    public final boolean check() {
        return client.check();
    }

    @Override
    public final LlmResponse complete(LlmRequest request) {
        return around(request, LlmStreamListener.NONE, nobody -> client.complete(request));
    }

    @Override
    public final LlmResponse complete(LlmRequest request, LlmStreamListener listener) {
        return around(request, listener, heard -> client.complete(request, heard));
    }

    /** A call of the client, which can be made more than once. */
    @FunctionalInterface
    interface RepeatableCall {
        LlmResponse make(LlmStreamListener listener);
    }

    /** Makes the call, once or several times or not at all, with the listener or with one before it. */
    abstract LlmResponse around(LlmRequest request, LlmStreamListener listener, RepeatableCall call);

    /** Begins nothing for a thread that was told to stop. */
    final void checkInterrupted() {
        if (Thread.currentThread().isInterrupted()) {
            throw interrupted("before " + model() + " was asked", null);
        }
    }

    static LlmInterruptedException interrupted(String when, @Nullable InterruptedException cause) {
        Thread.currentThread().interrupt();
        return new LlmInterruptedException("interrupted " + when, cause);
    }

    /** What it is, and what it is around. */
    @Override
    public String toString() {
        return getClass().getSimpleName() + " of " + client;
    }
}
