package io.maestro.builtin.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.maestro.exec.ExecResult;
import io.maestro.project.internal.ProjectCommands;
import io.maestro.project.internal.ProjectTests;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProjectCommandToolTest {
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

    private void set(String build) {
        bench.services.put(
                ProjectTests.class,
                new ProjectTests(new ProjectCommands(null, build, build, build, Duration.ofSeconds(30))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"build", "lint"})
    void aTargetOfARealMakefileIsRun(String tool) throws IOException {
        bench.file("Makefile", tool + ":\n\t@echo made; echo note >&2; echo last\n");
        ToolResult passed = bench.call(tool);
        assertThat(passed.text()).isEqualTo(tool + " passed: make " + tool + "\n--- output ---\nmade\nnote\nlast");
        assertThat(passed.exitCode()).hasValue(0);

        bench.file("Makefile", tool + ":\n\t@echo 'src/a.c:3:5: error: no such thing'; exit 3\n");
        ToolResult failed = bench.call(tool);
        assertThat(failed.text())
                .startsWith(tool + " failed with exit code 2: make " + tool
                        + "\n--- errors (1) ---\nsrc/a.c:3:5: error: no such thing\n--- output ---\n");
        assertThat(failed.exitCode()).hasValue(2);
        assertThat(bench.record.last().exitCode()).isEqualTo(2);
        assertThat(bench.callAs(ToolAudience.CODER_PLANNING, tool).isError()).isTrue();
    }

    @Test
    void aScriptOfARealPackageIsRunInItsDirectory() throws IOException {
        assumeTrue(bench.call("shell", "cmd", "command -v npm").exitCode().orElse(1) == 0, "npm is not here");
        bench.file("web/ui/package.json", "{\"scripts\": {\"build\": \"node -p '6*7' && exit 4\"}}");
        ToolResult result = bench.call("build", "directory", "web/ui/");
        assertThat(result.text())
                .startsWith("build failed with exit code 4: npm run build (in web/ui)\n")
                .contains("\n42");
        assertThat(result.exitCode()).hasValue(4);
        assertThat(Files.exists(bench.path("web/ui/package-lock.json"))).isFalse();
    }

    @Test
    void whereNothingCanBeRunTheAnswerSaysWhatToSetAndWhereElseToLook() throws IOException {
        bench.file("ui/package.json", "{\"scripts\": {\"lint\": \"true\"}}");
        for (String tool : new String[] {"build", "lint", "test"}) {
            ToolResult result = bench.call(tool);
            assertThat(result.text())
                    .startsWith("nothing was run: no " + tool
                            + " command is set, and no build file in the root suggests one.")
                    .contains("; the host sets one by " + (tool.equals("test") ? "tests" : tool) + ".command")
                    .endsWith("\n[other directories with build files: ui (package.json)]");
            assertThat(result.isError()).isFalse();
            assertThat(result.exitCode()).isEmpty();
        }
        set("true");
        bench.file("Makefile", "x:\n");
        assertThat(bench.call("build", "directory", "./ui").text())
                .startsWith("nothing was run: the command that is set is for the root, and no build file in ui suggests"
                        + " one.")
                .endsWith("[other directories with build files: . (Makefile)]");
        assertThat(bench.call("build", "directory", ".").text()).startsWith("build passed: true");
        bench.services.remove(ProjectTests.class);
        assertThat(bench.call("build").text()).contains("there is nothing that runs commands of a project here");
    }

    @ParameterizedTest
    @CsvSource({
        "/etc, is absolute",
        "../x, leads out of the workspace",
        "none, no such directory",
        "link, symbolic link",
        ".git, is inside .git"
    })
    void aDirectoryIsOneOfTheWorkspace(String path, String reason) throws IOException {
        Files.createSymbolicLink(bench.workspace.resolve("link"), directory);
        ToolResult result = bench.call("test", "directory", path);
        assertThat(result.text())
                .startsWith("nothing was run, the directory cannot be used: ")
                .contains(reason);
        assertThat(result.isError()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"no-such-command-here", "touch f; chmod 644 f; ./f", "make -f /dev/null dist"})
    void whatIsNotThereCannotBeRun(String command) {
        set(command);
        assertThat(bench.call("build").text()).startsWith("build cannot be run (exit code ");
    }

    /** Targets and scripts that are not there, as the tools say it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "make: *** No rule to make target 'lint'.  Stop.",
                "npm error Missing script: \"build\"",
                "npm error npx canceled due to missing packages and no YES option: [\"eslint@9.1.0\"]",
                " ERR_PNPM_NO_SCRIPT  Missing script: build",
                "error Command \"lint\" not found.",
                "Usage Error: Couldn't find a script named \"build\".",
                "/usr/bin/python3: No module named flake8",
                "Task 'spotlessCheck' not found in root project 'app'.",
                "error: no such command: `clippy`",
                "error: 'cargo-clippy' is not installed for the toolchain 'stable'.",
                "[ERROR] No plugin found for prefix 'spotless' in the current project and in the plugin groups",
            })
    void aTargetThatIsNotThereIsNoFailure(String printed) {
        bench.executor =
                ToolBench.ending(ExecResult.Ending.EXITED, OptionalInt.of(1), "before\n" + printed + "\nafter");
        set("x");
        for (String tool : new String[] {"build", "lint"}) {
            ToolResult result = bench.call(tool);
            assertThat(result.text()).startsWith(tool + " cannot be run (exit code 1): x\n");
            assertThat(result.exitCode()).hasValue(1);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "make: *** No rule to make target 'a.c', needed by 'a.o'.  Stop.",
                "ModuleNotFoundError: No module named 'x'",
                "make[1]: *** No rule to make target 'x'.  Stop.",
                "npm error code ELIFECYCLE",
            })
    void whatFailsIsNoTargetThatIsMissing(String printed) {
        bench.executor = ToolBench.ending(ExecResult.Ending.EXITED, OptionalInt.of(2), printed);
        set("x");
        assertThat(bench.call("build").text()).startsWith("build failed with exit code 2: x\n");
    }

    @Test
    void theWholeOutputIsReadInPagesWithoutAnotherRun() throws IOException {
        bench.inOneState = true;
        set("echo run >> runs; seq 1 20000; echo pw=hunter2; exit 1");
        ToolResult result = bench.call("build");
        assertThat(result.text())
                .contains("--- output, lines 17", " to 20001 of 20001 ---\n", "\n20000\npw=[REDACTED:password]\n")
                .contains("are not shown: call build with first_line, which runs nothing, to read them]")
                .doesNotContain("\n15000\n");
        StringBuilder all = new StringBuilder();
        for (int line = 1, pages = 0; line <= 20_001 && pages < 100; pages++) {
            String page = bench.call("build", "first_line", line).text();
            String[] parts = page.split(" ---\n|\n\\[the output goes on with first_line ", -1);
            assertThat(parts[0])
                    .startsWith(result.text().lines().findFirst().orElseThrow() + "\n--- output, lines " + line);
            all.append(parts[1]).append('\n');
            line = parts.length == 3 ? Integer.parseInt(parts[2].replace("]", "")) : Integer.MAX_VALUE;
        }
        assertThat(all.toString().lines())
                .hasSize(20_001)
                .startsWith("1", "2")
                .endsWith("20000", "pw=[REDACTED:password]");
        assertThat(Files.readAllLines(bench.path("runs"))).hasSize(1);
        assertThat(bench.call("build", "first_line", 20_002).text())
                .isEqualTo("the output has 20001 lines, there is no line 20002");
        assertThat(bench.call("lint", "first_line", 1).text())
                .isEqualTo("there is no output to read: call lint without first_line before");
    }

    /** A page that begins in the middle of a secret would show the rest of it. */
    @Test
    void aSecretOfManyLinesIsInNoPage() {
        bench.inOneState = true;
        bench.executor = ToolBench.ending(
                ExecResult.Ending.EXITED, OptionalInt.of(1), "BEGIN\n" + "secret\n".repeat(9_000) + "END");
        set("x");
        assertThat(bench.call("build").text())
                .isEqualTo("build failed with exit code 1: x\n--- output ---\n[REDACTED:block]");
        assertThat(bench.call("build", "first_line", 1).text()).doesNotContain("secret");
    }

    @Test
    void theOutputIsBoundedAndItsBeginningStays() {
        bench.inOneState = true;
        set("echo begin; head -c 5000000 /dev/zero | tr '\\0' x; echo; echo end");
        ToolResult result = bench.call("test");
        assertThat(result.text().length()).isLessThan(10_000);
        assertThat(result.text()).startsWith("tests passed: ").contains("\nend\n");
        assertThat(bench.call("test", "first_line", 1).text().length()).isBetween(40_000, 60_000);
        assertThat(bench.call("test", "first_line", 2).text()).contains("xxxx");
    }

    @Test
    void aCommandThatTakesTooLongKeepsItsOutput() {
        bench.executor = ToolBench.ending(ExecResult.Ending.TIMED_OUT, OptionalInt.empty(), "a.c:1: error: x\nbegun\n");
        set("x");
        ToolResult result = bench.call("lint");
        assertThat(result.text())
                .isEqualTo("lint was killed after 30 s: x\n--- errors (1) ---\na.c:1: error: x\n"
                        + "--- output ---\na.c:1: error: x\nbegun");
        assertThat(result.isError()).isTrue();
    }
}
