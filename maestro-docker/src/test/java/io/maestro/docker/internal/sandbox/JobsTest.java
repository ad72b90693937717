package io.maestro.docker.internal.sandbox;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.DockerException;
import io.maestro.docker.DockerHost;
import io.maestro.docker.JobStatus;
import io.maestro.docker.JobStatus.State;
import io.maestro.docker.internal.TestEngine;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestContainer;
import io.maestro.exec.ExecException;
import io.maestro.testing.ChildJvm;
import io.maestro.testing.Full;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs in busybox, whose shell is not the one of other images; {@link JobImagesTest} has those. */
@RequiresEngine
class JobsTest {
    private static final int MUCH = 1 << 20;
    private static TestContainer box;

    @BeforeAll
    static void start() {
        box = new TestContainer("docker", TestContainer.BUSYBOX);
    }

    @AfterAll
    static void remove() {
        if (box != null) {
            box.close();
        }
    }

    private static Jobs jobs(@Nullable String user) {
        return new Jobs(DockerHost.local(), box.name(), user, "/workspace", Map.of("SHADE", "dark-9f3"));
    }

    private static JobStatus end(Jobs jobs, String id) {
        TestEngine.await(() -> jobs.poll(id, 0, 4).state() != State.RUNNING);
        return jobs.poll(id, 0, MUCH);
    }

    /** Quotes, and what must not be seen. */
    static Stream<List<String>> texts() {
        return Stream.of(
                List.of("echo 'it''s' \"$SHADE\" `echo x` \\\\", "its dark-9f3 x \\\n"),
                List.of(
                        "# hidden-4711\ncat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\000' '\\n' | grep -e hidden-[4] -e dark-[9]",
                        ""));
    }

    static Stream<List<String>> moreTexts() {
        return Stream.of(
                List.of("# first\n\n\ncat <<'E'\n'\"$(x) ä € 𝄞\nE\necho \"$#\" \"$0\"", "'\"$(x) ä € 𝄞\n0 sh\n"),
                List.of("x='" + "long ".repeat(20_000) + "'\necho ${#x}", "100000\n"),
                List.of("cat; read -r x || echo none; pwd; umask", "none\n/workspace\n0022\n"),
                List.of("echo out; echo err >&2; echo out", "out\nerr\nout\n"),
                List.of("echo no line end; printf \\\\377", "no line end\n\uFFFD"));
    }

    @ParameterizedTest
    @MethodSource("texts")
    void anyTextIsRunAsItIs(List<String> text) {
        Jobs jobs = jobs(null);
        JobStatus status = end(jobs, jobs.start(text.get(0), null, null));
        assertThat(status.output()).isEqualTo(text.get(1));
        assertThat(status.state()).isEqualTo(State.ENDED);
        assertThat(status.outputCut()).isFalse();
        assertThat(status.nextOffset()).isEqualTo(status.totalBytes());
    }

