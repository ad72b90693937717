package io.maestro.claude.story;

import static io.maestro.testing.AssertThat.assertThat;
import static io.maestro.testkit.api.ApiScript.call;

import io.maestro.TestRepository;
import io.maestro.claude.testing.Fact;
import io.maestro.claude.testing.RealClaude.Release;
import io.maestro.claude.testing.RequiresClaude;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestImages;
import io.maestro.testing.ChildJvm;
import io.maestro.testing.Full;
import io.maestro.testkit.api.ApiRequest;
import io.maestro.testkit.api.ApiScript;
import io.maestro.testkit.api.StubApi;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Stories in Claude Code mode with nothing configured but a key, with the oldest CLI that is supported and the newest one: {@code
 * claude} is on the host's path. The model is offered the tools that it is to have and no others. In the repository, the CLI's
 * own directory, the user's home, the image and above the workspace lies all that a CLI could read or run of its own accord; nothing of
 * it is.
 */
@RequiresClaude
class OutOfTheBoxTest {
    private static final String KEY = "sk-ant-real-planted-84d0c3ee";
    private static final String LOOK =
            "ls -a \"$CLAUDE_CONFIG_DIR\" | grep witness; echo looked \"$CLAUDE_CODE_SIMPLE\"";
    private static final List<String> LOOKING = List.of("Agent", "Bash", "Glob", "Grep", "Read");

    /** On the disk: nothing of {@code /dev} is mounted into a container. */
    @TempDir(factory = TempDirFactory.Standard.class)
    Path directory;

    @ParameterizedTest
    @Fact("line: no tool and nothing of a repository unasked")
    @Tag("drift-only")
    @EnumSource(Release.class)
    @Full("other tests of stories have each of it, for one version")
    void onThisMachine(Release release) throws Exception {
        isDone(release, directory.resolve("project/coder-001"));
    }

    @ParameterizedTest
    @Fact("line: the same in a container")
    @Tag("drift-only")
    @EnumSource(Release.class)
    @RequiresEngine
    @Full("other tests of stories have each of it, for one version")
    void inAContainer(Release release) throws Exception {
        TestImages images = TestImages.ofDocker();
        StringBuilder dockerfile = new StringBuilder("FROM " + images.baseWithGit() + "\nCOPY etc /etc\nCOPY mnt /mnt\n"
                + "COPY opt /opt\nENV CLAUDE_CODE_SIMPLE=1\n");
        Canaries.variablesOfImage(true).forEach((name, value) -> dockerfile.append("ENV " + name + "=" + value + "\n"));
        isDone(release, Path.of("/workspace"), images.build("canaries", dockerfile.toString(), Canaries.ofImage()));
    }

    private void isDone(Release release, Path workspace, String... image) throws Exception {
        Map<String, String> files = new TreeMap<>(Canaries.ofRepository());
        files.put("README.md", "app");
        TestRepository repository = TestRepository.create(directory, files);
        Path home = directory.resolve("home");
        Canaries.write(home.resolve(".claude"), Canaries.ofState("user"));
        for (Path above : List.of(directory, directory.resolve("project"))) {
            Canaries.write(above, Map.of("CLAUDE.md", Canaries.TEXT));
        }
        Path path = Files.createDirectories(directory.resolve("bin"));
        Files.createSymbolicLink(path.resolve("claude"), release.program());
        ApiScript script = StoryScript.of(
                List.of(
                        call("Bash", "command", Canaries.command(Canaries.ofState("agent")), "description", "plant"),
                        call("Bash", "command", LOOK, "description", "look"),
                        call(StoryScript.PLAN, "plan", "p")),
                List.of(
                        call(
                                "Read",
                                "file_path",
                                workspace.resolve("sub/file.txt").toString()),
                        call(
                                "Write",
                                "file_path",
                                workspace.resolve("feature.txt").toString(),
                                "content",
                                "made by the CLI\n"),
                        call("Bash", "command", LOOK, "description", "look"),
                        call(StoryScript.DONE, "summary", "s")));
        try (StubApi api = StubApi.start(script)) {
            assertThat(live(api, path, home, image)).contains("outcome MERGED");

            assertThat(repository.show("main", "feature.txt")).isEqualTo("made by the CLI");
            List<ApiRequest> requests = api.conversations();
            assertThat(requests)
                    .allSatisfy(
                            request -> assertThat(request.header("X-Api-Key")).contains(KEY));
            for (ApiRequest request : requests) {
                List<String> allowed = new ArrayList<>(LOOKING);
                if (!StoryScript.plans(request)) {
                    allowed.addAll(List.of("Edit", "NotebookEdit", "Write"));
                }
                assertThat(request.tools())
                        .filteredOn(tool -> !tool.startsWith("mcp__maestro__"))
                        .containsExactlyInAnyOrderElementsOf(allowed);
            }
            readsNothingAndRunsNothing(requests);
        }
    }

    private static void readsNothingAndRunsNothing(List<ApiRequest> requests) {
        List<ApiRequest.Answer> answers = new ArrayList<>();
        for (ApiRequest request : requests) {
            // What the model itself has planted is in its own call.
            String text = request.text().replace(jsonOf(request), "");
            assertThat(text).doesNotContain(Canaries.TEXT);
            assertThat(request.headers().toString()).doesNotContain(Canaries.TEXT);
            answers.addAll(request.answers());
        }
        assertThat(answers)
                .extracting(ApiRequest.Answer::text)
                .contains("planted", "looked")
                .noneMatch(text -> text.contains("witness"));
    }

    /** The call that plants, as it is in a request. */
    private static String jsonOf(ApiRequest request) {
        return request.uses().stream()
                .map(use -> use.input().path("command").toString())
                .filter(command -> command.contains(Canaries.TEXT))
                .findFirst()
                .orElse("\0");
    }

    /** What a host has said. */
    private String live(StubApi api, Path path, Path home, String... image) throws Exception {
        List<String> command = new ArrayList<>(ChildJvm.command(
                List.of("-Djava.io.tmpdir=" + Files.createDirectories(directory.resolve("tmp"))),
                OutOfTheBox.class,
                directory.toString()));
        command.addAll(List.of(image));
        Path log = directory.resolve("host.log");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().put("ANTHROPIC_API_KEY", KEY);
        builder.environment().put("ANTHROPIC_BASE_URL", api.baseUrl());
        builder.environment().put("HOME", home.toString());
        builder.environment().put("PATH", path + ":" + System.getenv("PATH"));
        Process process = builder.start();
        try {
            assertThat(process.waitFor(10, TimeUnit.MINUTES)).as("it has ended").isTrue();
        } finally {
            process.destroyForcibly().waitFor();
        }
        return Files.readString(log);
    }
}
