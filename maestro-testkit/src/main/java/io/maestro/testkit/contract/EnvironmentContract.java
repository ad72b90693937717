package io.maestro.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.environment.Environment;
import io.maestro.environment.Environments;
import io.maestro.environment.Equipment;
import io.maestro.environment.ImageCheck;
import io.maestro.environment.Phase;
import io.maestro.environment.Workplace;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import io.maestro.tools.ToolFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The promises of {@link Environments} and {@link Environment} as tests; a subclass says which ones. Commands use the POSIX
 * shell and its utilities only. {@link ExecutorContract} tests the executor by itself.
 */
@Timeout(300)
public abstract class EnvironmentContract {
    /** The project directory; the workspaces are below. */
    protected Path project;

    /** The environments under test, after {@link Environments#endLeftovers}. */
    protected Environments environments;

    private static final Equipment KEEPS = new Equipment(true, Optional.empty(), false);

    private Path workspace;

    /** For subclasses. */
    protected EnvironmentContract() {}

    /**
     * Opens the environments of one session of a project.
     *
     * @param directory the project directory; the same one at a second call, when the first ones are closed
     * @return closed by the contract
     */
    protected abstract Environments open(Path directory);

    /**
     * Prepares a directory of this machine that commands are to read and write, where that takes more than this user's rights.
     *
     * @param directory a workspace or a checkout
     */
    protected void share(Path directory) {}

    @BeforeEach
    void makeProject(@TempDir Path directory) throws IOException {
        project = directory.toRealPath();
        workspace = directory("coder-001");
        environments = open(project);
        environments.endLeftovers(Map.of());
    }

    @AfterEach
    void closeEnvironments() {
        environments.close();
    }

    /** A directory as an agent's clone is one, with a file. */
    private Path directory(String name) throws IOException {
        Path made = Files.createDirectories(project.resolve(name));
        Files.createDirectories(made.resolve(".git"));
        Files.writeString(made.resolve("name.txt"), name);
        share(made);
        return made;
    }

    private Workplace place(Equipment equipment) {
        return new Workplace("coder-001", "042", 1, workspace, List.of(), equipment);
    }

    private Environment entered(Phase phase) {
        Environment environment = environments.open(place(Equipment.NONE));
        environment.enter(phase);
        return environment;
    }

    private static String sh(Executor executor, String line) {
        ExecResult result = executor.run(
                ExecRequest.shell(line).timeLimit(Duration.ofSeconds(60)).build());
        assertThat(result.exitCode()).as(line + ": " + result.stderr().text()).hasValue(0);
        return result.stdout().text().strip();
    }

    @Test
    void commandsRunInTheWorkspace() {
        try (Environment environment = entered(Phase.CODING)) {
            assertThat(sh(environment.executor(), "cat name.txt")).isEqualTo("coder-001");
            assertThat(sh(environment.executor(), "pwd"))
                    .isEqualTo(environment.executor().workingDirectory());
            assertThat(sh(environment.executor(), "echo made > made.txt && cat made.txt"))
                    .isEqualTo("made");
        }
    }

    @Test
    void aDirectoryIsFoundWhereItSaysItIs() {
        try (Environment environment = entered(Phase.CODING)) {
            String there = environment.locate(workspace);
            assertThat(there).startsWith("/");
            assertThat(sh(environment.executor(), "cat '" + there + "/name.txt'"))
                    .isEqualTo("coder-001");
        }
    }

    @Test
    void thereIsOneExecutorForAllPhases() {
        try (Environment environment = entered(Phase.PLANNING)) {
            Executor executor = environment.executor();
            assertThat(sh(executor, "cat name.txt")).isEqualTo("coder-001");
            environment.enter(Phase.CODING);
            environment.enter(Phase.CODING);
            assertThat(environment.executor()).isSameAs(executor);
            assertThat(sh(executor, "cat name.txt && echo made > made.txt")).isEqualTo("coder-001");
            environment.enter(Phase.PLANNING);
            assertThat(sh(environment.executor(), "cat made.txt")).isEqualTo("made");
        }
    }

    @Test
    void itCanBeUsedWithoutBeingEnteredAgainAfterAFailure() {
        try (Environment environment = entered(Phase.CODING)) {
            ExecResult failed =
                    environment.executor().run(ExecRequest.shell("kill -9 $$").build());
            assertThat(failed.succeeded()).isFalse();
            assertThat(sh(environment.executor(), "cat name.txt")).isEqualTo("coder-001");
        }
    }

    @Test
    void anotherAgentHasAWorkspaceOfItsOwn() throws IOException {
        Workplace other = new Workplace("coder-002", "043", 1, directory("coder-002"), List.of());
        try (Environment first = entered(Phase.CODING);
                Environment second = environments.open(other)) {
            second.enter(Phase.CODING);
            assertThat(sh(first.executor(), "cat name.txt")).isEqualTo("coder-001");
            assertThat(sh(second.executor(), "cat name.txt")).isEqualTo("coder-002");
        }
    }

    @Test
    void testsSeeTheCheckoutAndNothingThatTheAgentHasLeftAtHome() throws IOException {
        Path checkout = directory("checkout");
        try (Environment environment = entered(Phase.CODING)) {
            String seen = environment.runFresh(
                    checkout, null, executor -> sh(executor, "cat name.txt; ls -A \"$HOME\"; touch \"$HOME\"/left"));
            assertThat(seen).isEqualTo("checkout");
            assertThat(environment.<String>runFresh(checkout, null, executor -> sh(executor, "ls -A \"$HOME\"")))
                    .isEmpty();
        }
    }

