package io.maestro.environment.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.exec.local.LocalExecutor;
import io.maestro.team.internal.dispatch.WorkspaceMarkers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalEnvironmentsTest {
    @TempDir
    Path project;

    /** A host's function may start a container for each workspace. */
    @Test
    void onlyWhereWorkWasLeftIsAnExecutorMade() throws IOException {
        Files.createDirectory(project.resolve("coder-001"));
        Files.createDirectories(project.resolve("coder-002/src"));
        Files.createDirectory(project.resolve("coder-003"));
        // Its command has deleted everything, itself not included.
        new WorkspaceMarkers(project).set(new WorkspaceMarkers.WorkspaceMarker("coder-003", "042", "attempt"));
        List<Path> made = new ArrayList<>();
        try (LocalEnvironments environments = new LocalEnvironments(
                workspace -> {
                    made.add(workspace);
                    return LocalExecutor.builder(workspace).build();
                },
                project,
                () -> new WorkspaceMarkers(project).leftInUse())) {
            environments.endLeftovers(Map.of());
        }
        assertThat(made).containsExactly(project.resolve("coder-002"), project.resolve("coder-003"));
    }
}
