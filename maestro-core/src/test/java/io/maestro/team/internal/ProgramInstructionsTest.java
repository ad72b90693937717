package io.maestro.team.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.agent.spi.AgentContext;
import io.maestro.agent.spi.ScriptedCoderMode;
import io.maestro.instructions.internal.Skills;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Store;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.testkit.Reply;
import io.maestro.tools.ToolDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What the repository says to a program, which writes to its workspace as it likes. */
class ProgramInstructionsTest extends ProgramBench {
    private static final Map<String, String> BEFORE = Map.of(
            "AGENTS.md", "rule-of-all", ".claude/skills/x/SKILL.md", "---\ndescription: how-to-x\n---\nguide-of-x\n");

    private final List<String> told = new ArrayList<>();

    private ScriptedCoderMode noting(ScriptedCoderMode mode) {
        mode.watcher = call -> {
            if (call.startsWith("begin") || call.startsWith("resume")) {
                AgentContext task = mode.tasks.get(mode.tasks.size() - 1);
                told.add(task.instructions());
                assertThat(task.tools()).extracting(ToolDefinition::name).contains(Skills.TOOL);
            }
        };
        return mode;
    }

    private static Reply plant() {
        return Reply.toolCall("shell", Map.of("cmd", "echo canary | tee CLAUDE.md >AGENTS.md"));
    }

    @Test
    void aProgramIsToldTheSameInEachLifeAndState() {
        bench.repository.commit("instructions", BEFORE);
        ScriptedCoderMode mode = noting(scripted(
                plant(),
                Reply.toolCall("submit_plan", Map.of("plan", "write good")),
                Reply.toolCall(Skills.TOOL, Map.of("name", "x")),
                write("good"),
                done()));
        int[] writes = {0};
        try (TeamBench.Life life = bench.life(store -> MortalStore.after(
                store,
                (method, arguments) -> method.equals("recordToolExecution")
                        && ((AuditLog.ToolExecution) arguments[0]).tool().equals("write_file")
                        && ++writes[0] == 1))) {
            life.dies(TeamBench.story("042"));
        }
        // Somebody else's work is merged meanwhile.
        bench.repository.commit("newer", Map.of("docs/AGENTS.md", "rule-of-docs"));
        merged(TeamBench.story("042"));
        assertThat(mode.calls).contains("begin PLANNING", "begin CODING", "resume CODING");
        assertThat(told)
                .hasSize(3)
                .allSatisfy(text -> assertThat(text)
                        .contains("rule-of-all", "- `x`: how-to-x")
                        .doesNotContain("canary", "rule-of-docs"));
        assertThat(told.get(2)).isEqualTo(told.get(1));
        try (Store record = bench.record()) {
            assertThat(record.messages("042"))
                    .filteredOn(
                            row -> row.role().equals("note") && row.content().contains("AGENTS.md` blob "))
                    .extracting(AuditLog.Message::state)
                    .containsExactly("PLANNING/scripted", "CODING/scripted", "CODING/scripted");
            assertThat(record.toolExecutions("042"))
                    .filteredOn(row -> row.tool().equals(Skills.TOOL))
                    .singleElement()
                    .satisfies(row -> assertThat(row.result()).contains("guide-of-x"));
        }
        told.clear();
        noting(scripted(Reply.toolCall("story_complete", Map.of("reason", "nothing is left"))));
        try (TeamBench.Life life = bench.life()) {
            assertThat(life.run(TeamBench.story("043")).outcome()).isEqualTo(Outcome.NO_CHANGE);
        }
        assertThat(told).singleElement().satisfies(text -> assertThat(text).contains("canary", "rule-of-docs"));
    }

    @Test
    void whatComesInByTheMergeOfTheTargetIsForTheNextAttempt() {
        bench.repository.commit("instructions", BEFORE);
        ScriptedCoderMode mode = noting(
                scripted(write("good"), Reply.toolCall("done", Map.of("summary", "s")), write("good, both"), done()));
        Consumer<String> noted = mode.watcher;
        mode.watcher = call -> {
            noted.accept(call);
            if (call.equals("begin CODING")) {
                bench.repository.commit("newer", Map.of("a.txt", "good, theirs", "docs/AGENTS.md", "rule-of-docs"));
            }
        };
        merged(TeamBench.express("042"));
        assertThat(mode.calls).contains("begin CODING", "resume CODING");
        assertThat(told)
                .hasSize(2)
                .allSatisfy(text -> assertThat(text).contains("rule-of-all").doesNotContain("rule-of-docs"));
    }
}
