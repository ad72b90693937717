package io.maestro.docker.internal.environment;

import static io.maestro.testing.AssertThat.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.maestro.docker.CommandLostException;
import io.maestro.docker.DockerEnvironments;
import io.maestro.docker.internal.TestEngine;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestImages;
import io.maestro.environment.Phase;
import io.maestro.exec.ExecException;
import io.maestro.exec.ExecProcess;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.files.internal.SafeDirectory;
import io.maestro.testing.Full;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands try to leave processes behind in an agent's container. */
@RequiresEngine
class SurvivorsTest {
    @TempDir
    static Path directory;

    /**
     * A program for amd64 without a library: it starts a thread and ends the first one, by {@code clone(0x50f00, sp - 4096)},
     * {@code exit(0)} and {@code pause()} for ever.
     */
    private static final byte[] THREAD = Base64.getDecoder()
            .decode(
                    "f0VMRgIBAQAAAAAAAAAAAAIAPgABAAAAeABAAAAAAABAAAAAAAAAAAAAAAAAAAAAAAAAAEAAOAABAAAAAAAAAAEAAAAFAAAAAAAAAAAA"
                            + "AAAAAEAAAAAAAAAAQAAAAAAAqgAAAAAAAACqAAAAAAAAAAAQAAAAAAAAuDgAAAC/AA8FAEiNtCQA8P//MdJFMdJFMcAPBYXAdAm4"
                            + "PAAAADH/DwW4IgAAAA8F6/c=");

    private static final String MARK = "jvm1@2-00000000/1";

    private static Bench bench;
    private static StoryEnvironment environment;

    @BeforeAll
    static void open() {
        TestImages images = TestImages.ofDocker();
        // Its variables are the agent's, who can write to the first directory of its path; its shell runs what is
        // there, as
        // busybox does not.
        String base = images.build(
                "survivors",
                "FROM " + images.baseWithGit() + "\nENV MAESTRO_EXEC_ID=" + MARK + "\nENV PATH=/workspace/bin:$PATH\n",
                Map.of());
        bench = new Bench(directory, images, base);
        environment = Bench.environment(
                bench.open(Map.of("network", "none", "pids", 128), DockerEnvironments.builder(), Map.of()),
                bench.place("1"));
        environment.enter(Phase.CODING);
    }

    @AfterAll
    static void close() {
        bench.close();
    }

