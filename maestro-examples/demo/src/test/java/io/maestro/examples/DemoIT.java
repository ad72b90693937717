package io.maestro.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import io.maestro.claude.testing.RealClaude;
import io.maestro.claude.testing.RequiresClaude;
import io.maestro.testkit.api.ApiReply;
import io.maestro.testkit.api.ApiScript;
import io.maestro.testkit.api.StubApi;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demo as its users run it: a process of its own, once on the class path and once on the module path. */
class DemoIT {
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent().getParent();

    private static String classPath;

    @TempDir
    Path directory;

    @BeforeAll
    static void findClassPath() {
        String own = File.separator + "demo" + File.separator + "target" + File.separator;
        classPath = Stream.concat(
                        Stream.of(System.getProperty("demo.jar")),
                        Arrays.stream(System.getProperty(
                                                "surefire.test.class.path", System.getProperty("java.class.path"))
                                        .split(File.pathSeparator))
                                .filter(entry -> !entry.contains(own)))
                .collect(Collectors.joining(File.pathSeparator));
    }

    @Test
    void theSampleStoryIsMerged() throws Exception {
        Run run = demo(List.of("-cp", classPath, "io.maestro.examples.demo.Demo"), "--directory", "run");

        assertThat(run.exit).as(run.output).isZero();
        assertThat(run.output)
                .contains(
                        "SCRIPTED",
                        "NEEDS_CHANGES",
                        "outcome     MERGED",
                        "src/Greeter.java",
                        "maestro.db",
                        "report.html")
                .containsSubsequence(
                        "SETUP",
                        "PLANNING",
                        "PLAN_REVIEW",
                        "CODING",
                        "TESTING",
                        "CODE_REVIEW",
                        "CODING",
                        "TESTING",
                        "CODE_REVIEW",
                        "PREPARE_MERGE",
                        "AWAIT_MERGE",
                        "DONE")
                // Piped, so no control characters of a terminal.
                .doesNotContain("\r", "\u001b");
        String origin = directory.resolve("run/origin.git").toString();
        assertThat(git("-C", origin, "log", "--format=%s", "main")).contains("Merge story 001", "Story 001");
        assertThat(git("-C", origin, "show", "main:src/Greeter.java")).contains("¡Hola");
    }

    @Test
    @Tag("full") // Three stories; SpecAgentTest has the order of stories.
    void theSampleSpecificationIsTakenToThreeMergedStories() throws Exception {
        Run run = demo(List.of("-cp", classPath, "io.maestro.examples.demo.Demo"), "--spec", "--directory", "run");

        assertThat(run.exit).as(run.output).isZero();
        assertThat(run.output)
                .containsSubsequence("SCRIPTED", "SCOPING", "DISPATCHING", "MONITORING", "DONE", "COMPLETED")
                .contains("3 of 3 stories are done", "report.html", "world-02       Say farewell  after world-01");
        String origin = directory.resolve("run/origin.git").toString();
        assertThat(git("-C", origin, "log", "--first-parent", "--merges", "--format=%s", "main")
                        .lines())
                .hasSize(3)
                .last()
                .asString()
                .startsWith("Merge story world-01");
        assertThat(git("-C", origin, "show", "main:LANGUAGES.md")).contains("Spanish");

        Run wrong = demo(List.of("-cp", classPath, "io.maestro.examples.demo.Demo"), "--spec", "spec.md");
        assertThat(wrong.exit).isEqualTo(1);
        assertThat(wrong.output).contains("--spec FILE needs --repo and --model");
    }

    @Test
    @Tag("full") // The tests of the core have each step, and the sample story is merged without a request.
    void aPullRequestIsMergedAfterARedCheckAThreadAndAnApproval() throws Exception {
        List<String> java = List.of("-cp", classPath, "io.maestro.examples.demo.Demo");
        Run run = demo(java, "--forge", "--directory", "run");

        assertThat(run.exit).as(run.output).isZero();
        assertThat(run.output)
                .containsSubsequence(
                        "outcome     MERGED",
                        "pull request #1 is opened",
                        "'docs' fails",
                        "'docs' succeeds",
                        "ann opens a thread",
                        "ann approves",
                        "maestro answers: Done in ",
                        "the thread is resolved",
                        "pull request #1 is merged");
        String origin = directory.resolve("run/origin.git").toString();
        assertThat(git("-C", origin, "rev-list", "--count", "main").strip()).isEqualTo("2");
        assertThat(git("-C", origin, "branch", "--list", "maestro/*")).isEmpty();

        Run wrong = demo(java, "--forge", "--model", "x");
        assertThat(wrong.exit).isEqualTo(1);
        assertThat(wrong.output).contains("--forge plays a script");
    }

