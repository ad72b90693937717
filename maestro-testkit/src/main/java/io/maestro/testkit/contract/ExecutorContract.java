package io.maestro.testkit.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.exec.ExecException;
import io.maestro.exec.ExecProcess;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.ExecResult.Ending;
import io.maestro.exec.Executor;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The promises of {@link Executor} as tests; a subclass says which executor. Commands use the POSIX shell and its
 * utilities only, and files only by paths of the executor, so that the same tests run on a slim container.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public abstract class ExecutorContract {
    /** Longer than any test waits: a command that is not ended by the executor makes the test fail. */
    private static final Duration LONG = Duration.ofSeconds(30);

    /** The executor under test. */
    protected Executor executor;

    /** For subclasses. */
    protected ExecutorContract() {}

    /**
     * Makes or finds the executor that is tested. It may be the same one for all tests.
     *
     * @param directory an empty directory on the host, which the executor's working directory may be or stand on
     * @return the executor
     */
    protected abstract Executor executor(Path directory);

    /**
     * A time limit within which the executor surely starts a small command, for tests that run into it.
     *
     * @return about a second or two
     */
    protected Duration shortLimit() {
        return Duration.ofMillis(1500);
    }

    @BeforeEach
    void makeExecutor(@TempDir Path directory) {
        executor = executor(directory);
    }

    /**
     * Runs a shell line with a long time limit.
     *
     * @param line for {@code sh -c}
     * @return how it ended
     */
    protected final ExecResult sh(String line) {
        return executor.run(ExecRequest.shell(line).timeLimit(LONG).build());
    }

    // ---- How it ended

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 42, 125, 126, 127, 128, 255})
    void keepsTheExitCodeAndTheOutput(int code) {
        ExecResult result = sh("echo out; echo err >&2; exit " + code);
        assertThat(result.ending()).isEqualTo(Ending.EXITED);
        assertThat(result.exitCode()).hasValue(code);
        assertThat(result.stdout().text()).isEqualTo("out\n");
        assertThat(result.stderr().text()).isEqualTo("err\n");
        assertThat(result.succeeded()).isEqualTo(code == 0);
        assertThat(result.duration()).isPositive();
    }

    @ParameterizedTest
    @CsvSource({"KILL, 137", "TERM, 143", "USR1, 138"})
    void aCommandThatIsKilledBySomebodyElseHasTheCodeOfTheSignal(String signal, int code) {
        ExecResult result = sh("echo before; kill -" + signal + " $$; sleep 60");
        assertThat(result.ending()).isEqualTo(Ending.EXITED);
        assertThat(result.exitCode()).hasValue(code);
        assertThat(result.stdout().text()).isEqualTo("before\n");
        assertThat(result.succeeded()).isFalse();
    }

    // ---- What is run

    @Test
    void passesArgumentsAsTheyAre() {
        List<String> arguments = List.of(
                "two words",
                "",
                "$HOME",
                "*",
                "a'b\"c",
                "back\\slash",
                "`id`",
                "line\nbreak\n",
                "-n",
                "%s",
                "naïve — 日本 🎼");
        List<String> command = new ArrayList<>(List.of("sh", "-c", "for a; do printf '<%s>' \"$a\"; done", "sh"));
        command.addAll(arguments);
        ExecResult result = executor.run(ExecRequest.command(command).build());
        assertThat(result.stdout().text()).isEqualTo("<" + String.join("><", arguments) + ">");
    }

    @Test
    void aLongArgumentArrivesWhole() {
        String argument = "x".repeat(100_000);
        ExecResult result =
                executor.run(ExecRequest.command("printf", "%s", argument).build());
        assertThat(result.stdout().text()).isEqualTo(argument);
    }

    @Test
    void aShellLineMayHaveSeveralLines() {
        assertThat(sh("cat <<'END'\n$one\nEND\necho two\n").stdout().text()).isEqualTo("$one\ntwo\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"no-such-program-4711", "./no/such/program", "/no/such/program"})
    void aProgramThatDoesNotExistIsAnExceptionThatNamesIt(String program) {
        assertThatThrownBy(() -> executor.run(ExecRequest.command(program, "x").build()))
                .isInstanceOf(ExecException.class)
                .hasMessageContaining(program);
    }

    @Test
    void aProgramThatTheShellDoesNotFindIsAResult() {
        ExecResult result = sh("echo out; no-such-program-4711");
        assertThat(result.exitCode()).hasValue(127);
        assertThat(result.stdout().text()).isEqualTo("out\n");
        assertThat(result.stderr().text()).contains("no-such-program-4711");
    }

    // ---- Where

    @Test
    void startsInTheWorkingDirectoryOfTheExecutor() {
        assertThat(executor.workingDirectory()).startsWith("/");
        assertThat(sh("pwd -P").stdout().text())
                .isEqualTo(sh("cd '" + executor.workingDirectory() + "' && pwd -P")
                        .stdout()
                        .text());
    }

    @Test
    void aWorkingDirectoryIsRelativeToTheOneOfTheExecutorOrAbsolute() {
        String name = "dir with space " + UUID.randomUUID();
        String absolute = executor.workingDirectory() + "/" + name;
        assertThat(sh("mkdir '" + name + "'").succeeded()).isTrue();
        String expected = sh("cd '" + name + "' && pwd -P").stdout().text();
        for (String directory : List.of(name, "./" + name, absolute)) {
            ExecResult result = executor.run(
                    ExecRequest.shell("pwd -P").workingDirectory(directory).build());
            assertThat(result.stdout().text()).as(directory).isEqualTo(expected);
        }
    }

    @Test
    void nothingIsCarriedOverToTheNextCommand() {
        sh("cd /; X=1; export X; umask 077; exit 3");
        ExecResult result = sh("pwd -P; echo \"[$X]\"; umask");
        assertThat(result.stdout().text())
                .isEqualTo(sh("pwd -P").stdout().text() + "[]\n"
                        + sh("umask").stdout().text());
    }

    @Test
    void aWorkingDirectoryThatDoesNotExistIsAnExceptionThatNamesIt() {
        assertThatThrownBy(() -> executor.run(ExecRequest.shell("true")
                        .workingDirectory("no-such-directory-4711")
                        .build()))
                .isInstanceOf(ExecException.class)
                .hasMessageContaining("no-such-directory-4711");
    }

    // ---- Environment

    @Test
    void theRequestAddsVariables() {
        ExecResult result = executor.run(ExecRequest.command("sh", "-c", "printf '%s|%s|%s' \"$A\" \"$B\" \"$C\"")
                .environment("A", "it's $HOME\n\"x\"")
                .environment("B", "")
                .environment("C", "größer 🎼")
                .build());
        assertThat(result.stdout().text()).isEqualTo("it's $HOME\n\"x\"||größer 🎼");
    }

    @Test
    void aVariableIsGoneInTheNextCommand() {
        executor.run(ExecRequest.shell("true").environment("ONLY_ONCE", "x").build());
        assertThat(sh("echo \"[$ONLY_ONCE]\"").stdout().text()).isEqualTo("[]\n");
    }

    // ---- Standard input

    @Test
    void standardInputArrivesByteByByteAndEnds() {
        byte[] bytes = randomBytes(300_000);
        ExecResult result = executor.run(ExecRequest.command("cat").stdin(bytes).build());
        assertThat(result.exitCode()).hasValue(0);
        assertThat(result.stdout().bytes()).isEqualTo(bytes);
        assertThat(result.stdout().omittedBytes()).isZero();
    }

    @Test
    void withoutInputAReaderSeesTheEndAtOnce() {
        ExecResult result = sh("cat; echo end");
        assertThat(result.ending()).isEqualTo(Ending.EXITED);
        assertThat(result.stdout().text()).isEqualTo("end\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "exec <&-; sleep 0.2", "head -c 1 >/dev/null", "exit 0"})
    void aProgramNeedNotReadItsInput(String line) {
        ExecResult result = executor.run(ExecRequest.shell(line)
                .stdin(new byte[10_000_000])
                .timeLimit(LONG)
                .build());
        assertThat(result.ending()).isEqualTo(Ending.EXITED);
        assertThat(result.exitCode()).hasValue(0);
    }

    // ---- Output

    @Test
    void binaryOutputSurvivesAndTheStreamsStayApart() {
        byte[] bytes = randomBytes(200_000);
        ExecResult result =
                executor.run(ExecRequest.shell("tee /dev/stderr").stdin(bytes).build());
        assertThat(result.stdout().bytes()).isEqualTo(bytes);
        assertThat(result.stderr().bytes()).isEqualTo(bytes);
    }

    @Test
    void outputBeyondTheLimitIsCountedAndItsBeginningAndEndAreKept() {
        ExecResult result = executor.run(ExecRequest.shell("echo FIRST; head -c 1000000 /dev/zero; echo LAST")
                .outputLimit(1000)
                .build());
        assertThat(result.exitCode()).hasValue(0);
        assertThat(result.stdout().totalBytes()).isEqualTo(1_000_011);
        assertThat(result.stdout().omittedBytes()).isEqualTo(1_000_011 - 1000);
        assertThat(result.stdout().bytes()).hasSize(1000);
        assertThat(result.stdout().text())
                .startsWith("FIRST\n")
                .endsWith("LAST\n")
                .contains("bytes left out");
    }

    @Test
    void outputOfExactlyTheLimitIsComplete() {
        ExecResult result = executor.run(
                ExecRequest.shell("printf 0123456789").outputLimit(10).build());
        assertThat(result.stdout().text()).isEqualTo("0123456789");
        assertThat(result.stdout().omittedBytes()).isZero();
    }

    @Test
    void aHundredMegabytesDoNotNeedMemoryForThem() {
        ExecResult result = executor.run(ExecRequest.shell("head -c 100000000 /dev/zero; echo err >&2; exit 3")
                .outputLimit(10_000)
                .timeLimit(LONG)
                .build());
        assertThat(result.exitCode()).hasValue(3);
        assertThat(result.stdout().totalBytes()).isEqualTo(100_000_000);
        assertThat(result.stdout().bytes()).hasSize(10_000);
        assertThat(result.stderr().text()).isEqualTo("err\n");
    }

    @Test
    void charactersThatTheLimitCutsDoNotShow() {
        ExecResult result = executor.run(ExecRequest.command("printf", "%s", "ä€🎼".repeat(200))
                .outputLimit(101)
                .build());
        assertThat(result.stdout().text()).doesNotContain("\uFFFD");
        assertThat(result.stdout().totalBytes()).isEqualTo("ä€🎼".repeat(200).getBytes(UTF_8).length);
    }

    // ---- Time limit, cancellation, what is left over

    @Test
    void atTheTimeLimitTheTreeIsEndedAndTheOutputSoFarIsReturned() {
        ExecResult result = executor.run(ExecRequest.shell(
                        "(trap '' TERM; echo child; sleep 60) & " + "echo $$ $!; echo err >&2; sleep 60; echo never")
                .timeLimit(shortLimit())
                .build());
        assertThat(result.ending()).isEqualTo(Ending.TIMED_OUT);
        assertThat(result.exitCode()).isEmpty();
        assertThat(result.succeeded()).isFalse();
        assertThat(result.stdout().text()).contains("child").doesNotContain("never");
        assertThat(result.stderr().text()).contains("err");
        String pids = result.stdout().text().replace("child\n", "").trim();
        for (String pid : pids.split(" ", -1)) {
            assertGone(pid);
        }
    }

    @Test
    void aProgramMayCleanUpAtTheTimeLimit() {
        ExecResult result = executor.run(
                ExecRequest.shell("trap 'echo cleaned; exit 0' TERM; echo ready; " + "while :; do sleep 0.05; done")
                        .timeLimit(shortLimit())
                        .build());
        assertThat(result.ending()).isEqualTo(Ending.TIMED_OUT);
        assertThat(result.exitCode()).isEmpty();
        assertThat(result.stdout().text()).isEqualTo("ready\ncleaned\n");
    }

    @Test
    void endlessOutputEndsAtTheTimeLimit() {
        ExecResult result = executor.run(ExecRequest.shell("yes")
                .timeLimit(shortLimit())
                .outputLimit(100)
                .build());
        assertThat(result.ending()).isEqualTo(Ending.TIMED_OUT);
        assertThat(result.stdout().text()).startsWith("y\ny\n").endsWith("y\n");
        assertThat(result.stdout().totalBytes()).isGreaterThan(100);
    }

    @Test
    void anInterruptionCancelsAndStaysVisible() throws Exception {
        String marker = "marker-" + UUID.randomUUID();
        ExecRequest request = ExecRequest.shell("sleep 60 & echo $$ $!; : > " + marker + "; sleep 60; echo never")
                .timeLimit(LONG)
                .build();
        List<Boolean> stillInterrupted = new ArrayList<>();
        FutureTask<ExecResult> task = new FutureTask<>(() -> {
            ExecResult result = executor.run(request);
            stillInterrupted.add(Thread.currentThread().isInterrupted());
            return result;
        });
        Thread thread = new Thread(task, "to-be-cancelled");
        thread.start();
        await(() -> sh("test -e " + marker).succeeded(), "the command has started");
        thread.interrupt();

        ExecResult result = task.get(30, TimeUnit.SECONDS);
        thread.join();
        assertThat(result.ending()).isEqualTo(Ending.CANCELLED);
        assertThat(result.exitCode()).isEmpty();
        assertThat(result.stdout().text()).doesNotContain("never");
        assertThat(stillInterrupted).containsExactly(true);
        for (String pid : result.stdout().text().trim().split(" ", -1)) {
            assertGone(pid);
        }
    }

    @Test
    void aThreadThatIsAlreadyInterruptedGetsACancelledResult() {
        String marker = "marker-" + UUID.randomUUID();
        ExecRequest request =
                ExecRequest.shell("sleep 60; : > " + marker).timeLimit(LONG).build();
        Thread.currentThread().interrupt();
        try {
            ExecResult result = executor.run(request);
            assertThat(result.ending()).isEqualTo(Ending.CANCELLED);
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThat(sh("test -e " + marker).succeeded()).isFalse();
    }

    @Test
    void aProcessLeftInTheBackgroundDoesNotDelayTheResultNorOutliveIt() {
        ExecResult result = sh("sleep 60 & echo $!; exit 7");
        assertThat(result.ending()).isEqualTo(Ending.EXITED);
        assertThat(result.exitCode()).hasValue(7);
        assertGone(result.stdout().text().trim());
    }

    @Test
    void aBackgroundProcessThatPrintsForEverIsEnded() {
        ExecResult result = executor.run(ExecRequest.shell("(trap '' TERM; yes) & echo $! >&2; sleep 0.1; exit 0")
                .outputLimit(1000)
                .timeLimit(LONG)
                .build());
        assertThat(result.ending()).isEqualTo(Ending.EXITED);
        assertThat(result.exitCode()).hasValue(0);
        assertGone(result.stderr().text().trim());
    }

    @Test
    void manyCommandsAtOnceKeepTheirResultsApart() throws Exception {
        int commands = 24;
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Future<ExecResult>> results = new ArrayList<>();
            for (int i = 0; i < commands; i++) {
                ExecRequest request = ExecRequest.shell("read x; echo out $x; echo err $x >&2; sleep 0.1; exit $x")
                        .stdin((i + "\n").getBytes(UTF_8))
                        .timeLimit(LONG)
                        .build();
                results.add(threads.submit(() -> executor.run(request)));
            }
            for (int i = 0; i < commands; i++) {
                ExecResult result = results.get(i).get(60, TimeUnit.SECONDS);
                assertThat(result.exitCode()).hasValue(i);
                assertThat(result.stdout().text()).isEqualTo("out " + i + "\n");
                assertThat(result.stderr().text()).isEqualTo("err " + i + "\n");
            }
        } finally {
            threads.shutdownNow();
        }
    }

    // ---- As whom

    @ParameterizedTest
    @ValueSource(strings = {"-un", "-u"})
    void theOwnUserMayBeNamed(String how) {
        String own = sh("id " + how).stdout().text().trim();
        ExecResult result =
                executor.run(ExecRequest.shell("id " + how).user(own).build());
        assertThat(result.stdout().text()).isEqualTo(own + "\n");
    }

    @Test
    void aUserThatDoesNotExistIsAnExceptionThatNamesIt() {
        ExecRequest request =
                ExecRequest.shell("true").user("no-such-user-4711").build();
        assertThatThrownBy(() -> executor.run(request))
                .isInstanceOf(ExecException.class)
                .hasMessageContaining("no-such-user-4711");
        assertThatThrownBy(() -> executor.start(request))
                .isInstanceOf(ExecException.class)
                .hasMessageContaining("no-such-user-4711");
    }

    // ---- A command that its caller talks with

    @Test
    void aStartedCommandAnswersWhileItRuns() throws Exception {
        ExecRequest request = ExecRequest.shell(
                        "while read line; do echo \"out $line\"; echo \"err $line\" >&2; done; exit 5")
                .stdin("first\n".getBytes(UTF_8))
                .timeLimit(LONG)
                .build();
        try (ExecProcess process = executor.start(request)) {
            BufferedReader out = new BufferedReader(new InputStreamReader(process.stdout(), UTF_8));
            BufferedReader err = new BufferedReader(new InputStreamReader(process.stderr(), UTF_8));
            assertThat(out.readLine()).isEqualTo("out first");
            assertThat(err.readLine()).isEqualTo("err first");
            for (String line : List.of("one", "zwölf 🎼")) {
                process.stdin().write((line + "\n").getBytes(UTF_8));
                process.stdin().flush();
                assertThat(out.readLine()).isEqualTo("out " + line);
                assertThat(err.readLine()).isEqualTo("err " + line);
            }
            assertThat(process.isAlive()).isTrue();
            assertThat(process.await(Duration.ofMillis(10))).isEmpty();
            process.stdin().close();
            assertThat(out.readLine()).isNull();
            assertThat(err.readLine()).isNull();
            ExecProcess.End end = process.await(LONG).orElseThrow();
            assertThat(end.ending()).isEqualTo(Ending.EXITED);
            assertThat(end.exitCode()).hasValue(5);
            assertThat(end.succeeded()).isFalse();
            assertThat(process.isAlive()).isFalse();
        }
    }

    @Test
    void aStartedCommandGetsAndGivesEveryByte() throws Exception {
        byte[] first = randomBytes(200_000);
        byte[] second = randomBytes(200_000);
        try (ExecProcess process =
                executor.start(ExecRequest.command("cat").stdin(first).build())) {
            Thread writer = new Thread(() -> {
                try (OutputStream in = process.stdin()) {
                    in.write(second);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            writer.start();
            byte[] all = process.stdout().readAllBytes();
            writer.join();
            assertThat(Arrays.copyOf(all, first.length)).isEqualTo(first);
            assertThat(Arrays.copyOfRange(all, first.length, all.length)).isEqualTo(second);
            assertThat(process.stderr().readAllBytes()).isEmpty();
            assertThat(process.await(LONG).orElseThrow().succeeded()).isTrue();
        }
    }

    @Test
    void aStartedCommandHasItsDirectoryAndVariables() throws Exception {
        ExecRequest request = ExecRequest.shell("pwd -P; printf '%s' \"$A\"")
                .workingDirectory("/")
                .environment("A", "it's\n$HOME")
                .build();
        try (ExecProcess process = executor.start(request)) {
            assertThat(new String(process.stdout().readAllBytes(), UTF_8)).isEqualTo("/\nit's\n$HOME");
        }
    }

    @Test
    void aStartedCommandIsEndedAtItsTimeLimitWithItsTree() throws Exception {
        ExecRequest request = ExecRequest.shell("(trap '' TERM; sleep 60) & echo $$ $!; sleep 60; echo never")
                .timeLimit(shortLimit())
                .build();
        try (ExecProcess process = executor.start(request)) {
            String out = new String(process.stdout().readAllBytes(), UTF_8);
            ExecProcess.End end = process.await(LONG).orElseThrow();
            assertThat(end.ending()).isEqualTo(Ending.TIMED_OUT);
            assertThat(end.exitCode()).isEmpty();
            assertThat(out).doesNotContain("never");
            for (String pid : out.trim().split(" ", -1)) {
                assertGone(pid);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aStartedCommandIsEndedWithItsTreeByKillAndByClose(boolean close) throws Exception {
        ExecRequest request = ExecRequest.shell("sleep 60 & echo $$ $!; sleep 60; echo never")
                .timeLimit(LONG)
                .build();
        ExecProcess process = executor.start(request);
        try {
            String pids = new BufferedReader(new InputStreamReader(process.stdout(), UTF_8)).readLine();
            if (close) {
                process.close();
            } else {
                process.kill();
                assertThat(process.stdout().readAllBytes()).isEmpty();
                assertThat(process.stderr().readAllBytes()).isEmpty();
            }
            assertThat(process.isAlive()).isFalse();
            ExecProcess.End end = process.await(LONG).orElseThrow();
            assertThat(end.ending()).isEqualTo(Ending.CANCELLED);
            assertThat(end.exitCode()).isEmpty();
            for (String pid : pids.split(" ", -1)) {
                assertGone(pid);
            }
        } finally {
            process.close();
            process.close();
        }
    }

    @Test
    void whatAStartedCommandLeavesInTheBackgroundIsEnded() throws Exception {
        try (ExecProcess process = executor.start(
                ExecRequest.shell("sleep 60 & echo $!").timeLimit(LONG).build())) {
            String pid = new String(process.stdout().readAllBytes(), UTF_8).trim();
            ExecProcess.End end = process.await(LONG).orElseThrow();
            assertThat(end.ending()).isEqualTo(Ending.EXITED);
            assertThat(end.succeeded()).isTrue();
            assertGone(pid);
            process.kill();
            assertThat(process.await(LONG)).hasValue(end);
        }
    }

    @Test
    void whatAStartedCommandHasStartedOutlivesOtherCommands() throws Exception {
        // The inner shell ends, so that its child has no parent any more.
        String line = "(sleep 60 >/dev/null & echo $!); read x; exit 7";
        try (ExecProcess process =
                executor.start(ExecRequest.shell(line).timeLimit(LONG).build())) {
            String pid = new BufferedReader(new InputStreamReader(process.stdout(), UTF_8)).readLine();
            for (int i = 0; i < 2; i++) {
                assertThat(executor.run(ExecRequest.shell("sleep 0.1 & kill -0 " + pid)
                                        .build())
                                .succeeded())
                        .isTrue();
            }
            process.stdin().write('\n');
            process.stdin().flush();
            assertThat(process.await(LONG).orElseThrow().exitCode()).hasValue(7);
            assertGone(pid);
        }
    }

    @Test
    void waitingForAStartedCommandMayBeInterrupted() {
        try (ExecProcess process =
                executor.start(ExecRequest.shell("sleep 60").timeLimit(LONG).build())) {
            Thread.currentThread().interrupt();
            assertThat(process.await(LONG)).isEmpty();
            assertThat(Thread.interrupted()).isTrue();
            assertThat(process.isAlive()).isTrue();
        }
    }

    @Test
    void manyStartedCommandsKeepTheirStreamsApart() throws Exception {
        List<ExecProcess> processes = new ArrayList<>();
        try {
            for (int i = 0; i < 6; i++) {
                processes.add(executor.start(ExecRequest.shell("read x; echo $x; exit $x")
                        .timeLimit(LONG)
                        .build()));
            }
            for (int i = 0; i < 6; i++) {
                processes.get(i).stdin().write((i + "\n").getBytes(UTF_8));
                processes.get(i).stdin().flush();
            }
            for (int i = 0; i < 6; i++) {
                assertThat(new String(processes.get(i).stdout().readAllBytes(), UTF_8))
                        .isEqualTo(i + "\n");
                assertThat(processes.get(i).await(LONG).orElseThrow().exitCode())
                        .hasValue(i);
            }
        } finally {
            processes.forEach(ExecProcess::close);
        }
    }

    @Test
    void whatCannotBeStartedIsAnExceptionThatNamesIt() {
        assertThatThrownBy(() -> executor.start(
                        ExecRequest.command("no-such-program-4711").build()))
                .isInstanceOf(ExecException.class)
                .hasMessageContaining("no-such-program-4711");
        assertThatThrownBy(() -> executor.start(ExecRequest.shell("true")
                        .workingDirectory("no-such-directory-4711")
                        .build()))
                .isInstanceOf(ExecException.class)
                .hasMessageContaining("no-such-directory-4711");
    }

    // ---- Helpers

    /**
     * Asserts that a process is not there or soon will not be.
     *
     * @param pid its id where the executor runs
     */
    protected final void assertGone(String pid) {
        assertThat(pid).matches("[0-9]+");
        String check = "! kill -0 " + pid + " 2>/dev/null || grep -q '^State:.Z' /proc/" + pid + "/status";
        await(() -> sh(check).succeeded(), "process " + pid + " is gone");
    }

    /**
     * Polls until something holds, for at most 20 seconds.
     *
     * @param condition what is to hold
     * @param what its name in the message of a failure
     */
    protected static void await(BooleanSupplier condition, String what) {
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("waited too long until " + what).isLessThan(deadline);
            LockSupport.parkNanos(1_000_000);
        }
    }

    private static byte[] randomBytes(int length) {
        long seed = System.nanoTime();
        System.out.println("random bytes with seed " + seed);
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }
}
