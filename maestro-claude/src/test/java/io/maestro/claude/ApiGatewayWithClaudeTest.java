package io.maestro.claude;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.claude.testing.RealClaude;
import io.maestro.claude.testing.RequiresClaude;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.llm.Usage;
import io.maestro.testing.Full;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The real CLI asks through a gateway. */
@RequiresClaude
class ApiGatewayWithClaudeTest {
    private static final String KEY = "sk-ant-real-0123456789abcdefghij";
    private static final String TURN = "claude-test-1 " + new Usage(11, 44, 33, 22);

    @TempDir
    private Path temp;

    private UpstreamStub api;
    private ApiGateway gateway;
    private final RecordingClient host = new RecordingClient();

    @BeforeEach
    void start() throws IOException {
        api = new UpstreamStub(UpstreamStub::usual);
        gateway = ApiGateway.builder(KEY).upstream(api.uri()).client(host).build();
    }

    @AfterEach
    void stop() {
        gateway.close();
        api.close();
    }

    private ApiAccess open(boolean socket) {
        return socket
                ? gateway.overSocket(temp.resolve("api.sock"))
                : gateway.overHttp(InetAddress.getLoopbackAddress());
    }

    /** A run without a limit on the CLI's own retries, which would take 180 s. */
    private ExecResult run(ApiAccess access) {
        ExecRequest.Builder request = RealClaude.request(
                        temp.resolve("home"),
                        access.baseUrl(),
                        List.of("-p", "--output-format", "stream-json", "--verbose", "say hello"))
                .environment("ANTHROPIC_API_KEY", access.key())
                .timeLimit(Duration.ofSeconds(100));
        access.socket().ifPresent(path -> request.environment("ANTHROPIC_UNIX_SOCKET", path));
        return LocalExecutor.builder(temp).build().run(request.build());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aTurnSucceedsAndIsCounted(boolean socket) {
        ExecResult result = run(open(socket));

        assertThat(result.exitCode()).as(result.stdout().text()).hasValue(0);
        assertThat(result.stdout().text()).contains("hello from the stub", "\"is_error\":false");
        assertThat(host.used).containsExactly(TURN);
        assertThat(api.seen).singleElement().satisfies(seen -> {
            assertThat(seen.headers().get("x-api-key")).containsExactly(KEY);
            assertThat(seen.headers()).containsKeys("anthropic-version", "anthropic-beta", "x-claude-code-session-id");
        });
    }

    @ParameterizedTest
    @Full("what the CLI makes of answers that ApiGatewayTest and ApiGatewayLifeTest check byte by byte")
    @ValueSource(booleans = {true, false})
    void aRefusalEndsTheRunAtOnceAndIsItsResult(boolean socket) {
        host.refusal = Optional.of("the budget of story 42 is used up");

        ExecResult result = run(open(socket));

        assertThat(result.exitCode()).as(result.stdout().text()).hasValue(1);
        assertThat(result.stdout().text())
                .contains("API Error: 402 the budget of story 42 is used up", "\"is_error\":true")
                .doesNotContain("api_retry");
        assertThat(host.asked).hasValue(1);
        assertThat(api.seen).isEmpty();
    }

    @ParameterizedTest
    @Full("what the CLI makes of answers that ApiGatewayTest and ApiGatewayLifeTest check byte by byte")
    @ValueSource(booleans = {true, false})
    void aCutInTheMiddleOfAnAnswerEndsTheRun(boolean socket) throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        api.script((exchange, seen) -> {
            exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
            exchange.sendResponseHeaders(200, 0);
            OutputStream out = exchange.getResponseBody();
            out.write(UpstreamStub.STREAM
                    .substring(0, UpstreamStub.STREAM.indexOf("event: content_block_stop"))
                    .getBytes(StandardCharsets.UTF_8));
            out.flush();
            end.await();
        });
        ApiAccess access = open(socket);
        ProcessBuilder command = new ProcessBuilder(
                        RealClaude.program().toString(),
                        "-p",
                        "--output-format",
                        "stream-json",
                        "--include-partial-messages",
                        "--verbose",
                        "say hello")
                .directory(temp.toFile())
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        command.environment().clear();
        command.environment().putAll(RealClaude.environment(temp.resolve("home"), access.baseUrl()));
        command.environment().put("ANTHROPIC_API_KEY", access.key());
        access.socket().ifPresent(path -> command.environment().put("ANTHROPIC_UNIX_SOCKET", path));
        Process process = command.start();
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            String line = lines.readLine();
            while (line != null && !line.contains("hello from the stub")) {
                line = lines.readLine();
            }
            assertThat(line).as("a part of the answer").isNotNull();

            gateway.cut("the story was cancelled");

            String rest = lines.lines().collect(Collectors.joining("\n"));
            assertThat(process.waitFor(100, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).as(rest).isEqualTo(1);
            assertThat(rest).contains("the story was cancelled");
            assertThat(api.seen).hasSize(1);
            assertThat(host.used).containsExactly(cut());
        } finally {
            process.destroyForcibly();
            end.countDown();
        }
    }

    @Test
    @Full("what the CLI makes of answers that ApiGatewayTest and ApiGatewayLifeTest check byte by byte")
    void aStreamThatBreaksOffIsAskedForAgainAndEachAnswerIsCounted() {
        api.script((exchange, seen) -> {
            if (api.seen.size() > 1) {
                UpstreamStub.usual(exchange, seen);
                return;
            }
            exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody()
                    .write(UpstreamStub.STREAM
                            .substring(0, UpstreamStub.STREAM.indexOf("event: content_block_stop"))
                            .getBytes(StandardCharsets.UTF_8));
            exchange.getResponseBody().flush();
            throw new IOException("dropped");
        });

        ExecResult result = run(open(true));

        assertThat(result.exitCode()).as(result.stdout().text()).hasValue(0);
        assertThat(host.used).containsExactly(cut(), TURN);
    }

    /** Without its end the first answer counts with all tokens that it may have. */
    private String cut() {
        Matcher most = Pattern.compile("\"max_tokens\":(\\d+)")
                .matcher(new String(api.seen.get(0).body(), StandardCharsets.UTF_8));
        assertThat(most.find()).isTrue();
        return "claude-test-1 " + new Usage(11, Long.parseLong(most.group(1)), 33, 22);
    }
}
