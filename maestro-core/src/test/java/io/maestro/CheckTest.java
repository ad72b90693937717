package io.maestro;

import static org.assertj.core.api.Assertions.assertThat;

import io.maestro.CheckReport.Status;
import io.maestro.CheckReport.Subject;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmException;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.llm.LlmUnavailableException;
import io.maestro.testkit.ScriptedLlm;
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
                .discoverTools(false)
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
        assertThat(repository.git("branch", "--list").strip()).isEqualTo("* main");
    }

    @Test
    void programsAreNotLookedForWhereTheHostsExecutorRunsThem() {
        TestRepository repository = TestRepository.create(directory, Map.of("Makefile", "test:\n"));
        Map<Subject, CheckReport.Finding> found = bySubject(check(builder(repository.url())
                .executor(workspace -> LocalExecutor.builder(workspace).build())
                .testCommand("only-there --all")));
        assertThat(found.get(Subject.TEST_COMMAND).status()).isEqualTo(Status.OK);
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
        CheckReport report = check(builder(repository.url()).targetBranch("release"));

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

        repository.commit("build", Map.of("mvnw", "x"));
        assertThat(bySubject(check(builder(repository.url())))
                        .get(Subject.TEST_COMMAND)
                        .detail())
                .isEqualTo("sh ./mvnw -B -ntp verify");
    }
}