    @Test
    void whatTestsThrowArrives() throws IOException {
        Path checkout = directory("checkout");
        IllegalStateException thrown = new IllegalStateException("seen enough");
        try (Environment environment = entered(Phase.CODING)) {
            assertThatThrownBy(() -> environment.runFresh(checkout, null, executor -> {
                        throw thrown;
                    }))
                    .isSameAs(thrown);
            assertThat(sh(environment.executor(), "cat name.txt")).isEqualTo("coder-001");
        }
    }

    @Test
    void thereIsStateWhereItIsAskedFor() {
        try (Environment without = environments.open(place(Equipment.NONE))) {
            assertThat(without.stateDirectory()).isEmpty();
            assertThat(without.socketDirectory()).isEmpty();
            assertThat(without.programDirectory()).isEmpty();
        }
        try (Environment first = keeping(1)) {
            keep(first, "kept");
            first.enter(Phase.PLANNING);
            assertThat(kept(first)).isEqualTo("kept");
        }
    }

    /** As when a story waits for a person: another environment of the same attempt goes on later. */
    @Test
    void whatAnAttemptKeepsOutlastsItsEnvironmentUntilItIsRemoved() {
        try (Environment first = keeping(1)) {
            keep(first, "first");
        }
        Environment second = keeping(1);
        assertThat(kept(second)).isEqualTo("first");
        second.close();
        second.remove();
        second.remove();
        Environment third = keeping(1);
        assertThat(kept(third)).isEmpty();
        keep(third, "third");
        third.remove();
        try (Environment last = keeping(1)) {
            assertThat(kept(last)).isEmpty();
        }
    }

    /** As when the host is shut down in the middle of the work, and started again. */
    @Test
    void whatAnAttemptKeepsOutlastsTheSessionUntilItIsRemoved() {
        keep(keeping(1), "first");
        again(Map.of("041", 3, "042", 1));
        Environment second = keeping(1);
        keep(second, kept(second) + " and second");
        again(Map.of("042", 1));
        assertThat(kept(keeping(1))).isEqualTo("first and second");
        again(Map.of("042", 1));
        // It has ended before it was entered again, as when it is cancelled.
        environments.open(place(KEEPS)).remove();
        again(Map.of("042", 1));
        assertThat(kept(keeping(1))).isEmpty();
    }

    /** The attempt has ended, or nobody knows of it. */
    @Test
    void whatBelongsToNoOpenAttemptIsRemovedWhenASessionBegins() {
        for (Map<String, Integer> open : List.of(Map.<String, Integer>of(), Map.of("042", 2), Map.of("043", 1))) {
            keep(keeping(1), "left");
            again(open);
            assertThat(kept(keeping(1))).as("while %s are open", open).isEmpty();
        }
    }

    @Test
    void anotherAttemptFindsNothingAndLosesNothingByTheEndOfThisOne() {
        Environment first = keeping(1);
        keep(first, "first");
        first.close();
        try (Environment second = keeping(2)) {
            assertThat(kept(second)).isEmpty();
            keep(second, "second");
            first.remove();
            assertThat(kept(second)).isEqualTo("second");
        }
    }

    private Environment keeping(int attempt) {
        Environment environment =
                environments.open(new Workplace("coder-001", "042", attempt, workspace, List.of(), KEEPS));
        environment.enter(Phase.CODING);
        return environment;
    }

    private static void keep(Environment environment, String text) {
        sh(
                environment.executor(),
                "echo '" + text + "' > '" + environment.stateDirectory().orElseThrow() + "/session'");
    }

    private static String kept(Environment environment) {
        String file = environment.stateDirectory().orElseThrow() + "/session";
        return sh(environment.executor(), "[ ! -e '" + file + "' ] || cat '" + file + "'");
    }

    /** The next session of the project. */
    private void again(Map<String, Integer> openAttempts) {
        environments.close();
        environments = open(project);
        environments.endLeftovers(openAttempts);
    }

    @Test
    void anImageThatIsNotThereDoesNotPassOrIsNone() {
        try (Environment environment = entered(Phase.CODING)) {
            ImageCheck check = environment.check("sha256:" + "0".repeat(64), workspace);
            assertThat(check.report()).isNotBlank();
            if (environments.isolates()) {
                assertThat(check.passed()).isFalse();
            }
        }
    }

    @Test
    void theWorkspaceOutlastsTheEnvironment() {
        try (Environment first = entered(Phase.CODING)) {
            sh(first.executor(), "echo made > made.txt");
        }
        try (Environment second = entered(Phase.CODING)) {
            assertThat(sh(second.executor(), "cat made.txt")).isEqualTo("made");
        }
    }

    @Test
    void closingTwiceIsNoFault() {
        Environment environment = entered(Phase.CODING);
        environment.close();
        environment.close();
        entered(Phase.CODING);
        environments.close();
        environments.close();
        try (Environments next = open(project)) {
            next.endLeftovers(Map.of("042", 1));
            try (Environment again = next.open(place(Equipment.NONE))) {
                again.enter(Phase.CODING);
                assertThat(sh(again.executor(), "cat name.txt")).isEqualTo("coder-001");
            }
        }
    }

    @Test
    void toolsHaveNamesOfTheirOwnAndWhatTheyAskFor() {
        assertThat(environments.tools().stream()
                        .map(ToolFactory::definition)
                        .map(definition -> definition.name())
                        .toList())
                .doesNotHaveDuplicates();
        environments.services().forEach((type, service) -> assertThat(service).isInstanceOf(type));
    }
}
