package io.maestro.llm;

import java.util.Objects;

/** Tells a listener what a model writes, also those who ask without one. */
record ListenedClient(LlmClient client, LlmStreamListener listener) implements LlmClient {
    ListenedClient {
        Objects.requireNonNull(client, "client");
        Objects.requireNonNull(listener, "listener");
    }

    @Override
    public String model() {
        return client.model();
    }

    @Override
    public boolean check() {
        return client.check();
    }

    @Override
    public LlmResponse complete(LlmRequest request) {
        return client.complete(request, listener);
    }

    @Override
    public LlmResponse complete(LlmRequest request, LlmStreamListener other) {
        return client.complete(request, listener.and(other));
    }
}