    /** As above, in containers: on a machine with an engine only. That stories run in containers, maestro-docker tests for less. */
    @Test
    @Tag("full")
    void theSampleStoryIsMergedInContainers() throws Exception {
        boolean required = Boolean.getBoolean("maestro.docker.required");
        assumeTrue(required || start(List.of("docker", "info"), Map.of()).exit == 0, "no docker engine answers");
        Run run = demo(
                List.of("-cp", classPath, "io.maestro.examples.demo.Demo"),
                "--directory",
                "run",
                "--docker",
                "--base",
                "maestro-test/debian:latest");

        assertThat(run.exit).as(run.output).isZero();
        assertThat(run.output).contains("containers  docker", "NEEDS_CHANGES", "outcome     MERGED");
        String origin = directory.resolve("run/origin.git").toString();
        assertThat(git("-C", origin, "show", "main:src/Greeter.java")).contains("¡Hola");
        Run left = start(
                List.of(
                        "docker",
                        "ps",
                        "-aq",
                        "--filter",
                        "label=io.maestro.project=" + directory.resolve("run/project")),
                Map.of());
        assertThat(left.output).isBlank();
    }

    /** That the modules resolve is tried by the java command's example, too. */
    @Test
    @Tag("full")
    void itRunsOnTheModulePath() throws Exception {
        // Test libraries share package names with nothing of ours, but they are no part of a module path of the demo.
        // That of MCP cannot be: it says a name that no module can have.
        String modulePath = Arrays.stream(classPath.split(File.pathSeparator))
                .filter(entry -> entry.endsWith(".jar"))
                .filter(
                        entry -> !entry.matches(
                                ".*(junit|opentest4j|apiguardian|assertj|mockito|objenesis|byte-buddy|surefire|tests|mcp-core|mcp-json).*"))
                .collect(Collectors.joining(File.pathSeparator));
        Run run = demo(
                List.of("-p", modulePath, "-m", "io.maestro.examples.demo/io.maestro.examples.demo.Demo"),
                "--directory",
                "run");

        assertThat(run.exit).as(run.output).isZero();
        assertThat(run.output).contains("outcome     MERGED");
    }

    @Test
    @Tag("full") // The sample story is merged the same way.
    void aCloneOfThisProjectGetsTheResultAsABranchAndIsOtherwiseUntouched() throws Exception {
        Path clone = directory.resolve("maestro");
        git("clone", "--quiet", ROOT.toString(), clone.toString());
        // The working copy that the tests run in may be on no branch.
        git("-C", clone.toString(), "checkout", "--quiet", "-B", "main");
        String head = git("-C", clone.toString(), "rev-parse", "HEAD");
        String branch = git("-C", clone.toString(), "rev-parse", "--abbrev-ref", "HEAD");
        Path story = Files.writeString(
                directory.resolve("thanks.md"), "# Thank the reader\n\n```\nThank you for reading.\n```\n");

        Run run = demo(
                List.of("-cp", classPath, "io.maestro.examples.demo.Demo"),
                "--directory",
                "run",
                "--repo",
                clone.toString(),
                "--story",
                story.toString(),
                "--test",
                "grep -q 'Thank you for reading' README.md");

        assertThat(run.exit).as(run.output).isZero();
        assertThat(run.output).contains("DONE", "outcome     MERGED", "README.md");
        assertThat(git("-C", clone.toString(), "status", "--porcelain")).isEmpty();
        assertThat(git("-C", clone.toString(), "rev-parse", "HEAD")).isEqualTo(head);
        assertThat(git("-C", clone.toString(), "rev-parse", branch)).isEqualTo(head);
        String merged = git(
                "-C", clone.toString(), "for-each-ref", "--format=%(refname)", "refs/heads/maestro/merged-thanks-*");
        assertThat(git("-C", clone.toString(), "show", merged + ":README.md")).contains("Thank you for reading.");
        assertThat(git("-C", clone.toString(), "merge-base", head, merged)).isEqualTo(head);
    }

