package io.maestro.chaos;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.Maestro;
import io.maestro.MaestroBuilder;
import io.maestro.TestRepository;
import io.maestro.agent.Architect;
import io.maestro.record.AuditLog;
import io.maestro.story.ArchitectState;
import io.maestro.story.CoderState;
import io.maestro.story.SpecResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.testing.Full;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A specification with six stories and three coders, from Markdown to merged work. */
@Timeout(300)
public class SpecificationTest {
    @TempDir
    Path directory;

    /** For the same specification in another environment. */
    protected void adjust(MaestroBuilder builder) {}

    @Test
    @Full("six stories; SpecAgentTest has the order, and what becomes of it")
    void sixStoriesAreMergedInTheOrderOfTheirDependencies() throws Exception {
        TestRepository repository = SixStories.repository(directory);
        MaestroBuilder builder = SixStories.maestro(directory, repository);
        adjust(builder);
        try (Maestro maestro = builder.build()) {
            SpecResult result = maestro.runSpec(SixStories.SPEC);

            assertThat(result.outcome()).as(result.toMarkdown()).isEqualTo(SpecResult.Outcome.COMPLETED);
            assertThat(result.stories())
                    .extracting(story -> story.title() + " " + story.result().outcome() + " "
                            + story.result().attempt())
                    .containsExactly(
                            "base MERGED 1",
                            "left MERGED 1",
                            "right MERGED 1",
                            "top MERGED 1",
                            "present NO_CHANGE 1",
                            "odd MERGED 2");
            assertMerged(repository, result);
            assertRecorded(maestro.auditLog());
            assertThat(maestro.runSpec(SixStories.SPEC).outcome()).isEqualTo(SpecResult.Outcome.COMPLETED);
            assertThat(repository.git("rev-list", "--count", "--first-parent", "--merges", "main"))
                    .isEqualTo("5");
        }
        try (Stream<Path> left = Files.list(directory.resolve("project"))) {
            assertThat(left.filter(path -> path.getFileName().toString().matches("(coder|architect)-.*")))
                    .isNotEmpty()
                    .allSatisfy(workspace -> assertThat(workspace).isEmptyDirectory());
        }
    }

    private static void assertMerged(TestRepository repository, SpecResult result) {
        for (String title : List.of("base", "left", "right", "top", "odd")) {
            assertThat(repository.show("main", title + ".txt")).isEqualTo("good " + title);
        }
        Map<String, String> merges = result.stories().stream()
                .filter(story -> story.result().outcome() == Outcome.MERGED)
                .collect(Collectors.toMap(
                        SpecResult.StoryReport::title,
                        story -> story.result().mergeCommit().orElseThrow()));
        assertThat(merges).hasSize(5);
        // rev-list --first-parent shows the newest first.
        List<String> history =
                repository.git("rev-list", "--first-parent", "main").lines().toList();
        assertThat(history).hasSize(6).containsAll(merges.values());
        assertThat(history.indexOf(merges.get("base")))
                .isGreaterThan(history.indexOf(merges.get("left")))
                .isGreaterThan(history.indexOf(merges.get("right")));
        assertThat(history.indexOf(merges.get("top")))
                .isLessThan(history.indexOf(merges.get("left")))
                .isLessThan(history.indexOf(merges.get("right")));
    }

    private static void assertRecorded(AuditLog record) {
        assertThat(record.specTransitions("six"))
                .extracting(AuditLog.SpecTransition::to)
                .containsExactly(
                        ArchitectState.SCOPING,
                        ArchitectState.DISPATCHING,
                        ArchitectState.MONITORING,
                        ArchitectState.EDITING,
                        ArchitectState.DISPATCHING,
                        ArchitectState.MONITORING,
                        ArchitectState.DONE);
        assertThat(states(record, "six-02")).containsSubsequence(CoderState.TESTING, CoderState.CODING);
        assertThat(states(record, "six-03")).containsSubsequence(CoderState.QUESTION, CoderState.PLANNING);
        assertThat(states(record, "six-04")).containsSubsequence(CoderState.BUDGET_REVIEW, CoderState.CODING);
        assertThat(states(record, "six-05")).endsWith(CoderState.PLANNING, CoderState.PLAN_REVIEW, CoderState.DONE);
        assertThat(states(record, "six-06"))
                .containsSubsequence(CoderState.PLAN_REVIEW, CoderState.ERROR, CoderState.SETUP, CoderState.DONE);
        assertThat(record.effects("six-03"))
                .filteredOn(effect -> effect.kind().equals(Architect.Kind.QUESTION.name()))
                .singleElement()
                .satisfies(effect -> assertThat(effect.reply()).contains("good right"));
        for (AuditLog.StoryRecord story : record.storiesOf("six")) {
            assertThat(record.effects(story.id()))
                    .allSatisfy(effect -> assertThat(effect.reply()).isNotNull());
        }
        assertThat(record.toolExecutions("six"))
                .extracting(AuditLog.ToolExecution::tool)
                .containsExactly("read_file", "submit_stories", "story_edit");
    }

    private static List<CoderState> states(AuditLog record, String story) {
        return record.transitions(story).stream()
                .map(AuditLog.StateTransition::to)
                .toList();
    }
}
