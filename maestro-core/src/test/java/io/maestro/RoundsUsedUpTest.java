package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.agent.Limits;
import io.maestro.story.CoderState;
import io.maestro.story.Spec;
import io.maestro.story.SpecResult;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.testkit.Reply;
import io.maestro.testkit.Script;
import io.maestro.testkit.ScriptedLlm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A coder that does not mend what it was sent back for: a file that git ignores lies in the way of one that somebody has pushed
 * during the review.
 */
@Timeout(120)
class RoundsUsedUpTest {
    @TempDir
    Path directory;

    private TestRepository repository;
    private final AtomicBoolean pushed = new AtomicBoolean();

    @BeforeEach
    void create() {
        repository = TestRepository.create(directory, Map.of(".gitignore", "gen/\n"));
    }

    private static Reply write(String path) {
        return Reply.toolCall("write_file", Map.of("path", path, "content", "x"));
    }

    private static Reply done() {
        return Reply.toolCall("done", Map.of("summary", "wrote it"));
    }

    private static void hasAnIgnoredFile(Script script) {
        script.turn(write("gen/x")).turn(write("f.txt")).repeat(done());
    }

    private MaestroBuilder builder(ScriptedLlm coder) {
        return Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository.url())
                .coderModel(coder)
                .architect(new Approving() {
                    @Override
                    public Reply reply(Request request) {
                        if (request.kind() == Kind.CODE_REVIEW && !pushed.getAndSet(true)) {
                            repository.commit("theirs", Map.of("gen", "a file"));
                        }
                        return super.reply(request);
                    }
                })
                .testCommand("true")
                .tools(tools -> tools.discover(false))
                .limits(Limits.builder().rounds(1).storyRetries(0).build());
    }

    @Test
    void theStoryEndsAndCanBeGoneOnWith() throws IOException {
        Story story = Story.builder("1", "One").content("do it").express().build();
        try (Maestro maestro = builder(ScriptedLlm.builder("coder")
                        .story("1", RoundsUsedUpTest::hasAnIgnoredFile)
                        .build())
                .build()) {
            StoryResult result = maestro.run(story);
            assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.FAILED);
            assertThat(result.error().orElseThrow())
                    .contains("PREPARE_MERGE has sent the coder back 2 times, 1 are allowed");
            assertThat(maestro.auditLog().story("1").orElseThrow().state()).isEqualTo(CoderState.ERROR);

            Path inTheWay = directory.resolve("project/coder-001/gen");
            Files.delete(inTheWay.resolve("x"));
            Files.delete(inTheWay);
            assertThat(maestro.resume("1", 0).await().outcome()).isEqualTo(Outcome.MERGED);
        }
    }

    @Test
    void theOtherStoriesOfItsSpecificationGoOn() {
        ScriptedLlm architect = ScriptedLlm.builder("architect")
                .turn(Reply.toolCall(
                        "submit_stories", Map.of("requirements", List.of(requirement("A"), requirement("B")))))
                .build();
        Reply plan = Reply.toolCall("submit_plan", Map.of("plan", "do it"));
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .story("s-01", script -> hasAnIgnoredFile(script.turn(plan)))
                .story("s-02", script -> script.turn(plan).turn(write("g.txt")).repeat(done()))
                .build();
        try (Maestro maestro =
                builder(coder).architectModel(architect).maxCoders(1).build()) {
            SpecResult result =
                    maestro.runSpec(Spec.builder("s", "All").content("Do all.").build());
            assertThat(result.outcome()).as("%s", result).isEqualTo(SpecResult.Outcome.INCOMPLETE);
            assertThat(result.stories())
                    .as("%s", result)
                    .extracting(story -> story.result().outcome())
                    .containsExactly(Outcome.FAILED, Outcome.MERGED);
        }
    }

    private static Map<String, Object> requirement(String title) {
        return Map.of(
                "title",
                title,
                "description",
                "Do " + title + ".",
                "acceptance_criteria",
                List.of(title + " works"),
                "dependencies",
                List.of());
    }
}