    @Test
    @Tag("full") // The command line asks a model over HTTP with the key of the environment, too.
    void aModelIsAskedOverHttpWithTheKeyOfTheEnvironment() throws Exception {
        String greeter = """
                public final class Greeter {
                    public static String greet(String name, String language) {
                        return (language.equals("es") ? "¡Hola, " : "Hello, ") + name + "!";
                    }
                }
                """.replace("\"", "\\\"").replace("\n", "\\n");
        String approved = "{\"decision\": \"APPROVED\", \"feedback\": \"fine\"}";
        Queue<String> calls = new ConcurrentLinkedQueue<>(List.of(
                toolUse("submit_plan", "{\"plan\": \"choose by language\"}"),
                toolUse("review_complete", approved),
                toolUse("write_file", "{\"path\": \"src/Greeter.java\", \"content\": \"" + greeter + "\"}"),
                toolUse("done", "{\"summary\": \"done\"}"),
                toolUse("review_complete", approved),
                toolUse("review_complete", approved)));
        Set<String> keys = ConcurrentHashMap.newKeySet();
        HttpServer api = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        api.createContext("/v1/messages", exchange -> {
            exchange.getRequestBody().readAllBytes();
            keys.add(exchange.getRequestHeaders().getFirst("x-api-key"));
            byte[] answer = calls.remove().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("content-type", "application/json");
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        api.start();
        try {
            List<String> command = new ArrayList<>(List.of(
                    java(),
                    "-cp",
                    classPath,
                    "io.maestro.examples.demo.Demo",
                    "--model",
                    "claude-x",
                    "--directory",
                    "run"));
            Run run = start(
                    command,
                    Map.of(
                            "ANTHROPIC_API_KEY",
                            "sk-ant-the-key-of-the-test",
                            "ANTHROPIC_BASE_URL",
                            "http://127.0.0.1:" + api.getAddress().getPort()));

            assertThat(run.exit).as(run.output).isZero();
            assertThat(run.output)
                    .contains("model       claude-x", "outcome     MERGED", "660 tokens")
                    .doesNotContain("SCRIPTED", "sk-ant-the-key");
            assertThat(keys).containsExactly("sk-ant-the-key-of-the-test");
            assertThat(calls).isEmpty();
        } finally {
            api.stop(0);
        }
    }

    /** The real Claude Code, through the gateway with the key; the architect asks the same stub. */
    @Test
    @Tag("full") // LocalClaudeStoryTest has the story, the example of the parts the CLI.
    @RequiresClaude
    void claudeCodeWorksOnTheSampleStory() throws Exception {
        String greeter = """
                public final class Greeter {
                    public static String greet(String name, String language) {
                        return (language.equals("es") ? "¡Hola, " : "Hello, ") + name + "!";
                    }
                }
                """;
        String file =
                directory.resolve("run/project/coder-001/src/Greeter.java").toString();
        ApiScript coder = ApiScript.calls(request -> new ApiScript.Part(
                request.tools().contains("mcp__maestro__submit_plan")
                        ? List.of(ApiScript.call("mcp__maestro__submit_plan", "plan", "choose by language"))
                        : List.of(
                                ApiScript.call("Read", "file_path", file),
                                ApiScript.call("Write", "file_path", file, "content", greeter),
                                ApiScript.call("mcp__maestro__done", "summary", "done")),
                "nothing more to do"));
        ApiScript script = request -> request.tools().contains("review_complete")
                ? ApiReply.use("review_complete", "decision", "APPROVED", "feedback", "fine")
                : coder.reply(request);
        try (StubApi api = StubApi.start(script)) {
            Map<String, String> environment =
                    Map.of("ANTHROPIC_API_KEY", "sk-ant-the-key-of-the-test", "ANTHROPIC_BASE_URL", api.baseUrl());
            List<String> command = new ArrayList<>(List.of(java(), "-cp", classPath, "io.maestro.examples.demo.Demo"));
            command.addAll(List.of("--model", "claude-sonnet-5", "--directory", "run"));
            Run none = start(with(command, "--claude=nowhere"), environment);
            assertThat(none.exit).isEqualTo(1);
            assertThat(none.output).contains("--claude: there is no program " + directory.resolve("nowhere"));

            Run run = start(with(command, "--claude=" + RealClaude.program()), environment);

            assertThat(run.exit).as(run.output).isZero();
            assertThat(run.output)
                    .contains("claude-sonnet-5, with Claude Code as the coder", "outcome     MERGED")
                    .doesNotContain("SCRIPTED", "sk-ant-the-key");
            assertThat(api.requests())
                    .allSatisfy(
                            request -> assertThat(request.header("x-api-key")).contains("sk-ant-the-key-of-the-test"));
            assertThat(api.requests()).anyMatch(request -> !request.sessionId().isEmpty());
        }
        String origin = directory.resolve("run/origin.git").toString();
        assertThat(git("-C", origin, "show", "main:src/Greeter.java")).contains("¡Hola");
    }

    /** The parts that the README shows. */
    @Test
    @RequiresClaude
    void theExampleOfThePartsAsksClaudeCodeWithAToolOfItsOwn() throws Exception {
        ApiScript script = ApiScript.turns(
                ApiReply.use("mcp__maestro__ticket_read", "key", "APP-42"), ApiReply.text("the last line is lost"));
        try (StubApi api = StubApi.start(script)) {
            Run run = start(
                    List.of(
                            java(),
                            "-cp",
                            classPath,
                            "io.maestro.examples.embedding.ClaudeParts",
                            RealClaude.program().toString(),
                            "What is in APP-42?"),
                    Map.of("ANTHROPIC_API_KEY", "sk-ant-the-key-of-the-test", "ANTHROPIC_BASE_URL", api.baseUrl()));

            assertThat(run.exit).as(run.output).isZero();
            assertThat(run.output).contains("COMPLETED: the last line is lost");
            assertThat(api.conversations().get(1).heard("the export loses the last line"))
                    .isTrue();
        }
    }

    private static List<String> with(List<String> command, String argument) {
        List<String> more = new ArrayList<>(command);
        more.add(argument);
        return more;
    }

    private static String toolUse(String tool, String input) {
        return """
                {"type": "message", "role": "assistant", "model": "claude-x", "stop_reason": "tool_use",
                 "content": [{"type": "tool_use", "id": "toolu_%d", "name": "%s", "input": %s}],
                 "usage": {"input_tokens": 100, "output_tokens": 10}}""".formatted(System.nanoTime(), tool, input);
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    @Test
    @Tag("full") // KilledHostTest has a host that is told to end.
    void aStoppedDemoEndsItsStoryInOrder() throws Exception {
        Process process = new ProcessBuilder(
                        java(),
                        "-cp",
                        classPath,
                        "io.maestro.examples.demo.Demo",
                        "--directory",
                        "run",
                        "--test",
                        "sleep 1000")
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .start();
        StringBuilder output = new StringBuilder();
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                output.append(line).append('\n');
                if (line.contains(" CODING ")) {
                    // By its handle: the process itself would close the stream that is being read.
                    process.toHandle().destroy();
                }
            }
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.waitFor()).isEqualTo(143);
        assertThat(output).contains("ERROR          the story was cancelled", "outcome     CANCELLED");
    }

    @Test
    void whatIsMissingForContainersIsSaidBeforeAnythingIsMade() throws Exception {
        Run run = demo(
                List.of("-cp", classPath, "io.maestro.examples.demo.Demo"),
                "--docker",
                "--engine",
                "/nowhere/docker",
                "--directory",
                "run");
        assertThat(run.exit).isEqualTo(1);
        assertThat(run.output).contains("FAILED CLIENT: the client '/nowhere/docker' cannot be run");
        assertThat(directory.resolve("run")).doesNotExist();
    }

    @Test
    void wrongOptionsAreExplained() throws Exception {
        List<String> main = List.of("-cp", classPath, "io.maestro.examples.demo.Demo");
        Run missing = demo(main, "--repo", "x", "--story", "nowhere.md");
        assertThat(missing.output).contains("there is no story file");
        assertThat(missing.exit).isEqualTo(1);
        Run keyless = demo(main, "--claude", "--model", "claude-sonnet-5");
        assertThat(keyless.output).contains("ANTHROPIC_API_KEY");
        assertThat(keyless.exit).isEqualTo(1);
    }

    /** A JVM for each. */
    @Test
    @Tag("full")
    void otherWrongOptionsAreExplained() throws Exception {
        List<String> main = List.of("-cp", classPath, "io.maestro.examples.demo.Demo");
        assertThat(demo(main, "--repo", "x").output).contains("--story");
        Path empty = Files.writeString(directory.resolve("empty.md"), "\n");
        assertThat(demo(main, "--repo", "x", "--story", empty.toString()).output)
                .contains("empty.md cannot be used");
        assertThat(demo(main, "--model", "claude-sonnet-5").output).contains("ANTHROPIC_API_KEY");
        assertThat(demo(main, "--claude").output).contains("--claude needs --model", "ANTHROPIC_API_KEY");
    }

    private record Run(int exit, String output) {}

    private Run demo(List<String> launch, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(java());
        command.addAll(launch);
        command.addAll(List.of(arguments));
        return start(command, Map.of());
    }

    private String git(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("git"));
        command.addAll(List.of(arguments));
        Run run = start(command, Map.of());
        assertThat(run.exit).as("%s: %s", command, run.output).isZero();
        return run.output.strip();
    }

    private Run start(List<String> command, Map<String, String> environment) throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
        builder.environment().remove("ANTHROPIC_API_KEY");
        // These JVMs end before a better compiler pays.
        builder.environment().put("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC");
        builder.environment().putAll(environment);
        Process process = builder.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(process.waitFor(), output);
    }
}