    private static String processes() {
        // Of a process whose first thread has ended, another one has it.
        return Bench.sh(environment, "cat /proc/[0-9]*/task/[0-9]*/cmdline | tr '\\000' ' '");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // No environment, a session of its own, nothing open.
                "env -i setsid sleep 4711 </dev/null >/dev/null 2>&1 &",
                // Forked twice, deaf to TERM.
                "(env -i setsid sh -c 'trap \"\" TERM; sleep 4711; sleep 4712' </dev/null >/dev/null 2>&1 &)",
                // The mark of a command that there is not.
                "env -i MAESTRO_EXEC_ID=jvm1@2-3/4/5 setsid sleep 4711 </dev/null >/dev/null 2>&1 &",
                // That of the image, and none that the host gives out.
                "env -i MAESTRO_EXEC_ID=" + MARK + " setsid sleep 4711 </dev/null >/dev/null 2>&1 &",
                "env -i MAESTRO_EXEC_ID= setsid sleep 4711 </dev/null >/dev/null 2>&1 &",
                // Its first thread has ended, with the environment.
                "env -i setsid ./thread sleep 4711 </dev/null >/dev/null 2>&1 &"
                        + " until grep -q 'State:.Z' /proc/$!/status; do :; done",
                // What the main process runs when its child is killed.
                "mkdir bin; printf '#!/bin/sh\nexec /bin/sleep 4711\n' >bin/sleep; chmod 755 bin/sleep;"
                        + " for p in /proc/[0-9]*; do q=$(cut -d' ' -f4 $p/stat); if [ \"$q\" -gt 1 ]"
                        + " && [ \"$(cut -d' ' -f4 /proc/$q/stat)\" = 1 ]; then kill -9 ${p#/proc/}; fi; done",
                // Another process each time somebody looks.
                "printf 'env -i sh hop 4711 </dev/null >/dev/null 2>&1 &\\necho >alive\\n' >hop;"
                        + " env -i setsid sh hop 4711 </dev/null >/dev/null 2>&1 & sleep 0.2",
                // A command of its own in the input of the worker, whose channel cannot look any more.
                "w=$(cut -d' ' -f4 /proc/$PPID/stat); p=$(cut -d' ' -f4 /proc/$w/stat);"
                        + " q=$(cut -d' ' -f4 /proc/$p/stat); for c in /proc/[0-9]*; do n=${c#/proc/};"
                        + " if [ $n != $p ] && [ \"$(cut -d' ' -f4 $c/stat 2>/dev/null)\" = $q ]; then kill -9 $n; fi; done;"
                        + " printf 'nonce none\\nenv -i setsid sleep 4711 </dev/null >/dev/null 2>&1\\n' >/proc/$w/fd/0",
                // Its channel is gone before it can be looked for.
                "env -i setsid sleep 4711 </dev/null >/dev/null 2>&1 & kill -9 $PPID",
            })
    void endWithTheirCall(String line) throws IOException {
        if (line.contains("./thread")) {
            assumeTrue(System.getProperty("os.arch").equals("amd64"));
            Path program = Files.write(bench.workspace.resolve("thread"), THREAD);
            assertThat(program.toFile().setExecutable(true)).isTrue();
        }
        try {
            environment.executor().run(ExecRequest.shell(line).build());
        } catch (ExecException e) {
            assertThat(line).contains("kill -9");
        }
        assertThat(processes()).contains("trap 'exit 0'").doesNotContain("sleep 4711");
        SafeDirectory.deleteTree(bench.workspace.resolve("bin"));
    }

    /** As a build daemon that a long command has put into the background. */
    @Test
    void whatAnotherCommandHasPutIntoTheBackgroundGoesOnAsLongAsThat() throws IOException {
        String daemon = "(setsid sleep 4713 >/dev/null 2>&1 </dev/null &); echo begun; read x; ls >/dev/null";
        try (ExecProcess other = environment
                        .executor()
                        .start(ExecRequest.shell(daemon)
                                .timeLimit(Duration.ofMinutes(2))
                                .build());
                BufferedReader out =
                        new BufferedReader(new InputStreamReader(other.stdout(), StandardCharsets.UTF_8))) {
            assertThat(out.readLine()).isEqualTo("begun");
            Bench.sh(environment, "env -i setsid sleep 4714 </dev/null >/dev/null 2>&1 &");
            assertThat(processes()).contains("sleep 4713").doesNotContain("sleep 4714");
            other.stdin().write('\n');
            other.stdin().close();
            assertThat(other.await(Duration.ofMinutes(1))).isPresent();
        }
        assertThat(processes()).doesNotContain("sleep 4713");
    }

    /** Where a shell can still be started the bomb is ended; else the container is, and the answer says so. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "b() { b | b & }; b 2>/dev/null; sleep 60",
                // These go on when they cannot fork.
                "for i in 1 2 3 4 5 6 7 8; do env -i setsid awk 'BEGIN { while (1) system(\"sleep 60 &\") }' 2>/dev/null & done; wait",
            })
    @Full("endWithTheirCall ends trees; limitsNetworkUserRootAndTmpfsFromTheConfiguration has the limit of processes")
    void aForkBombIsEndedOrItsContainerIs(String bomb) {
        String before = environment.now().orElseThrow().container().id();
        long begin = System.nanoTime();
        try {
            ExecResult result = environment
                    .executor()
                    .run(ExecRequest.shell(bomb)
                            .timeLimit(Duration.ofSeconds(1))
                            .build());
            boolean replaced = !environment.now().orElseThrow().container().id().equals(before);
            // A shell that can start nothing more gives up by itself.
            assertThat(result.ending() == ExecResult.Ending.TIMED_OUT
                            || result.exitCode().orElse(0) != 0)
                    .as("%s", result)
                    .isTrue();
            assertThat(result.stderr().text().contains("a new one runs now")).isEqualTo(replaced);
        } catch (CommandLostException e) {
            // The bomb was faster than its limit: the shell that reads the answer could start nothing more.
            assertThat(e).hasMessageContaining("was lost while it ran");
        }
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofMinutes(3));
        TestEngine.await(() ->
                Bench.sh(environment, "ls -d /proc/[0-9]* | wc -l; echo well").matches("([1-9]|1[0-9])\nwell"));
    }
}
