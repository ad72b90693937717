package io.maestro.docker.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.docker.DockerException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InstanceRegistryTest {
    @TempDir
    Path directory;

    private static Instance life(Path project) {
        try (InstanceRegistry registry = InstanceRegistry.open(project)) {
            return registry.instance();
        }
    }

    @Test
    void theIdStaysAndTheSessionDoesNot() {
        Path project = directory.resolve("new/project");
        Instance first = life(project);
        Instance second = life(project.resolve("../project"));
        assertThat(first.id()).matches("[0-9a-f]{16}").isEqualTo(second.id());
        assertThat(first.project()).isEqualTo(project).isEqualTo(second.project());
        assertThat(first.sessionId()).isNotEqualTo(second.sessionId());
        assertThat(life(directory.resolve("other")).id()).isNotEqualTo(first.id());
    }

    @Test
    void severalAtTheSameTimeMakeOneId() {
        Set<String> ids = ConcurrentHashMap.newKeySet();
        IntStream.range(0, 40)
                .parallel()
                .forEach(i -> ids.add(ProjectFiles.make(directory).idOrNew()));
        assertThat(ids).hasSize(1);
        assertThat(directory.resolve(".maestro")).isDirectoryNotContaining("glob:**.new");
    }

    /** Otherwise the copy's start would remove what the original is working in. */
    @Test
    void aCopyIsAnotherInstanceAndAMovedDirectoryTheSame() throws IOException {
        Path project = directory.resolve("project");
        String id = life(project).id();
        Path copy = Files.createDirectories(directory.resolve("copy/.maestro"));
        Files.copy(project.resolve(".maestro/instance"), copy.resolve("instance"));
        String copied = life(copy.getParent()).id();
        assertThat(copied).isNotEqualTo(id).isEqualTo(life(copy.getParent()).id());
        assertThat(life(project).id()).isEqualTo(id);
        Path moved = Files.move(project, directory.resolve("moved"));
        assertThat(life(moved).id()).isEqualTo(id);
    }

    @Test
    void aBrokenIdIsMadeAnew() throws IOException {
        for (String broken : new String[] {"", "../../x\n", "0123\n"}) {
            Path project = Files.createDirectories(directory.resolve("p" + broken.length() + "/.maestro"));
            Files.writeString(project.resolve("instance"), broken);
            String id = life(project.getParent()).id();
            assertThat(id)
                    .matches("[0-9a-f]{16}")
                    .isEqualTo(life(project.getParent()).id());
        }
    }

    @Test
    void itGivesSignsOfLifeWhileItIsOpen() throws IOException {
        Path heartbeat = directory.resolve(".maestro/heartbeat");
        FileTime old = FileTime.from(Instant.now().minusSeconds(1000));
        String thread = "maestro-heartbeat-" + life(directory).id();
        try (InstanceRegistry registry = InstanceRegistry.open(directory, Duration.ofMillis(20))) {
            ProjectFiles files = new ProjectFiles(registry.instance().project());
            Files.setLastModifiedTime(heartbeat, old);
            TestEngine.await(() -> !files.seemsDead(registry.instance().id()));
            Files.delete(heartbeat);
            TestEngine.await(() -> Files.exists(heartbeat));
        }
        TestEngine.await(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(alive -> alive.getName().equals(thread)));
    }

    @Test
    void aDirectoryThatCannotBeUsedIsNamed() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "");
        assertThatThrownBy(() -> InstanceRegistry.open(file))
                .isInstanceOf(DockerException.class)
                .hasMessageContaining("the project directory " + file + " cannot be used");
    }
}
