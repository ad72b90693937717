package io.maestro.llm.langchain4j;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.exception.AuthenticationException;
import dev.langchain4j.exception.ContentFilteredException;
import dev.langchain4j.exception.HttpException;
import dev.langchain4j.exception.InternalServerException;
import dev.langchain4j.exception.InvalidRequestException;
import dev.langchain4j.exception.ModelNotFoundException;
import dev.langchain4j.exception.NonRetriableException;
import dev.langchain4j.exception.RateLimitException;
import dev.langchain4j.exception.RetriableException;
import dev.langchain4j.exception.TimeoutException;
import dev.langchain4j.exception.UnresolvedModelServerException;
import dev.langchain4j.exception.UnsupportedFeatureException;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.ChatRequestParameters;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.output.FinishReason;
import dev.langchain4j.model.output.TokenUsage;
import io.maestro.internal.RemoteServer;
import io.maestro.llm.LlmContent;
import io.maestro.llm.LlmContent.Reasoning;
import io.maestro.llm.LlmContent.Text;
import io.maestro.llm.LlmContent.ToolReply;
import io.maestro.llm.LlmContent.ToolUse;
import io.maestro.llm.LlmContextOverflowException;
import io.maestro.llm.LlmException;
import io.maestro.llm.LlmInterruptedException;
import io.maestro.llm.LlmMessage;
import io.maestro.llm.LlmMessage.Role;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.llm.LlmResponse.StopReason;
import io.maestro.llm.LlmUnavailableException;
import io.maestro.llm.Usage;
import io.maestro.tools.InputSchema;
import io.maestro.tools.ToolDefinition;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.UnresolvedAddressException;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Stream;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class LangChain4jClientTest {
    private static final AiMessage HELLO = AiMessage.from("hello");

    /** Keeps the request, and answers or throws. */
    private static final class FakeModel implements ChatModel {
        private final @Nullable ChatResponse answer;
        private final @Nullable RuntimeException failure;
        private @Nullable ChatRequest request;

        FakeModel(@Nullable ChatResponse answer, @Nullable RuntimeException failure) {
            this.answer = answer;
            this.failure = failure;
        }

        @Override
        public ChatResponse doChat(ChatRequest asked) {
            this.request = asked;
            if (failure != null) {
                throw failure;
            }
            assertThat(answer).isNotNull();
            return answer;
        }

        @Override
        public ChatRequestParameters defaultRequestParameters() {
            return ChatRequestParameters.builder()
                    .modelName("vendors-model")
                    .topP(0.9)
                    .temperature(0.7)
                    .build();
        }

        ChatRequest request() {
            assertThat(request).isNotNull();
            return request;
        }
    }

    private static FakeModel saying(AiMessage message) {
        return new FakeModel(ChatResponse.builder().aiMessage(message).build(), null);
    }

    private static LlmRequest request(OptionalDouble temperature, List<ToolDefinition> tools, LlmMessage... messages) {
        return new LlmRequest(
                new LlmRequest.Origin("coder-001", "042", "CODING"),
                "You are a coder.",
                List.of(messages),
                tools,
                777,
                temperature);
    }

    private static LlmRequest request(LlmMessage... messages) {
        return request(OptionalDouble.empty(), List.of(), messages);
    }

    private static List<ChatMessage> sent(LlmMessage... messages) {
        FakeModel model = saying(HELLO);
        LangChain4jClient.of(model).complete(request(messages));
        return model.request().messages();
    }

    private static LlmMessage assistant(LlmContent... parts) {
        return new LlmMessage(Role.ASSISTANT, List.of(parts));
    }

    private static LlmMessage user(LlmContent... parts) {
        return new LlmMessage(Role.USER, List.of(parts));
    }

    private static LlmResponse read(ChatResponse response) {
        return LangChain4jClient.of(new FakeModel(response, null)).complete(request(LlmMessage.user("go")));
    }

    private static ToolExecutionRequest call(@Nullable String id, String name, @Nullable String arguments) {
        return ToolExecutionRequest.builder()
                .id(id)
                .name(name)
                .arguments(arguments)
                .build();
    }

    @Test
    void sendsTheConversation() {
        List<ChatMessage> messages = sent(
                LlmMessage.user("look"),
                assistant(
                        new Text("I look"),
                        new ToolUse("t1", "shell", "{\"cmd\":\"ls\"}"),
                        new ToolUse("t2", "read_file", "{}")),
                user(new ToolReply("t1", "pom.xml", false), new ToolReply("t2", "no such file", true)));

        assertThat(messages)
                .containsExactly(
                        SystemMessage.from("You are a coder."),
                        UserMessage.from("look"),
                        AiMessage.from(
                                "I look",
                                List.of(call("t1", "shell", "{\"cmd\":\"ls\"}"), call("t2", "read_file", "{}"))),
                        result("t1", "shell", "pom.xml", false),
                        result("t2", "read_file", "no such file", true));
    }

    private static ToolExecutionResultMessage result(String id, String tool, String text, boolean error) {
        return ToolExecutionResultMessage.builder()
                .id(id)
                .toolName(tool)
                .text(text)
                .isError(error)
                .build();
    }

    @Test
    void joinsMessagesOfOneRoleAndPutsResultsRightBehindTheirCalls() {
        List<ChatMessage> messages = sent(
                LlmMessage.user("one"),
                LlmMessage.user("two"),
                assistant(new ToolUse("t1", "shell", "{}")),
                user(new Text("and hurry"), new ToolReply("t1", "done", false)),
                LlmMessage.user(" "),
                LlmMessage.user("please"));

        assertThat(messages)
                .containsExactly(
                        SystemMessage.from("You are a coder."),
                        UserMessage.from("one\n\ntwo"),
                        AiMessage.from(call("t1", "shell", "{}")),
                        result("t1", "shell", "done", false),
                        UserMessage.from("and hurry\n\nplease"));
    }

    @Test
    void sendsNothingForAnEmptyAnswerAndNoArgumentsThatAreNoObject() {
        List<ChatMessage> messages = sent(
                LlmMessage.user("one"),
                assistant(new Text(" ")),
                LlmMessage.user("two"),
                assistant(new ToolUse("t1", "shell", "{\"cmd\":")),
                user(new ToolReply("t1", "no JSON", true)));

        assertThat(messages)
                .contains(AiMessage.from(call("t1", "shell", "{}")))
                .filteredOn(AiMessage.class::isInstance)
                .hasSize(1);
    }

    @Test
    void setsWhatTheRequestSaysAndLeavesTheModelsOtherSettings() {
        FakeModel model = saying(HELLO);
        LangChain4jClient client = LangChain4jClient.of(model);

        client.complete(request(OptionalDouble.of(0.2), List.of(), LlmMessage.user("go")));
        assertThat(model.request().maxOutputTokens()).isEqualTo(777);
        assertThat(model.request().temperature()).isEqualTo(0.2);
        assertThat(model.request().topP()).isEqualTo(0.9);
        assertThat(model.request().modelName()).isEqualTo("vendors-model");
        assertThat(model.request().toolSpecifications()).isEmpty();

        client.complete(request(LlmMessage.user("go")));
        assertThat(model.request().temperature()).isEqualTo(0.7);
    }

    @Test
    void offersTheTools() {
        FakeModel model = saying(HELLO);
        ToolDefinition tool = ToolDefinition.builder("shell")
                .description("Runs a command")
                .input(schema -> schema.requiredString("cmd", "The command").optionalInteger("timeout", "Seconds"))
                .build();

        LangChain4jClient.of(model).complete(request(OptionalDouble.empty(), List.of(tool), LlmMessage.user("go")));

        assertThat(model.request().toolSpecifications())
                .containsExactly(ToolSpecification.builder()
                        .name("shell")
                        .description("Runs a command")
                        .parameters(Schemas.parameters(tool.input().asMap()))
                        .build());
        assertThat(model.request().toolSpecifications().get(0).parameters().required())
                .containsExactly("cmd");
    }

    /** Which vendor's model it is, is not known: each may refuse a request for one tool with alternatives at its root. */
    @Test
    void offersAToolWithAlternativesAsAPlainObject() {
        FakeModel model = saying(HELLO);
        Map<String, Object> file = Map.of("properties", Map.of("file", Map.of("type", "string")));
        Map<String, Object> url = Map.of("properties", Map.of("url", Map.of("type", "string")));
        ToolDefinition tool = ToolDefinition.builder("read")
                .description("Reads")
                .input(InputSchema.ofMap(Map.of("type", "object", "oneOf", List.of(file, url))))
                .build();

        LangChain4jClient.of(model).complete(request(OptionalDouble.empty(), List.of(tool), LlmMessage.user("go")));

        JsonObjectSchema sent = model.request().toolSpecifications().get(0).parameters();
        assertThat(sent.properties()).containsOnlyKeys("file", "url");
        assertThat(sent.description()).contains("must also fit this JSON Schema: {\"oneOf\":");
    }

    @Test
    void readsParallelCallsWithTheirTextAndUsage() {
        LlmResponse response = read(ChatResponse.builder()
                .aiMessage(AiMessage.from("I look", List.of(call("a", "shell", "{\"x\":1}"), call("b", "test", null))))
                .modelName("vendors-model-0815")
                .finishReason(FinishReason.TOOL_EXECUTION)
                .tokenUsage(new TokenUsage(12, 34))
                .build());

        assertThat(response)
                .isEqualTo(new LlmResponse(
                        "vendors-model-0815",
                        List.of(
                                new Text("I look"),
                                new ToolUse("a", "shell", "{\"x\":1}"),
                                new ToolUse("b", "test", "{}")),
                        StopReason.TOOL_USE,
                        new Usage(12, 34, 0, 0)));
    }

    @Test
    void callsWithoutAnIdGetOneEach() {
        LlmResponse response = read(ChatResponse.builder()
                .aiMessage(AiMessage.from(
                        call(null, "shell", "{}"),
                        call("", "shell", "{}"),
                        call("x", "shell", "{}"),
                        call("x", "shell", "{}")))
                .build());

        assertThat(response.toolUses())
                .hasSize(4)
                .extracting(ToolUse::id)
                .doesNotHaveDuplicates()
                .contains("x")
                .noneMatch(String::isBlank);
    }

    @Test
    void standsAnAnswerThatSaysNextToNothing() {
        LlmResponse response = read(ChatResponse.builder()
                .aiMessage(AiMessage.builder().build())
                .tokenUsage(new TokenUsage(null, null))
                .build());

        assertThat(response).isEqualTo(new LlmResponse("vendors-model", List.of(), StopReason.OTHER, null));
    }

    @ParameterizedTest
    @CsvSource({
        "STOP, false, END_TURN",
        "STOP, true, TOOL_USE",
        "OTHER, true, TOOL_USE",
        ", true, TOOL_USE",
        "TOOL_EXECUTION, true, TOOL_USE",
        "LENGTH, false, MAX_TOKENS",
        "LENGTH, true, MAX_TOKENS",
        "CONTENT_FILTER, false, REFUSAL",
        "OTHER, false, OTHER"
    })
    void readsWhyTheModelStopped(@Nullable FinishReason reason, boolean calls, StopReason expected) {
        AiMessage message = calls ? AiMessage.from(call("a", "shell", "{}")) : HELLO;

        LlmResponse response = read(
                ChatResponse.builder().aiMessage(message).finishReason(reason).build());

        assertThat(response.stopReason()).isEqualTo(expected);
    }

    @Test
    void givesTheVendorItsReasoningBack() {
        AiMessage thought = AiMessage.builder()
                .text("hello")
                .thinking("let me see")
                .attributes(Map.of("thinking_signature", "c2ln", "redacted_thinking", List.of("a", "b")))
                .build();

        LlmResponse response = read(ChatResponse.builder().aiMessage(thought).build());
        assertThat(response.content()).hasSize(2).first().isInstanceOf(Reasoning.class);

        List<ChatMessage> messages = sent(
                LlmMessage.user("go"), new LlmMessage(Role.ASSISTANT, response.content()), LlmMessage.user("go on"));
        assertThat(messages).contains(thought);
    }

    @Test
    void doesNotSendTheReasoningOfOthers() {
        List<ChatMessage> messages = sent(
                LlmMessage.user("go"),
                assistant(new Reasoning("anthropic", "{\"thinking\":\"hm\"}"), new Text("hello")),
                LlmMessage.user("go on"));

        assertThat(messages).contains(HELLO);
    }

    static Stream<RuntimeException> whatMayPass() {
        return Stream.of(
                new RateLimitException("slow down", new HttpException(429, "slow down")),
                new TimeoutException("too slow"),
                new InternalServerException("oops"),
                new RetriableException("again"),
                new HttpException(500, "oops"),
                new HttpException(529, "overloaded"),
                new HttpException(429, "slow down"),
                new HttpException(408, "too slow"),
                new UncheckedIOException(new IOException("connection reset")),
                new RuntimeException(new IOException("connection reset")),
                new RuntimeException(new java.util.concurrent.TimeoutException()));
    }

    @ParameterizedTest
    @MethodSource("whatMayPass")
    void anOutageMayPass(RuntimeException failure) {
        LangChain4jClient client = LangChain4jClient.of(new FakeModel(null, failure));

        assertThatThrownBy(() -> client.complete(request(LlmMessage.user("go"))))
                .isInstanceOf(LlmUnavailableException.class)
                .hasMessageStartingWith("vendors-model: " + failure.getClass().getSimpleName())
                .hasCause(failure);
    }

    static Stream<RuntimeException> whatComesOfAnAddress() {
        ConnectException unresolved = new ConnectException();
        unresolved.initCause(new UnresolvedAddressException());
        return Stream.of(
                new UnresolvedModelServerException(unresolved),
                new RuntimeException(new UnknownHostException("api.invalid")),
                new RuntimeException(new ConnectException("Connection refused")),
                new InternalServerException(new SSLHandshakeException("PKIX path building failed")));
    }

    @ParameterizedTest
    @MethodSource("whatComesOfAnAddress")
    void anAddressThatHasNeverAnsweredIsNoOutage(RuntimeException failure) {
        FakeModel model = new FakeModel(ChatResponse.builder().aiMessage(HELLO).build(), null);
        RuntimeException[] thrown = {failure};
        ChatModel chat = new ChatModel() {
            @Override
            public ChatResponse doChat(ChatRequest asked) {
                if (thrown[0] != null) {
                    throw thrown[0];
                }
                return model.doChat(asked);
            }

            @Override
            public ChatRequestParameters defaultRequestParameters() {
                return model.defaultRequestParameters();
            }
        };
        LangChain4jClient client = LangChain4jClient.of(chat);

        LlmRequest go = request(LlmMessage.user("go"));
        assertThatThrownBy(() -> client.complete(go))
                .isInstanceOfSatisfying(
                        LlmUnavailableException.class,
                        e -> assertThat(e.mayBeCharged()).isFalse())
                .hasMessageStartingWith("vendors-model: the chat model's service cannot be reached: ")
                .hasMessageContaining("check the chat model's base URL")
                .satisfies(e -> assertThat(RemoteServer.isFirstContact(e)).isTrue());
        thrown[0] = null;
        client.complete(go);
        thrown[0] = failure;
        assertThatThrownBy(() -> client.complete(go))
                .isInstanceOf(LlmUnavailableException.class)
                .satisfies(e -> assertThat(RemoteServer.isFirstContact(e)).isFalse());
    }

    static Stream<RuntimeException> whatFailsAgain() {
        return Stream.of(
                new AuthenticationException("no such key", new HttpException(401, "no such key")),
                new InvalidRequestException("no such parameter"),
                new ModelNotFoundException("no such model"),
                new NonRetriableException(new IOException("no such host")),
                new UnsupportedFeatureException("no tools"),
                new HttpException(401, "no such key"),
                new HttpException(400, "no such parameter"),
                new IllegalStateException("a fault"),
                new NullPointerException());
    }

    @ParameterizedTest
    @MethodSource("whatFailsAgain")
    void aRefusalDoesNot(RuntimeException failure) {
        LangChain4jClient client = LangChain4jClient.of(new FakeModel(null, failure));

        boolean unknown = failure instanceof IllegalStateException || failure instanceof NullPointerException;
        assertThatThrownBy(() -> client.complete(request(LlmMessage.user("go"))))
                .isInstanceOfSatisfying(
                        LlmException.class, e -> assertThat(e.mayBeCharged()).isEqualTo(unknown))
                .hasMessageStartingWith("vendors-model: " + failure.getClass().getSimpleName())
                .hasCause(failure);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"error\":{\"code\":\"context_length_exceeded\"}}",
                "This model's maximum context length is 8192 tokens",
                "prompt is too long: 210000 tokens > 200000 maximum",
                "The input token count exceeds the maximum number of tokens allowed"
            })
    void aRequestThatIsTooLongSaysSo(String message) {
        RuntimeException failure = new InvalidRequestException(new HttpException(400, message));
        LangChain4jClient client = LangChain4jClient.of(new FakeModel(null, failure));

        assertThatThrownBy(() -> client.complete(request(LlmMessage.user("go"))))
                .isInstanceOf(LlmContextOverflowException.class)
                .hasMessageContaining(message);
    }

    @Test
    void whatWasFilteredIsARefusal() {
        LangChain4jClient client =
                LangChain4jClient.of(new FakeModel(null, new ContentFilteredException("not about this")));

        assertThat(client.complete(request(LlmMessage.user("go"))))
                .isEqualTo(new LlmResponse("vendors-model", List.of(), StopReason.REFUSAL, null));
    }

    static Stream<Arguments> interruptions() {
        return Stream.of(
                Arguments.of(new RuntimeException(new InterruptedException()), false),
                Arguments.of(new RuntimeException(new ClosedByInterruptException()), false),
                Arguments.of(new TimeoutException(new InterruptedException()), false),
                Arguments.of(new RuntimeException("canceled"), true));
    }

    @ParameterizedTest
    @MethodSource("interruptions")
    void anInterruptionIsNeither(RuntimeException failure, boolean statusIsSet) {
        LangChain4jClient client = LangChain4jClient.of(new ChatModel() {
            @Override
            public ChatResponse doChat(ChatRequest request) {
                if (statusIsSet) {
                    Thread.currentThread().interrupt();
                }
                throw failure;
            }

            @Override
            public ChatRequestParameters defaultRequestParameters() {
                return ChatRequestParameters.builder().modelName("m").build();
            }
        });

        assertThatThrownBy(() -> client.complete(request(LlmMessage.user("go"))))
                .isInstanceOf(LlmInterruptedException.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aLongMessageIsShownInPart() {
        LangChain4jClient client =
                LangChain4jClient.of(new FakeModel(null, new HttpException(500, "<p>\n".repeat(9999))));

        assertThatThrownBy(() -> client.complete(request(LlmMessage.user("go"))))
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(600).doesNotContain("\n"));
    }

    @Test
    void needsAName() {
        ChatModel nameless = new ChatModel() {};

        assertThatThrownBy(() -> LangChain4jClient.of(nameless))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("model(");
        assertThat(LangChain4jClient.builder(nameless).model("m").build().model())
                .isEqualTo("m");
        assertThat(LangChain4jClient.of(saying(HELLO)).model()).isEqualTo("vendors-model");
        assertThatThrownBy(() -> LangChain4jClient.builder(nameless).model(" "))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
