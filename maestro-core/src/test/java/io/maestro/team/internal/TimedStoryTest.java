package io.maestro.team.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.agent.Architect;
import io.maestro.llm.LlmContent;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Store;
import io.maestro.story.CoderState;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.testing.Full;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A story whose time is used up while its tests run. */
class TimedStoryTest {
    private static final String HANGS = "sleep 1000";
    private static final String USED_UP = "the story's time is used up: 36\\d\\d s of 3600 s";

    @TempDir
    Path directory;

    private final Approves architect = new Approves();

    /** The tests hang, by what the coder or another one has written, and there is a second left for them. */
    private TeamBench hanging(CoderState state, PlaceLlm coder) {
        TeamBench bench = new TeamBench(directory);
        bench.architect = architect;
        bench.coder = coder;
        bench.limits.timePerStory(Duration.ofHours(1));
        coder.calls("CODING", "write_file", "path", "a.txt", "content", "good");
        if (state == CoderState.TESTING) {
            coder.calls("CODING", "write_file", "path", "check.sh", "content", HANGS);
        }
        coder.calls("CODING", "done", "summary", "wrote a.txt")
                .calls("CODING", "write_file", "path", "check.sh", "content", "true")
                .calls("CODING", "done", "summary", "made it quick");
        bench.killedIn(state, TeamBench.express("042"));
        bench.changes(
                "042", progress -> progress.budget().worked(Duration.ofHours(1).minusSeconds(1)));
        return bench;
    }

    private static StoryResult goOn(TeamBench bench) {
        try (TeamBench.Life life = bench.life()) {
            return life.run(TeamBench.express("042"));
        }
    }

    @Full("whole stories; withoutAReviewOfTheBudgetTheStoryEnds has tests that are stopped")
    @ParameterizedTest
    @EnumSource(names = {"TESTING", "PREPARE_MERGE"})
    void testsAreStoppedWithTheTimeAndRunAgainWhenMoreIsGranted(CoderState state) {
        PlaceLlm coder = new PlaceLlm();
        TeamBench bench = hanging(state, coder);
        if (state == CoderState.PREPARE_MERGE) {
            bench.repository.commit("slow", Map.of("check.sh", HANGS));
        }
        StoryResult result = goOn(bench);

        assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.MERGED);
        assertThat(architect.asked)
                .filteredOn(request -> request.kind() == Architect.Kind.BUDGET_REVIEW)
                .singleElement()
                .satisfies(request -> assertThat(request.facts().get(Architect.Request.BUDGET))
                        .containsPattern("^in CODING: " + USED_UP));
        assertThat(coder.requests.get(coder.requests.size() - 1).messages().stream()
                        .flatMap(message -> message.content().stream())
                        .filter(LlmContent.Text.class::isInstance)
                        .map(part -> ((LlmContent.Text) part).text()))
                .anyMatch(
                        text -> text.matches("The project's tests were not run to their end: " + USED_UP + ". See .*"));
        try (Store record = bench.record()) {
            assertThat(record.transitions("042").stream().map(row -> row.from() + "->" + row.to()))
                    .containsSubsequence(
                            state + "->CODING", "CODING->BUDGET_REVIEW", "BUDGET_REVIEW->CODING", "CODING->TESTING");
            assertThat(record.toolExecutions("042").stream()
                            .filter(row -> row.tool().equals("test") && row.error() != null)
                            .map(AuditLog.ToolExecution::error))
                    .singleElement()
                    .asString()
                    .matches("this had no end: " + USED_UP);
        }
    }

    @Test
    void withoutAReviewOfTheBudgetTheStoryEnds() {
        TeamBench bench = hanging(CoderState.TESTING, new PlaceLlm());
        bench.limits.budgetReviews(0);
        StoryResult result = goOn(bench);
        assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.FAILED);
        assertThat(result.error().orElseThrow()).matches(".* as Limits.budgetReviews is 0: " + USED_UP);
    }
}
