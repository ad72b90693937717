package io.maestro.exec.local;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.exec.ExecException;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.testing.ChildJvm;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a host that was killed has left is ended in its directory, and nothing else is. */
@EnabledOnOs(OS.LINUX)
class LeftoversTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    private Path work;
    private final List<Long> started = new ArrayList<>();

    @BeforeEach
    void makeDirectory() throws Exception {
        work = Files.createDirectory(directory.resolve("work"));
    }

    @AfterEach
    void endWhatATestHasLeft() {
        started.stream().flatMap(pid -> ProcessHandle.of(pid).stream()).forEach(process -> {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        });
    }

    /** Each writes the ids of two processes to the file "pids". */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "(echo $$ >> pids; sleep 300; echo evil > evil.txt) & echo $! >> pids; sleep 300",
                // a session of its own, TERM ignored
                "trap '' TERM; setsid sh -c 'echo $$ >> pids; sleep 300; :' & echo $$ >> pids; sleep 300; :",
                // a cleared environment: found by the session; and, in another session too, by the parent
                "env -i PATH=\"$PATH\" sh -c 'echo $$ >> pids; sleep 300; :' & echo $$ >> pids; sleep 300; :",
                "env -i PATH=\"$PATH\" setsid sh -c 'trap \"\" TERM; echo $$ >> pids; sleep 300; :' & "
                        + "echo $$ >> pids; sleep 300; :"
            })
    void whatAKilledHostHasLeftIsEnded(String line) throws Exception {
        List<Long> pids = left(work, line);
        assertThat(pids).allMatch(Processes::isAlive);

        LocalExecutor.builder(work).build().endLeftovers();

        pids.forEach(
                pid -> assertThat(Processes.isAlive(pid)).as("process " + pid).isFalse());
        assertThat(work.resolve("evil.txt")).doesNotExist();
    }

    @Test
    void whatIsLeftInAnotherDirectoryLivesOn() throws Exception {
        Path below = Files.createDirectory(work.resolve("below"));
        Path longer = Files.createDirectory(directory.resolve("work2"));
        List<Long> others = new ArrayList<>();
        for (Path other : List.of(below, longer, directory)) {
            others.addAll(left(other, "echo $$ >> pids; echo $$ >> pids; exec sleep 300"));
        }
        LocalExecutor.builder(work).build().endLeftovers();
        assertThat(others).allMatch(Processes::isAlive);

        LocalExecutor.builder(below).build().endLeftovers();
        assertThat(others.subList(0, 2)).noneMatch(Processes::isAlive);
        assertThat(others.subList(2, 6)).allMatch(Processes::isAlive);
    }

    @Test
    void insideACommandOfAnExecutorOnlyThatCommandsOwnDirectoryIsSpared() throws Exception {
        String mark = RootMark.of(work);
        ProcessBuilder builder = new ProcessBuilder("sleep", "300");
        builder.environment().put(Cookie.VARIABLE, "jvm1@1/outer:jvm2@2/inner");
        builder.environment().put(RootMark.VARIABLE, "|/outer|" + mark);
        long left = builder.start().pid();
        started.add(left);

        assertThat(new Leftovers(mark, "jvm1@1/outer", "|/outer|").alive())
                .extracting(ProcessHandle::pid)
                .contains(left);
        assertThat(new Leftovers(mark, "jvm1@1/outer", "|/outer|" + mark).alive())
                .extracting(ProcessHandle::pid)
                .doesNotContain(left);
    }

    @Test
    void whatThisJvmIsRunningInTheDirectoryLivesOn() throws Exception {
        Process bystander = new ProcessBuilder("sleep", "300").start();
        started.add(bystander.pid());
        CompletableFuture<ExecResult> running = CompletableFuture.supplyAsync(() -> LocalExecutor.builder(work)
                .build()
                .run(ExecRequest.shell("setsid sh -c 'echo $$ >> mine; sleep 300' & echo $$ >> mine;"
                                + " while ! test -e go; do sleep 0.02; done; exit 4")
                        .timeLimit(LONG)
                        .build()));
        List<Long> mine = Processes.pids(work.resolve("mine"), 2);
        List<Long> left = left(work, "echo $$ >> pids; echo $$ >> pids; exec sleep 300");

        LocalExecutor.builder(work).build().endLeftovers();

        assertThat(left).noneMatch(Processes::isAlive);
        assertThat(mine).allMatch(Processes::isAlive);
        assertThat(bystander.isAlive()).isTrue();
        Files.createFile(work.resolve("go"));
        assertThat(running.get(30, TimeUnit.SECONDS).exitCode()).hasValue(4);
    }

    @Test
    void aHostThatIsRunByACommandOfTheDirectoryEndsNeitherItselfNorTheCommand() {
        String line = "sleep 300 & s=$!; " + String.join(" ", quoted(ChildJvm.command(Sweeps.class, work.toString())))
                + " && kill -0 $s && kill -0 $$ && exit 7";
        ExecResult result = LocalExecutor.builder(work)
                .build()
                .run(ExecRequest.shell(line).timeLimit(LONG).build());
        assertThat(result.exitCode()).as("%s", result).hasValue(7);
    }

    @Test
    void aDirectoryWithAnyNameIsFoundInAnyLocale() throws Exception {
        // The shell makes the name, of UTF-8 bytes: this JVM may have a locale that cannot.
        LocalExecutor.builder(directory)
                .build()
                .run(ExecRequest.shell("mkdir \"$(printf 'w\\303\\266rk|=%%')\"")
                        .build());
        Path odd;
        try (var files = Files.list(directory)) {
            odd = files.filter(file -> !file.equals(work)).findFirst().orElseThrow();
        }
        assertThat(RootMark.of(odd)).endsWith("/w%C3%B6rk%7C=%25|");
    }

    @Test
    void nothingIsLeftOfADirectoryThatDoesNotExist() {
        LocalExecutor.builder(directory.resolve("none/at/all")).build().endLeftovers();
    }

    @Test
    void anInterruptionDoesNotKeepItFromEnding() throws Exception {
        List<Long> pids = left(work, "echo $$ >> pids; echo $$ >> pids; exec sleep 300");
        Thread.currentThread().interrupt();
        LocalExecutor.builder(work).build().endLeftovers();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(pids).noneMatch(Processes::isAlive);
    }

    @Test
    void whatCannotBeEndedIsNamed() {
        assertThatThrownBy(() -> LocalExecutor.requireNone(List.of(4711L), work))
                .isInstanceOf(ExecException.class)
                .hasMessageContaining("[4711]")
                .hasMessageContaining(work.toString());
        LocalExecutor.requireNone(List.of(), work);
    }

    /** Lets a JVM run a command, and kills the JVM as soon as there are two lines in the file "pids". */
    private List<Long> left(Path where, String line) throws Exception {
        Process jvm = new ProcessBuilder(ChildJvm.command(RunsACommand.class, where.toString(), line))
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("jvm.log").toFile())
                .start();
        try {
            List<Long> pids = Processes.pids(where.resolve("pids"), 2);
            started.addAll(pids);
            return pids;
        } catch (AssertionError e) {
            throw new AssertionError(Files.readString(directory.resolve("jvm.log"), StandardCharsets.UTF_8), e);
        } finally {
            jvm.destroyForcibly().waitFor();
        }
    }

    private static List<String> quoted(List<String> words) {
        return words.stream().map(word -> "'" + word + "'").toList();
    }

    /** A program that ends what is left in a directory. */
    static final class Sweeps {
        private Sweeps() {}

        public static void main(String[] arguments) {
            LocalExecutor.builder(Path.of(arguments[0])).build().endLeftovers();
        }
    }
}
