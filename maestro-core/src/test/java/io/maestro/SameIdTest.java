package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.agent.Architect;
import io.maestro.error.MaestroException;
import io.maestro.git.StaleBranch;
import io.maestro.story.Spec;
import io.maestro.story.SpecResult;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Nobody takes another's branch, costs or state, whatever ids people give. */
@Timeout(90)
class SameIdTest {
    @TempDir
    Path directory;

    private TestRepository repository;

    @BeforeEach
    void create() {
        repository = TestRepository.create(directory, Map.of("README.md", "a project"));
    }

    private static Story story(String id) {
        return Story.builder(id, "Story " + id).content("do it").express().build();
    }

    private static Spec spec(String id) {
        return Spec.builder(id, "Specification " + id).content("do all").build();
    }

    private static Reply write(String path) {
        return Reply.toolCall("write_file", Map.of("path", path, "content", "x"));
    }

    private static Reply done() {
        return Reply.toolCall("done", Map.of("summary", "did it"));
    }

    private MaestroBuilder builder(String project, ScriptedLlm coder, Architect architect) {
        return Maestro.builder()
                .projectDirectory(directory.resolve(project))
                .repository(repository.url())
                .coderModel(coder)
                .architect(architect)
                .testCommand("true")
                .maxCoders(1)
                .tools(tools -> tools.discover(false));
    }

    @Test
    void twoRecordsOnOneRepositoryMayHaveStoriesOfOneId() {
        ScriptedLlm theirs = ScriptedLlm.builder("coder")
                .turn(write("theirs.txt"))
                .turn(done())
                .build();
        ScriptedLlm ours = ScriptedLlm.builder("coder")
                .turn(write("ours.txt"))
                .turn(done())
                .build();
        List<StoryResult> results = new ArrayList<>();
        Architect stopsBeforeTheMerge = new Approving() {
            @Override
            public Reply reply(Request request) {
                if (request.kind() == Kind.MERGE) {
                    return new Reply(request.id(), Decision.REJECTED, "not now");
                }
                return super.reply(request);
            }
        };
        Architect whileTheOtherPushes = new Approving() {
            @Override
            public Reply reply(Request request) {
                if (request.kind() == Kind.CODE_REVIEW && results.isEmpty()) {
                    try (Maestro other =
                            builder("theirs", theirs, stopsBeforeTheMerge).build()) {
                        results.add(other.run(story("042")));
                        assertThat(other.staleBranches())
                                .extracting(StaleBranch::name)
                                .containsExactly("maestro/story-042");
                    }
                }
                return super.reply(request);
            }
        };
        try (Maestro maestro = builder("ours", ours, whileTheOtherPushes).build()) {
            StoryResult result = maestro.run(story("042"));
            assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.MERGED);
            assertThat(result.branch()).contains("maestro/story-042-2");
            assertThat(maestro.staleBranches()).as("of the other").isEmpty();
        }
        assertThat(results).extracting(StoryResult::outcome).containsExactly(Outcome.REJECTED);
        assertThat(repository.git("ls-tree", "-r", "--name-only", "main")).isEqualTo("README.md\nours.txt");
        assertThat(repository.git("ls-tree", "-r", "--name-only", "maestro/story-042"))
                .isEqualTo("README.md\ntheirs.txt");
        ours.assertFinished();
    }

    @Test
    void whatASpecificationWillNeedIsItsOwnWhileItIsCut() {
        Reply stories = Reply.toolCall(
                "submit_stories",
                Map.of(
                        "requirements",
                        List.of(Map.of(
                                "title",
                                "A",
                                "description",
                                "Do A.",
                                "acceptance_criteria",
                                List.of("A works"),
                                "dependencies",
                                List.of()))));
        AtomicReference<Maestro> running = new AtomicReference<>();
        List<String> refused = new ArrayList<>();
        ScriptedLlm architect = ScriptedLlm.builder("architect")
                .turn(request -> {
                    for (String id : List.of("sp", "sp-01")) {
                        assertThatThrownBy(() -> running.get().submit(story(id)))
                                .isInstanceOf(MaestroException.class)
                                .hasMessageContaining("there is a specification sp already")
                                .hasMessageContaining("give the story " + id + " another id");
                        refused.add(id);
                    }
                    return stories;
                })
                .build();
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .story(
                        "sp-01",
                        script -> script.turn(Reply.toolCall("submit_plan", Map.of("plan", "do it")))
                                .turn(write("a.txt"))
                                .turn(done()))
                .build();
        try (Maestro maestro = builder("project", coder, new Approving())
                .architectModel(architect)
                .build()) {
            running.set(maestro);
            SpecResult result = maestro.runSpec(spec("sp"));
            assertThat(result.outcome()).as("%s", result).isEqualTo(SpecResult.Outcome.COMPLETED);
            assertThat(refused).containsExactly("sp", "sp-01");
            assertThatThrownBy(() -> maestro.runSpec(spec("sp-02")))
                    .isInstanceOf(MaestroException.class)
                    .hasMessageContaining("give the specification sp-02 another id");
        }
    }

    @Test
    void noSpecificationBeginsWhoseIdsAreTaken() {
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .story("sp", script -> script.turn(done()))
                .story("other-01", script -> script.turn(done()))
                .build();
        try (Maestro maestro = builder("project", coder, new Approving())
                .architectModel(ScriptedLlm.builder("architect").build())
                .build()) {
            assertThat(maestro.run(story("sp")).outcome()).isEqualTo(Outcome.NO_CHANGE);
            assertThat(maestro.run(story("other-01")).outcome()).isEqualTo(Outcome.NO_CHANGE);
            for (String id : List.of("sp", "other")) {
                assertThatThrownBy(() -> maestro.runSpec(spec(id)))
                        .isInstanceOf(MaestroException.class)
                        .hasMessageContaining("there is a story")
                        .hasMessageContaining("give the specification another id");
            }
            assertThat(maestro.auditLog().specs()).isEmpty();
        }
    }
}
