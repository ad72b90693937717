package io.maestro.claude.story;

import static io.maestro.testing.AssertThat.assertThat;
import static io.maestro.testkit.api.ApiScript.call;

import io.maestro.Maestro;
import io.maestro.MaestroBuilder;
import io.maestro.TestRepository;
import io.maestro.agent.Architect;
import io.maestro.claude.ClaudeCodeMode;
import io.maestro.claude.testing.Fact;
import io.maestro.claude.testing.RealClaude;
import io.maestro.claude.testing.RequiresClaude;
import io.maestro.docker.DockerEnvironments;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestImages;
import io.maestro.record.AuditLog;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.testing.Full;
import io.maestro.testkit.api.ApiReply;
import io.maestro.testkit.api.ApiRequest;
import io.maestro.testkit.api.ApiScript;
import io.maestro.testkit.api.StubApi;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;

/** Whole stories with the real CLI in real containers, and a stub of the API. */
@RequiresEngine
@RequiresClaude
class ClaudeInContainersTest {
    private static final String KEY = "sk-ant-real-planted-5c9e22d7";

    private static TestImages images;
    private static String base;

    /** On the disk: nothing of {@code /dev} is mounted into a container. */
    @TempDir(factory = TempDirFactory.Standard.class)
    Path directory;

    @BeforeAll
    static void buildImage() {
        images = TestImages.ofDocker();
        base = images.baseWithGit();
    }

