package io.maestro.claude.internal.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.claude.ClaudeFinder;
import io.maestro.claude.ClaudeFinder.Installed;
import io.maestro.claude.ClaudeFinder.Outcome;
import io.maestro.claude.ClaudeFinder.Source;
import io.maestro.claude.ClaudeMissingException;
import io.maestro.error.MaestroException;
import io.maestro.exec.local.LocalExecutor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is there is used, when it is what it should be. */
class FoundClaudeTest {
    @TempDir
    Path directory;

    private InstallPlace place;

    @BeforeEach
    void place() {
        place = new InstallPlace(directory);
    }

    @Test
    void oneOnThePathIsUsed() {
        Path program = place.program("bin/claude", "#!/bin/sh\necho '2.2.0 (Claude Code)'\n");

        Installed installed = place.installer().build().ensure();

        assertThat(installed.program()).isEqualTo(program.toString());
        assertThat(installed.version()).isEqualTo("2.2.0");
        assertThat(installed.source()).isEqualTo(Source.FOUND);
        assertThat(installed.report()).contains("2.2.0").contains(program.toString());
    }

    @Test
    void theGivenOneIsLookedAtFirst() {
        place.program("bin/claude", InstallPlace.CURRENT);
        Path given = place.program("opt/claude", "#!/bin/sh\necho '2.3.4 (Claude Code)'\n");

        assertThat(place.installer().program(given.toString()).build().ensure().program())
                .isEqualTo(given.toString());
    }

    @Test
    void theOneOnThePathIsUsedWhenTheGivenOneIsTooOld() {
        Path onPath = place.program("bin/claude", InstallPlace.CURRENT);
        Path given = place.program("opt/claude", "#!/bin/sh\necho '1.0.0 (Claude Code)'\n");

        Installed installed =
                place.installer().program(given.toString()).build().ensure();

        assertThat(installed.program()).isEqualTo(onPath.toString());
        assertThat(installed.steps())
                .anyMatch(step ->
                        step.outcome() == Outcome.FAILED && step.detail().contains("1.0.0"));
    }

    @Test
    void oneOfTheWorkspaceIsNotUsed() {
        place.program("claude", InstallPlace.CURRENT);
        LocalExecutor executor = LocalExecutor.builder(directory)
                .variable("PATH", ".:/usr/bin:/bin")
                .build();

        assertThatThrownBy(() -> ClaudeFinder.on(executor).build().ensure())
                .isInstanceOf(ClaudeMissingException.class)
                .hasMessageContaining("claude on the PATH: not tried, there is none");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "echo 1.0.0 | is version 1.0.0, which is older than 2.1.197",
                "echo '2.1.196 (Claude Code)' | is version 2.1.196, which is older than 2.1.197",
                "echo 'Welcome, please log in' | printed no version of Claude Code: \"Welcome, please log in\"",
                "echo 99999999999.1.1 | printed no version of Claude Code",
                "head -c 300000 /dev/zero | printed no version of Claude Code",
                "true | printed no version of Claude Code: nothing",
                "echo broken >&2; exit 3 | ended with exit code 3: broken",
                "exit 126 | ended with exit code 126 and printed nothing (it may not be executed: is it on a file system that"
                        + " is mounted noexec",
                "exit 127 | (it, or the dynamic loader that it needs, is not there)",
                "exec sleep 600 | did not end within 2500 ms",
                "trap '' TERM; echo stuck; while :; do sleep 1; done | did not end within 2500 ms: stuck",
            })
    void oneThatWillNotDoIsRefusedWithTheReason(String script, String reason) {
        place.program("bin/claude", "#!/bin/sh\n" + script + "\n");
        // The limit is that of the commands before it, too, for which a busy machine must not be too slow.
        Duration limit = reason.contains("2500 ms") ? Duration.ofMillis(2500) : Duration.ofSeconds(30);

        assertThatThrownBy(() -> new Installation(place.local(), hanging(limit)).ensure())
                .isInstanceOf(ClaudeMissingException.class)
                .hasMessageContaining(reason)
                .hasMessageContaining("What to do: install it on this machine");
        assertThat(InstallPlace.names(place.temporary)).as("thrown-away homes").isEmpty();
    }

    private Plan hanging(Duration limit) {
        return new Plan(
                Optional.empty(), ClaudeVersion.MEASURED, Optional.empty(), Optional.empty(), Optional.empty(), limit);
    }

    @Test
    void theVersionCheckLeavesNoState() {
        place.program("bin/claude", """
                #!/bin/sh
                mkdir -p "$HOME/.claude" "$CLAUDE_CONFIG_DIR/x" && echo {} > "$HOME/.claude.json"
                echo "$HOME" > %s/seen
                pwd >> %s/seen
                echo '2.1.197 (Claude Code)'
                """.formatted(directory, directory));

        assertThat(place.installer().build().ensure().version()).isEqualTo("2.1.197");

        assertThat(directory.resolve("seen"))
                .content()
                .doesNotContain(place.home.toString())
                .startsWith(place.temporary.toString())
                .endsWith("\n/\n");
        assertThat(InstallPlace.names(place.home)).isEmpty();
        assertThat(InstallPlace.names(place.temporary)).isEmpty();
    }

    @Test
    void anInterruptionEndsIt() throws Exception {
        Path ready = directory.resolve("ready");
        place.program("bin/claude", "#!/bin/sh\ntouch " + ready + "\nexec sleep 600\n");
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        AtomicBoolean status = new AtomicBoolean();
        Thread thread = new Thread(() -> {
            try {
                place.installer().build().ensure();
            } catch (MaestroException e) {
                thrown.set(e);
                status.set(Thread.currentThread().isInterrupted());
            }
        });
        thread.start();
        awaitFile(ready);
        thread.interrupt();
        thread.join(TimeUnit.MINUTES.toMillis(1));

        assertThat(thread.isAlive()).isFalse();
        assertThat(thrown.get()).hasMessageContaining("was interrupted");
        assertThat(status).isTrue();
    }

    static void awaitFile(Path file) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        while (!Files.exists(file)) {
            assertThat(System.nanoTime()).as("waiting for %s", file).isLessThan(end);
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"relative/claude", "claude", ""})
    void aRelativePathIsRefused(String path) {
        assertThatThrownBy(() -> place.installer().program(path)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> place.installer().boundAt(path)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "2.1.197 (Claude Code),2.1.197",
        "2.1.197,2.1.197",
        "v10.0.3,10.0.3",
        "2.2.0-beta.1 (Claude Code),2.2.0",
        "2.1,",
        "claude 2.1.197,",
        "2.1.197 (Something Else),",
        "'',",
    })
    void versionsAreRead(String text, String version) {
        assertThat(ClaudeVersion.parse(text).map(ClaudeVersion::toString).orElse(null))
                .isEqualTo(version);
    }

    @Test
    void versionsAreComparedAsNumbers() {
        assertThat(ClaudeVersion.parse("2.10.0").orElseThrow())
                .isGreaterThan(ClaudeVersion.parse("2.9.99").orElseThrow());
        assertThat(ClaudeVersion.parse("2.1.0").orElseThrow())
                .isLessThan(ClaudeVersion.parse("2.1.197").orElseThrow());
    }

    @Test
    void thereAreLinesForADockerfile() {
        assertThat(ClaudeFinder.dockerfile())
                .contains("FROM YOUR_BASE_IMAGE")
                .contains("@anthropic-ai/claude-code@" + ClaudeVersion.NEWEST_TESTED)
                .contains("/usr/local/bin/claude");
    }
}
