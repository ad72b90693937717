package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.record.AuditLog;
import io.maestro.record.internal.Store;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.testing.ChildJvm;
import io.maestro.testing.Full;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The host is killed while the tests of a story run. */
@EnabledOnOs(OS.LINUX)
class KilledHostTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @TempDir
    Path directory;

    @Test
    void theNextLifeEndsTheCommandsOfTheKilledOneBeforeAnyStoryRuns() throws Exception {
        TestRepository repository = TestRepository.create(directory, Map.of("README.md", "a project"));
        Process host = ChildJvm.of(directory, Host.class, directory.toString())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("host.log").toFile())
                .start();
        Path pidFile = directory.resolve("pid");
        try {
            await(() -> Files.exists(pidFile), "the tests of the story run; see " + directory.resolve("host.log"));
        } finally {
            host.destroyForcibly().waitFor();
        }
        ProcessHandle orphan = ProcessHandle.of(
                        Long.parseLong(Files.readString(pidFile).strip()))
                .orElseThrow();
        try {
            assertThat(orphan.isAlive()).isTrue();
            // The tests of the second life let the orphan write, if it is still there, and give it time to.
            String tests = "touch " + directory.resolve("go") + "; i=0; while kill -0 " + orphan.pid()
                    + " 2> /dev/null && test $i -lt 500; do sleep 0.02; i=$((i+1)); done; ! test -e evil.txt";
            try (Maestro maestro = maestro(directory, repository, tests)) {
                // It is killed by now, but is gone only when its new parent has seen that.
                await(() -> !orphan.isAlive(), "the orphan is gone, before any story runs");
                StoryResult result = maestro.run(story());

                assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.MERGED);
                // The tests begin again; what was done before them is not done again.
                assertThat(result.attempt()).isEqualTo(1);
                assertThat(maestro.auditLog().messages("1"))
                        .filteredOn(message -> message.role().equals("assistant"))
                        .hasSize(2);
            }
            assertThat(orphan.isAlive()).isFalse();
            assertThat(repository.git("ls-tree", "--name-only", "main").lines()).containsExactly("README.md", "a.txt");
        } finally {
            orphan.descendants().forEach(ProcessHandle::destroyForcibly);
            orphan.destroyForcibly();
        }
    }

    /** While the tests of its story run; it ends with a hook that does something. */
    private void hostIsToldToEnd(String hook) throws Exception {
        TestRepository.create(directory, Map.of("README.md", "a project"));
        Process host = ChildJvm.of(directory, Host.class, directory.toString(), hook)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("host.log").toFile())
                .start();
        Path pidFile = directory.resolve("pid");
        try {
            await(() -> Files.exists(pidFile), "the tests of the story run; see " + directory.resolve("host.log"));
            host.destroy();
            assertThat(host.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } finally {
            host.destroyForcibly().waitFor();
        }
    }

    /** Its shutdown ends the tests; that they were ended says nothing about the change. */
    @Test
    void aHostThatIsToldToEndWithoutACloseDoesNotTakeItsEndForFailedTests() throws Exception {
        hostIsToldToEnd("slow");
        try (Store store = Store.sqlite(directory.resolve("project/.maestro/maestro.db"), text -> text)) {
            assertThat(store.story("1"))
                    .get()
                    .extracting(AuditLog.StoryRecord::state)
                    .isEqualTo(CoderState.TESTING);
            assertThat(store.toolExecutions("1"))
                    .extracting(AuditLog.ToolExecution::tool)
                    .doesNotContain("test");
        }
    }

    /** The commands end when the shutdown begins, and hooks of the host run at the same time: one may cancel. */
    @Test
    @Full("a JVM of its own, as the test before it has")
    void aHookThatCancelsIsHeardAlthoughTheCommandsHaveEnded() throws Exception {
        hostIsToldToEnd("cancel");
        try (Store store = Store.sqlite(directory.resolve("project/.maestro/maestro.db"), text -> text)) {
            assertThat(store.story("1"))
                    .get()
                    .extracting(AuditLog.StoryRecord::state)
                    .isEqualTo(CoderState.ERROR);
        }
    }

    private static Story story() {
        return Story.builder("1", "Story 1").content("do it").express().build();
    }

    private static Maestro maestro(Path directory, TestRepository repository, String testCommand) {
        return Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository.url())
                .coderModel(ScriptedLlm.builder("coder")
                        .turn(Reply.toolCall("write_file", Map.of("path", "a.txt", "content", "a")))
                        .turn(Reply.toolCall("done", Map.of("summary", "wrote a.txt")))
                        .build())
                .architect(new Approving())
                .testCommand(testCommand)
                .tools(tools -> tools.discover(false))
                .build();
    }

    private interface Condition {
        boolean holds() throws IOException;
    }

    private static void await(Condition condition, String what) throws IOException {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!condition.holds()) {
            assertThat(System.nanoTime()).as("waited too long until " + what).isLessThan(deadline);
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** The host of the first life; its tests never end, and when they may, they write a file that nobody wants. */
    static final class Host {
        private Host() {}

        public static void main(String[] arguments) {
            Path directory = Path.of(arguments[0]);
            Path pid = directory.resolve("pid");
            String tests = "trap '' TERM; echo $$ > " + pid + ".new; mv " + pid + ".new " + pid + "; while ! test -e "
                    + directory.resolve("go") + "; do sleep 0.02; done; echo evil > evil.txt; sleep 300";
            try (Maestro maestro = maestro(directory, TestRepository.existing(directory), tests)) {
                Submission<StoryResult> submission = maestro.submit(story());
                if (arguments.length > 1) {
                    Thread hook = arguments[1].equals("slow")
                            ? new Thread(() -> waitForTheTests(maestro))
                            : new Thread(() -> cancel(submission, pid));
                    Runtime.getRuntime().addShutdownHook(hook);
                }
                submission.await();
            }
        }

        private static void cancel(Submission<StoryResult> submission, Path pid) {
            try {
                long tests = Long.parseLong(Files.readString(pid).strip());
                await(() -> ProcessHandle.of(tests).isEmpty(), "the tests have ended");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            // The story's thread has noticed, and waits for a hook, or is gone already.
            long deadline = System.nanoTime() + Duration.ofSeconds(1).toNanos();
            while (System.nanoTime() < deadline
                    && Thread.getAllStackTraces().values().stream()
                            .flatMap(Arrays::stream)
                            .noneMatch(frame -> frame.getMethodName().equals("causeWithin"))) {
                LockSupport.parkNanos(1_000_000);
            }
            submission.cancel();
            submission.await();
        }

        /** A host takes its time; in this time the story may go on. */
        private static void waitForTheTests(Maestro maestro) {
            long deadline = System.nanoTime() + Duration.ofSeconds(1).toNanos();
            while (System.nanoTime() < deadline
                    && maestro.auditLog().story("1").orElseThrow().state() == CoderState.TESTING) {
                LockSupport.parkNanos(10_000_000);
            }
        }
    }
}
