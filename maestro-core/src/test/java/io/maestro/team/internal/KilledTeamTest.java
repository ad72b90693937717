package io.maestro.team.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.llm.LlmContent;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmUnavailableException;
import io.maestro.llm.internal.MessageJson;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Store;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A team that is killed after each single row that it writes goes on as if nothing had happened. */
class KilledTeamTest {
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

    private static final LlmContent.Reasoning THOUGHT =
            new LlmContent.Reasoning("anthropic", "{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"s\"}");

    @TempDir
    Path directory;

    /** Goes through every state, asks, is sent back by everybody, falls silent, and uses up its turns. */
    private static PlaceLlm coder() {
        return new PlaceLlm()
                // One file: the order of several is that in which git happens to write them.
                .calls("PLANNING", "list_files", "pattern", "README.md")
                .fails("PLANNING", new LlmUnavailableException("the model is down", null, null))
                .calls("PLANNING", "ask_question", "question", "how good?")
                .says("PLANNING", THOUGHT, new LlmContent.Text("I have a plan, and do not say it."))
                .calls("PLANNING", "submit_plan", "plan", "write something")
                .calls("PLANNING", "submit_plan", "plan", "write good")
                .calls("CODING", "write_file", "path", "a.txt", "content", "bad")
                .calls("CODING", "done", "summary", "wrote a.txt")
                // The next visit has five turns.
                .calls("CODING", "read_file", "path", "README.md")
                .calls("CODING", "shell", "cmd", "echo once >> runs.txt; echo good >> runs.txt")
                .calls("CODING", "read_file", "path", "check.sh")
                .calls("CODING", "shell", "cmd", "exit 3")
                .calls("CODING", "write_file", "path", "a.txt", "content", "good")
                // BUDGET_REVIEW
                .calls("CODING", "done", "summary", "wrote better")
                // CODE_REVIEW
                .calls("CODING", "shell", "cmd", "echo twice >> runs.txt")
                .calls("CODING", "done", "summary", "wrote what the architect wants");
    }

    /** What there is to compare. */
    private record Trace(
            StoryResult result,
            List<String> asked,
            List<String> transitions,
            List<String> messages,
            List<String> tools,
            List<String> sentBack,
            String files) {}

    private Trace trace(String name, MortalStore.Death death) throws Exception {
        TeamBench bench = new TeamBench(Files.createDirectory(directory.resolve(name)));
        PlaceLlm coder = coder();
        RememberingArchitect person = new RememberingArchitect();
        bench.coder = coder;
        bench.architect = person;
        bench.limits.turnsPerState(5);
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
        assertThat(bench.repository.git("rev-list", "--count", "--merges", "main"))
                .isEqualTo("1");
        assertThat(coder.requests).hasSize(coder.answers());
        try (Store record = bench.record()) {
            return new Trace(
                    result,
                    person.asked,
                    record.transitions("042").stream()
                            .map(row -> row.attempt() + " " + row.from() + "->" + row.to() + " " + row.agentId())
                            .toList(),
                    record.messages("042").stream()
                            .map(row -> row.state() + " " + row.step() + " " + row.role() + " " + row.content())
                            .toList(),
                    record.toolExecutions("042").stream()
                            .map(row -> row.state() + " " + row.tool() + " " + row.callId())
                            .filter(row -> !row.contains(" test "))
                            .toList(),
                    coder.requests.stream().map(KilledTeamTest::text).toList(),
                    bench.repository.git("ls-tree", "-r", "main"));
        }
    }

    /** Such a call is not run by the next life; see {@link RecoveryTest}. */
    private static boolean changesFiles(Object row) {
        return row instanceof AuditLog.Message message
                && message.role().equals("assistant")
                && message.content().matches("(?s).*\"(shell|write_file)\".*");
    }

    private static String text(LlmRequest request) {
        return request.messages().stream()
                .map(message -> message.role() + " " + MessageJson.write(message.content()))
                .toList()
                .toString();
    }

    @Test
    void aDeathAfterEveryRowChangesNothing() throws Exception {
        Trace undisturbed = trace("undisturbed", MortalStore.Death.NONE);
        assertThat(undisturbed.transitions())
                .extracting(row -> row.replaceAll(".*->| .*$", ""))
                .contains("PLANNING", "QUESTION", "SUSPEND", "PLAN_REVIEW", "BUDGET_REVIEW", "TESTING");

        List<String> deaths = new ArrayList<>(List.of(""));
        Trace killed = trace("killed", (method, arguments) -> {
            if (!ROWS.contains(method) || changesFiles(arguments[0])) {
                return false;
            }
            // What ends a turn is run again when nothing was made of it, and so are the tests: once is enough.
            String row = arguments[0] instanceof AuditLog.ToolExecution call ? call.tool() : method;
            boolean again = arguments[0] instanceof AuditLog.ToolExecution && row.equals(deaths.get(deaths.size() - 1));
            if (method.equals("open")) {
                // Every life looks whether it has asked already, and writes only once.
                row += ((AuditLog.Effect) arguments[0]).id();
                again = deaths.contains(row);
            }
            deaths.add(row);
            return !again;
        });

        assertThat(deaths).hasSizeGreaterThan(70);
        assertThat(killed.result().attempt()).isEqualTo(1);
        assertThat(killed.transitions()).isEqualTo(undisturbed.transitions());
        assertThat(killed.asked()).isEqualTo(undisturbed.asked()).doesNotHaveDuplicates();
        // The model was asked the very same, and so it was told everything, and nothing twice.
        assertThat(killed.messages()).isEqualTo(undisturbed.messages());
        assertThat(killed.sentBack()).isEqualTo(undisturbed.sentBack());
        assertThat(killed.files()).isEqualTo(undisturbed.files());
    }
}
