package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.record.StoreException;
import io.maestro.story.Story;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The disk that the project directory lies on is full in the middle of a story. */
class FullDiskTest {
    @TempDir
    Path directory;

    @Test
    void theStoryStopsWithAnErrorThatNamesTheRecordAndGoesOnWhenThereIsRoom() throws Exception {
        TestRepository repository = TestRepository.create(directory, Map.of("README.md", "a project"));
        try (Tmpfs disk = Tmpfs.mount(directory, "4m")) {
            ScriptedLlm coder = ScriptedLlm.builder("coder")
                    // Takes all the space: what dd then says does not matter, the row of this call cannot be written.
                    .turn(Reply.toolCall("shell", Map.of("cmd", "dd if=/dev/zero of=ballast bs=1k; exit 0")))
                    .build();
            try (Maestro maestro = builder(disk, repository, coder).build()) {
                assertThatThrownBy(() -> maestro.run(story()))
                        .isInstanceOf(StoreException.class)
                        .hasMessageContaining("maestro.db")
                        .hasMessageContaining("full");
            }
            Files.delete(disk.path().resolve("project/coder-001/ballast"));

            ScriptedLlm again = ScriptedLlm.builder("coder")
                    .turn(Reply.toolCall("done", Map.of("summary", "there is nothing to do")))
                    .build();
            try (Maestro maestro = builder(disk, repository, again).build()) {
                assertThat(maestro.run(story()).outcome()).isEqualTo(Outcome.NO_CHANGE);
            }
        }
    }

    private static Story story() {
        return Story.builder("1", "Fill the disk").content("fill it").express().build();
    }

    private static MaestroBuilder builder(Tmpfs disk, TestRepository repository, ScriptedLlm coder) {
        return Maestro.builder()
                .projectDirectory(disk.path().resolve("project"))
                .repository(repository.url())
                .coderModel(coder)
                .architect(new Approving())
                .testCommand("true");
    }
}
