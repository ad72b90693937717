package io.maestro.claude.internal.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.claude.ClaudeInstallException;
import io.maestro.claude.ClaudeInstaller;
import io.maestro.claude.ClaudeInstaller.Installed;
import io.maestro.claude.ClaudeInstaller.Source;
import io.maestro.error.MaestroException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The host's binary is copied whole, or not at all. */
class CopiedClaudeTest {
    /** More than pipes hold. */
    private static final String PADDING = "#".repeat(1 << 20) + "\n";

    @TempDir
    Path directory;

    private InstallPlace place;
    private Path binary;

    @BeforeEach
    void place() {
        place = new InstallPlace(directory);
        binary = place.program("host/claude", InstallPlace.CURRENT + PADDING);
    }

    private ClaudeInstaller installer(OtherPlace other) {
        return ClaudeInstaller.on(other)
                .network(false)
                .hostProgram(binary)
                .directory(place.state + "/")
                .build();
    }

    @Test
    void itIsCopiedOnceAndRuns() {
        OtherPlace other = place.other();

        Installed installed = installer(other).ensure();

        Path target = place.state.resolve("bin/claude");
        assertThat(installed.source()).isEqualTo(Source.COPIED);
        assertThat(installed.program()).isEqualTo(target.toString());
        assertThat(installed.report()).contains("verified by its SHA-256");
        assertThat(target).hasSameBinaryContentAs(binary).isExecutable();
        assertThat(InstallPlace.names(target.getParent())).containsExactly("claude", "claude.from");
        assertThat(other.started).hasSize(1);

        Installed again = installer(other).ensure();
        assertThat(again.source()).isEqualTo(Source.COPIED);
        assertThat(again.report()).contains("already");
        assertThat(other.started).as("copied no second time").hasSize(1);
    }

    @Test
    void itIsCopiedAgainWhenTheHostHasAnotherOne() throws IOException {
        OtherPlace other = place.other();
        installer(other).ensure();
        place.program("host/claude", "#!/bin/sh\necho '2.4.0 (Claude Code)'\n");

        assertThat(installer(other).ensure().version()).isEqualTo("2.4.0");
        assertThat(place.state.resolve("bin/claude")).hasSameBinaryContentAs(binary);
    }

    @Test
    void itIsCopiedAgainWhenTheCopyIsBroken() throws IOException {
        OtherPlace other = place.other();
        installer(other).ensure();
        Files.writeString(place.state.resolve("bin/claude"), "cut off");

        installer(other).ensure();
        assertThat(place.state.resolve("bin/claude")).hasSameBinaryContentAs(binary);
    }

    @Test
    void theCopyIsUsedWhenTheHostHasNoneAnyMore() throws IOException {
        OtherPlace other = place.other();
        installer(other).ensure();
        Files.delete(binary);

        Installed installed = installer(other).ensure();
        assertThat(installed.source()).isEqualTo(Source.FOUND);
        assertThat(installed.report()).contains("is not there on the host").contains("what was installed before");
    }

    @Test
    void onTheHostItselfItIsUsedInPlace() {
        Installed installed = place.installer()
                .hostProgram(binary)
                .directory(place.state.toString())
                .build()
                .ensure();

        assertThat(installed.program()).isEqualTo(binary.toString());
        assertThat(InstallPlace.names(place.state)).isEmpty();
    }

    @Test
    void oneThatLosesBytesOnTheWayIsNotTaken() {
        OtherPlace other = place.other()
                .changing(script -> script.replace("cat > \"$2\"", "head -c 5000 > \"$2\"; cat >/dev/null"));

        assertThatThrownBy(() -> installer(other).ensure())
                .isInstanceOf(ClaudeInstallException.class)
                .hasMessageContaining("5000 bytes have come of " + (PADDING.length() + InstallPlace.CURRENT.length()));
        assertThat(InstallPlace.names(place.state.resolve("bin"))).isEmpty();
    }

