package io.maestro.team.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.agent.spi.ScriptedCoderMode;
import io.maestro.llm.LlmContent;
import io.maestro.llm.Usage;
import io.maestro.record.internal.Store;
import io.maestro.story.CoderState;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.team.internal.story.StoryProgress;
import io.maestro.testing.Full;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A team whose coder is a program, killed again and again after rows that it writes, comes to the same end on the same way. */
class KilledProgramTest {
    private static final Set<String> ROWS = Set.of(
            "saveStory",
            "recordTransition",
            "recordMessage",
            "recordToolExecution",
            "recordEffect",
            "completeEffect",
            "open",
            "reply",
            "saveTodos");

    @TempDir
    Path directory;

    /** Asks, is sent back by everybody, and falls silent. */
    private static PlaceLlm coder() {
        return new PlaceLlm()
                .calls("PLANNING", "list_files", "pattern", "README.md")
                .calls("PLANNING", "ask_question", "question", "how good?")
                .says("PLANNING", new LlmContent.Text("I have a plan, and do not say it."))
                .calls("PLANNING", "submit_plan", "plan", "write something")
                .calls("PLANNING", "submit_plan", "plan", "write good")
                .calls("CODING", "write_file", "path", "a.txt", "content", "bad")
                .calls("CODING", "done", "summary", "wrote a.txt")
                .calls("CODING", "write_file", "path", "a.txt", "content", "good")
                .calls("CODING", "ask_question", "question", "good enough?")
                .calls("CODING", "done", "summary", "wrote better")
                // CODE_REVIEW
                .calls("CODING", "shell", "cmd", "echo good > b.txt")
                .calls("CODING", "done", "summary", "wrote what the architect wants");
    }

    private record Trace(List<String> asked, List<String> transitions, String files, List<String> sessions) {}

    private Trace trace(String name, MortalStore.Death death) throws Exception {
        TeamBench bench = new TeamBench(Files.createDirectory(directory.resolve(name)));
        PlaceLlm coder = coder();
        ScriptedCoderMode mode = new ScriptedCoderMode(coder);
        RememberingArchitect person = new RememberingArchitect();
        bench.mode = mode;
        bench.architect = person;
        StoryResult result = null;
        while (result == null) {
            assertThat(bench.lives()).isLessThan(300);
            try (TeamBench.Life life = bench.life(store -> MortalStore.after(store, death))) {
                result = life.run(TeamBench.story("042"));
            } catch (DyingStore.KilledException e) {
                // The next life goes on.
                assertThat(death).isNotSameAs(MortalStore.Death.NONE);
            }
        }
        assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.MERGED);
        assertThat(result.attempt()).isEqualTo(1);
        // What was used is counted once, in whichever life it was.
        int requests = coder.requests.size();
        assertThat(result.usage()).isEqualTo(new Usage(10L * requests, requests, 0, 0));
        assertThat(bench.repository.git("rev-list", "--count", "--merges", "main"))
                .isEqualTo("1");
        try (Store record = bench.record()) {
            StoryProgress progress =
                    StoryProgress.fromJson(record.story("042").orElseThrow().data());
            List<String> said = new ArrayList<>();
            for (CoderState state : CoderState.values()) {
                progress.sessions().in(state).ifPresent(session -> said.add(mode.said(session)));
            }
            assertThat(mode.disk()).hasSize(2);
            return new Trace(
                    List.copyOf(person.asked),
                    record.transitions("042").stream()
                            .map(row -> row.attempt() + " " + row.from() + "->" + row.to() + " " + row.agentId())
                            .toList(),
                    bench.repository.git("ls-tree", "-r", "main"),
                    said);
        }
    }

    @Test
    @Full("many lives; ProgramLivesTest has deaths of a program's host")
    void deathsChangeNothing() throws Exception {
        Trace undisturbed = trace("undisturbed", MortalStore.Death.NONE);
        assertThat(undisturbed.asked()).hasSize(7);
        for (int round = 0; round < 2; round++) {
            long seed = new Random().nextLong();
            Random random = new Random(seed);
            Trace killed =
                    trace("killed" + round, (method, arguments) -> ROWS.contains(method) && random.nextInt(7) == 0);
            assertThat(killed.transitions()).as("seed %s", seed).isEqualTo(undisturbed.transitions());
            assertThat(killed.asked()).as("seed %s", seed).isEqualTo(undisturbed.asked());
            assertThat(killed.files()).as("seed %s", seed).isEqualTo(undisturbed.files());
            // Whatever the architect has said has reached the session.
            for (String said : List.of("about the QUESTION", "about the PLAN_REVIEW")) {
                assertThat(killed.sessions().get(0)).as("seed %s", seed).contains(said);
            }
            for (String said : List.of("about the QUESTION", "about the CODE_REVIEW", "tests")) {
                assertThat(killed.sessions().get(1)).as("seed %s", seed).contains(said);
            }
        }
    }
}
