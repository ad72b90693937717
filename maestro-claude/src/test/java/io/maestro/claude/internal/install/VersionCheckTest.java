package io.maestro.claude.internal.install;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.maestro.exec.ExecOutput;
import io.maestro.exec.ExecResult;
import io.maestro.exec.ExecResult.Ending;
import io.maestro.exec.Executor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How often a program is asked. */
class VersionCheckTest {
    private final Executor executor = mock(Executor.class);

    @TempDir
    Path directory;

    private Path program;

    @BeforeEach
    void copyANativeProgram() throws IOException {
        program = Files.copy(Path.of("/bin/true").toRealPath(), directory.resolve("claude"));
        says("2.1.197 (Claude Code)");
    }

    @Test
    void aNativeProgramOfThisMachineIsAskedOnce() {
        assertThat(require(true, "user", "2.1.197")).isEqualTo("2.1.197");
        says("9.9.9");

        assertThat(require(true, "user", "2.1.0")).isEqualTo("2.1.197");
        verify(executor, times(1)).run(any());
        assertThatThrownBy(() -> require(true, "user", "2.2.0")).hasMessageContaining("which is older than 2.2.0");
    }

    @Test
    void itIsAskedAgainWhenItsFileHasChanged() throws IOException {
        require(true, "user", "2.1.197");
        FileTime modified = Files.getLastModifiedTime(program);
        byte[] bytes = Files.readAllBytes(program);
        bytes[bytes.length - 1]++;
        Files.write(program, bytes);
        Files.setLastModifiedTime(program, modified);
        says("2.1.198");
        assertThat(require(true, "user", "2.1.197")).isEqualTo("2.1.198");

        Path other = Files.copy(program, directory.resolve("other"));
        Files.setLastModifiedTime(other, modified);
        Files.move(other, program, StandardCopyOption.REPLACE_EXISTING);
        says("2.1.199");
        assertThat(require(true, "user", "2.1.197")).isEqualTo("2.1.199");
    }

    @Test
    void anotherUserAnotherPlaceAndAScriptAreAsked() throws IOException {
        require(true, "user", "2.1.197");
        says("2.1.198");

        assertThat(require(true, "other", "2.1.197")).isEqualTo("2.1.198");
        assertThat(require(false, "user", "2.1.197")).isEqualTo("2.1.198");

        Files.writeString(program, "#!/bin/sh\nexec something\n");
        require(true, "user", "2.1.197");
        says("2.1.199");
        assertThat(require(true, "user", "2.1.197")).isEqualTo("2.1.199");
    }

    @Test
    void whatFailedIsAskedAgain() {
        says("Welcome");
        assertThatThrownBy(() -> require(true, "user", "2.1.197")).hasMessageContaining("printed no version");
        says("2.1.197");

        assertThat(require(true, "user", "2.1.197")).isEqualTo("2.1.197");
    }

    private String require(boolean onThisMachine, String user, String minimum) {
        return new VersionCheck(new Sandbox(executor, Optional.of(user)), Duration.ofSeconds(9), onThisMachine)
                .require(program.toString(), ClaudeVersion.parse(minimum).orElseThrow())
                .toString();
    }

    private void says(String text) {
        when(executor.run(any()))
                .thenReturn(new ExecResult(
                        Ending.EXITED, OptionalInt.of(0), ExecOutput.of(text), ExecOutput.of(""), Duration.ZERO));
    }
}
