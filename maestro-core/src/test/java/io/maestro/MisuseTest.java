package io.maestro;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.sun.net.httpserver.HttpServer;
import io.maestro.agent.AgentTask;
import io.maestro.agent.CostScope;
import io.maestro.agent.Limits;
import io.maestro.error.MaestroException;
import io.maestro.llm.AnthropicClient;
import io.maestro.llm.LlmClient;
import io.maestro.story.Spec;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.testkit.ScriptedLlm;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** What somebody new does wrong on the first day: each time a sentence says what, where and what to do, and at once. */
class MisuseTest {
    /** Nothing is timed here: what hangs is to be found. */
    private static final Duration AT_ONCE = Duration.ofSeconds(5);

    @TempDir
    Path directory;

    private final List<AutoCloseable> opened = new ArrayList<>();
    private final List<DynamicTest> cases = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : opened) {
            one.close();
        }
    }

    /** Something that is wrong. */
    @FunctionalInterface
    private interface Misuse {
        void run() throws Exception;
    }

    /** A misuse that throws. */
    private void thrown(String name, Misuse misuse, String... parts) {
        said(
                name,
                () -> {
                    try {
                        misuse.run();
                    } catch (MaestroException | IllegalArgumentException | NullPointerException e) {
                        return String.valueOf(e.getMessage());
                    }
                    return fail("nothing was said");
                },
                parts);
    }

    private void said(String name, Callable<String> misuse, String... parts) {
        cases.add(dynamicTest(name, () -> {
            String message = assertTimeoutPreemptively(AT_ONCE, misuse::call);
            assertThat(message).contains(parts);
        }));
    }

    /** A story that fails. */
    private void failing(String name, Supplier<MaestroBuilder> builder, String... parts) {
        said(
                name,
                () -> {
                    try (Maestro maestro = builder.get().build()) {
                        return error(maestro, "1");
                    }
                },
                parts);
    }

    private static String error(Maestro maestro, String id) {
        StoryResult result =
                maestro.run(Story.builder(id, "A title").content("Do it").build());
        assertThat(result.succeeded()).isFalse();
        return result.error().orElseThrow();
    }

    private Path fresh() {
        try {
            return Files.createTempDirectory(directory, "case").toRealPath();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static LlmClient script() {
        return ScriptedLlm.builder("scripted").build();
    }

    private MaestroBuilder on(String repository) {
        return Maestro.builder()
                .projectDirectory(fresh())
                .repository(repository)
                .discoverTools(false)
                .coderModel(script());
    }

    /** All is well so far. */
    private MaestroBuilder good() {
        return on(TestRepository.create(fresh(), Map.of("README.md", "r")).url());
    }

    private MaestroBuilder config(String json) {
        return Maestro.builder()
                .projectDirectory(fresh())
                .repository("/no/where.git")
                .discoverTools(false)
                .environment(Map.of("ANTHROPIC_API_KEY", "key-of-a-test"))
                .config(json);
    }

    private static void git(Path directory, String... arguments) {
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

    private URI server(int status, String body) throws IOException {
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

    private static ToolFactory tool(String name) {
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

    @TestFactory
    Stream<DynamicTest> repositories() throws IOException {
        Path work = Files.createDirectory(directory.resolve("work"));
        git(work, "init", "--quiet", "--initial-branch=main");
        git(work, "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "--quiet", "--allow-empty", "-m", "first");
        Path detached = directory.resolve("detached");
        git(directory, "clone", "--quiet", work.toString(), detached.toString());
        git(detached, "checkout", "--quiet", "--detach");
        git(detached, "remote", "remove", "origin");
        Path plain = Files.createDirectory(directory.resolve("plain"));
        TestRepository other = TestRepository.create(fresh(), Map.of("other", "o"));
        Path empty = directory.resolve("empty.git");
        git(directory, "init", "--quiet", "--bare", empty.toString());

        thrown(
                "no repository",
                () -> Maestro.builder()
                        .projectDirectory(fresh())
                        .coderModel(script())
                        .build(),
                "repository");
        failing(
                "a path that is not there",
                () -> on(directory.resolve("nope.git").toString()),
                "nope.git",
                "git init --bare");
        failing("a directory that is no repository", () -> on(plain.toString()), plain.toString());
        failing("a repository without a commit", () -> on(empty.toString()), "empty.git", "push a first commit");
        failing("a branch that is not there", () -> on(work.toString()).targetBranch("release"), "release", "main");
        failing("the branch is checked out", () -> on(work.toString()), "main", "git clone --bare");
        failing("a detached HEAD", () -> on(detached.toString()), "detached", "target branch");
        thrown("a URL like an option", () -> on("--upload-pack=x").build(), "--upload-pack=x");
        thrown("a scheme that nobody knows", () -> on("ftp://host/x.git").build(), "ftp");
        thrown(
                "a branch name that git refuses",
                () -> {
                    try (Maestro maestro = good().targetBranch("a..b").build()) {
                        throw new MaestroException(error(maestro, "1"), null);
                    }
                },
                "a..b");
        URI refusing = server(401, "");
        failing("a server that wants a password", () -> on(refusing + "/x.git"), refusing.toString(), "credential");
        thrown(
                "a file as the project directory",
                () -> {
                    Path file = Files.writeString(directory.resolve("file"), "x");
                    Maestro.builder()
                            .projectDirectory(file)
                            .repository(work.toString())
                            .coderModel(script())
                            .build()
                            .close();
                },
                directory.resolve("file").toString());
        thrown(
                "two at once in one directory",
                () -> {
                    Path project = fresh();
                    try (Maestro first = on(work.toString())
                                    .projectDirectory(project)
                                    .build();
                            Maestro second = on(work.toString())
                                    .projectDirectory(project)
                                    .build()) {
                        fail(first + " " + second);
                    }
                },
                "project directory");
        thrown(
                "a directory of another repository",
                () -> {
                    Path project = fresh();
                    try (Maestro first = good().projectDirectory(project).build()) {
                        error(first, "1");
                    }
                    on(other.url()).projectDirectory(project).build().close();
                },
                other.url(),
                "project directory");
        return cases.stream();
    }

    @TestFactory
    Stream<DynamicTest> models() throws IOException {
        thrown(
                "no model",
                () -> Maestro.builder()
                        .projectDirectory(fresh())
                        .repository("/x.git")
                        .build(),
                "coderModel");
        thrown(
                "no key",
                () -> AnthropicClient.builder("claude-sonnet-5")
                        .fromEnvironment(Map.of())
                        .build(),
                "ANTHROPIC_API_KEY");
        thrown("a key with a blank inside", () -> AnthropicClient.builder("m").apiKey("sk ant"), "copy it again");
        thrown("a model without a name", () -> AnthropicClient.builder(" "), "claude-sonnet-5");
        thrown(
                "a model of nobody",
                () -> config("{\"agents\":{\"coder_model\":\"gemini\"}}").build(),
                "$.agents.coder_model",
                "gemini",
                "anthropic:");
        thrown(
                "a base URL without a scheme",
                () -> AnthropicClient.builder("m").baseUrl(URI.create("localhost:8080")),
                "https://");
        thrown(
                "a limit in dollars for a model without a price",
                () -> good().limits(Limits.builder()
                                .costCap(CostScope.TOTAL, BigDecimal.ONE)
                                .build())
                        .build(),
                "scripted",
                "prices(");
        for (Map.Entry<Integer, String> answer : Map.of(401, "API key", 404, "model's name", 400, "credit balance")
                .entrySet()) {
            URI url = server(
                    answer.getKey(), "{\"error\":{\"type\":\"x\",\"message\":\"your credit balance is too low\"}}");
            failing(
                    "the service answers " + answer.getKey(),
                    () -> good().coderModel(AnthropicClient.builder("claude-sonnet-5")
                            .apiKey("key-of-a-test")
                            .baseUrl(url)
                            .build()),
                    "claude-sonnet-5",
                    "HTTP " + answer.getKey(),
                    answer.getValue());
        }
        thrown("negative dollars", () -> Limits.builder().costPerStory(new BigDecimal("-1")), "-1");
        thrown("no turns", () -> Limits.builder().turnsPerState(0), "0");
        thrown("no time", () -> Limits.builder().timePerStory(Duration.ZERO), "PT0S");
        thrown("no coders", () -> Maestro.builder().maxCoders(0), "0");
        thrown(
                "a temperature of a thousand",
                () -> config("{\"agents\":{\"coder_model\":\"claude-x\",\"temperatures\":{\"coding\":1000}}}")
                        .build(),
                "$.agents.temperatures.coding",
                "1000");
        return cases.stream();
    }

    @TestFactory
    Stream<DynamicTest> configurations() {
        thrown(
                "a file that is not there",
                () -> Maestro.builder()
                        .projectDirectory(fresh())
                        .config(directory.resolve("no.json"))
                        .build(),
                "no.json");
        thrown("no JSON", () -> config("{").build(), "JSON");
        thrown("a comment in JSON", () -> config("{ // hello\n}").build(), "line 1");
        thrown(
                "a word that is wrong by a letter",
                () -> config("{\"agents\":{\"max_codrs\":3}}").build(),
                "max_codrs",
                "max_coders");
        thrown(
                "a text for a number",
                () -> config("{\"agents\":{\"max_coders\":\"three\"}}").build(),
                "$.agents.max_coders",
                "three");
        thrown(
                "a secret in the file",
                () -> config("{\"agents\":{\"coder_model\":\"sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789\"}}")
                        .build(),
                "$.agents.coder_model",
                "secret");
        thrown(
                "a variable that is not set",
                () -> config(
                                "{\"agents\":{\"coder_model\":\"claude-x\"},\"models\":{\"anthropic\":{\"bearer_token\":\"NOT_SET\"}}}")
                        .build(),
                "NOT_SET");
        thrown(
                "a prompt that nobody asks for",
                () -> good().prompt("coder-codding", "x").build(),
                "coder-codding",
                "coder-coding");
        thrown(
                "a variable that a prompt has not",
                () -> good().prompt("agent", "{{stroy}}").build(),
                "stroy");
        thrown(
                "a section that is not closed",
                () -> good().prompt("agent", "{{#tools}}x").build(),
                "tools");
        thrown(
                "a directory of prompts that is not there",
                () -> good().promptDirectory(directory.resolve("no-prompts")).build(),
                "no-prompts");
        thrown(
                "containers without their module",
                () -> good().environment("docker").build(),
                "docker",
                "maestro-docker");
        thrown(
                "Claude Code without its module",
                () -> Maestro.builder()
                        .projectDirectory(fresh())
                        .repository("/x.git")
                        .architectModel(script())
                        .coderMode("claude-code")
                        .build(),
                "claude-code",
                "maestro-claude");
        thrown("an id that is none", () -> Maestro.builder().environment("Docker Desktop"), "Docker Desktop");
        return cases.stream();
    }

    @TestFactory
    Stream<DynamicTest> toolsAndStories() {
        thrown("a tool that is null", () -> Maestro.builder().tool(null), "factory");
        thrown("a tool without a description", () -> ToolDefinition.builder("x").build(), "x", "description");
        thrown("a tool with a name that no model takes", () -> ToolDefinition.builder("my tool"), "my tool");
        thrown(
                "a tool with the name of a built-in one",
                () -> good().tool(tool("shell")).build(),
                "shell",
                "choose another");
        thrown(
                "two tools with one name",
                () -> good().tool(tool("twice")).tool(tool("Twice")).build(),
                "wice",
                "rename");
        thrown("a reserved name", () -> good().tool(tool("mcp__x")).build(), "mcp__");
        said(
                "a jar that names a class that is missing",
                () -> {
                    try (URLClassLoader loader = Announced.in(fresh(), ToolFactory.class);
                            Maestro maestro = good().discoverTools(true)
                                    .toolClassLoader(loader)
                                    .build()) {
                        return maestro.toolProblems().toString();
                    }
                },
                "io.maestro.Missing",
                "not found");
        thrown("a story without a title", () -> Story.builder("1", " ").build(), "title");
        thrown(
                "a story with an id for a path",
                () -> Story.builder("../x", "t").content("c").build(),
                "../x");
        thrown("a story from a file that is not there", () -> Story.fromMarkdown(directory.resolve("no.md")), "no.md");
        thrown(
                "a story from an empty file",
                () -> Story.fromMarkdown(Files.writeString(directory.resolve("empty.md"), ""))
                        .build(),
                "empty");
        thrown(
                "a story from a binary file",
                () -> Story.fromMarkdown(Files.write(directory.resolve("b.md"), new byte[] {(byte) 0xff, 0, 1}))
                        .build(),
                "b.md");
        thrown(
                "a specification without content",
                () -> Spec.builder("s", "t").content(" ").build(),
                "content");
        thrown(
                "a story that depends on itself",
                () -> Story.builder("1", "t").content("c").dependsOn("1").build(),
                "1");
        thrown(
                "a story with another text",
                () -> {
                    try (Maestro maestro = good().build()) {
                        maestro.submit(Story.builder("1", "t").content("one").build());
                        maestro.submit(Story.builder("1", "t").content("two").build())
                                .await();
                    }
                },
                "1");
        thrown(
                "a Maestro that is closed",
                () -> {
                    Maestro maestro = good().build();
                    maestro.close();
                    maestro.run(Story.builder("1", "t").content("c").build());
                },
                "closed");
        thrown(
                "a story that nobody knows is resumed",
                () -> {
                    try (Maestro maestro = good().build()) {
                        maestro.resume("nobody", 0);
                    }
                },
                "nobody");
        thrown(
                "an agent without a directory",
                () -> Maestro.agent().model(script()).build(),
                "directory(");
        thrown(
                "an agent without a model",
                () -> Maestro.agent().directory(directory).build(),
                "model(");
        thrown(
                "an agent on a directory that is not there",
                () -> Maestro.agent()
                        .directory(directory.resolve("gone"))
                        .model(script())
                        .build(),
                "gone");
        thrown("a task without words", () -> AgentTask.of(" "), "task");
        return cases.stream();
    }
}
