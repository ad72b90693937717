package io.maestro.docker.internal.environment;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WorkspacePathsTest {
    @TempDir
    Path workspace;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/workspace",
                "/workspace/secrets/Dockerfile",
                "/workspace/x/../secrets/Dockerfile",
                "/workspace//secrets/Dockerfile",
                "/etc/passwd"
            })
    void anAbsolutePathIsRefused(String path) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> WorkspacePaths.relative(workspace, path))
                .withMessage("'" + path + "' is absolute; give a path relative to the workspace");
    }

    @Test
    void aRelativeOneIsTaken() throws IOException {
        Files.createDirectories(workspace.resolve("workspace"));
        Files.writeString(workspace.resolve("workspace/Dockerfile"), "");
        assertThat(WorkspacePaths.file(workspace, "workspace/Dockerfile")).isEqualTo(Path.of("workspace/Dockerfile"));
        assertThat(WorkspacePaths.directory(workspace, ".")).isEqualTo(Path.of(""));
    }
}