    private MaestroBuilder maestro(StubApi api, TestRepository repository, Architect architect) {
        return Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository.url())
                .coderMode(ClaudeCodeMode.builder()
                        .model("claude-sonnet-4-5")
                        .hostProgram(RealClaude.program())
                        .apiKey(KEY)
                        .baseUrl(URI.create(api.baseUrl()))
                        .build())
                .architect(architect)
                .testCommand("test -f feature.txt")
                .environment(DockerEnvironments.builder()
                        .images(all -> all.base(base).allowed("maestro-test/*"))
                        .build());
    }

    private static Story story() {
        return Story.builder("1", "A feature").content("write feature.txt").build();
    }

    /** What this project has on the engine: containers, volumes and networks. */
    private List<String> objects() {
        String label = "label=io.maestro.project=" + directory.resolve("project");
        return Stream.of("container ls --all", "volume ls", "network ls")
                .flatMap(command -> images.cli()
                        .output(Stream.concat(Stream.of(command.split(" ")), Stream.of("--quiet", "--filter", label))
                                .toArray(String[]::new))
                        .lines())
                .toList();
    }

    private String container() {
        return images.cli()
                .output(
                        "container",
                        "ls",
                        "--quiet",
                        "--filter",
                        "label=io.maestro.project=" + directory.resolve("project"),
                        "--filter",
                        "label=io.maestro.agent=coder-001")
                .strip();
    }

    @Test
    void aQuestionIsAnsweredAndAfterASwitchTheSameSessionGoesOn() {
        questionAndSwitch(Duration.ZERO);
    }

    @Test
    @Fact("sessions: another container")
    @Tag("drift-only")
    @Full("waits for 90 s, longer than the CLI waits for an answer over plain HTTP")
    void aQuestionMayWait() {
        questionAndSwitch(Duration.ofSeconds(90));
    }

    private void questionAndSwitch(Duration thinking) {
        String other = images.build("other", "FROM " + base + "\nENV IMAGE_NAME=other\n", Map.of());
        TestRepository repository = TestRepository.create(directory, Map.of("README.md", "app"));
        Asked architect = new Asked(request -> {
            if (request.kind() != Architect.Kind.QUESTION) {
                return Asked.approve(request);
            }
            LockSupport.parkNanos(thinking.toNanos());
            return new Architect.Reply(request.id(), Architect.Decision.APPROVED, "the blue one");
        });
        ApiScript script = StoryScript.of(
                List.of(
                        call("Bash", "command", "ls; pwd", "description", "look"),
                        call(StoryScript.QUESTION, "question", "which one?"),
                        call(StoryScript.PLAN, "plan", "the blue one in feature.txt")),
                List.of(
                        call("Write", "file_path", "/workspace/feature.txt", "content", "blue\n"),
                        call(StoryScript.SWITCH, "image", other),
                        call("Bash", "command", "echo image: $IMAGE_NAME", "description", "look"),
                        call(StoryScript.DONE, "summary", "blue")));
        try (StubApi api = StubApi.start(script)) {
            try (Maestro maestro = maestro(api, repository, architect).build()) {
                StoryResult result = maestro.run(story());

                assertThat(result.outcome()).as("%s", result).isEqualTo(StoryResult.Outcome.MERGED);
                assertThat(repository.show("main", "feature.txt")).isEqualTo("blue");
                assertThat(architect.kinds())
                        .startsWith(Architect.Kind.QUESTION, Architect.Kind.PLAN_REVIEW, Architect.Kind.CODE_REVIEW);
                assertThat(maestro.auditLog().transitions("1").stream()
                                .map(AuditLog.StateTransition::to)
                                .toList())
                        .startsWith(
                                CoderState.SETUP,
                                CoderState.PLANNING,
                                CoderState.QUESTION,
                                CoderState.PLANNING,
                                CoderState.PLAN_REVIEW,
                                CoderState.CODING,
                                CoderState.TESTING,
                                CoderState.CODE_REVIEW)
                        .endsWith(CoderState.DONE);
            }
            List<ApiRequest> planning =
                    api.conversations().stream().filter(StoryScript::plans).toList();
            // The answer came as the result of the call that asked, in the same process.
            assertThat(planning).hasSize(3);
            assertThat(planning.get(2).answers().get(1).text()).contains("the blue one");
            List<ApiRequest> coding = api.conversations().stream()
                    .filter(request -> !StoryScript.plans(request))
                    .toList();
            assertThat(coding)
                    .extracting(ApiRequest::sessionId)
                    .containsOnly(coding.get(0).sessionId());
            ApiRequest resumed = coding.stream()
                    .filter(request ->
                            request.uses().stream().anyMatch(use -> use.name().equals(StoryScript.SWITCH)))
                    .findFirst()
                    .orElseThrow();
            assertThat(resumed.uses()).extracting(ApiRequest.Use::name).startsWith("Write", StoryScript.SWITCH);
            assertThat(resumed.heard("chosen with " + StoryScript.SWITCH.replace("mcp__maestro__", "")))
                    .as("told what runs now")
                    .isTrue();
            assertThat(coding.get(coding.size() - 1).heard("image: other")).isTrue();
        }
        assertThat(objects()).isEmpty();
    }

    @Test
    @Full("ClaudeWorkTest has the same with a fake of the CLI")
    void aSwitchThatFailsIsToldTruthfully() {
        TestRepository repository = TestRepository.create(directory, Map.of("README.md", "app"));
        ApiScript script = request -> {
            if (StoryScript.plans(request)) {
                return ApiReply.use(StoryScript.PLAN, "plan", "p");
            }
            return switch (request.uses().size()) {
                case 0 -> ApiReply.use("Write", "file_path", "/workspace/feature.txt", "content", "x");
                case 1 -> ApiReply.use(StoryScript.SWITCH, "image", "maestro-test/none-such:1");
                default -> ApiReply.use(StoryScript.DONE, "summary", "s");
            };
        };
        try (StubApi api = StubApi.start(script);
                Maestro maestro = maestro(api, repository, new Asked()).build()) {
            StoryResult result = maestro.run(story());

            assertThat(result.outcome()).as("%s", result).isEqualTo(StoryResult.Outcome.MERGED);
            List<ApiRequest> requests = api.conversations();
            ApiRequest last = requests.get(requests.size() - 1);
            assertThat(last.userTexts())
                    .anyMatch(text -> text.contains("failed") && text.contains("there is no image"));
            assertThat(last.heard("the safe image")).isTrue();
        }
        assertThat(objects()).isEmpty();
    }

    @Test
    void theKeyIsNowhereWhileTheCliPlansWithoutANetwork() throws IOException {
        TestRepository repository = TestRepository.create(directory, Map.of("README.md", "app"));
        StringBuilder seen = new StringBuilder();
        Asked architect = new Asked(request -> {
            if (request.kind() == Architect.Kind.QUESTION) {
                // The CLI runs at this moment, and holds its call open.
                seen.append(everythingOf(container()));
            }
            return Asked.approve(request);
        });
        ApiScript script = StoryScript.of(
                List.of(
                        call(
                                "Bash",
                                "command",
                                "env; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'; ls -la /tmp /tmp/.claude;"
                                        + " cat /proc/net/dev; touch /workspace/x; touch /x; echo end",
                                "description",
                                "look"),
                        call(StoryScript.QUESTION, "question", "which one?"),
                        call(StoryScript.PLAN, "plan", "p")),
                List.of(
                        call("Write", "file_path", "/workspace/feature.txt", "content", "x"),
                        call(
                                "Bash",
                                "command",
                                "env; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'",
                                "description",
                                "look"),
                        call(StoryScript.DONE, "summary", "s")));
        try (StubApi api = StubApi.start(script);
                Maestro maestro = maestro(api, repository, architect).build()) {
            StoryResult result = maestro.run(story());

            assertThat(result.outcome()).as("%s", result).isEqualTo(StoryResult.Outcome.MERGED);
            // It reaches the API, and nothing else.
            assertThat(api.conversations())
                    .allSatisfy(
                            request -> assertThat(request.header("X-Api-Key")).contains(KEY))
                    .allSatisfy(request -> assertThat(request.text()).doesNotContain(KEY));
            String looked = api.conversations().get(1).answers().get(0).text();
            assertThat(looked)
                    .contains("ANTHROPIC_API_KEY=", "Read-only file system", "end")
                    .doesNotContain("eth0");
            assertThat(maestro.auditLog().toolExecutions("1").toString()).doesNotContain(KEY);
            assertThat(maestro.auditLog().messages("1").toString()).doesNotContain(KEY);
        }
        assertThat(seen.toString())
                .contains("\"NetworkMode\": \"none\"", "claude")
                .doesNotContain(KEY);
        try (Stream<Path> files = Files.walk(directory.resolve("project"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                assertThat(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1))
                        .as("%s", file)
                        .doesNotContain(KEY);
            }
        }
        assertThat(objects()).isEmpty();
    }

    /** As root: what the run's user cannot read does not count as hidden. */
    private String everythingOf(String container) {
        assertThat(container).isNotBlank();
        StringBuilder all = new StringBuilder();
        all.append(images.cli().output("inspect", container));
        all.append(images.cli().output("logs", container));
        all.append(images.cli().output("top", container, "-eo", "pid,args"));
        all.append(images.cli()
                .run(images.cli()
                        .command(List.of(
                                "exec",
                                "--user",
                                "0",
                                container,
                                "sh",
                                "-c",
                                "cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n';"
                                        + " grep -rlaF " + KEY.substring(0, 15)
                                        + " /tmp /workspace /run /etc /home /root /var 2>/dev/null"))
                        .timeLimit(Duration.ofMinutes(2))
                        .build())
                .stdout()
                .text());
        return all.toString();
    }
}
