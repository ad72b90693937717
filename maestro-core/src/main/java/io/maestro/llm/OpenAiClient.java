package io.maestro.llm;

import io.maestro.llm.internal.ModelApi;
import io.maestro.llm.internal.ResponsesProtocol;
import java.net.URI;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Asks a model of the OpenAI Responses API, over the JDK's HTTP client. Safe for use by several threads.
 *
 * <p>Nothing is stored at the service: each request carries the whole conversation, the model's encrypted reasoning included.
 * Schemas of tools are made strict where they can be, so that the arguments of calls fit them.
 *
 * <p>What may pass by itself (HTTP 408, 409, 429, 5xx, a broken connection, a cut or unreadable answer, a time-out) is tried
 * again after waits that grow, or that the service asks for; an account without credit is not waited for. An interrupt ends
 * the call at once and closes its connection. The API key is sent to the base URL and nowhere else: redirects are not
 * followed, and no message, log line or {@code toString} shows it.
 *
 * <p>There is nothing to close: the HTTP client's own threads are daemons and end when this object is no longer used.
 */
public final class OpenAiClient implements LlmClient {
    private final String model;
    private final URI baseUrl;
    private final ModelApi api;

    private OpenAiClient(Builder builder) {
        this.model = builder.model;
        this.baseUrl = builder.connection.baseUrl();
        ResponsesProtocol protocol = new ResponsesProtocol(builder.strictTools, builder.reasoning);
        this.api = new ModelApi(builder.connection.target(model, path(baseUrl), protocol), protocol);
    }

    /** The vendor's own programs want the version in the base URL, others leave it out. */
    private static String path(URI baseUrl) {
        String path = baseUrl.getPath() == null ? "" : baseUrl.getPath();
        return path.endsWith("/v1") || path.endsWith("/v1/") ? "/responses" : "/v1/responses";
    }

    /**
     * A client with the settings of the environment: the key from {@code OPENAI_API_KEY}, and the base URL from
     * {@code OPENAI_BASE_URL} when that is set.
     *
     * @param model the model's name as OpenAI spells it
     * @return a client
     * @throws LlmException when no key is set, or a variable cannot be used
     */
    public static OpenAiClient fromEnvironment(String model) {
        return builder(model).fromEnvironment().build();
    }

    /**
     * Starts a client.
     *
     * @param model the model's name as OpenAI spells it
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
        return "OpenAiClient " + model + " at " + baseUrl;
    }

    /**
     * Collects the settings of an {@link OpenAiClient}. Not safe for use by several threads. The base URL is
     * {@code https://api.openai.com/v1} unless set; {@code /responses} is added to it, and {@code /v1} where it is missing.
     */
    public static final class Builder {
        private final String model;
        private ConnectionOptions connection = ConnectionOptions.to(URI.create("https://api.openai.com/v1"));
        private boolean strictTools = true;
        private boolean reasoning;

        private Builder(String model) {
            this.model = ConnectionOptions.modelName(model, "gpt-5.1");
            // These families do not reason, and refuse a request that asks for it.
            this.reasoning = !this.model.startsWith("gpt-4") && !this.model.startsWith("gpt-3");
        }

        /**
         * Takes the key from {@code OPENAI_API_KEY}, and the base URL from {@code OPENAI_BASE_URL} when that is set.
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
            return connection(options -> options.fromEnvironment(environment, new ResponsesProtocol(false, false)));
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
         * Sets whether schemas of tools are made strict where they can be; true unless set. Off for a service or a
         * fine-tuned model that does not take that.
         *
         * @param on whether to make them strict
         * @return this
         */
        public Builder strictTools(boolean on) {
            this.strictTools = on;
            return this;
        }

        /**
         * Sets whether the model's encrypted reasoning is asked for, to send it back with the next turn; true unless set, but
         * false for the models named {@code gpt-3…} and {@code gpt-4…}. A model that does not reason may refuse a request
         * that asks for it.
         *
         * @param on whether to ask for it
         * @return this
         */
        public Builder reasoning(boolean on) {
            this.reasoning = on;
            return this;
        }

        /**
         * Makes the client; sends nothing.
         *
         * @return the client
         * @throws LlmException when there is neither a key nor a token nor a header, and the base URL is not on this machine
         */
        public OpenAiClient build() {
            return new OpenAiClient(this);
        }

        /** The kind of client and the model; not the key. */
        @Override
        public String toString() {
            return "OpenAiClient.Builder " + model;
        }
    }
}
