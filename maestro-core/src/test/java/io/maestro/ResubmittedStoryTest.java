package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.maestro.error.MaestroException;
import io.maestro.story.Story;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A story is known again by its text, although the record holds it without secrets and in its own characters. */
@Timeout(60)
class ResubmittedStoryTest {
    private static final String TEXT = "Log in with correct-horse, show \uD800 and \0.";

    @TempDir
    Path directory;

    private static Story story(String content) {
        return Story.builder("1", "Log in").content(content).express().build();
    }

    @Test
    void hasTheResultOfThen() {
        TestRepository repository = TestRepository.create(directory, Map.of("a", "b"));
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(Reply.toolCall("done", Map.of("summary", "nothing to do")))
                .build();
        MaestroBuilder builder = Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository.url())
                .coderModel(coder)
                .architect(new Approving())
                .testCommand("true")
                .tools(tools -> tools.discover(false));
        try (Maestro maestro = builder.build()) {
            assertThat(maestro.run(story(TEXT)).succeeded()).isTrue();
            assertThat(maestro.run(story(TEXT)).attempt()).isEqualTo(1);
        }

        try (Maestro maestro = builder.secret("correct-horse").build()) {
            assertThat(maestro.run(story(TEXT)).attempt()).isEqualTo(1);
            assertThatExceptionOfType(MaestroException.class)
                    .isThrownBy(() -> maestro.run(story(TEXT + " And out.")))
                    .withMessageContaining("with another text");
        }
    }
}
