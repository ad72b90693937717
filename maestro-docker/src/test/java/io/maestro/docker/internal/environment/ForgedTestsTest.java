package io.maestro.docker.internal.environment;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestImages;
import io.maestro.environment.Phase;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An agent tries to make the project's tests pass by what it leaves in its container and in its workspace. */
@RequiresEngine
class ForgedTestsTest {
    /** As a build would: settings at home, programs on the path, results of an earlier build. Fails with 7. */
    private static final String TESTS = """
            [ ! -f "$HOME/.mavenrc" ] || echo FORGED by home
            ! command -v forged-make || echo FORGED by path
            [ ! -f target/classes/Forged ] || echo FORGED by target
            [ ! -e /tmp/forged ] || echo FORGED by tmp
            [ "$(ls /proc | grep -c '^[0-9]')" -lt 12 ] || echo FORGED by processes
            echo "key $KEY of $(id -u)"
            sleep 1
            exit 7
            """;

    /**
     * Waits for the tests and reads, before the shell of the channel does, the word by which the host recognises the end of a
     * command; with that word it says that the tests have passed.
     */
    private static final String GHOST = """
            while :; do
              for p in /proc/[0-9]*; do
                case $(tr '\\000' ' ' <$p/cmdline) in
                  *verify.sh*)
                    for w in /proc/[0-9]*; do
                      [ -e $w/fd/3 ] && [ -e $w/fd/4 ] && [ $w/fd/3 -ef ${p}/fd/1 ] || continue
                      read -r n s <$w/fd/0 && printf '\\036%s0 clean\\n' $n >$w/fd/3 && printf '\\036%s' $n >$w/fd/4
                    done ;;
                esac
              done
            done
            """;

    @TempDir
    Path directory;

    @Test
    void testsSeeNothingOfWhatTheAgentHasLeft() throws IOException {
        TestImages images = TestImages.ofDocker();
        try (Bench bench = new Bench(directory, images, images.base());
                DockerProject project = bench.open(
                        Map.of("network", "none"),
                        io.maestro.docker.DockerEnvironments.builder(),
                        Map.of("KEY", "it's\nsecret"));
                StoryEnvironment environment = Bench.environment(project, bench.place("1"))) {
            environment.enter(Phase.CODING);
            bench.write("ghost.sh", GHOST);
            Bench.sh(environment, """
                    echo 'exit 0' >$HOME/.mavenrc
                    printf '#!/bin/sh\\nexit 0\\n' >/usr/local/bin/forged-make || printf '#!/bin/sh\\nexit 0\\n' >/bin/forged-make
                    chmod 755 /usr/local/bin/forged-make || chmod 755 /bin/forged-make
                    mkdir -p target/classes && touch target/classes/Forged /tmp/forged
                    env -i setsid sh ghost.sh </dev/null >/dev/null 2>&1 &
                    """);
            Path checkout = Files.createDirectories(directory.resolve(".maestro/checkouts/one/.git"))
                    .getParent();
            Files.writeString(checkout.resolve("verify.sh"), TESTS);

            ExecResult result = environment.runFresh(
                    checkout,
                    null,
                    executor -> executor.run(ExecRequest.shell("sh verify.sh").build()));

            assertThat(result.exitCode()).as("%s", result).hasValue(7);
            assertThat(result.stdout().text())
                    .doesNotContain("FORGED")
                    .contains("key it's\nsecret of " + Files.getAttribute(bench.workspace, "unix:uid"));
            assertThat(bench.containers(project)).hasSize(1);
        }
    }
}
