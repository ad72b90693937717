package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.sun.net.httpserver.HttpServer;
import io.maestro.error.MaestroException;
import io.maestro.llm.LlmClient;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.testkit.ScriptedLlm;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.io.TempDir;

/** What somebody new does wrong on the first day: each time a sentence says what, where and what to do, and at once. */
abstract class Misuses {
    /** Nothing is timed here: what hangs is to be found. */
    private static final Duration AT_ONCE = Duration.ofSeconds(30);

    @TempDir
    Path directory;

    private final List<AutoCloseable> opened = new ArrayList<>();
    final List<DynamicTest> cases = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : opened) {
            one.close();
        }
    }

    /** Something that is wrong. */
    @FunctionalInterface
    interface Misuse {
        void run() throws Exception;
    }

    /** A misuse that throws. */
    void thrown(String name, Misuse misuse, String... parts) {
        said(
                name,
                () -> {
                    try {
                        misuse.run();
                    } catch (MaestroException | IllegalArgumentException e) {
                        return String.valueOf(e.getMessage());
                    }
                    return fail("nothing was said");
                },
                parts);
    }

    void said(String name, Callable<String> misuse, String... parts) {
        cases.add(dynamicTest(name, () -> {
            String message = assertTimeoutPreemptively(AT_ONCE, misuse::call);
            assertThat(message).contains(parts);
        }));
    }

    /** A story that fails. */
    void failing(String name, Supplier<MaestroBuilder> builder, String... parts) {
        said(
                name,
                () -> {
                    try (Maestro maestro = builder.get().build()) {
                        return error(maestro, "1");
                    }
                },
                parts);
    }

    static String error(Maestro maestro, String id) {
        StoryResult result =
                maestro.run(Story.builder(id, "A title").content("Do it").build());
        assertThat(result.succeeded()).isFalse();
        return result.error().orElseThrow();
    }

    Path fresh() {
        try {
            return Files.createTempDirectory(directory, "case").toRealPath();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    static LlmClient script() {
        return ScriptedLlm.builder("scripted").build();
    }

    MaestroBuilder on(String repository) {
        return Maestro.builder()
                .projectDirectory(fresh())
                .repository(repository)
                .tools(tools -> tools.discover(false))
                .coderModel(script());
    }

    /** All is well so far. */
    MaestroBuilder good() {
        return on(TestRepository.create(fresh(), Map.of("README.md", "r")).url());
    }

    MaestroBuilder config(String json) {
        return Maestro.builder()
                .projectDirectory(fresh())
                .repository("/no/where.git")
                .tools(tools -> tools.discover(false))
                .environment(Map.of("ANTHROPIC_API_KEY", "key-of-a-test"))
                .config(json);
    }

    static void git(Path directory, String... arguments) {
        List<String> command = new ArrayList<>(List.of("git", "-C", directory.toString()));
        command.addAll(List.of(arguments));
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(said).isZero();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    URI server(int status, String body) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            byte[] answer = body.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("content-type", "application/json");
            if (status == 401) {
                exchange.getResponseHeaders().add("WWW-Authenticate", "Basic realm=\"git\"");
            }
            exchange.sendResponseHeaders(status, answer.length == 0 ? -1 : answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
        opened.add(() -> server.stop(0));
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    static String checked(MaestroBuilder builder) {
        try (Maestro maestro = builder.build()) {
            return maestro.check().toString();
        }
    }

    /** A tool of a jar that lacks something. */
    public static final class Fails implements ToolFactory {
        /** For the loader. */
        public Fails() {
            throw new IllegalStateException("no tracker is configured");
        }

        @Override
        public ToolDefinition definition() {
            throw new AssertionError();
        }

        @Override
        public Tool create(ToolContext context) {
            throw new AssertionError();
        }
    }

    static ToolFactory tool(String name) {
        return new ToolFactory() {
            @Override
            public ToolDefinition definition() {
                return ToolDefinition.builder(name).description("For a test").build();
            }

            @Override
            public Tool create(ToolContext context) {
                return call -> ToolResult.ok("");
            }
        };
    }
}
