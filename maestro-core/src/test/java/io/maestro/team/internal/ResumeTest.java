package io.maestro.team.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.record.internal.Store;
import io.maestro.story.CoderState;
import io.maestro.story.Spec;
import io.maestro.story.SpecResult;
import io.maestro.story.Story;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.team.internal.dispatch.RunningStory;
import io.maestro.team.internal.spec.RunningSpec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A host that does not know any more what it had submitted before it was killed. */
@Timeout(180)
class ResumeTest {
    private static final Spec SPEC =
            Spec.builder("spec", "Two files").content("Make them.").build();

    @TempDir
    Path directory;

    private TeamBench bench;

    @BeforeEach
    void open() {
        bench = new TeamBench(directory);
        bench.architect = new Approves();
        bench.coder = new PlaceLlm()
                .calls("PLANNING", "submit_plan", "plan", "write good")
                .calls("CODING", "shell", "cmd", "echo good > $(date +%s%N).txt")
                .calls("CODING", "done", "summary", "wrote it");
        bench.architectModel = new PlaceLlm()
                .calls("SCOPING", "submit_stories", "requirements", List.of(draft("one"), draft("two", "one")));
    }

    private static Map<String, Object> draft(String title, String... dependencies) {
        return Map.of(
                "title",
                title,
                "description",
                "Do " + title,
                "acceptance_criteria",
                List.of("done"),
                "dependencies",
                List.of(dependencies));
    }

    @Test
    void storiesThatWaitedAndStoriesThatWereAtWorkGoOnAndThoseThatHaveEndedDoNot() {
        try (TeamBench.Life life = bench.life()) {
            assertThat(life.run(TeamBench.express("done")).outcome()).isEqualTo(Outcome.MERGED);
        }
        try (TeamBench.Life life =
                bench.life(seen -> MortalStore.after(seen, MortalStore.Death.into(CoderState.TESTING)))) {
            // Waits for the one that is killed.
            life.team.submit(
                    Story.builder("waits", "Waits")
                            .content("for the other")
                            .dependsOn("works")
                            .build(),
                    event -> {});
            life.dies(TeamBench.story("works"));
        }
        try (TeamBench.Life life = bench.life()) {
            List<RunningStory> resumed = life.team.resumeStories(event -> {});
            assertThat(resumed).extracting(RunningStory::id).containsExactlyInAnyOrder("waits", "works");
            assertThat(life.team.resumeSpecs(event -> {})).isEmpty();
            for (RunningStory running : resumed) {
                assertThat(life.end(running).outcome()).isEqualTo(Outcome.MERGED);
                assertThat(life.end(running).attempt()).isEqualTo(1);
            }
            assertThat(life.team.resumeStories(event -> {})).isEmpty();
        }
        try (Store record = bench.record()) {
            assertThat(record.transitions("works").stream()
                            .map(row -> row.from() + "->" + row.to())
                            .distinct()
                            .count())
                    .as("nothing was done twice")
                    .isEqualTo(record.transitions("works").size());
        }
    }

    @Test
    void aSpecificationGoesOnWithItsStories() throws Exception {
        int lives = 0;
        SpecResult result = null;
        List<CoderState> deaths = List.of(CoderState.CODING, CoderState.AWAIT_MERGE);
        while (result == null) {
            CoderState state = lives < deaths.size() ? deaths.get(lives) : null;
            lives++;
            try (TeamBench.Life life =
                    bench.life(seen -> state == null ? seen : MortalStore.after(seen, MortalStore.Death.into(state)))) {
                RunningSpec running;
                if (lives == 1) {
                    running = life.team.submit(SPEC, event -> {});
                } else {
                    List<RunningSpec> specs = life.team.resumeSpecs(event -> {});
                    assertThat(specs).extracting(RunningSpec::id).containsExactly("spec");
                    // Its stories come with it.
                    assertThat(life.team.resumeStories(event -> {})).isEmpty();
                    running = specs.get(0);
                }
                try {
                    result = running.done().get(120, TimeUnit.SECONDS);
                } catch (ExecutionException e) {
                    assertThat(state).as("%s", e).isNotNull();
                    assertThat(e).hasRootCauseInstanceOf(DyingStore.KilledException.class);
                }
            }
        }
        assertThat(lives).isEqualTo(3);
        assertThat(result.outcome()).as(result.toMarkdown()).isEqualTo(SpecResult.Outcome.COMPLETED);
        assertThat(result.stories())
                .extracting(story -> story.title() + " " + story.result().outcome() + " "
                        + story.result().attempt())
                .containsExactly("one MERGED 1", "two MERGED 1");
        assertThat(((PlaceLlm) bench.architectModel).requests).hasSize(1);
        assertThat(new ArrayList<>(bench.repository
                        .git("log", "--first-parent", "--merges", "--reverse", "--format=%s", "main")
                        .lines()
                        .toList()))
                .containsExactly("Merge story spec-01: one", "Merge story spec-02: two");
    }
}
