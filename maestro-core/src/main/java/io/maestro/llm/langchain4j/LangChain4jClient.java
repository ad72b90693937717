package io.maestro.llm.langchain4j;

import dev.langchain4j.exception.ContentFilteredException;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.response.ChatResponse;
import io.maestro.internal.RemoteServer;
import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmException;
import io.maestro.llm.LlmInterruptedException;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.llm.Usage;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks any {@link ChatModel} of LangChain4j. Safe for use by several threads when the chat model is.
 *
 * <p>Temperature, the length of the answer and the tools come from the request, everything else from the chat model's own
 * settings, its key, time limit and retries among them. An interrupt ends a call as fast as the chat model's HTTP client lets
 * it; {@link io.maestro.llm.resilience.LlmClients} puts a time limit, retries and more around it. Set the chat model's own
 * retries to 0 then.
 *
 * <p>LangChain4j has no keywords for lengths, ranges and patterns in a tool's schema: they go into the description. What it
 * cannot express at all is passed on as raw JSON Schema, which not every vendor's module takes.
 */
@SuppressWarnings("exports") // LangChain4j is no module that could be required; who calls this has it.
public final class LangChain4jClient implements LlmClient {
    private static final Logger LOG = LoggerFactory.getLogger(LangChain4jClient.class);

    static {
        readLangChain4j();
    }

    private final ChatModel chatModel;
    private final String model;
    private final Function<ChatResponse, @Nullable Usage> usage;
    private final RemoteServer server =
            new RemoteServer("the chat model's service", "the chat model's base URL", Faults::line);

    private LangChain4jClient(Builder builder, String model) {
        this.chatModel = builder.chatModel;
        this.model = model;
        this.usage = builder.usage;
    }

    /**
     * A client of a chat model that knows its name.
     *
     * @param chatModel who is asked
     * @return a client
     * @throws IllegalArgumentException when the chat model has no model's name among its parameters
     */
    public static LangChain4jClient of(ChatModel chatModel) {
        return builder(chatModel).build();
    }

    /**
     * Starts a client.
     *
     * @param chatModel who is asked
     * @return a builder
     */
    public static Builder builder(ChatModel chatModel) {
        return new Builder(chatModel);
    }

    @Override
    public String model() {
        return model;
    }

    @Override
    public LlmResponse complete(LlmRequest request) {
        if (Thread.currentThread().isInterrupted()) {
            throw new LlmInterruptedException("interrupted before " + model + " was asked", null);
        }
        ChatResponse response;
        try {
            response = chatModel.chat(ChatRequests.chatRequest(request));
            server.answered();
        } catch (ContentFilteredException e) {
            LOG.info("{} declined to answer: {}", model, e.getMessage());
            return new LlmResponse(model, List.of(), LlmResponse.StopReason.REFUSAL, null);
        } catch (RuntimeException e) {
            throw Faults.translated(model, server, e);
        }
        if (response == null) {
            throw new LlmException(chatModel.getClass().getName() + " returned null instead of an answer", null, true);
        }
        return Responses.response(model, response, usage.apply(response));
    }

    /**
     * As a module, Maestro reads LangChain4j wherever it is: on the class path, or as a module of whatever name. The class is
     * looked up by its name, as a literal would be checked for what is only allowed after this.
     */
    static void readLangChain4j() {
        try {
            Class<?> type = Class.forName(
                    "dev.langchain4j.model.chat.ChatModel", false, LangChain4jClient.class.getClassLoader());
            LangChain4jClient.class.getModule().addReads(type.getModule());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("add dev.langchain4j:langchain4j-core to what the program runs on", e);
        }
    }

    /** The model and the chat model's class. */
    @Override
    public String toString() {
        return "LangChain4jClient " + model + " by " + chatModel.getClass().getName();
    }

    /** Collects the settings of a {@link LangChain4jClient}. Not safe for use by several threads. */
    public static final class Builder {
        private final ChatModel chatModel;
        private @Nullable String model;
        private Function<ChatResponse, @Nullable Usage> usage = Responses::usage;

        private Builder(ChatModel chatModel) {
            this.chatModel = Objects.requireNonNull(chatModel, "chatModel");
        }

        /**
         * Sets which model it is, for the record and for prices; the name among the chat model's parameters unless set. The
         * chat model is not changed by it.
         *
         * @param name the model's name as its vendor spells it; not blank
         * @return this
         * @throws IllegalArgumentException when the name is blank
         */
        public Builder model(String name) {
            if (name.isBlank()) {
                throw new IllegalArgumentException("the model's name is blank: give one, for example gpt-4.1");
            }
            this.model = name.strip();
            return this;
        }

        /**
         * Sets how the tokens of an answer are counted. Unless set, input and output are taken as LangChain4j has them, and
         * nothing counts as read from or written to a cache: its core does not know of caches. So, depending on the vendor,
         * cached tokens count as input or not at all. The vendor's own {@code TokenUsage} knows more.
         *
         * @param counter counts the tokens of an answer; its result is null when they are not known
         * @return this
         */
        public Builder usage(Function<ChatResponse, @Nullable Usage> counter) {
            this.usage = Objects.requireNonNull(counter, "counter");
            return this;
        }

        /**
         * Makes the client; asks nothing.
         *
         * @return the client
         * @throws IllegalArgumentException when no name is set and the chat model has none
         */
        public LangChain4jClient build() {
            return new LangChain4jClient(this, model != null ? model : nameOf(chatModel));
        }

        private static String nameOf(ChatModel chatModel) {
            String name = chatModel.defaultRequestParameters().modelName();
            if (name == null || name.isBlank()) {
                throw new IllegalArgumentException(
                        chatModel.getClass().getName() + " does not say which model it asks: set it by model(…)");
            }
            return name;
        }
    }
}