    @Test
    void oneThatIsChangedOnTheWayIsNotTaken() {
        OtherPlace other = place.other().changing(script -> script.replace("cat > \"$2\"", "tr '#' '+' > \"$2\""));

        assertThatThrownBy(() -> installer(other).ensure())
                .isInstanceOf(ClaudeInstallException.class)
                .hasMessageContaining("the SHA-256 is");
        assertThat(InstallPlace.names(place.state.resolve("bin"))).isEmpty();
    }

    @Test
    void aDirectoryThatCannotBeWrittenIsNamed() throws IOException {
        Files.writeString(place.state, "a file");

        assertThatThrownBy(() -> installer(place.other()).ensure())
                .isInstanceOf(ClaudeInstallException.class)
                .hasMessageContaining(place.state + "/bin")
                .hasMessageContaining("name a directory that the run's user may write to");
    }

    @Test
    void aCopyThatHangsEndsInTime() {
        OtherPlace other = place.other().changing(script -> script.replace("cat > \"$2\"", "touch \"$2\"; sleep 600"));
        ClaudeInstaller installer = ClaudeInstaller.on(other)
                .network(false)
                .hostProgram(binary)
                .directory(place.state.toString())
                .installTimeLimit(Duration.ofMillis(300))
                .build();

        assertThatThrownBy(installer::ensure)
                .isInstanceOf(ClaudeInstallException.class)
                .hasMessageContaining("did not end within 300 ms");
        assertThat(InstallPlace.names(place.state.resolve("bin"))).isEmpty();
    }

    @Test
    void anInterruptionEndsACopyAndLeavesNothing() throws Exception {
        Path ready = directory.resolve("ready");
        OtherPlace other = place.other()
                .changing(script -> script.replace("cat > \"$2\"", "touch \"$2\"; touch " + ready + "; sleep 600"));
        AtomicReference<MaestroException> thrown = new AtomicReference<>();
        Thread thread = new Thread(() -> {
            try {
                installer(other).ensure();
            } catch (MaestroException e) {
                thrown.set(e);
            }
        });
        thread.start();
        FoundClaudeTest.awaitFile(ready);
        thread.interrupt();
        thread.join(TimeUnit.MINUTES.toMillis(1));

        assertThat(thread.isAlive()).isFalse();
        assertThat(thrown.get()).hasMessageContaining("was interrupted");
        assertThat(InstallPlace.names(place.state.resolve("bin"))).isEmpty();
    }

    @Test
    void whatAKilledHostHasLeftIsRemovedLater() throws IOException {
        Path bin = Files.createDirectories(place.state.resolve("bin"));
        Path old = Files.writeString(bin.resolve(".claude-old.part"), "x");
        Files.setLastModifiedTime(old, FileTime.from(Instant.now().minus(Duration.ofHours(3))));
        Files.writeString(bin.resolve(".claude-young.part"), "x");

        installer(place.other()).ensure();

        assertThat(InstallPlace.names(bin)).containsExactly(".claude-young.part", "claude", "claude.from");
    }

    @Test
    void withoutABinaryOrADirectoryItIsSaid() {
        assertThatThrownBy(() -> ClaudeInstaller.on(place.other()).build().ensure())
                .hasMessageContaining("copying a binary of the host: not tried, none was named")
                .hasMessageContaining("installing over the network: not tried, no directory was named");
        assertThatThrownBy(() -> ClaudeInstaller.on(place.other())
                        .hostProgram(binary)
                        .network(false)
                        .build()
                        .ensure())
                .hasMessageContaining("copying a binary of the host: not tried, no directory was named");
        assertThatThrownBy(() -> place.installer()
                        .hostProgram(directory.resolve("nothing"))
                        .build()
                        .ensure())
                .hasMessageContaining("nothing is not there on the host");
    }

    @Test
    void aScriptOfAnNpmPackageIsRefused() {
        binary = place.program("host/cli.js", "#!/usr/bin/env node\nconsole.log('2.1.197');\n");

        assertThatThrownBy(() -> installer(place.other()).ensure())
                .hasMessageContaining("is a script that needs other files of its package");
    }

    @Test
    void aFileThatIsNoProgramIsRefused() {
        binary = place.program("host/readme", "text");

        assertThatThrownBy(() -> installer(place.other()).ensure())
                .hasMessageContaining("is no program for 64-bit Linux");
    }
}
