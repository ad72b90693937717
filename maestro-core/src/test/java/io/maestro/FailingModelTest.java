package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.maestro.agent.Limits;
import io.maestro.llm.AnthropicClient;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A story whose model's service answers with an error, over real HTTP. */
class FailingModelTest {
    private static final String KEY = "sk-ant-test-0123456789abcdefghijklmnop";

    @TempDir
    Path directory;

    @ParameterizedTest(name = "HTTP {0} {1}")
    @CsvSource({
        // What will not get better ends the story at once; what may, by way of SUSPEND.
        "400, invalid_request_error, false",
        "401, authentication_error, false",
        "403, permission_error, false",
        "413, request_too_large, false",
        "429, rate_limit_error, true",
        "500, api_error, true",
        "529, overloaded_error, true",
        "200, no JSON at all, true",
    })
    void endsTheStoryWithAClearError(int status, String type, boolean suspends) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            byte[] body = (status == 200
                            ? type
                            : "{\"type\":\"error\",\"error\":{\"type\":\"" + type
                                    + "\",\"message\":\"as the test wants\"}}")
                    .getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("content-type", "application/json");
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        try (Maestro maestro = Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(TestRepository.create(directory, Map.of("README.md", "a project"))
                        .url())
                .coderModel(AnthropicClient.builder("claude-test")
                        .apiKey(KEY)
                        .baseUrl(URI.create(
                                "http://127.0.0.1:" + server.getAddress().getPort()))
                        .connection(c -> c.maxRetries(0))
                        .build())
                .limits(Limits.builder()
                        .suspendInterval(Duration.ofMillis(1))
                        .suspendTime(Duration.ofMillis(1))
                        .build())
                .build()) {
            StoryResult result = maestro.run(
                    Story.builder("1", "Any").content("any").express().build());

            assertThat(result.outcome()).isEqualTo(Outcome.FAILED);
            assertThat(result.error().orElseThrow())
                    .contains("claude-test", status == 200 ? "JSON" : String.valueOf(status))
                    .doesNotContain(KEY);
            assertThat(maestro.auditLog().transitions("1").stream()
                            .anyMatch(transition -> transition.to() == CoderState.SUSPEND))
                    .isEqualTo(suspends);
        } finally {
            server.stop(0);
        }
        try (Stream<Path> left = Files.list(directory.resolve("project/.maestro"))) {
            // The workspace of a failed story is kept to be looked at, with the snapshot that SETUP takes.
            assertThat(left.filter(Files::isDirectory)
                            .filter(path -> !path.endsWith("workspaces") && !path.endsWith("snapshots"))
                            .filter(FailingModelTest::isNotEmpty))
                    .isEmpty();
        }
    }

    private static boolean isNotEmpty(Path path) {
        try (Stream<Path> content = Files.list(path)) {
            return content.findAny().isPresent();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
