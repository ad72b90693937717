package io.maestro.docker;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.Maestro;
import io.maestro.MaestroBuilder;
import io.maestro.TestRepository;
import io.maestro.agent.Architect;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestImages;
import io.maestro.llm.LlmRequest;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.testing.Full;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import io.maestro.testkit.Turn;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole stories in containers: a real engine, real git, and a model that plays a script. */
@RequiresEngine
class DockerStoryTest {
    private static TestImages images;
    private static String base;

    @TempDir
    Path directory;

    @BeforeAll
    static void buildImages() {
        images = TestImages.ofDocker();
        base = images.base();
    }

    private MaestroBuilder maestro(TestRepository repository, ScriptedLlm coder) {
        return Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository.url())
                .coderModel(coder)
                .architect(new Agreeing())
                .testCommand("test -f feature.txt")
                .environment(DockerEnvironments.builder()
                        .images(all -> all.base(base).allowed("maestro-test/*"))
                        .build());
    }

    private static Reply tool(String name, Map<String, Object> arguments) {
        return Reply.toolCall(name, arguments);
    }

    private static Reply shell(String line) {
        return tool("shell", Map.of("cmd", line));
    }

    private static Story express(String id) {
        return Story.builder(id, "A story").content("do it").express().build();
    }

    /** What this project has on the engine. */
    private List<String> left(String kind) throws IOException {
        Path file = directory.resolve("project/.maestro/instance");
        String id = Files.readAllLines(file).get(0).strip();
        String label = kind.equals("image") ? "io.maestro.built-by" : "io.maestro.instance";
        return images.cli()
                .output(
                        kind,
                        "ls",
                        kind.equals("container") ? "--all" : "--quiet",
                        "--quiet",
                        "--filter",
                        "label=" + label + "=" + id)
                .lines()
                .toList();
    }

    @Full("StoryEnvironmentTest.whatCannotBeWorkedInFallsBackToTheSafeContainerAndSaysSo switches to the same images")
    @Test
    void switchesThatFailFallBackAndTheStoryIsDone() throws IOException {
        TestRepository repository = TestRepository.create(directory, Map.of("README.md", "app"));
        List<String> bad = List.of(images.withoutShell(), images.endsAtOnce(), images.unstoppable());
        ScriptedLlm.Builder script = ScriptedLlm.builder("coder");
        for (String image : bad) {
            script.turn(tool("container_switch", Map.of("image", image)));
            script.turn(Turn.expecting("the safe image").reply(shell("git; echo worked >> feature.txt")));
        }
        script.turn(tool("done", Map.of("summary", "worked in spite of it")));
        ScriptedLlm coder = script.build();
        try (Maestro maestro = maestro(repository, coder).build()) {
            StoryResult result = maestro.run(express("1"));
            assertThat(result.outcome()).as("%s", result).isEqualTo(StoryResult.Outcome.MERGED);
            List<String> switches = answers(maestro, "1", "container_switch");
            assertThat(switches)
                    .hasSize(3)
                    .allSatisfy(answer -> assertThat(answer)
                            .contains(
                                    "failed:", "now your commands run in", "from maestro-bootstrap", "the safe image"));
            assertThat(switches.get(0)).contains("has no POSIX shell");
            assertThat(switches.get(1)).contains("ended at once");
            assertThat(switches.get(2)).contains("cannot be stopped");
            assertThat(answers(maestro, "1", "shell"))
                    .allSatisfy(answer -> assertThat(answer).contains("stub"));
            coder.assertFinished();
        }
        assertThat(left("container")).isEmpty();
        assertThat(repository.show("main", "feature.txt")).contains("worked");
    }

    private static List<String> answers(Maestro maestro, String story, String tool) {
        return maestro.auditLog().toolExecutions(story).stream()
                .filter(call -> call.tool().equals(tool))
                .map(call -> String.valueOf(call.result()) + call.error())
                .toList();
    }

    @Test
    @Full("two stories; ContainerToolsTest has the tools, ImagesOfAgentsTest what may be pinned")
    void anUpdatedImageIsCheckedMergedAndThenTheProjectsOwn() throws IOException {
        TestRepository repository = TestRepository.create(directory, Map.of("README.md", "app"));
        String dockerfile = "FROM " + images.busybox() + "\nENV LINTER=installed\n";
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .story("1", script -> {
                    script.turn(shell("echo \"linter: $LINTER\""));
                    script.turn(Turn.expecting("linter:")
                            .reply(tool("write_file", Map.of("path", "Dockerfile", "content", dockerfile))));
                    script.turn(tool("container_build", Map.of("tag", "dev")));
                    script.turn(tool("container_test", Map.of("image", "dev", "command", "echo \"linter: $LINTER\"")));
                    script.turn(Turn.expecting("linter: installed")
                            .reply(tool("container_update", Map.of("image", "dev"))));
                    script.turn(tool("write_file", Map.of("path", "feature.txt", "content", "x")));
                    script.turn(tool("done", Map.of("summary", "has a linter")));
                })
                .story("2", script -> {
                    script.turn(shell("echo \"linter: $LINTER\""));
                    script.turn(Turn.expecting("linter: installed")
                            .reply(tool("write_file", Map.of("path", "more.txt", "content", "x"))));
                    script.turn(tool("done", Map.of("summary", "used the linter")));
                })
                .build();
        try (Maestro maestro = maestro(repository, coder).build()) {
            StoryResult first = maestro.run(express("1"));
            assertThat(first.outcome()).as("%s", first).isEqualTo(StoryResult.Outcome.MERGED);
            StoryResult second = maestro.run(express("2"));
            assertThat(second.outcome()).as("%s", second).isEqualTo(StoryResult.Outcome.MERGED);
            coder.assertFinished();
        }
        assertThat(directory.resolve("project/.maestro/container.json"))
                .content()
                .contains("sha256:", "\"1\"");
        assertThat(left("container")).isEmpty();
        // The project's own, and nothing else.
        assertThat(left("image").stream().distinct()).hasSize(1);
        left("image").stream().distinct().forEach(images::remove);
    }

    @Test
    void whatWasPassedOnIsSeenByCommandsAndNowhereElse() throws Exception {
        String passed = System.getenv("MAESTRO_TEST_API_KEY");
        String known = "redacted-4e7b20cc91d35f68";
        TestRepository repository = TestRepository.create(directory, Map.of("README.md", "app"));
        String dockerfile = "FROM " + images.busybox() + "\nARG NAME\nRUN echo built; echo $NAME\n";
        StringBuilder seen = new StringBuilder();
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(tool("write_file", Map.of("path", "Dockerfile", "content", dockerfile)))
                .turn(build(passed))
                .turn(build(known))
                .turn(tool("container_build", Map.of("tag", "dev")))
                .turn(shell("echo $MAESTRO_TEST_API_KEY; printenv; sleep 1; [ ${#MAESTRO_TEST_API_KEY} = "
                        + passed.length() + " ] && echo yes > feature.txt"))
                .turn(tool("container_switch", Map.of("image", "dev")))
                .turn(shell("echo $MAESTRO_TEST_API_KEY; env >&2"))
                .turn((LlmRequest request) -> {
                    seen.append(everythingOnTheEngine());
                    return tool("done", Map.of("summary", "looked"));
                })
                .build();
        Set<String> commandLines = ConcurrentHashMap.newKeySet();
        AtomicBoolean over = new AtomicBoolean();
        Thread watcher = new Thread(() -> watch(commandLines, over, passed, known), "watcher");
        watcher.start();
        try (Maestro maestro = maestro(repository, coder)
                .commands(commands -> commands.passEnvironment("MAESTRO_TEST_API_KEY"))
                .secret(known)
                .build()) {
            StoryResult result = maestro.run(express("1"));
            assertThat(result.outcome()).as("%s", result).isEqualTo(StoryResult.Outcome.MERGED);
            coder.assertFinished();
            assertThat(maestro.auditLog().toolExecutions("1").toString()).doesNotContain(passed, known);
            assertThat(answers(maestro, "1", "container_build").get(0).toString())
                    .contains("secret");
        } finally {
            over.set(true);
            watcher.join();
        }
        assertThat(seen.toString()).contains("io.maestro.instance").doesNotContain(passed, known);
        assertThat(commandLines).isEmpty();
        // And in no file of the project but what git holds of the workspace.
        try (Stream<Path> files = Files.walk(directory.resolve("project"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                assertThat(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1))
                        .as("%s", file)
                        .doesNotContain(passed, known);
            }
        }
    }

    private static Reply build(String secret) {
        return tool(
                "container_build",
                Map.of("tag", "bad", "build_args", List.of(Map.of("name", "NAME", "value", secret))));
    }

    private String everythingOnTheEngine() {
        try {
            StringBuilder all = new StringBuilder();
            for (String container : left("container")) {
                all.append(images.cli().output("inspect", container));
                all.append(images.cli().output("logs", container));
                all.append(images.cli().output("top", container));
            }
            for (String image : left("image")) {
                all.append(images.cli().output("inspect", image));
                all.append(images.cli().output("history", "--no-trunc", image));
            }
            return all.toString();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Looks at the command lines of all processes of this machine, containers' included. */
    private static void watch(Set<String> found, AtomicBoolean over, String... secrets) {
        while (!over.get()) {
            // Other tests want the processor too.
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
            try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
                for (Path process : processes) {
                    look(process, found, secrets);
                }
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
    }

    private static void look(Path process, Set<String> found, String... secrets) {
        try {
            String line = new String(Files.readAllBytes(process.resolve("cmdline")), StandardCharsets.ISO_8859_1);
            for (String secret : secrets) {
                if (line.contains(secret)) {
                    found.add(line.replace('\0', ' '));
                }
            }
        } catch (IOException e) {
            // It has ended.
        }
    }

    static final class Agreeing implements Architect {
        @Override
        public String id() {
            return "agreeing";
        }

        @Override
        public Reply reply(Request request) {
            return new Reply(request.id(), Decision.APPROVED, "");
        }
    }
}
