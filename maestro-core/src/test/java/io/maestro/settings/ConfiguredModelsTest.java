package io.maestro.settings;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.maestro.error.MaestroException;
import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmMessage;
import io.maestro.llm.LlmRequest;
import io.maestro.secrets.SecretRedactor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The models that a configuration names, asked at a real server. */
class ConfiguredModelsTest {
    private static final Map<String, String> KEYS =
            Map.of("ANTHROPIC_API_KEY", "key-of-anthropic", "OPENAI_API_KEY", "key-of-openai");
    private static final String HELLO = "{\"content\":[{\"type\":\"text\",\"text\":\"hello\"}],"
            + "\"stop_reason\":\"end_turn\",\"usage\":{\"input_tokens\":9,\"output_tokens\":9}}";

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<String> secrets = new CopyOnWriteArrayList<>();
    private final List<String> gateways = new CopyOnWriteArrayList<>();
    private final List<String> received = new CopyOnWriteArrayList<>();
    private final CountDownLatch end = new CountDownLatch(1);
    private HttpServer server;
    private volatile int status = 200;
    private volatile boolean silent;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    @AfterEach
    void stop() {
        end.countDown();
        server.stop(0);
        threads.shutdownNow();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String key = exchange.getRequestHeaders().getFirst("x-api-key");
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            received.add(exchange.getRequestURI() + " "
                    + (key == null ? exchange.getRequestHeaders().getFirst("authorization") : key) + " "
                    + body.replaceAll(".*\"model\":\"([^\"]*)\".*", "$1"));
            gateways.add(exchange.getRequestHeaders().getFirst("authorization") + " "
                    + exchange.getRequestHeaders().getFirst("x-team") + " " + key);
            if (silent) {
                await(end);
            }
            byte[] answer = HELLO.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("content-type", "application/json");
            if (status == 503) {
                exchange.getResponseHeaders().add("retry-after", "30");
            }
            exchange.sendResponseHeaders(status, answer.length);
            exchange.getResponseBody().write(answer);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private LlmClient client(String model, String settings) {
        String url = "http://127.0.0.1:" + server.getAddress().getPort();
        String json = "{\"agents\": {\"coder_model\": \"" + model + "\"}, \"models\": {\"anthropic\": {\"base_url\": \""
                + url + "/a\"}, \"openai\": {\"base_url\": \"" + url + "/o\"}" + settings + "}}";
        return models(json, KEYS).client("agents.coder_model").orElseThrow();
    }

    private ConfiguredModels models(String json, Map<String, String> environment) {
        return new ConfiguredModels(
                new ConfigReader(SecretRedactor.withDefaults()).read(json, "here"), environment, secrets::add);
    }

    @ParameterizedTest
    @CsvSource({"anthropic, claude-x", "openai, gpt-x"})
    void aGatewayGetsWhatItWantsFromTheEnvironment(String vendor, String model) {
        String json = """
                {"agents": {"coder_model": "%s"}, "models": {"%s": {"base_url": "http://127.0.0.1:%d",
                 "bearer_token": "GATEWAY", "headers": {"x-team": "TEAM"}}}}
                """.formatted(model, vendor, server.getAddress().getPort());
        status = 400;
        fails(models(json, Map.of("GATEWAY", "the-token-of-the-gateway", "TEAM", "the-secret-team"))
                .client("agents.coder_model")
                .orElseThrow());
        assertThat(gateways).containsExactly("Bearer the-token-of-the-gateway the-secret-team null");
        assertThat(secrets).containsExactly("the-token-of-the-gateway", "the-secret-team");

        assertThatThrownBy(() -> models(json, Map.of("GATEWAY", "t")).client("agents.coder_model"))
                .isInstanceOf(MaestroException.class)
                .hasMessage(
                        "$.models." + vendor + ".headers['x-team']: the variable TEAM is not set in the environment");
        assertThatThrownBy(() -> models(json, Map.of("TEAM", "t")).client("agents.coder_model"))
                .hasMessage("$.models." + vendor + ".bearer_token: the variable GATEWAY is not set in the environment");
    }

    private static void ask(LlmClient client) {
        client.complete(new LlmRequest(
                new LlmRequest.Origin("coder-001", "1", "CODING"),
                "",
                List.of(LlmMessage.user("hello")),
                List.of(),
                100,
                OptionalDouble.empty()));
    }

    private static void fails(LlmClient client) {
        assertThatThrownBy(() -> ask(client)).isInstanceOf(MaestroException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "claude-x, /a/v1/messages key-of-anthropic claude-x",
        "anthropic:mine, /a/v1/messages key-of-anthropic mine",
        "gpt-x, /o/v1/responses Bearer key-of-openai gpt-x",
        "o3-mini, /o/v1/responses Bearer key-of-openai o3-mini",
        "openai:claude-proxy, /o/v1/responses Bearer key-of-openai claude-proxy"
    })
    void theNameSaysWhoIsAskedAndTheBaseUrlWhere(String model, String expected) {
        status = 400;
        LlmClient client = client(model, "");
        fails(client);
        assertThat(received).containsExactly(expected);
        assertThat(client.toString()).doesNotContain("key-of");
    }

    @Test
    void theModelIsAskedAgainAsOftenAsIsSet() {
        status = 500;
        fails(client("claude-x", ", \"max_retries\": 0"));
        assertThat(received).hasSize(1);
        fails(client("claude-x", ", \"max_retries\": 1"));
        assertThat(received).hasSize(3);
        // With limits around it the retries are outside of them, and must not be done twice.
        fails(client("claude-x", ", \"max_retries\": 1, \"max_failures\": 100"));
        assertThat(received).hasSize(5);
    }

    @Test
    void anAttemptTakesNoLongerThanIsSet() {
        silent = true;
        fails(client("claude-x", ", \"max_retries\": 0, \"attempt_seconds\": 0.3"));
        fails(client("gpt-x", ", \"max_retries\": 0, \"attempt_seconds\": 0.3"));
    }

    @Test
    void aWaitThatWouldGoBeyondTheTimeOfTheCallIsNotBegun() {
        status = 503;
        fails(client("claude-x", ", \"call_seconds\": 20"));
        fails(client("gpt-x", ", \"call_seconds\": 20"));
        fails(client("claude-x", ", \"call_seconds\": 20, \"requests_per_minute\": 100"));
        assertThat(received).hasSize(3);
    }

    @Test
    void aServiceThatIsDownIsNotAskedAfterSoManyFailures() {
        status = 500;
        LlmClient client = client("claude-x", ", \"max_retries\": 0, \"max_failures\": 1");
        fails(client);
        fails(client);
        assertThat(received).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"requests_per_minute", "tokens_per_minute"})
    void callsBeyondTheRateAreHeldBack(String limit) throws Exception {
        LlmClient client = client("claude-x", ", \"" + limit + "\": 1");
        ask(client);
        AtomicReference<Thread> second = new AtomicReference<>();
        Future<?> call = threads.submit(() -> {
            second.set(Thread.currentThread());
            ask(client);
        });
        long limitNanos = System.nanoTime() + 60_000_000_000L;
        while (!isHeldBack(second.get())) {
            assertThat(call).isNotDone();
            assertThat(System.nanoTime()).as("held back in time").isLessThan(limitNanos);
            LockSupport.parkNanos(1_000_000);
        }
        call.cancel(true);
        assertThat(received).hasSize(1);
    }

