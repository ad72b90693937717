package io.maestro.builtin.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.exec.local.LocalExecutor;
import io.maestro.project.internal.ProjectTests;
import io.maestro.project.internal.ProjectTests.TestVerdict;
import io.maestro.runtime.ToolPolicy;
import io.maestro.runtime.ToolRule;
import io.maestro.runtime.internal.WorkspaceView;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolResult;
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
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommandToolsTest {
    @TempDir
    Path directory;

    private ToolBench bench;

    @BeforeEach
    void open() throws IOException {
        bench = new ToolBench(directory);
    }

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    void theShellTellsExitCodeAndBothStreams() throws IOException {
        bench.file("sub/x", "");
        ToolResult result = bench.call("shell", "cmd", "pwd; ls; echo oops >&2; exit 127", "cwd", "sub");
        assertThat(result.text())
                .isEqualTo("exit code 127\n--- stdout ---\n" + bench.workspace.resolve("sub")
                        + "\nx\n--- stderr ---\noops");
        // A command that fails is an answer, not a failure of the tool.
        assertThat(result.isError()).isFalse();
        assertThat(result.exitCode()).hasValue(127);
        assertThat(bench.record.last().exitCode()).isEqualTo(127);
        assertThat(bench.record.last().result()).contains("oops");

        assertThat(bench.call("shell", "cmd", "true", "cwd", "").text()).isEqualTo("exit code 0");
        // Standard input is at its end.
        assertThat(bench.call("shell", "cmd", "cat").text()).isEqualTo("exit code 0");
    }

    @Test
    void whatIsForATerminalReachesNoModel() {
        String colours = "printf 'a\\033[31mred\\033[0m\\000\\tb\\033]0;title\\007\\r\\n'";
        assertThat(bench.call("shell", "cmd", colours).text()).isEqualTo("exit code 0\n--- stdout ---\nared\tb");
        assertThat(tests("printf '\\033[1mgood\\033[0m\\n'", Duration.ofSeconds(30))
                        .summary())
                .contains("--- stdout ---\ngood\n");
    }

    /** In the background, too. */
    @ParameterizedTest
    @CsvSource({
        "src/../secrets, refused",
        "./secrets, refused",
        "secrets/, refused",
        "src/up, 'a symbolic link or no directory'",
        "{}/secrets, is absolute",
        "/proc/self/cwd/secrets, is absolute",
        "../coder-001/secrets, leads out of the workspace"
    })
    void theShellRunsInTheDirectoryThatARuleDecidesOn(String path, String reason) throws IOException {
        try (ToolBench ruled = new ToolBench(
                directory,
                ToolPolicy.byRules(List.of(
                        ToolRule.of("shell").argumentGlob("cwd", "secrets").deny("refused"))))) {
            ruled.file("secrets/key", "secret");
            Files.createDirectories(ruled.path("src"));
            Files.createSymbolicLink(ruled.path("src/up"), Path.of("../secrets"));
            for (boolean background : new boolean[] {false, true}) {
                ToolResult result = ruled.call(
                        "shell",
                        "cmd",
                        "cat key",
                        "cwd",
                        path.replace("{}", ruled.workspace.toString()),
                        "background",
                        background);
                assertThat(result.isError()).isTrue();
                assertThat(result.text()).contains(reason);
            }
            assertThat(ruled.call("shell", "cmd", "pwd", "cwd", "x/.././src/").text())
                    .endsWith(ruled.workspace.resolve("src").toString());
        }
    }

    @Test
    void theShellStopsAtItsLimitAndKeepsTheOutput() {
        ToolResult result = bench.call("shell", "cmd", "echo begun; exec sleep 60", "timeout_seconds", 1);
        assertThat(result.text()).isEqualTo("killed after 1 s; this is the output so far\n--- stdout ---\nbegun");
        assertThat(result.isError()).isTrue();
        assertThat(result.exitCode()).isEmpty();
    }

    @Test
    void theShellBoundsItsOutput() {
        ToolResult result = bench.call("shell", "cmd", "echo first; yes | head -c 100000; echo; echo last");
        assertThat(result.text())
                .startsWith("exit code 0\n--- stdout ---\nfirst")
                .endsWith("last")
                .contains("left out");
        assertThat(result.text().length()).isLessThan(26_000);
    }

    @Test
    void theShellExplainsWhatItCannotRun() {
        assertThat(bench.call("shell", "cmd", "true", "cwd", "none").text()).contains("there is no such directory");
        assertThat(bench.call("shell", "cmd", " ").isError()).isTrue();
        assertThat(bench.call("shell", "cmd", "true\0").isError()).isTrue();
        assertThat(bench.call("shell", "cmd", "true", "timeout_seconds", 86_401).text())
                .contains("timeout_seconds");
        assertThat(bench.call("shell", "cmd", "true", "timeout_seconds", 0).isError())
                .isTrue();
        assertThat(bench.callAs(ToolAudience.ARCHITECT, "shell", "cmd", "true").isError())
                .isTrue();
    }

    private ProjectTests.TestReport tests(String command, Duration limit) {
        return new ProjectTests(null, command, limit)
                .run(LocalExecutor.builder(bench.workspace).build(), bench.workspace);
    }

    @Test
    void testsPassOnlyWithExitCodeZero() {
        ProjectTests.TestReport passed = tests("echo 3 tests; echo note >&2", Duration.ofSeconds(30));
        assertThat(passed.passed()).isTrue();
        assertThat(passed.headline()).isEqualTo("tests passed: echo 3 tests; echo note >&2");
        assertThat(passed.summary()).isEqualTo(passed.headline() + "\n--- stdout ---\n3 tests\n--- stderr ---\nnote");
        assertThat(passed.exitCode()).hasValue(0);

        ProjectTests.TestReport failed = tests("echo 1 failure; exit 3", Duration.ofSeconds(30));
        assertThat(failed.passed()).isFalse();
        assertThat(failed.headline()).isEqualTo("tests failed with exit code 3: echo 1 failure; exit 3");
        assertThat(failed.summary()).contains("1 failure");
        assertThat(failed.exitCode()).hasValue(3);

        assertThat(failed.verdict()).isEqualTo(TestVerdict.FAILED);
        // Killed by a signal, as by the system when memory is short.
        assertThat(tests("kill -9 $$", Duration.ofSeconds(30)).passed()).isFalse();
    }

    /** A program, a target or a script that is not there, and tests that are not there. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "no-such-command-here",
                "touch f; chmod 644 f; ./f",
                "make -f /dev/null test",
                "echo 'npm error Missing script: \"test\"' >&2; exit 1",
                "echo 'Error: no test specified'; exit 1",
                "echo '/usr/bin/python3: No module named pytest' >&2; exit 1",
                "pytest() { return 5; }; pytest",
            })
    void testsThatCannotBeRunAreNoFailures(String command) {
        ProjectTests.TestReport report = tests(command, Duration.ofSeconds(30));
        int code = report.exitCode().orElse(-1);
        assertThat(report.verdict())
                .as(report.summary())
                .isEqualTo(code == 126 || code == 127 ? TestVerdict.NO_PROGRAM : TestVerdict.CANNOT_RUN);
        assertThat(report.passed()).isFalse();
        assertThat(report.headline()).startsWith("tests cannot be run (exit code ");
    }

    /** The programs may not be here: what counts is which one is tried. */
    @ParameterizedTest
    @CsvSource({
        "pnpm-lock.yaml package-lock.json, pnpm install --frozen-lockfile",
        "yarn.lock, yarn install --frozen-lockfile",
        "requirements.txt pom.xml,",
    })
    void aLockFileSuggestsHowToPrepare(String files, String command) throws IOException {
        for (String file : files.split(" ")) {
            bench.file(file, "no list");
        }
        ProjectTests tests = new ProjectTests(null, "true", Duration.ofSeconds(30));
        Optional<String> tried = tests.setup(
                        LocalExecutor.builder(bench.workspace).build(), bench.workspace)
                .map(ProjectTests.TestReport::headline);
        if (command == null) {
            assertThat(tried).isEmpty();
        } else {
            assertThat(tried).hasValueSatisfying(line -> assertThat(line).endsWith(": " + command));
        }
    }

    @Test
    void whatHasFailedStandsBeforeTheOutput() {
        ProjectTests.TestReport report =
                tests("echo a log; echo '--- FAIL: TestTax (0.00s)'; exit 1", Duration.ofSeconds(30));
        assertThat(report.failures()).containsExactly("TestTax");
        assertThat(report.summary())
                .startsWith(report.headline() + "\n--- failed tests (1) ---\nTestTax\n--- stdout ---\na log");
    }

    @Test
    void testsThatTakeTooLongHaveNotPassed() {
        ProjectTests.TestReport report = tests("echo begun; sleep 60", Duration.ofSeconds(1));
        assertThat(report.passed()).isFalse();
        assertThat(report.headline()).isEqualTo("tests were killed after 1 s: echo begun; sleep 60");
        assertThat(report.summary()).contains("begun");
        assertThat(report.exitCode()).isEmpty();
    }

    @Test
    void cancelledTestsHaveNotPassed() {
        Thread.currentThread().interrupt();
        ProjectTests.TestReport report = tests("true", Duration.ofSeconds(30));
        assertThat(Thread.interrupted()).isTrue();
        assertThat(report.passed()).isFalse();
        assertThat(report.headline()).isEqualTo("tests were cancelled: true");
        assertThat(report.exitCode()).isEmpty();
    }

    @Test
    void aProjectWithoutTestsPassesAndSaysWhy() throws IOException {
        Files.createDirectory(bench.workspace.resolve("pom.xml"));
        Files.createSymbolicLink(bench.workspace.resolve("Makefile"), Path.of("pom.xml"));
        ProjectTests.TestReport report = tests(null, Duration.ofSeconds(30));
        assertThat(report.passed()).isTrue();
        assertThat(report.exitCode()).isEmpty();
        assertThat(report.summary())
                .startsWith("no tests were run: no test command is set")
                .contains("pom.xml", "Makefile");
    }

    /** The commands do not exist here, or find no project: what counts is which one is tried. */
    @ParameterizedTest
    @CsvSource({
        "mvnw pom.xml, sh ./mvnw -B -ntp verify",
        "gradlew build.gradle, sh ./gradlew --no-daemon check",
        "gradlew package.json Makefile, sh ./gradlew --no-daemon check",
        "go.mod Makefile, go test ./...",
        "Makefile, make test"
    })
    void theFirstBuildFileDecides(String files, String command) throws IOException {
        for (String file : files.split(" ")) {
            bench.file(file, "exit 1\n");
        }
        assertThat(tests(null, Duration.ofSeconds(30)).headline())
                .startsWith("tests ")
                .endsWith(": " + command);
    }

    @Test
    void aCommandThatTheHostHasSetWins() throws IOException {
        bench.file("Makefile", "test:\n\tfalse\n");
        assertThat(tests("true", Duration.ofSeconds(30)).passed()).isTrue();
    }

    @Test
    void theTestToolRunsThemInTheWorkspace() throws IOException {
        bench.services.put(ProjectTests.class, new ProjectTests(null, "cat result; exit 1", Duration.ofSeconds(30)));
        bench.file("result", "2 failures");
        ToolResult result = bench.call("test");
        assertThat(result.text()).startsWith("tests failed with exit code 1").contains("2 failures");
        assertThat(result.isError()).isFalse();
        assertThat(result.exitCode()).hasValue(1);
        assertThat(bench.callAs(ToolAudience.CODER_PLANNING, "test").isError()).isTrue();

        bench.services.remove(ProjectTests.class);
        assertThat(bench.call("test").text()).contains("there is nothing that runs commands of a project here");
    }

    @Test
    void theDiffIsThatOfOnesOwnWorkspace() {
        assertThat(bench.call("get_diff").text()).isEqualTo("there is no difference");
        assertThat(bench.diffAsked).isEqualTo("coder-001 null 1 1000000");
        bench.diff = "+new";
        assertThat(bench.call("get_diff", "path", "src", "first_line", 20).text())
                .isEqualTo("+new");
        assertThat(bench.diffAsked).isEqualTo("coder-001 src 20 1000000");
        bench.diff = "+".repeat(1_000_000);
        assertThat(bench.call("get_diff").text()).as("all of a page arrives").isEqualTo(bench.diff);
        assertThat(bench.call("get_diff", "coder_id", "coder-001").isError()).isFalse();
        assertThat(bench.call("get_diff", "coder_id", "coder-002").text())
                .isEqualTo("you can only look at your own workspace; leave coder_id out");
    }

    @Test
    void theArchitectLooksAtTheCoderThatWaitsOrAnother() throws IOException {
        bench.file("a", "1");
        assertThat(bench.callAs(ToolAudience.ARCHITECT, "read_file", "path", "a")
                        .text())
                .isEqualTo("1");
        assertThat(bench.callAs(ToolAudience.ARCHITECT, "read_file", "path", "a", "coder_id", "coder-001")
                        .text())
                .isEqualTo("1");
        for (String id : new String[] {"coder-002", "..", "../coder-001", "/"}) {
            assertThat(bench.callAs(ToolAudience.ARCHITECT, "read_file", "path", "a", "coder_id", id)
                            .text())
                    .isEqualTo("no coder '" + id + "' is at work; there are [coder-001]");
        }
        bench.waiting = "coder-009";
        assertThat(bench.callAs(ToolAudience.ARCHITECT, "list_files").isError()).isTrue();

        bench.services.remove(WorkspaceView.class);
        assertThat(bench.call("read_file", "path", "a").text()).isEqualTo("there are no workspaces to look at here");
    }

    @ParameterizedTest
    @CsvSource({
        "CODER_PLANNING, submit_plan, plan",
        "CODER_PLANNING, story_complete, reason",
        "CODER_PLANNING, ask_question, question",
        "CODER_CODING, ask_question, question",
        "CODER_CODING, done, summary",
        "CODER_PLANNING, report_blocked, reason",
        "CODER_CODING, report_blocked, reason",
        "ARCHITECT, submit_reply, message"
    })
    void aTerminalToolPassesItsArgumentOn(ToolAudience audience, String tool, String argument) {
        ToolResult result = bench.callAs(audience, tool, argument, "text");
        assertThat(result.isError()).isFalse();
        assertThat(result.text()).isNotBlank();
        assertThat(result.signal().orElseThrow().name()).isEqualTo(tool);
        assertThat(result.signal().orElseThrow().data()).isEqualTo(Map.of(argument, "text"));

        ToolResult missing = bench.callAs(audience, tool);
        assertThat(missing.isError()).isTrue();
        assertThat(missing.signal()).isEmpty();
        assertThat(bench.callAs(audience, tool, argument, "").signal()).isEmpty();
    }

    @Test
    void aReviewEndsWithOneOfThreeDecisions() {
        ToolResult result = bench.callAs(
                ToolAudience.ARCHITECT, "review_complete", "decision", "NEEDS_CHANGES", "feedback", "Add a test");
        assertThat(result.signal().orElseThrow().data())
                .isEqualTo(Map.of("decision", "NEEDS_CHANGES", "feedback", "Add a test"));
        assertThat(bench.callAs(ToolAudience.ARCHITECT, "review_complete", "decision", "MAYBE", "feedback", "x")
                        .signal())
                .isEmpty();
        assertThat(bench.callAs(ToolAudience.ARCHITECT, "review_complete", "decision", "APPROVED")
                        .signal()
                        .orElseThrow()
                        .data())
                .isEqualTo(Map.of("decision", "APPROVED"));
        for (String decision : List.of("NEEDS_CHANGES", "REJECTED")) {
            assertThat(bench.callAs(ToolAudience.ARCHITECT, "review_complete", "decision", decision, "feedback", " "))
                    .satisfies(answer -> assertThat(answer.signal()).isEmpty())
                    .extracting(ToolResult::text)
                    .asString()
                    .contains("$.feedback: must not be blank");
        }
        assertThat(bench.call("review_complete", "decision", "APPROVED", "feedback", "my own")
                        .isError())
                .isTrue();
    }
}
