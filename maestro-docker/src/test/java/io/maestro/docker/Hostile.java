package io.maestro.docker;

import static io.maestro.testing.AssertThat.assertThat;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.maestro.docker.testing.TestContainer;
import io.maestro.exec.ExecException;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.ExecResult.Ending;
import io.maestro.testing.ChildJvm;
import io.maestro.testing.Full;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What commands may do to the channel that runs them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class Hostile {
    private final String image;
    private Path workspace;
    private TestContainer shared;
    private TestContainer container;
    private DockerExecutor executor;

    Hostile(String image) {
        this.image = image;
    }

    @BeforeAll
    void startContainer(@TempDir Path directory) {
        workspace = directory;
        shared = newContainer();
    }

    @AfterAll
    void removeContainer() {
        if (shared != null) {
            shared.close();
        }
    }

    /** What commands write into {@code /workspace} is seen on this machine, without asking the engine. */
    private TestContainer newContainer() {
        return new TestContainer("docker", image, "--volume", workspace + ":/workspace");
    }

    @BeforeEach
    void open() throws IOException {
        try (Stream<Path> left = Files.list(workspace)) {
            for (Path file : left.toList()) {
                Files.delete(file);
            }
        }
        container = shared;
        executor = DockerExecutor.builder(container.name()).build();
    }

    @AfterEach
    void close() {
        executor.close();
        // The next test counts its own.
        await(() -> cliProcesses().isEmpty(), "the CLIs have ended");
        if (container != shared) {
            container.close();
        }
    }

    /** For a test after which its container is of no use. */
    private void useOwnContainer() {
        executor.close(); // without any channel yet
        container = newContainer();
        executor = DockerExecutor.builder(container.name()).build();
    }

    private boolean isThere(String name) {
        return Files.exists(workspace.resolve(name));
    }

    private ExecResult sh(String line) {
        return executor.run(
                ExecRequest.shell(line).timeLimit(Duration.ofSeconds(60)).build());
    }

    private String out(String line) {
        ExecResult result = sh(line);
        assertThat(result.ending()).as(line).isEqualTo(Ending.EXITED);
        return result.stdout().text();
    }

    // ---- The channel is there, and is used again

    @ParameterizedTest
    @ValueSource(
            strings = {
                "true",
                "exit 3",
                "if",
                "echo 'unbalanced",
                "cat <<END\n$HOME\nEND",
                "cat <<'END'\nno end",
                "kill 0",
                "kill -TERM $$",
                "kill -INT $$",
                "kill -9 $$",
                "kill $PPID",
                "kill -HUP $PPID; kill -INT $PPID",
                "exec >&- 2>&- <&-",
                "exec 3>&1 4>&2; echo x >&3",
                "cat",
                "sleep 60 & sleep 61 & echo",
                "setsid sleep 60 & echo",
                "ulimit -n 5; :",
                "cd /; umask 0; X=1; export X; set -e; trap 'echo trapped' 0",
                "head -c 300000 /dev/urandom",
                "head -c 1000000 /dev/urandom >&2"
            })
    void aCommandLeavesItsChannelAsItWas(String line) {
        assertThat(out("echo before")).isEqualTo("before\n");
        List<Long> before = cliProcesses();
        sh(line);
        assertThat(out("echo after")).isEqualTo("after\n");
        assertThat(cliProcesses())
                .as("the CLI of the channel")
                .isEqualTo(before)
                .hasSize(1);
    }

    @Test
    void afterATimeLimitTheChannelIsUsedAgain() {
        assertThat(out("echo before")).isEqualTo("before\n");
        List<Long> before = cliProcesses();
        ExecResult result = executor.run(ExecRequest.shell("echo so far; sleep 60")
                .timeLimit(Duration.ofSeconds(3))
                .build());
        assertThat(result.ending()).isEqualTo(Ending.TIMED_OUT);
        assertThat(result.stdout().text()).isEqualTo("so far\n");
        assertThat(out("echo after")).isEqualTo("after\n");
        assertThat(cliProcesses()).isEqualTo(before);
    }

    @Test
    void nothingLeaksIntoTheNextCommand() {
        String state = "pwd; umask; ulimit -n; env | grep -v -e MAESTRO_EXEC_ID | sort; trap";
        String before = out(state);
        sh("cd /tmp; umask 0777; ulimit -n 7; X=1; export X; PATH=/nowhere; export PATH; trap : INT");
        executor.run(ExecRequest.shell("true")
                .environment("LEAK", "1")
                .workingDirectory("/")
                .build());
        assertThat(out(state)).isEqualTo(before);
    }

    @Test
    void signalsHaveTheirUsualEffect() {
        // A shell starts what is in the background with SIGINT ignored; nobody could reset that.
        assertThat(sh("kill -INT $$; echo survived").exitCode()).hasValue(130);
    }

    // ---- Output

    @Test
    void outputThatLooksLikeFramesIsOutput() {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        StringBuilder text = new StringBuilder("\u001e\u001eend\n");
        for (int i = 0; i < 200; i++) {
            text.append('\u001e');
            int letters = random.nextInt(34);
            for (int letter = 0; letter < letters; letter++) {
                text.append("0123456789abcdef".charAt(random.nextInt(16)));
            }
            text.append(random.nextBoolean() ? "end\n" : "0 clean\n");
        }
        text.append("\u001e0123");
        for (String redirect : List.of("cat", "cat >&2")) {
            ExecResult result = executor.run(ExecRequest.shell(redirect)
                    .stdin(text.toString().getBytes(ISO_8859_1))
                    .build());
            assertThat((redirect.equals("cat") ? result.stdout() : result.stderr()).text())
                    .isEqualTo(text.toString());
            assertThat((redirect.equals("cat") ? result.stderr() : result.stdout()).text())
                    .isEmpty();
        }
    }

    @Test
    void aCommandCannotReadTheWordsOfItsFrames() {
        // All that it inherits or can look up about its parent: none of it ends its output early.
        String line = "cat /proc/$PPID/cmdline /proc/$PPID/environ; env; cat /proc/self/fd/3 2>/dev/null; echo; exit 9";
        ExecResult result = sh(line);
        assertThat(result.exitCode()).hasValue(9);
        assertThat(result.stdout().text()).contains("MAESTRO_EXEC_ID=");
    }

    @Test
    void everyByteGoesThroughTheChannelBothWays() {
        byte[] bytes = new byte[4 * 256];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (i * 7);
        }
        bytes[0] = '-';
        ExecResult result = executor.run(ExecRequest.command("cat").stdin(bytes).build());
        assertThat(result.stdout().bytes()).isEqualTo(bytes);
        assertThat(cliProcesses()).hasSize(1);
    }

    @Test
    void aLongScriptArrivesWhole() {
        StringBuilder line = new StringBuilder("n=0\n");
        for (int i = 0; i < 10_000; i++) {
            line.append("n=$((n+1))\n");
        }
        assertThat(out(line.append("echo $n").toString())).isEqualTo("10000\n");
    }

    // ---- Escapes

    @ParameterizedTest
    @ValueSource(
            strings = {
                "setsid sleep 86 >/dev/null 2>&1 & sleep 0.2", // no session any more, nor the output, but the mark
                "(setsid sh -c 'trap \"\" TERM HUP; sleep 86' &) ; sleep 0.2",
                "(env -i setsid sleep 86 &); sleep 0.2", // no mark any more, but the output
                "env -i nohup sleep 86 >/dev/null 2>&1 & sleep 0.2" // no mark, no output, but the session
            })
    void whatEscapesIsEnded(String line) {
        sh("echo first");
        sh(line);
        await(
                () -> !container
                        .sh("cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' '")
                        .contains("sleep 86 "),
                "nothing is left of: " + line);
        assertThat(out("echo after")).isEqualTo("after\n");
    }

    @Test
    void whatEscapesForGoodDoesNotWriteIntoLaterResults() {
        sh("(env -i setsid sh -c 'exec 7>/proc/1/fd/1; exec >/dev/null 2>&1 </dev/null; sleep 87' &); sleep 0.2");
        for (int i = 0; i < 3; i++) {
            assertThat(out("echo " + i)).isEqualTo(i + "\n");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = "kill -9 $PPID")
    void aCommandThatKillsItsChannelIsNotRunAgain(String kill) {
        sh("echo first");
        Throwable lost = catchThrowable(() -> sh("echo x >> /workspace/runs; " + kill + "; sleep 0.2"));
        if (lost != null) {
            assertThat(lost).isInstanceOf(ExecException.class).hasMessageContaining("not run again");
            assertThat(lost).hasMessageContaining("is 'running'");
        }
        assertThat(out("cat /workspace/runs")).isEqualTo("x\n");
        assertThat(container.sh("cat /proc/1/comm")).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"kill -9 -1", "kill -TERM -1"})
    @Full("aCommandThatKillsItsChannelIsNotRunAgain kills the shell alone")
    void aCommandThatKillsAllThereIsIsNotRunAgain(String kill) {
        aCommandThatKillsItsChannelIsNotRunAgain(kill);
    }

    @ParameterizedTest
    @ValueSource(strings = "KILL")
    void aChannelThatIsKilledWhileItWaitsIsReplaced(String signal) {
        assertThat(out("echo before")).isEqualTo("before\n");
        container.sh("kill -" + signal + " -1");
        for (int i = 0; i < 3; i++) {
            Throwable lost = catchThrowable(() ->
                    assertThat(out("echo x >> /workspace/runs; echo after")).isEqualTo("after\n"));
            if (lost != null) {
                assertThat(i)
                        .as("only a command that was sent before the death was seen may be lost")
                        .isZero();
                assertThat(lost).isInstanceOf(ExecException.class);
            }
        }
        assertThat(out("cat /workspace/runs").length()).isBetween(4, 6);
    }

    @Test
    @Full("aChannelThatIsKilledWhileItWaitsIsReplaced has the signal that nothing withstands")
    void aChannelThatIsToldToEndWhileItWaitsIsReplaced() {
        aChannelThatIsKilledWhileItWaitsIsReplaced("TERM");
    }

    /** The death of an idle channel is told while the next command is on its way: that one is lost, and not too late. */
    @Test
    void aDeathThatIsToldAfterTheNextCommandWasSentIsNoTimeLimit() throws Exception {
        assertThat(out("echo before")).isEqualTo("before\n");
        String client = Long.toString(cliProcesses().get(0));
        signal("STOP", client);
        FutureTask<ExecResult> sent = new FutureTask<>(() -> sh("echo x >> /workspace/runs; echo after"));
        Thread sender = new Thread(sent, "sender");
        try {
            container.sh("kill -TERM -1");
            sender.start();
            await(() -> sender.getState() == Thread.State.TIMED_WAITING || sent.isDone(), "it waits for an answer");
        } finally {
            signal("CONT", client);
        }
        Throwable lost = catchThrowable(() -> sent.get(120, TimeUnit.SECONDS));
        if (lost == null) {
            assertThat(sent.get().ending()).isEqualTo(Ending.EXITED);
        } else {
            assertThat(lost).hasRootCauseInstanceOf(ExecException.class).hasStackTraceContaining("not run again");
        }
        assertThat(out("echo again")).isEqualTo("again\n");
    }

    private static void signal(String signal, String pid) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + signal, pid).start().waitFor())
                .isZero();
    }

    @Test
    void killingTheChannelOfAnotherCommandIsKnownToThatOne() throws Exception {
        FutureTask<ExecResult> waiting = new FutureTask<>(() -> sh(": > /workspace/there; sleep 60"));
        new Thread(waiting, "waiting").start();
        await(() -> isThere("there"), "it runs");
        cliHandles().forEach(ProcessHandle::destroyForcibly);
        assertThat(catchThrowable(() -> waiting.get(60, TimeUnit.SECONDS)))
                .hasRootCauseInstanceOf(ExecException.class)
                .hasStackTraceContaining("not run again");
        assertThat(out("echo after")).isEqualTo("after\n");
    }

    // ---- The container and the host program

    @Test
    @Full("LostContainerTest has a container that is gone")
    void aContainerThatIsStoppedIsNamedAndASecondStartIsUsed() throws Exception {
        useOwnContainer();
        FutureTask<ExecResult> waiting = new FutureTask<>(() -> sh(": > /workspace/there; sleep 60"));
        new Thread(waiting, "waiting").start();
        await(() -> isThere("there"), "it runs");
        container.cli("kill", container.name());
        assertThat(catchThrowable(() -> waiting.get(60, TimeUnit.SECONDS)))
                .hasStackTraceContaining(container.name())
                .hasStackTraceContaining("'exited'");
        assertThatThrownBy(() -> sh("true")).isInstanceOf(ExecException.class).hasMessageContaining("'exited'");
        assertThatThrownBy(() -> executor.start(ExecRequest.shell("true").build()))
                .isInstanceOf(ExecException.class)
                .hasMessageContaining("'exited'");
        assertThatThrownBy(executor::endLeftovers).isInstanceOf(ExecException.class);
        container.cli("start", container.name());
        assertThat(out("echo again")).isEqualTo("again\n");
    }

    @Test
    void whenTheHostProgramIsKilledItsCommandIsEnded() throws Exception {
        String pid = runInAnotherJvmAndKillIt("fast");
        await(() -> isGone(pid), "the command of the killed JVM has ended");
        await(
                () -> !container.sh("cat /proc/[0-9]*/cmdline | tr '\\0' ' '").contains("mx_token"),
                "its channel has ended");
    }

    @Test
    void whatAnotherHostProgramHasLeftIsEndedOnDemandAndWhatThisOneRunsIsNot() throws Exception {
        FutureTask<ExecResult> own = new FutureTask<>(
                () -> sh(": > /workspace/own; while test -e /workspace/own; do sleep 0.05; done; echo done"));
        new Thread(own, "own").start();
        await(() -> isThere("own"), "our command runs");
        String pid = runInAnotherJvmAndKillIt("slow");
        assertThat(isGone(pid)).isFalse();
        executor.endLeftovers();
        assertThat(isGone(pid)).isTrue();
        Files.delete(workspace.resolve("own"));
        assertThat(own.get(60, TimeUnit.SECONDS).stdout().text()).isEqualTo("done\n");
    }

    /** Returns the id of the command's process in the container. */
    private String runInAnotherJvmAndKillIt(String path) throws Exception {
        String line = "trap '' HUP; echo $$ > /workspace/pid.new; mv /workspace/pid.new /workspace/pid; sleep 100; :";
        Process jvm = ChildJvm.of(RunsInContainer.class, container.name(), path, line)
                .inheritIO()
                .start();
        try {
            await(() -> isThere("pid"), "the command runs");
        } finally {
            jvm.destroyForcibly();
        }
        jvm.waitFor();
        return Files.readString(workspace.resolve("pid")).trim();
    }

    private boolean isGone(String pid) {
        return container
                .sh("grep '^State:' /proc/" + pid + "/status 2>/dev/null || echo gone")
                .matches("(?s)gone.*|State:\\s+Z.*");
    }

    @Test
    void closingEndsTheChannelsAndWhatRunsInThem() throws Exception {
        FutureTask<ExecResult> waiting = new FutureTask<>(() -> sh(": > /workspace/there; sleep 88"));
        new Thread(waiting, "waiting").start();
        await(() -> isThere("there"), "it runs");
        executor.close();
        executor.close();
        assertThat(catchThrowable(() -> waiting.get(60, TimeUnit.SECONDS))).hasRootCauseInstanceOf(ExecException.class);
        await(
                () -> !container.sh("cat /proc/[0-9]*/cmdline | tr '\\0' ' '").matches("(?s).*(sleep 88|mx_token).*"),
                "nothing of it is left");
        assertThatThrownBy(() -> sh("true")).isInstanceOf(ExecException.class).hasMessageContaining("closed");
        await(() -> cliProcesses().isEmpty(), "the CLIs have ended");
        await(
                () -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().startsWith("maestro-docker")),
                "its threads have ended");
    }

    // ---- Who, and at once

    @Test
    void commandsOfSeveralUsersAtOnceKeepApart() throws Exception {
        container.sh("chmod 777 /workspace");
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Future<ExecResult>> results = new ArrayList<>();
            int number = 8;
            for (int i = 0; i < number; i++) {
                ExecRequest.Builder request =
                        ExecRequest.shell("(sleep 60 &) ; echo $(id -u) " + i + "; sleep 0.1; exit " + i);
                if (i % 2 == 0) {
                    request.user("1234:1234");
                }
                ExecRequest built = request.timeLimit(Duration.ofSeconds(90)).build();
                results.add(threads.submit(() -> executor.run(built)));
            }
            for (int i = 0; i < number; i++) {
                ExecResult result = results.get(i).get(120, TimeUnit.SECONDS);
                assertThat(result.stdout().text()).isEqualTo((i % 2 == 0 ? "1234 " : "0 ") + i + "\n");
                assertThat(result.exitCode()).hasValue(i);
            }
        } finally {
            threads.shutdownNow();
        }
        await(() -> !container.sh("cat /proc/[0-9]*/cmdline | tr '\\0' ' '").contains("sleep 60 "), "nothing is left");
    }

    @Test
    void secretsAreOnNoCommandLine() throws Exception {
        String secret = "secret-" + UUID.randomUUID();
        try (DockerExecutor secretive = DockerExecutor.builder(container.name())
                .variable("TOKEN", secret)
                .build()) {
            FutureTask<ExecResult> running = new FutureTask<>(() -> secretive.run(ExecRequest.shell(
                            ": > /workspace/there; while test -e /workspace/there; do sleep 0.05; done; echo ${#TOKEN}")
                    .environment("OTHER", secret)
                    .timeLimit(Duration.ofSeconds(60))
                    .build()));
            new Thread(running, "secretive").start();
            await(() -> isThere("there"), "it runs");
            assertThat(ProcessHandle.allProcesses().flatMap(process -> process.info().commandLine().stream()))
                    .noneMatch(line -> line.contains(secret));
            // A process that ends while it is looked for is no fault of the look: cat would say so by its code.
            assertThat(container.sh("cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' '"))
                    .contains("/workspace/there")
                    .doesNotContain(secret);
            assertThat(container.cli("inspect", container.name())).doesNotContain(secret);
            Files.delete(workspace.resolve("there"));
            assertThat(running.get(60, TimeUnit.SECONDS).stdout().text()).isEqualTo(secret.length() + "\n");
        }
    }

    @Test
    void anEnvironmentThatAShellCannotSetIsRefusedWithoutItsValue() {
        assertThatThrownBy(() -> executor.run(ExecRequest.shell("true")
                        .environment("not.a.name", "hidden")
                        .build()))
                .isInstanceOf(ExecException.class)
                .hasMessageContaining("not.a.name")
                .hasMessageNotContaining("hidden");
        assertThatThrownBy(() -> executor.run(
                        ExecRequest.command("echo", "x".repeat(200_000)).build()))
                .isInstanceOf(ExecException.class)
                .hasMessageContaining("standard input");
    }

    @Test
    void thereAreNotMoreChannelsThanAllowedAndTheSettingsAreUsed() throws Exception {
        try (DockerExecutor one = DockerExecutor.builder(container.name())
                .channels(1)
                .user("1234:1235")
                .workingDirectory("/tmp")
                .variable("FROM", "executor")
                .build()) {
            FutureTask<ExecResult> first = new FutureTask<>(
                    () -> one.run(ExecRequest.shell(": > /tmp/there; while test -e /tmp/there; do sleep 0.05; done")
                            .build()));
            new Thread(first, "first").start();
            await(() -> container.sh("ls /tmp").contains("there"), "it runs");
            ExecResult second =
                    one.run(ExecRequest.shell("id -u; id -g; pwd; echo $FROM").build());
            assertThat(second.stdout().text()).isEqualTo("1234\n1235\n/tmp\nexecutor\n");
            await(() -> cliProcesses().size() == 1, "one client is left for both");
            container.sh("rm /tmp/there");
            assertThat(first.get(60, TimeUnit.SECONDS).succeeded()).isTrue();
            assertThat(one.run(ExecRequest.shell("echo $FROM")
                                    .environment("FROM", "request")
                                    .build())
                            .stdout()
                            .text())
                    .isEqualTo("request\n");
            await(() -> cliProcesses().size() == 1, "one client is left for both");
        }
    }

    // ---- Slim and locked containers

    @Test
    void aReadOnlyContainerWithoutAnyPlaceForFilesIsEnough() {
        try (TestContainer locked = new TestContainer(
                        "docker",
                        image,
                        "--read-only",
                        "--tmpfs",
                        "/workspace:size=16k",
                        "--cap-drop",
                        "ALL",
                        "--user",
                        "1234:1234",
                        "--security-opt",
                        "no-new-privileges",
                        "--pids-limit",
                        "64");
                DockerExecutor executor = DockerExecutor.builder(locked.name()).build()) {
            ExecResult result =
                    executor.run(ExecRequest.shell("head -c 5000000 /dev/zero; id -u >&2; (setsid sleep 60 &)")
                            .outputLimit(1000)
                            .timeLimit(Duration.ofSeconds(60))
                            .build());
            assertThat(result.succeeded()).isTrue();
            assertThat(result.stdout().totalBytes()).isEqualTo(5_000_000);
            assertThat(result.stderr().text()).isEqualTo("1234\n");
            assertThat(locked.sh("cat /proc/[0-9]*/cmdline | tr '\\0' ' '")).doesNotContain("sleep 60 ");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = "setsid")
    void withoutSomeToolsATreeIsStillEnded(String missing) {
        useOwnContainer();
        container.sh("for p in " + missing + "; do rm -f /bin/$p /usr/bin/$p; done");
        ExecResult result = executor.run(ExecRequest.shell("sleep 60 & echo out; sleep 60")
                .timeLimit(Duration.ofSeconds(5))
                .build());
        assertThat(result.ending()).isEqualTo(Ending.TIMED_OUT);
        assertThat(result.stdout().text()).isEqualTo("out\n");
        assertThat(out("sleep 60 & echo more")).isEqualTo("more\n");
        await(() -> !container.sh("cat /proc/[0-9]*/cmdline | tr '\\0' ' '").contains("sleep 60 "), "nothing is left");
    }

    @Test
    @Full("the shell cannot be told to go on, and is waited for: that takes 40 s")
    void withoutMoreToolsATreeIsStillEnded() {
        withoutSomeToolsATreeIsStillEnded("setsid grep");
    }

    // ---- Helpers

    private List<ProcessHandle> cliHandles() {
        return ProcessHandle.current()
                .descendants()
                .filter(process ->
                        process.info().commandLine().orElse("").matches("(?s).* exec -i .*" + container.name() + " .*"))
                .toList();
    }

    private List<Long> cliProcesses() {
        return cliHandles().stream().map(ProcessHandle::pid).sorted().toList();
    }

    private static void await(Callable<Boolean> condition, String what) {
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        try {
            while (!condition.call()) {
                assertThat(System.nanoTime())
                        .as("waited too long until " + what)
                        .isLessThan(deadline);
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
            }
        } catch (Exception e) {
            throw new AssertionError("while waiting until " + what, e);
        }
    }
}