    private static boolean isHeldBack(Thread thread) {
        return thread != null
                && Arrays.stream(thread.getStackTrace())
                        .anyMatch(frame -> frame.getClassName().endsWith("RateGate")
                                && thread.getState() == Thread.State.TIMED_WAITING);
    }

    @Test
    void twoAgentsWithTheSameModelShareItsLimits() {
        ConfiguredModels models =
                models("{\"agents\": {\"coder_model\": \"claude-x\", \"architect_model\": \"claude-x\"}}", KEYS);
        assertThat(models.client("agents.architect_model")).isEqualTo(models.client("agents.coder_model"));
    }

    @Test
    void theEnvironmentSaysWhereTheApiIsUnlessTheFileDoes() {
        String url = "http://127.0.0.1:" + server.getAddress().getPort() + "/env";
        status = 400;
        fails(models(
                        "{\"agents\": {\"coder_model\": \"claude-x\"}}",
                        Map.of("ANTHROPIC_API_KEY", "key-of-anthropic", "ANTHROPIC_BASE_URL", url))
                .client("agents.coder_model")
                .orElseThrow());
        assertThat(received).containsExactly("/env/v1/messages key-of-anthropic claude-x");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            mistral-x        | it is not known who offers the model "mistral-x"; write anthropic:<model> or openai:<model>
            openai:          | names a vendor and no model
            claude-x         | the model cannot be asked: no API key for claude-x: set ANTHROPIC_API_KEY in the environment
            gpt-x            | the model cannot be asked: no API key for gpt-x: set OPENAI_API_KEY in the environment
            """)
    void aModelThatCannotBeAskedIsNamed(String model, String says) {
        String json = "{\"agents\": {\"coder_model\": \"" + model + "\"}}";
        assertThatThrownBy(() -> models(json, Map.of()).client("agents.coder_model"))
                .isInstanceOf(MaestroException.class)
                .hasMessageStartingWith("$.agents.coder_model: " + says);
    }

    @Test
    void aBaseUrlThatIsNoneIsNamed() {
        String json =
                "{\"agents\": {\"coder_model\": \"claude-x\"}, \"models\": {\"anthropic\": {\"base_url\": \"URL\"}}}";
        for (String url : List.of("http://", "https://a b", "https://x?y=z")) {
            assertThatThrownBy(() -> models(json.replace("URL", url), KEYS).client("agents.coder_model"))
                    .isInstanceOf(MaestroException.class)
                    .hasMessageStartingWith("$.agents.coder_model: the model cannot be asked: ");
        }
    }
}
