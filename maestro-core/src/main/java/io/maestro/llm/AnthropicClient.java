package io.maestro.llm;

import io.maestro.llm.internal.MessagesProtocol;
import io.maestro.llm.internal.ModelApi;
import io.maestro.llm.internal.PromptCaching;
import java.net.URI;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Asks a model of the Anthropic Messages API, over the JDK's HTTP client. Safe for use by several threads.
 *
 * <p>What may pass by itself (HTTP 408, 409, 429, 5xx, a broken connection, a cut or unreadable answer, a time-out) is tried
 * again after waits that grow, or that the service asks for. An interrupt ends the call at once and closes its connection.
 * The API key is sent to the base URL and nowhere else: redirects are not followed, and no message, log line or
 * {@code toString} shows it.
 *
 * <p>There is nothing to close: the HTTP client's own threads are daemons and end when this object is no longer used.
 */
public final class AnthropicClient implements LlmClient {
    private final String model;
    private final URI baseUrl;
    private final ModelApi api;

    private AnthropicClient(Builder builder) {
        this.model = builder.model;
        this.baseUrl = builder.connection.baseUrl();
        MessagesProtocol protocol = new MessagesProtocol(builder.caching());
        this.api = new ModelApi(builder.connection.target(model, "/v1/messages", protocol), protocol);
    }

    /**
     * A client with the settings of the environment: the key from {@code ANTHROPIC_API_KEY}, and the base URL from
     * {@code ANTHROPIC_BASE_URL} when that is set.
     *
     * @param model the model's name as Anthropic spells it
     * @return a client
     * @throws LlmException when no key is set, or a variable cannot be used
     */
    public static AnthropicClient fromEnvironment(String model) {
        return builder(model).fromEnvironment().build();
    }

    /**
     * Starts a client.
     *
     * @param model the model's name as Anthropic spells it
     * @return a builder
     * @throws IllegalArgumentException when the name is blank
     */
    public static Builder builder(String model) {
        return new Builder(model);
    }

    @Override
    public String model() {
        return model;
    }

    @Override
    public boolean check() {
        return api.check();
    }

    @Override
    public LlmResponse complete(LlmRequest request) {
        return api.complete(request, LlmStreamListener.NONE);
    }

    @Override
    public LlmResponse complete(LlmRequest request, LlmStreamListener listener) {
        return api.complete(request, listener);
    }

    /** The model and where it is asked; not the key. */
    @Override
    public String toString() {
        return "AnthropicClient " + model + " at " + baseUrl;
    }

    /**
     * Collects the settings of an {@link AnthropicClient}. Not safe for use by several threads. The base URL is
     * {@code https://api.anthropic.com} unless set; {@code /v1/messages} is added to it.
     */
    public static final class Builder {
        private final String model;
        private ConnectionOptions connection = ConnectionOptions.to(URI.create("https://api.anthropic.com"));
        private boolean caching = true;
        private boolean cachingForAnHour;

        private Builder(String model) {
            this.model = ConnectionOptions.modelName(model, "claude-sonnet-5");
        }

        /**
         * Takes the key from {@code ANTHROPIC_API_KEY}, and the base URL from {@code ANTHROPIC_BASE_URL} when that is set.
         *
         * @return this
         * @throws LlmException when a variable cannot be used
         */
        public Builder fromEnvironment() {
            return fromEnvironment(System.getenv());
        }

        /**
         * Takes the key and the base URL as {@link #fromEnvironment()} does, from other variables than those of the process.
         *
         * @param environment values by the variables' names
         * @return this
         * @throws LlmException when a variable cannot be used
         */
        public Builder fromEnvironment(Map<String, String> environment) {
            return connection(options -> options.fromEnvironment(environment, new MessagesProtocol(PromptCaching.OFF)));
        }

        /**
         * Sets the key.
         *
         * @param secret the key; sent in a header and shown nowhere
         * @return this
         * @throws IllegalArgumentException when it is blank or has characters that no key has
         */
        public Builder apiKey(String secret) {
            return connection(options -> options.apiKey(secret));
        }

        /**
         * Sets where the API is; the vendor's own address unless set.
         *
         * @param url see {@link ConnectionOptions#baseUrl(URI)}
         * @return this
         * @throws IllegalArgumentException when it is not of that form
         */
        public Builder baseUrl(URI url) {
            return connection(options -> options.baseUrl(url));
        }

        /**
         * Changes how the API is reached, such as by a token of a gateway, with time limits and retries.
         *
         * @param change gets what is set so far
         * @return this
         */
        public Builder connection(UnaryOperator<ConnectionOptions> change) {
            connection = change.apply(connection);
            return this;
        }

        /**
         * Sets whether the service is asked to cache tools, system prompt and conversation, which makes the next turn
         * cheaper and faster; true unless set.
         *
         * @param on whether to cache
         * @return this
         */
        public Builder promptCaching(boolean on) {
            this.caching = on;
            return this;
        }

        /**
         * Sets whether the cache lasts an hour instead of five minutes from its last use; false unless set. Writing it costs
         * twice as much as input, not 1.25 times: for agents whose tools run for longer than five minutes.
         *
         * @param on whether it lasts an hour
         * @return this
         */
        public Builder promptCachingForAnHour(boolean on) {
            this.cachingForAnHour = on;
            return this;
        }

        private PromptCaching caching() {
            if (!caching) {
                return PromptCaching.OFF;
            }
            return cachingForAnHour ? PromptCaching.HOUR : PromptCaching.SHORT;
        }

        /**
         * Makes the client; sends nothing.
         *
         * @return the client
         * @throws LlmException when there is neither a key nor a token nor a header, and the base URL is not on this machine
         */
        public AnthropicClient build() {
            return new AnthropicClient(this);
        }

        /** The kind of client and the model; not the key. */
        @Override
        public String toString() {
            return "AnthropicClient.Builder " + model;
        }
    }
}
