package io.maestro.builtin.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.builtin.internal.jobs.ShellJob;
import io.maestro.builtin.internal.jobs.ShellJobs;
import io.maestro.secrets.internal.ShownText;
import io.maestro.tools.ToolResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the shell runs in the background. */
@Timeout(120)
class ShellJobsTest {
    @TempDir
    Path directory;

    private ToolBench bench;

    @BeforeEach
    void open() throws IOException {
        bench = new ToolBench(directory);
        bench.inOneState = true;
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private ToolResult background(String commandLine, Object... more) {
        Object[] arguments = new Object[4 + more.length];
        System.arraycopy(new Object[] {"cmd", commandLine, "background", true}, 0, arguments, 0, 4);
        System.arraycopy(more, 0, arguments, 4, more.length);
        return bench.call("shell", arguments);
    }

    /** Asks until an answer has this, and gives all answers that have output. */
    private String awaited(String id, String expected) {
        StringBuilder all = new StringBuilder();
        while (!Pattern.compile(expected).matcher(all).find()) {
            ToolResult answer = bench.call("shell_job", "id", id);
            assertThat(answer.isError()).as(answer.text()).isFalse();
            if (answer.text().contains("--- output")) {
                all.append(answer.text()).append('\n');
            }
        }
        return all.toString();
    }

    private ProcessHandle processOf(String id) {
        Matcher pid = Pattern.compile("pid ([0-9]+)").matcher(awaited(id, "pid [0-9]+"));
        assertThat(pid.find()).isTrue();
        return ProcessHandle.of(Long.parseLong(pid.group(1))).orElseThrow();
    }

    private static boolean isGone(ProcessHandle process) {
        // A zombie is one that its parent has not asked for yet.
        return !process.isAlive() || !process.info().command().isPresent();
    }

    @Test
    void aCommandRunsOnAndSaysWhatItPrintsAndHowItEnded() throws IOException {
        assertThat(background("echo one; while [ ! -e go ]; do sleep 0.02; done; echo two >&2; echo three; exit 3")
                        .text())
                .startsWith("job-1 runs, for 3600 s at most");
        assertThat(awaited("job-1", "\none")).contains("job-1 runs, for ", " s so far: echo one; while");
        assertThat(bench.call("shell", "cmd", "echo meanwhile").text()).contains("meanwhile");
        assertThat(bench.call("shell_job").text()).startsWith("job-1 runs");

        bench.file("go", "");
        ToolResult ended = bench.call("shell_job", "id", "job-1", "wait_seconds", 60);
        assertThat(ended.text())
                .containsPattern("^job-1 ended after [0-9]+ s, exit code 3: ")
                .endsWith("--- output, bytes 4 to 14 of 14 ---\ntwo\nthree");
        assertThat(ended.exitCode()).hasValue(3);
        assertThat(ended.isError()).isFalse();
        assertThat(bench.call("shell_job", "id", "job-1").text()).doesNotContain("output");
        assertThat(bench.call("shell_job", "id", "job-1", "offset", 0).text()).endsWith("one\ntwo\nthree");
        assertThat(bench.call("shell_job", "id", "job-1", "cancel", true).text())
                .contains("exit code 3");
    }

    @Test
    void whatIsCancelledEndsWithAllThatItHasStarted() {
        background("sleep 1000 & echo pid $!; wait");
        ProcessHandle child = processOf("job-1");
        assertThat(isGone(child)).isFalse();

        assertThat(bench.call("shell_job", "id", "job-1", "cancel", true).text())
                .startsWith("job-1 was ended after");
        assertThat(isGone(child)).isTrue();
    }

    @Test
    void nothingRunsLongerThanItsLimitOrItsAgent() {
        background("echo begun; exec sleep 1000", "timeout_seconds", 1);
        ToolResult late = bench.call("shell_job", "id", "job-1", "wait_seconds", 60);
        assertThat(late.text())
                .startsWith("job-1 was killed at its time limit of 1 s")
                .endsWith("begun");
        assertThat(late.isError()).isTrue();

        background("echo pid $$; exec sleep 1000");
        ProcessHandle process = processOf("job-2");
        bench.close();
        assertThat(isGone(process)).isTrue();
    }

    @Test
    void theEndOfALongOutputIsKept() {
        background("yes | head -c 600000; echo; echo last");
        String text = bench.call("shell_job", "id", "job-1", "wait_seconds", 60).text();
        assertThat(text).contains("bytes before 337864 of its output are not kept", "bytes 337864 to 362440 of 600006");
        assertThat(bench.call("shell_job", "id", "job-1", "offset", 599990).text())
                .endsWith("y\n\nlast");
    }

    @Test
    void aLineIsShownWhenItIsCompleteOrNothingMoreComes() {
        background("printf 'whole\\npw=sec'; sleep 0.1; printf 'ret\\n'; while [ ! -e go ]; do sleep 0.02; done");
        String said = awaited("job-1", "password");
        assertThat(said).contains("pw=[REDACTED:password]").doesNotContain("\npw=sec", "\nret");
        background("printf 'name? \\303'; exec sleep 1000");
        assertThat(awaited("job-2", "bytes 0 to 6 of 7 ---")).endsWith("\nname?\n");
    }

    /** Wherever an agent has the output begin, and whatever part of it is kept. */
    @Test
    void noPartOfASecretIsShown() {
        String secret = "pw=" + "0123456789abcdefghijklmnopq";
        background("printf 'näme %s end\\nnext line\\n' '" + secret + "'");
        bench.call("shell_job", "id", "job-1", "wait_seconds", 60);
        for (int offset = 0; offset < 50; offset++) {
            String text =
                    bench.call("shell_job", "id", "job-1", "offset", offset).text();
            assertThat(text.substring(text.indexOf('\n') + 1))
                    .as("from %d", offset)
                    .doesNotContain("9ab", "opq", "\ufffd");
            if (offset < 36) {
                assertThat(text).as("from %d", offset).contains("[REDACTED:password] end\nnext line");
            }
        }
        // So many bytes that the first one that is kept is one of the secret.
        int kept = ShellJob.OUTPUT_LIMIT - 12;
        background("echo " + secret + "; yes | head -c " + kept);
        bench.call("shell_job", "id", "job-2", "wait_seconds", 60);
        assertThat(bench.call("shell_job", "id", "job-2", "offset", 0).text())
                .contains("are not kept")
                .doesNotContain("opq");
        // One line, longer than what is kept.
        String token = "BEGIN0123456789abcdefghijABCDEFGHIJ5END";
        for (int cut : new int[] {1, 20, 39}) {
            int dots = 1000 + ShownText.AROUND - cut;
            int blanks = 1000 + ShellJob.OUTPUT_LIMIT - dots - token.length();
            background("head -c " + dots + " /dev/zero | tr '\\0' .; printf " + token + "; head -c " + blanks
                    + " /dev/zero | tr '\\0' ' '");
            String id = "job-" + (3 + List.of(1, 20, 39).indexOf(cut));
            bench.call("shell_job", "id", id, "wait_seconds", 60);
            String text = bench.call("shell_job", "id", id, "offset", 0).text();
            assertThat(text).contains("are not kept");
            assertThat(text.substring(text.indexOf("---\n"))).as("cut %d", cut).doesNotContain("5");
        }
    }

    @Test
    void thereAreLimitsToHowManyThereAre() {
        for (int i = 0; i < ShellJobs.MOST_RUNNING; i++) {
            assertThat(background("exec sleep 1000").isError()).isFalse();
        }
        ToolResult refused = background("true");
        assertThat(refused.isError()).isTrue();
        assertThat(refused.text()).contains("8 commands run in the background already, job-1, job-2,");
        bench.call("shell_job", "id", "job-3", "cancel", true);
        for (int i = ShellJobs.MOST_RUNNING + 1; i < ShellJobs.MOST_KNOWN + 4; i++) {
            assertThat(background("true").text()).startsWith("job-" + i);
            bench.call("shell_job", "id", "job-" + i, "wait_seconds", 60);
        }
        assertThat(bench.call("shell_job").text().lines()).hasSize(ShellJobs.MOST_KNOWN);
        assertThat(bench.call("shell_job", "id", "job-3").text())
                .startsWith("there is no 'job-3' (any more):\njob-1 runs");
    }

    @Test
    void whatCannotBeStartedIsNoJob() {
        assertThat(background("true", "cwd", "none").text()).contains("there is no such directory");
        assertThat(bench.call("shell_job").text()).isEqualTo("nothing was started in the background");
    }
}
