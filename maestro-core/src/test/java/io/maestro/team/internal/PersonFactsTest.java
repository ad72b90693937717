package io.maestro.team.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.agent.Architect;
import io.maestro.agent.Architect.Kind;
import io.maestro.agent.Architect.Request;
import io.maestro.inbox.Inbox;
import io.maestro.inbox.InboxAnswer;
import io.maestro.inbox.InboxItem;
import io.maestro.runtime.ToolPolicy;
import io.maestro.runtime.ToolRule;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.team.internal.dispatch.RunningStory;
import io.maestro.testing.Await;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who decides sees what is decided. */
@Timeout(120)
class PersonFactsTest {
    @TempDir
    Path directory;

    private TeamBench bench;

    @BeforeEach
    void open() {
        bench = new TeamBench(directory);
        bench.people = EnumSet.allOf(Kind.class);
    }

    private static InboxItem waiting(Inbox inbox, Kind kind) {
        Await.until(kind + " waits", () -> inbox.pending().stream().anyMatch(item -> item.kind() == kind));
        InboxItem item = inbox.pending().get(0);
        assertThat(item.storyContent()).isEqualTo("Make it good.");
        return item;
    }

    private static InboxItem answered(Inbox inbox, Kind kind, InboxAnswer answer) {
        InboxItem item = waiting(inbox, kind);
        assertThat(inbox.answer(item.id(), answer).status()).isEqualTo(Inbox.Status.COUNTS);
        return item;
    }

    @Test
    void eachKindOfRequestHasWhatIsDecidedOn() {
        InboxAnswer yes = InboxAnswer.approve("alice");
        bench.policies.add(ToolPolicy.byRules(
                List.of(ToolRule.of("shell").argument("cmd", "echo").ask("does it do no harm?"))));
        bench.limits.turnsPerState(3);
        bench.coder = new PlaceLlm()
                .calls("PLANNING", "submit_plan", "plan", "write a.txt")
                .calls("CODING", "write_file", "path", "a.txt", "content", "good news\n")
                .calls("CODING", "ask_question", "question", "which one?")
                .calls("CODING", "shell", "cmd", "echo good > b.txt")
                .calls("CODING", "read_file", "path", "a.txt")
                .calls("CODING", "read_file", "path", "b.txt")
                .calls("CODING", "done", "summary", "wrote both");
        try (TeamBench.Life life = bench.life()) {
            RunningStory running = life.team.submit(TeamBench.story("042"), event -> {});
            assertThat(answered(life.inbox, Kind.PLAN_REVIEW, yes).facts())
                    .containsExactly(Map.entry(Request.PLAN, "write a.txt"));

            InboxItem question = answered(life.inbox, Kind.QUESTION, InboxAnswer.say("alice", "both"));
            assertThat(question.facts().keySet()).containsExactly(Request.QUESTION, Request.PLAN);

            InboxItem call = answered(life.inbox, Kind.TOOL_CALL, yes);
            assertThat(call.facts().keySet()).containsExactly(Request.CALL, Request.RULE, Request.PLAN);

            InboxItem budget = answered(life.inbox, Kind.BUDGET_REVIEW, yes);
            assertThat(budget.facts().keySet())
                    .containsExactly(Request.BUDGET, Request.DIFF_STAT, Request.DIFF, Request.PLAN);
            assertThat(budget.facts().get(Request.DIFF)).contains("+good news", "+++ b/b.txt");

            InboxItem first = answered(life.inbox, Kind.CODE_REVIEW, InboxAnswer.approve("bob", "mind the words"));
            assertThat(first.facts().keySet())
                    .containsExactly(
                            Request.SUMMARY,
                            Request.TESTS,
                            Request.DIFF_STAT,
                            Request.DIFF,
                            Request.PLAN,
                            Request.TEST_LOG);
            isTested(first);

            InboxItem merge = answered(life.inbox, Kind.MERGE, yes);
            assertThat(merge.facts().keySet())
                    .containsExactly(
                            Request.MERGE,
                            Request.TESTS,
                            Request.SUMMARY,
                            Request.REVIEW,
                            Request.DIFF_STAT,
                            Request.DIFF,
                            Request.PLAN,
                            Request.TEST_LOG);
            isTested(merge);
            assertThat(merge.facts())
                    .containsEntry(Request.SUMMARY, "wrote both")
                    .containsEntry(Request.PLAN, "write a.txt")
                    .containsEntry(Request.REVIEW, "bob has decided APPROVED: mind the words");
            assertThat(life.end(running).outcome()).isEqualTo(Outcome.MERGED);
        }
    }

    private static void isTested(InboxItem item) {
        assertThat(item.facts().get(Request.TESTS)).startsWith("tests passed").doesNotContain("\n");
        assertThat(item.facts().get(Request.TEST_LOG)).contains("--- stdout ---");
        assertThat(item.facts().get(Request.DIFF_STAT)).contains("2 files changed");
        assertThat(item.facts().get(Request.DIFF)).contains("+good news", "+++ b/b.txt");
    }

