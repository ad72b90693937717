package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.CheckReport.Status;
import io.maestro.CheckReport.Subject;
import io.maestro.agent.spi.ScriptedCoderMode;
import io.maestro.error.MaestroException;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.git.hosted.HostedForge;
import io.maestro.llm.AnthropicClient;
import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmException;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.llm.LlmUnavailableException;
import io.maestro.testkit.ScriptedLlm;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a host learns before a story is paid. */
class CheckTest {
    @TempDir
    Path directory;

    private MaestroBuilder builder(String repository) {
        return Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository)
                .tools(tools -> tools.discover(false))
                .coderModel(ScriptedLlm.builder("scripted").build());
    }

    private static CheckReport check(MaestroBuilder builder) {
        try (Maestro maestro = builder.build()) {
            return maestro.check();
        }
    }

    private static Map<Subject, CheckReport.Finding> bySubject(CheckReport report) {
        return report.findings().stream()
                .collect(Collectors.toMap(CheckReport.Finding::subject, finding -> finding, (first, more) -> first));
    }

    /** A model that has an answer to a look-up, and fails when it is asked. */
    private record LookedUp(String model, RuntimeException refusal) implements LlmClient {
        @Override
        public LlmResponse complete(LlmRequest request) {
            throw new AssertionError("a check asks no model");
        }

        @Override
        public boolean check() {
            if (refusal != null) {
                throw refusal;
            }
            return true;
        }
    }

    @Test
    void aDirectoryThatTheTargetBranchLacksIsSaid() {
        TestRepository repository = TestRepository.create(directory, Map.of("services/a/A.java", "class A {}"));
        assertThat(check(builder(repository.url()).git(git -> git.sparseDirectories("services/a")))
                        .findings())
                .noneMatch(finding -> finding.detail().contains("sparse"));
        assertThat(check(builder(repository.url()).git(git -> git.sparseDirectories("services/b")))
                        .findings())
                .anySatisfy(finding -> {
                    assertThat(finding.subject()).isEqualTo(Subject.REPOSITORY);
                    assertThat(finding.status()).isEqualTo(Status.FAILED);
                    assertThat(finding.detail()).contains("has no directory 'services/b'");
                });
    }

    @Test
    void aProjectThatIsReady() {
        TestRepository repository = TestRepository.create(directory, Map.of("Makefile", "test:\n"));
        CheckReport report = check(builder(repository.url())
                .coderModel(new LookedUp("claude-sonnet-5", null))
                .testCommand("sh ./test.sh"));

        assertThat(report.passed()).as(report.toString()).isTrue();
        assertThat(report.findings())
                .extracting(CheckReport.Finding::subject)
                .containsExactly(
                        Subject.REPOSITORY,
                        Subject.PUSH,
                        Subject.TARGET_BRANCH,
                        Subject.FORGE,
                        Subject.CODER,
                        Subject.ARCHITECT,
                        Subject.PRICES,
                        Subject.ENVIRONMENT,
                        Subject.TEST_COMMAND,
                        Subject.TOOLS);
        assertThat(report.findings())
                .filteredOn(finding -> finding.status() != Status.OK)
                .extracting(CheckReport.Finding::subject)
                .containsExactly(Subject.TARGET_BRANCH);
        assertThat(report.toString()).contains("OK TEST_COMMAND: sh ./test.sh");
        assertThat(report.toString()).containsPattern("OK TOOLS: \\d+ tools of Maestro$");
        assertThat(repository.git("branch", "--list").strip()).isEqualTo("* main");
    }

    @Test
    void programsAreNotLookedForWhereTheHostsExecutorRunsThem() {
        TestRepository repository = TestRepository.create(directory, Map.of("Makefile", "test:\n"));
        Map<Subject, CheckReport.Finding> found = bySubject(check(builder(repository.url())
                .executor(workspace -> LocalExecutor.builder(workspace).build())
                .testCommand("only-there --all")));
        assertThat(found.get(Subject.TEST_COMMAND).status()).isEqualTo(Status.UNKNOWN);
        assertThat(found.get(Subject.ENVIRONMENT).detail()).contains("host's executor");
    }

    @Test
    void aRepositoryThatIsNotThereIsAFindingLikeOthers() {
        Map<Subject, CheckReport.Finding> found =
                bySubject(check(builder(directory.resolve("no.git").toString())));

        assertThat(found.get(Subject.REPOSITORY).status()).isEqualTo(Status.FAILED);
        assertThat(found.get(Subject.REPOSITORY).detail()).contains("no.git", "git init --bare");
        assertThat(found.get(Subject.PUSH).status()).isEqualTo(Status.UNKNOWN);
        assertThat(found.get(Subject.TOOLS).status()).isEqualTo(Status.OK);
    }

    @Test
    void aTargetBranchThatIsNotThereIsSaid() {
        TestRepository repository = TestRepository.create(directory, Map.of("a", "b"));
        CheckReport report = check(builder(repository.url()).git(git -> git.targetBranch("release")));

        assertThat(report.passed()).isFalse();
        assertThat(bySubject(report).get(Subject.REPOSITORY).detail()).contains("release", "main");
    }

    @Test
    void modelsAndPricesAreLookedAt() {
        TestRepository repository = TestRepository.create(directory, Map.of("a", "b"));
        Map<Subject, CheckReport.Finding> found = bySubject(check(builder(repository.url())
                .coderModel(new LookedUp("nobodys-model", new LlmException("no such model", null)))
                .architectModel(
                        new LookedUp("claude-sonnet-5", new LlmUnavailableException("overloaded", null, null)))));

        assertThat(found.get(Subject.CODER).status()).isEqualTo(Status.FAILED);
        assertThat(found.get(Subject.CODER).detail()).isEqualTo("no such model");
        assertThat(found.get(Subject.ARCHITECT).status()).isEqualTo(Status.WARNING);
        assertThat(found.get(Subject.PRICES).status()).isEqualTo(Status.WARNING);
        assertThat(found.get(Subject.PRICES).detail()).contains("nobodys-model").doesNotContain("sonnet");
        assertThat(bySubject(check(builder(repository.url())))
                        .get(Subject.CODER)
                        .status())
                .isEqualTo(Status.UNKNOWN);
    }

    /** As a story would fail. */
    @Test
    void aServerThatWasNeverReachedFails() {
        TestRepository repository = TestRepository.create(directory, Map.of("a", "b"));
        CheckReport report = check(builder(repository.url())
                .coderModel(AnthropicClient.builder("claude-sonnet-5")
                        .apiKey("key-of-a-test")
                        .baseUrl(URI.create("https://api.invalid"))
                        .build())
                .forge(HostedForge.gitHub()
                        .repository("acme/shop")
                        .baseUrl(URI.create("http://127.0.0.1:1"))
                        .token(() -> "token-of-a-test")
                        .build()));

        assertThat(report.passed()).isFalse();
        Map<Subject, CheckReport.Finding> found = bySubject(report);
        assertThat(found.get(Subject.CODER).toString())
                .startsWith(
                        "FAILED CODER: claude-sonnet-5: the service at https://api.invalid cannot be reached: the host"
                                + " name does not resolve; check the base URL (ANTHROPIC_BASE_URL)");
        assertThat(found.get(Subject.FORGE).toString())
                .startsWith(
                        "FAILED FORGE: the forge at http://127.0.0.1:1 cannot be reached: the connection is refused");
        assertThat(found.get(Subject.TARGET_BRANCH).status()).isEqualTo(Status.OK);
    }

    @Test
    void toolsOfOthersAreNamedWithTheirClass() {
        TestRepository repository = TestRepository.create(directory, Map.of("a", "b"));
        assertThat(bySubject(check(builder(repository.url()).tool(new OneTool())))
                        .get(Subject.TOOLS)
                        .detail())
                .contains(" tools of Maestro and ticket_read of " + OneTool.class.getName() + " in ");
    }

    /** A tool of the host's. */
    private static final class OneTool implements ToolFactory {
        @Override
        public ToolDefinition definition() {
            return ToolDefinition.builder("ticket_read").description("d").build();
        }

        @Override
        public Tool create(ToolContext context) {
            throw new AssertionError("a check calls no tool");
        }
    }

    @Test
    void aProgramIsLookedForOnlyWhereItRunsHere() {
        TestRepository repository = TestRepository.create(directory, Map.of("a", "b"));
        ScriptedCoderMode mode =
                new ScriptedCoderMode(ScriptedLlm.builder("unused").build());
        MaestroBuilder builder = builder(repository.url()).coderMode(mode);
        assertThat(bySubject(check(builder)).get(Subject.CODER).detail())
                .isEqualTo("the program of 'scripted' was not looked for");
        mode.found = executor -> executor.map(here -> "version 1 in " + here.workingDirectory());
        assertThat(bySubject(check(builder)).get(Subject.CODER).detail())
                .isEqualTo("version 1 in " + directory.resolve("project") + ", whose service was not asked");
        mode.found = executor -> {
            throw new MaestroException("no such program");
        };
        assertThat(bySubject(check(builder)).get(Subject.CODER).toString()).isEqualTo("FAILED CODER: no such program");
        mode.found = executor -> executor.map(here -> "looked for on the wrong machine");
        assertThat(bySubject(check(builder.executor(
                                workspace -> LocalExecutor.builder(workspace).build())))
                        .get(Subject.CODER)
                        .detail())
                .isEqualTo(
                        "the program of 'scripted' was not looked for, as it runs where the commands of a story run");
    }

    @Test
    void theTestCommandIsLookedFor() {
        TestRepository repository = TestRepository.create(directory, Map.of("README.md", "r", "docs/Makefile", "m"));
        assertThat(bySubject(check(builder(repository.url())))
                        .get(Subject.TEST_COMMAND)
                        .status())
                .as("no build file in the root")
                .isEqualTo(Status.WARNING);

        CheckReport report = check(builder(repository.url()).testCommand("no-such-program-4711 --all"));
        assertThat(report.passed()).isFalse();
        assertThat(bySubject(report).get(Subject.TEST_COMMAND).toString())
                .contains("no-such-program-4711", "FAILED", "testCommand");
        assertThat(bySubject(check(builder(repository.url()).testCommand("cd . && no-such-program-4711")))
                        .get(Subject.TEST_COMMAND)
                        .status())
                .isEqualTo(Status.FAILED);
        assertThat(bySubject(check(builder(repository.url())
                                .commands(commands -> commands.setup("true"))
                                .testCommand("no-such-program-4711 --all")))
                        .get(Subject.TEST_COMMAND)
                        .status())
                .as("setting up may install it")
                .isEqualTo(Status.WARNING);
        assertThat(bySubject(check(builder(repository.url())
                                .commands(commands -> commands.setup("no-such-program-4711"))
                                .testCommand("true")))
                        .get(Subject.TEST_COMMAND)
                        .status())
                .isEqualTo(Status.FAILED);

        repository.commit("build", Map.of("mvnw", "x"));
        assertThat(bySubject(check(builder(repository.url())))
                        .get(Subject.TEST_COMMAND)
                        .detail())
                .isEqualTo("sh ./mvnw -B -ntp verify");
    }
}
