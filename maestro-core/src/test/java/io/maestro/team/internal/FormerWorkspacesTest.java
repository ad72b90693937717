package io.maestro.team.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.agent.Architect;
import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmException;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.story.CoderState;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.team.internal.dispatch.RunningStory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nothing is left in a workspace of a story that is done, whichever of its attempts has worked there. */
class FormerWorkspacesTest {
    @TempDir
    Path directory;

    /** What lies in workspaces that were used. */
    private List<String> left(TeamBench bench) throws IOException {
        try (Stream<Path> files = Files.walk(bench.project(), 2)) {
            return files.map(file -> bench.project().relativize(file).toString())
                    .filter(file -> file.startsWith("coder-") && file.contains("/"))
                    .sorted()
                    .toList();
        }
    }

    private static PlaceLlm coder() {
        return new PlaceLlm()
                .calls("PLANNING", "submit_plan", "plan", "write good")
                .calls("CODING", "write_file", "path", "a.txt", "content", "good")
                .calls("CODING", "done", "summary", "wrote a.txt");
    }

    @Test
    void theNextAttemptWorksInTheWorkspaceOfTheLast() throws Exception {
        TeamBench bench = new TeamBench(directory);
        bench.maxCoders = 2;
        CountDownLatch mayGoOn = new CountDownLatch(1);
        CountDownLatch waits = new CountDownLatch(1);
        bench.architect = new Waiting(mayGoOn, waits);
        bench.coder = new FailsOnce("second", coder());
        try (TeamBench.Life life = bench.life()) {
            RunningStory first = life.team.submit(TeamBench.story("first"), event -> {});
            waits.await();
            StoryResult failed = life.run(TeamBench.story("second"));
            assertThat(failed.outcome()).isEqualTo(Outcome.FAILED);
            assertThat(left(bench)).as("kept to be looked at").contains("coder-002/README.md");
            mayGoOn.countDown();
            assertThat(life.end(first).outcome()).isEqualTo(Outcome.MERGED);
            assertThat(left(bench)).allMatch(file -> file.startsWith("coder-002/"));

            StoryResult second = life.run(TeamBench.express("second"));

            assertThat(second.attempt()).isEqualTo(2);
            // The first story has written the same.
            assertThat(second.outcome()).as("%s", second).isEqualTo(Outcome.NO_CHANGE);
            assertThat(left(bench)).isEmpty();
        }
    }

    @Test
    void anAttemptThatIsFoundMergedLeavesNoWorkspaceOfTheOneBefore() throws Exception {
        TeamBench bench = new TeamBench(directory);
        bench.architect = new Approves();
        bench.coder = coder();
        // The merge is there, its row is not; and what the killed process had made is not usable.
        MortalStore.Death atEnd = MortalStore.Death.into(CoderState.DONE);
        try (TeamBench.Life life = bench.life(store -> MortalStore.before(store, atEnd))) {
            life.dies(TeamBench.story("042"));
        }
        assertThat(left(bench)).contains("coder-001/.git");
        bench.losesReviewedTree("042");
        try (TeamBench.Life life = bench.life()) {
            StoryResult result = life.run(TeamBench.story("042"));

            assertThat(result.outcome()).isEqualTo(Outcome.MERGED);
            assertThat(result.attempt()).isEqualTo(2);
            assertThat(left(bench)).isEmpty();
        }
    }

    @Test
    void aMarkThatAKilledProcessWasMakingIsDeleted() throws Exception {
        TeamBench bench = new TeamBench(directory);
        Path marks = Files.createDirectories(bench.project().resolve(".maestro/workspaces"));
        Path unfinished = Files.createFile(marks.resolve(".coder-007"));

        try (TeamBench.Life life = bench.life()) {
            assertThat(unfinished).doesNotExist();
        }
    }

    /** Lets the first story wait for the review of its plan. */
    private record Waiting(CountDownLatch mayGoOn, CountDownLatch waits) implements Architect {
        @Override
        public String id() {
            return "waiting";
        }

        @Override
        public Reply reply(Request request) {
            waits.countDown();
            try {
                mayGoOn.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return new Reply(request.id(), Decision.APPROVED, "");
        }
    }

    /** A model that refuses the first request for one story. */
    private static final class FailsOnce implements LlmClient {
        private final String story;
        private final LlmClient model;
        private final AtomicBoolean failed = new AtomicBoolean();

        FailsOnce(String story, LlmClient model) {
            this.story = story;
            this.model = model;
        }

        @Override
        public String model() {
            return model.model();
        }

        @Override
        public LlmResponse complete(LlmRequest request) {
            if (request.origin().storyId().equals(story) && failed.compareAndSet(false, true)) {
                throw new LlmException("planted", null);
            }
            return model.complete(request);
        }
    }
}