    /** A model has tools to look at it; what it is sent is paid for. */
    @Test
    void aModelIsSentNoMoreThanWhatItIsAsked() {
        bench.people = EnumSet.of(Kind.MERGE);
        PlaceLlm architect = new PlaceLlm()
                .calls("ANSWERING", "review_complete", "decision", "APPROVED")
                .calls("ANSWERING", "review_complete", "decision", "APPROVED", "feedback", "fine");
        bench.architectModel = architect;
        bench.coder = new PlaceLlm()
                .calls("PLANNING", "submit_plan", "plan", "write many lines")
                .calls("CODING", "shell", "cmd", "seq -f 'good line %.0f' 1 9000 > a.txt")
                .calls("CODING", "done", "summary", "wrote it");
        try (TeamBench.Life life = bench.life()) {
            RunningStory running = life.team.submit(TeamBench.story("042"), event -> {});
            InboxItem merge = answered(life.inbox, Kind.MERGE, InboxAnswer.approve("alice"));
            assertThat(merge.facts().get(Request.REVIEW)).endsWith(" has decided APPROVED: fine");
            assertThat(merge.facts().get(Request.DIFF).length()).isBetween(95_000, 100_000);
            assertThat(merge.facts().get(Request.DIFF))
                    .contains("+good line 5000\n")
                    .containsPattern("cut here, in file 1 of 1\\. Line \\d+ and what follows are not shown here")
                    .doesNotContain("get_diff");
            assertThat(life.end(running).outcome()).isEqualTo(Outcome.MERGED);
        }
        String sent = architect.requests.get(1).messages().toString();
        assertThat(sent).contains("+good line 1", "get_diff").doesNotContain("+good line 5000", "test_log");
        assertThat(sent.length()).isLessThan(40_000);
    }

    /** A person has no tool for the rest of a change, and is not shown what a redactor takes for a secret. */
    @Test
    void howToSeeAllOfAChangeIsSaidAndHowMuchIsHidden() throws Exception {
        bench.people = EnumSet.of(Kind.MERGE);
        bench.redactor = text -> text.replace("hunter2", "[REDACTED:secret]");
        bench.architectModel = new PlaceLlm()
                .calls("ANSWERING", "review_complete", "decision", "APPROVED")
                .calls("ANSWERING", "review_complete", "decision", "APPROVED", "feedback", "fine");
        bench.coder = new PlaceLlm()
                .calls("PLANNING", "submit_plan", "plan", "write many lines")
                .calls(
                        "CODING",
                        "shell",
                        "cmd",
                        "echo hunter2 good > a.txt;" + " seq -f 'good line %.0f' 1 9000 > b.txt")
                .calls("CODING", "done", "summary", "wrote it");
        Map<String, String> before;
        try (TeamBench.Life life = bench.life()) {
            RunningStory unused = life.team.submit(TeamBench.story("042"), event -> {});
            before = waiting(life.inbox, Kind.MERGE).facts();
        }
        String diff = before.get(Request.DIFF);
        assertThat(diff).doesNotContain("hunter2").contains("\n1 value is hidden here and merged as it is.");
        String command = diff.lines()
                .filter(line -> line.startsWith("All of it, where Maestro runs: "))
                .findFirst()
                .orElseThrow()
                .replaceFirst("^[^:]+: ", "");
        Process git = new ProcessBuilder("sh", "-c", command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .start();
        assertThat(new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .contains("+hunter2 good", "+good line 9000\n");
        assertThat(git.waitFor()).isZero();
        try (TeamBench.Life life = bench.life()) {
            RunningStory running = life.team.submit(TeamBench.story("042"), event -> {});
            InboxItem merge = answered(life.inbox, Kind.MERGE, InboxAnswer.approve("alice"));
            assertThat(merge.facts()).isEqualTo(before);
            assertThat(life.end(running).outcome()).isEqualTo(Outcome.MERGED);
        }
    }

    /** What people were shown stays what they decide on, also when the next life would show something else. */
    @Test
    void afterARestartTheSameIsShown() {
        bench.coder = new PlaceLlm()
                .calls("PLANNING", "submit_plan", "plan", "write a.txt")
                .calls("CODING", "write_file", "path", "a.txt", "content", "good\n")
                .calls("CODING", "done", "summary", "wrote it");
        Map<String, String> before;
        try (TeamBench.Life life = bench.life()) {
            RunningStory unused = life.team.submit(TeamBench.story("042"), event -> {});
            InboxItem plan = answered(life.inbox, Kind.PLAN_REVIEW, InboxAnswer.approve("alice"));
            before = waiting(life.inbox, Kind.CODE_REVIEW).facts();
            assertThat(plan.facts()).containsOnlyKeys(Architect.Request.PLAN);
        }
        try (TeamBench.Life life = bench.life()) {
            RunningStory running = life.team.submit(TeamBench.story("042"), event -> {});
            assertThat(answered(life.inbox, Kind.CODE_REVIEW, InboxAnswer.approve("alice"))
                            .facts())
                    .isEqualTo(before);
            InboxItem merge = answered(life.inbox, Kind.MERGE, InboxAnswer.approve("alice"));
            assertThat(merge.facts().get(Request.DIFF)).contains("+good");
            assertThat(life.end(running).outcome()).isEqualTo(Outcome.MERGED);
        }
    }
}