    @ParameterizedTest
    @MethodSource("moreTexts")
    @Full("anyTextIsRunAsItIs has quotes and what must not be seen")
    void moreTextsAreRunAsTheyAre(List<String> text) {
        anyTextIsRunAsItIs(text);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = "(exit 200)|200")
    void theExitCodeIsTheCommands(String command, int code) {
        Jobs jobs = jobs(null);
        String id = jobs.start(command, null, null);
        assertThat(id).matches("[0-9a-f]{12}");
        assertThat(end(jobs, id).exitCode()).hasValue(code);
        // What has ended is not cancelled any more.
        JobStatus status = jobs(null).cancel(id);
        assertThat(status.state()).isEqualTo(State.ENDED);
        assertThat(status.exitCode()).hasValue(code);
        assertThat(jobs.poll(id, 0, 4).state()).isEqualTo(State.ENDED);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"true|0", "kill -KILL $$|137", "exit 3|3", "kill -INT $$|130", "if|2"})
    @Full("theExitCodeIsTheCommands has one that no shell makes by itself")
    void moreExitCodesAreTheCommands(String command, int code) {
        theExitCodeIsTheCommands(command, code);
    }

    @Test
    void outputIsReadInPiecesWhileItRuns() {
        Jobs jobs = jobs(null);
        String id = jobs.start(
                "printf 'aé€𝄞\\303'; until [ -e go ]; do sleep 0.02; done; printf '\\244'; exit 5", null, "/tmp");
        TestEngine.await(() -> jobs.poll(id, 0, 4).totalBytes() == 11);
        long offset = 0;
        for (String piece : List.of("aé", "€", "𝄞", "")) {
            JobStatus part = jobs.poll(id, offset, 5);
            assertThat(part.output()).isEqualTo(piece);
            assertThat(part.state()).isEqualTo(State.RUNNING);
            assertThat(part.exitCode()).isEmpty();
            offset = part.nextOffset();
        }
        box.sh("touch /tmp/go");
        assertThat(end(jobs, id).exitCode()).hasValue(5);
        assertThat(jobs.poll(id, offset, 5).output()).isEqualTo("ä");
        assertThat(jobs.poll(id, 99, 5).output()).isEmpty();
        assertThat(jobs.poll(id, 99, 5).nextOffset()).isEqualTo(12);
    }

    /** Starts a job and waits to be killed. */
    static final class OtherJobProgram {
        public static void main(String[] arguments) throws Exception {
            Jobs jobs = new Jobs(DockerHost.local(), arguments[0], null, "/", Map.of());
            System.out.println(
                    jobs.start("echo one; until [ -e /tmp/on ]; do sleep 0.02; done; echo two; exit 7", null, null));
            System.in.read();
        }
    }

    @Test
    void aJobOutlivesTheProgramThatStartedIt() throws Exception {
        Process process = new ProcessBuilder(ChildJvm.command(
                        List.of("-Dorg.slf4j.simpleLogger.defaultLogLevel=off"), OtherJobProgram.class, box.name()))
                .start();
        String id;
        try {
            id = new String(process.getInputStream().readNBytes(12), StandardCharsets.UTF_8);
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
        }
        Jobs jobs = jobs(null);
        TestEngine.await(() -> jobs.poll(id, 0, 99).output().equals("one\n"));
        assertThat(jobs.poll(id, 0, 99).state()).isEqualTo(State.RUNNING);
        assertThat(jobs.list()).anySatisfy(job -> assertThat(job.id()).isEqualTo(id));
        box.sh("touch /tmp/on");
        JobStatus status = end(jobs, id);
        assertThat(status.exitCode()).hasValue(7);
        assertThat(status.output()).isEqualTo("one\ntwo\n");
    }

    @Test
    void aCancelledJobMayStillSaySomething() {
        Jobs jobs = jobs(null);
        String id = jobs.start("trap 'echo bye; exit 9' TERM; echo up; while :; do sleep 0.02; done", null, null);
        TestEngine.await(() -> jobs.poll(id, 0, 99).output().equals("up\n"));
        assertThat(jobs.cancel(id).state()).isEqualTo(State.CANCELLED);
        assertThat(jobs.cancel(id).state()).isEqualTo(State.CANCELLED);
        JobStatus status = jobs(null).poll(id, 0, 99);
        assertThat(status.state()).isEqualTo(State.CANCELLED);
        assertThat(status.exitCode()).isEqualTo(OptionalInt.empty());
        // The shell may say between them that its sleep was ended.
        assertThat(status.output()).startsWith("up\n").endsWith("bye\n");
    }

    @Test
    void whatAJobLeavesRunningEndsWithIt() {
        Jobs jobs = jobs(null);
        String id = jobs.start("""
                setsid sleep 7301 &
                (env -i setsid sleep 7302 &)
                (env -i sleep 7303 >/dev/null 2>&1 &)
                sh -c 'trap "echo bye; exit" TERM; : >/tmp/up; while :; do sleep 0.02; done' &
                until [ -e /tmp/up ]; do sleep 0.02; done
                exit 4""", null, null);
        JobStatus status = end(jobs, id);
        assertThat(status.exitCode()).hasValue(4);
        assertThat(status.output()).endsWith("bye\n");
        assertThat(status.outputCut()).isFalse();
        assertThat(running()).doesNotContain("sleep 730");
    }

    private static String running() {
        return box.sh("cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\000' ' '");
    }

    /** The supervisor's pid and all files, as only root could change them. */
    @Test
    @Full("a container that is forged; theExitCodeIsTheCommands has what is not")
    void aNumberThatAnotherProcessHasByNowIsNotTheJob() {
        Jobs jobs = jobs(null);
        box.cli("exec", "-d", box.name(), "sleep", "7201");
        TestEngine.await(() -> running().contains("sleep 7201"));
        String other = box.sh("grep -ls -e '720[1]' /proc/[0-9]*/cmdline").replaceAll("[^0-9]", "");
        String id = jobs.start("sleep 7202", null, null);
        String lost = jobs.start("sleep 7203", null, null);
        TestEngine.await(() -> running().contains("sleep 7202") && running().contains("sleep 7203"));
        for (String job : List.of(id, lost)) {
            box.sh("cd /var/lib/maestro/jobs-0/" + job + "; read -r p s <pid; read -r q t <main; echo " + other
                    + " $s >pid; echo " + other + " $t >main; kill -KILL "
                    + (job.equals(lost)
                            ? "$(cat own) $q $(grep -ls -e '720[3]' /proc/[0-9]*/cmdline | tr -dc '0-9\\n')"
                            : "$p"));
        }
        TestEngine.await(() -> !running().contains("sleep 7203"));
        assertThat(jobs.poll(lost, 0, 4).state()).isEqualTo(State.LOST);
        assertThat(jobs.cancel(lost).state()).isEqualTo(State.LOST);
        // The supervisor is gone, the command is not.
        assertThat(jobs.poll(id, 0, 4).state()).isEqualTo(State.RUNNING);
        assertThat(jobs.cancel(id).state()).isEqualTo(State.CANCELLED);
        assertThat(running()).doesNotContain("sleep 7202").contains("sleep 7201");

        // The command's session too.
        String session = jobs.start("sleep 7204", null, null);
        box.sh("cd /var/lib/maestro/jobs-0/" + session + "; until [ -s main ]; do :; done; echo " + other + " 1 >main");
        assertThat(jobs.cancel(session).state()).isEqualTo(State.CANCELLED);
        assertThat(running()).doesNotContain("sleep 7204").contains("sleep 7201");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "../../../tmp", "0123456789a", "0123456789abc", "0123456789aB", "0123456789a\n"})
    void whatIsNoIdIsRefused(String id) {
        Jobs jobs = jobs(null);
        assertThatThrownBy(() -> jobs.poll(id, 0, 4))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("12 hexadecimal digits");
        assertThatThrownBy(() -> jobs.cancel(id)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void whatCannotBeIsRefused() {
        Jobs jobs = jobs(null);
        assertThatThrownBy(() -> jobs.start(" \n", null, null)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> jobs.start("a\0b", null, null)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> jobs.poll("0123456789ab", -1, 4)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> jobs.poll("0123456789ab", 0, 3)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Jobs(DockerHost.local(), box.name(), null, "/", Map.of("a b", "")))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> jobs.poll("0123456789ab", 0, 4))
                .isInstanceOf(DockerException.class)
                .hasMessageContaining("there is no job 0123456789ab in container " + box.name());
        assertThatThrownBy(() -> jobs.cancel("0123456789ab")).isInstanceOf(DockerException.class);
        assertThatThrownBy(() -> jobs.start("true", null, "/none"))
                .isInstanceOf(ExecException.class)
                .hasMessageContaining("the working directory does not exist");
    }
}
