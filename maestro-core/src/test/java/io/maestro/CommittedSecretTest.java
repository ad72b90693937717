package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.agent.Architect;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import java.nio.file.Path;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A coder writes secrets into files: it is told to take them out, and none is ever pushed. */
class CommittedSecretTest {
    /** Named by the host. */
    private static final String NAMED = "my-very-own-value-99";

    /** Known by its form. */
    private static final String TOKEN = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

    @TempDir
    Path directory;

    private TestRepository repository;
    private final Queue<Architect.Request> asked = new ConcurrentLinkedQueue<>();

    @BeforeEach
    void create() {
        repository = TestRepository.create(directory, Map.of("README.md", "r\n"));
    }

    @AfterEach
    void noObjectOfTheRemoteHasOne() {
        String objects = repository.git("cat-file", "--batch-all-objects", "--batch", "--buffer");
        assertThat(objects).contains("corrected").doesNotContain(NAMED, TOKEN);
        assertThat(asked)
                .as("nobody is asked to review one")
                .extracting(Architect.Request::kind)
                .containsExactly(Architect.Kind.CODE_REVIEW, Architect.Kind.MERGE);
    }

    private void merged(ScriptedLlm coder, String testCommand) {
        try (Maestro maestro = Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository.url())
                .secret(NAMED)
                .coderModel(coder)
                .architect(new Approving() {
                    @Override
                    public Reply reply(Request request) {
                        asked.add(request);
                        return super.reply(request);
                    }
                })
                .testCommand(testCommand)
                .tools(tools -> tools.discover(false))
                .build()) {
            StoryResult result = maestro.run(
                    Story.builder("1", "T").content("Do it").express().build());
            assertThat(result.outcome()).as("%s", result).isEqualTo(StoryResult.Outcome.MERGED);
        }
        coder.assertFinished();
    }

    @Test
    void theCoderIsToldBeforeAnythingIsTested() {
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(Reply.toolCall("write_file", Map.of("path", "conf.txt", "content", "a\nkey=" + NAMED + "\n")))
                .turn(Reply.toolCall("write_file", Map.of("path", "ci.yml", "content", "token: " + TOKEN + "\n")))
                .turn(Reply.toolCall("done", Map.of("summary", "written")))
                .turn(Reply.toolCall("write_file", Map.of("path", "conf.txt", "content", "corrected\n")))
                .turn(Reply.toolCall("done", Map.of("summary", "half")))
                .turn(Reply.toolCall("write_file", Map.of("path", "ci.yml", "content", "token: ${CI}\n")))
                .turn(Reply.toolCall("done", Map.of("summary", "written")))
                .build();
        merged(coder, "! grep -r ghp_ . --include=*.yml");
        assertThat(coder.requests().get(3).toString())
                .contains("Your work cannot be committed: secrets must not be committed:")
                .contains("- ci.yml:1 holds a secret (github-token)")
                .contains("- conf.txt:2 holds a secret of the host");
        assertThat(coder.requests().get(5).messages().toString().split("- conf.txt:2", -1))
                .hasSize(2);
        assertThat(repository.show("main", "conf.txt")).isEqualTo("corrected");
    }

    @Test
    void whatTheTestsWriteIsNoWorkOfTheCoders() {
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(Reply.toolCall("write_file", Map.of("path", "a.txt", "content", "corrected\n")))
                .turn(Reply.toolCall("done", Map.of("summary", "written")))
                .build();
        merged(coder, "echo used " + TOKEN + " > log.txt");
        assertThat(repository.git("ls-tree", "--name-only", "main"))
                .contains("a.txt")
                .doesNotContain("log.txt");
    }
}
