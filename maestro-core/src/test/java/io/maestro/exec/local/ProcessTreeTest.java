package io.maestro.exec.local;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.ExecResult.Ending;
import io.maestro.internal.Uninterrupted;
import io.maestro.testing.ChildJvm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whose processes are ended, and whose are not. */
class ProcessTreeTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    @TempDir
    private Path directory;

    private LocalExecutor executor;

    @BeforeEach
    void makeExecutor() {
        executor = LocalExecutor.builder(directory).build();
    }

    /** Ways to get away from the parent; each writes the id of the fugitive to the file "pids". */
    private static final String FUGITIVE = "sh -c 'echo $$ >> pids; exec sleep 60'";

    @ParameterizedTest
    @EnabledOnOs(OS.LINUX)
    @ValueSource(
            strings = {
                // a plain child; a double fork; nohup
                FUGITIVE + " &",
                "( ( " + FUGITIVE + " & ) & )",
                "nohup " + FUGITIVE + " > /dev/null 2>&1 &",
                // a session of its own, with and without a double fork: found by the cookie
                "setsid " + FUGITIVE + " &",
                "( setsid -f " + FUGITIVE + " < /dev/null > /dev/null 2>&1 & )",
                // a cleared environment: found by the session
                "( env -i PATH=\"$PATH\" " + FUGITIVE + " & ) &",
                // TERM is ignored
                "( trap '' TERM; ( setsid " + FUGITIVE + " & ) ) &",
                // stopped
                "( sh -c 'echo $$ >> pids; kill -STOP $$; sleep 60' & ) &"
            })
    void aProcessThatWentAwayFromItsParentIsEnded(String line) {
        ExecRequest.Builder request = ExecRequest.shell(line + " \n while ! test -s pids; do sleep 0.01; done; exit 5");
        ExecResult result = executor.run(request.timeLimit(LONG).build());
        assertThat(result.ending()).isEqualTo(Ending.EXITED);
        assertThat(result.exitCode()).hasValue(5);
        Processes.assertGone(Processes.pids(directory.resolve("pids"), 1));
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void atTheTimeLimitProcessesAreFoundThroughALivingParent() {
        // No cookie, another session: only the parent ties it to the command.
        String line = "env -i PATH=\"$PATH\" setsid sh -c 'echo $$ >> pids; sleep 60; :'";
        ExecResult result = executor.run(
                ExecRequest.shell(line + "; :").timeLimit(Duration.ofSeconds(1)).build());
        assertThat(result.ending()).isEqualTo(Ending.TIMED_OUT);
        Processes.assertGone(Processes.pids(directory.resolve("pids"), 1));
    }

    @Test
    void whatForksWhileItIsKilledIsEndedToo() {
        String line = "trap '' TERM; i=0; while test $i -lt 200; do "
                + "i=$((i+1)); sleep 60 & echo $! >> pids; sleep 0.01; done; sleep 60";
        ExecResult result = executor.run(
                ExecRequest.shell(line).timeLimit(Duration.ofSeconds(1)).build());
        assertThat(result.ending()).isEqualTo(Ending.TIMED_OUT);
        Processes.assertGone(Processes.pids(directory.resolve("pids"), 2));
    }

    @Test
    void processesOfTheHostAndOfOtherCommandsAreNotHit() throws Exception {
        Process bystander = new ProcessBuilder("sleep", "60").start();
        try {
            CompletableFuture<ExecResult> other = CompletableFuture.supplyAsync(() -> executor.run(
                    ExecRequest.shell("echo $$ > other; while ! test -e go; do sleep 0.02; done; echo done; exit 4")
                            .timeLimit(LONG)
                            .build()));
            long otherPid = Processes.pids(directory.resolve("other"), 1).get(0);

            ExecResult killed = executor.run(ExecRequest.shell("sleep 60 & sleep 60")
                    .timeLimit(Duration.ofMillis(300))
                    .build());
            assertThat(killed.ending()).isEqualTo(Ending.TIMED_OUT);
            assertThat(bystander.isAlive()).isTrue();
            assertThat(Processes.isAlive(otherPid)).isTrue();

            executor.run(ExecRequest.shell(": > go").build());
            ExecResult result = other.get(30, TimeUnit.SECONDS);
            assertThat(result.exitCode()).hasValue(4);
            assertThat(result.stdout().text()).isEqualTo("done\n");
            assertThat(bystander.isAlive()).isTrue();
        } finally {
            bystander.destroyForcibly().waitFor();
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aProcessThatIsOlderThanTheCommandIsNeverTaken() throws Exception {
        Process process = new ProcessBuilder("sleep", "60").start();
        try {
            String cookie = UUID.randomUUID().toString();
            long start = started(process);
            assertThat(new ProcTree(process.pid(), cookie, start + 1, new HashMap<>()).alive())
                    .isEmpty();
            assertThat(new ProcTree(ProcTree.NO_SESSION, cookie, start, new HashMap<>()).alive())
                    .isEmpty();
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aHandleIsOnlyMadeForTheVeryProcess() throws Exception {
        Process process = new ProcessBuilder("sleep", "60").start();
        try {
            long start = started(process);
            assertThat(Proc.handle(new ProcStat(process.pid(), 'S', 1, 1, 0, start)))
                    .contains(process.toHandle());
            assertThat(Proc.handle(new ProcStat(process.pid(), 'S', 1, 1, 0, start - 1)))
                    .isEmpty();
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    void withoutProcTheTreeIsTheOneOfTheJdk() throws Exception {
        Process process = new ProcessBuilder("sh", "-c", "sleep 60 & sleep 60 & echo $!; wait").start();
        long child = Long.parseLong(process.inputReader().readLine());
        ProcessTree tree = new DescendantTree(process.toHandle());
        assertThat(tree.alive()).hasSize(3).contains(process.toHandle());
        try (Uninterrupted uninterrupted = new Uninterrupted()) {
            assertThat(TreeKiller.kill(tree, uninterrupted)).isEmpty();
        }
        Processes.assertGone(List.of(process.pid(), child));
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aCommandThatIsStartedByACommandBelongsToBoth() {
        assertThat(Cookie.value("inner", null)).isEqualTo("inner");
        assertThat(Cookie.value("inner", "outer")).contains("inner").contains("outer");
        // A JVM that runs a command of its own, in a session of its own, and is itself killed without warning.
        ExecResult result = executor.run(ExecRequest.shell(
                        String.join(" ", quoted(ChildJvm.command(RunsACommand.class, directory.toString()))) + " & "
                                + "while ! test -s inner; do sleep 0.02; done; kill -KILL $!; exit 3")
                .timeLimit(LONG)
                .build());
        assertThat(result.exitCode()).hasValue(3);
        Processes.assertGone(Processes.pids(directory.resolve("inner"), 1));
    }

    @Test
    void whenTheJvmEndsItsCommandsEnd() throws Exception {
        Process jvm = new ProcessBuilder(ChildJvm.command(RunsACommand.class, directory.toString()))
                .redirectErrorStream(true)
                .start();
        try {
            List<Long> pids = Processes.pids(directory.resolve("inner"), 1);
            jvm.destroy(); // TERM, as at a shutdown of the machine or by Ctrl-C
            assertThat(jvm.waitFor(30, TimeUnit.SECONDS)).isTrue();
            Processes.assertGone(pids);
        } finally {
            jvm.destroyForcibly().waitFor();
        }
    }

    private static List<String> quoted(List<String> words) {
        return words.stream().map(word -> "'" + word + "'").toList();
    }

    private static long started(Process process) {
        return Proc.processes().stream()
                .filter(stat -> stat.pid() == process.pid())
                .findFirst()
                .orElseThrow()
                .startTicks();
    }
}
