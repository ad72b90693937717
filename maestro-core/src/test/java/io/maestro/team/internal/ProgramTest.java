package io.maestro.team.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.agent.Architect;
import io.maestro.agent.spi.AgentContext;
import io.maestro.agent.spi.ScriptedCoderMode;
import io.maestro.environment.Equipment;
import io.maestro.environment.RecordingEnvironments;
import io.maestro.error.MaestroException;
import io.maestro.error.RetriableException;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Store;
import io.maestro.runtime.ToolPolicy;
import io.maestro.runtime.ToolRule;
import io.maestro.story.CoderState;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.team.internal.story.StoryProgress;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import io.maestro.tools.ToolDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A program in the place of the coders' model: what it is given, and when it is ended. */
class ProgramTest extends ProgramBench {
    // What it is given

    @Test
    void whatIsToBeDoneAndByWhatTools() {
        ScriptedCoderMode mode = scripted(
                Reply.toolCall("todos_add", Map.of("todos", List.of("first this"))),
                Reply.toolCall("submit_plan", Map.of("plan", "write good")),
                write("good"),
                done());
        List<String> seen = new ArrayList<>();
        mode.watcher = call -> {
            if (call.startsWith("begin")) {
                AgentContext task = mode.tasks.get(mode.tasks.size() - 1);
                seen.add(task.instructions());
                seen.add(task.assignment());
                assertThat(task.environment().executor()).isNotNull();
                assertThat(task.limits().reminders()).isEqualTo(3);
                assertThat(task.agentId() + task.storyId() + task.attempt()).isEqualTo("coder-0010421");
                assertThat(task.unread()).isEmpty();
                assertThat(task.movesCoder("container_switch")).isFalse();
                assertThatThrownBy(() -> task.record("compaction", "[]")).isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> task.prompt("coder-dancing", Map.of())).isInstanceOf(MaestroException.class);
            }
        };
        merged(TeamBench.story("042"));
        assertThat(mode.calls)
                .containsExactly(
                        "open 042/1 PLANNING",
                        "begin PLANNING",
                        "close 042/1 PLANNING",
                        "open 042/1 CODING",
                        "begin CODING",
                        "close 042/1 CODING",
                        "end");
        assertThat(seen).hasSize(4);
        assertThat(seen.get(0))
                .contains("coder-001", "mcp__maestro__submit_plan")
                .doesNotContain("{{");
        assertThat(seen.get(1)).contains("# Story 042", "Make it good.").doesNotContain("write good");
        assertThat(seen.get(2)).contains("mcp__maestro__done", "maestro/story-042", "main");
        assertThat(seen.get(3)).contains("# The approved plan", "write good", "first this");
        assertThat(mode.tasks.get(0).tools())
                .extracting(ToolDefinition::name)
                .contains("submit_plan", "read_file")
                .doesNotContain("done", "write_file");
        assertThat(mode.tasks.get(1).tools())
                .extracting(ToolDefinition::name)
                .contains("done", "write_file")
                .doesNotContain("submit_plan");
    }

    @Test
    void coderAndNotArchitectHasTheEquipment() {
        scripted(write("good"), done()).equipment = new Equipment(true, Optional.empty(), true);
        merged(TeamBench.express("042"));
        assertThat(environments.places)
                .hasSize(1)
                .allSatisfy(place -> assertThat(place.equipment().keepsState()).isTrue());

        TeamBench other = new TeamBench(subdirectory("other"));
        RecordingEnvironments isolating = new RecordingEnvironments();
        isolating.isolates = true;
        other.environments = isolating;
        other.architectModel = new PlaceLlm()
                .calls("ANSWERING", "shell", "cmd", "true")
                .calls("ANSWERING", "review_complete", "decision", "REJECTED", "feedback", "no");
        ScriptedCoderMode mode = new ScriptedCoderMode(
                ScriptedLlm.builder("coder").turn(write("good")).turn(done()).build());
        mode.equipment = new Equipment(true, Optional.empty(), false);
        other.mode = mode;
        try (TeamBench.Life life = other.life()) {
            life.run(TeamBench.express("042"));
        }
        assertThat(isolating.places).hasSize(2);
        assertThat(isolating.places)
                .allSatisfy(place -> assertThat(place.equipment().keepsState()).isEqualTo(place.storyId() != null));
    }

    @Test
    void pathsOfItsOwnToolsArePathsToRules() {
        bench.policies.add(ToolPolicy.byRules(List.of(
                ToolRule.of("x__*").argumentGlob("path", "/ws/secrets/**").deny("no"))));
        ScriptedCoderMode mode = scripted(write("good"), done());
        List<Boolean> allowed = new ArrayList<>();
        mode.watcher = call -> {
            if (call.startsWith("begin")) {
                AgentContext task = mode.tasks.get(0);
                for (String path : List.of("/ws/secrets/k", "/ws/secrets", "/ws/src")) {
                    allowed.add(task.decideOnOwnTool("1", "x__Grep", "{\"path\":\"" + path + "\"}")
                            .isEmpty());
                }
            }
        };
        merged(TeamBench.express("042"));
        assertThat(allowed.subList(0, 3)).containsExactly(false, false, true);
    }

    @Test
    void theChatIsReadOnce() throws Exception {
        ScriptedCoderMode mode = scripted(write("bad"), write("good"), done());
        try (TeamBench.Life life = bench.life()) {
            mode.watcher = call -> {
                if (call.startsWith("begin")) {
                    life.store.post(new AuditLog.ChatPost(
                            0, "life-1", null, "host", "the port is 8080", java.time.Instant.now()));
                }
            };
            assertThat(life.run(TeamBench.express("042")).outcome()).isEqualTo(Outcome.MERGED);
            assertThat(mode.said(session(life.store, CoderState.CODING))).containsOnlyOnce("the port is 8080");
        }
    }

    // When it is ended

    @Test
    void aQuestionHoldsItAndItsEnvironmentEndsAfterIt() {
        ScriptedCoderMode mode = scripted(ask(), write("good"), done());
        environments.watcher = mode.calls::add;
        merged(TeamBench.express("042"));
        assertThat(mode.calls)
                .containsExactly(
                        "leftovers",
                        "open 042/1",
                        "enter 042/1 CODING",
                        "open 042/1 CODING",
                        "begin CODING",
                        "enter 042/1 CODING",
                        "close 042/1 CODING",
                        "fresh 042/1",
                        "remove 042/1",
                        "end",
                        "end");
        assertThat(mode.news).hasSize(2);
        assertThat(mode.news.get(1)).hasSize(1).first().asString().contains("how good?", "very good");
    }

    @Test
    void oneThatIsHeldIsEndedBeforeTheEnvironmentOfAStoryThatEnds() {
        ScriptedCoderMode mode = scripted(ask());
        environments.watcher = mode.calls::add;
        bench.architect = new RejectingArchitect();
        try (TeamBench.Life life = bench.life()) {
            assertThat(life.run(TeamBench.express("042")).outcome()).isEqualTo(Outcome.REJECTED);
        }
        assertThat(mode.calls)
                .containsSubsequence("begin CODING", "close 042/1 CODING", "remove 042/1", "end", "end")
                .containsOnlyOnce("close 042/1 CODING");
    }

    private static final class RejectingArchitect implements Architect {
        @Override
        public String id() {
            return "no";
        }

        @Override
        public Reply reply(Request request) {
            return new Reply(request.id(), Decision.REJECTED, "no");
        }
    }

    @Test
    void aContainerIsReplacedWhileItIsNotRunning() {
        environments.isolates = true;
        environments.tools.add(RecordingEnvironments.switchTool());
        ScriptedCoderMode mode =
                scripted(Reply.toolCall("container_switch", Map.of("image", "sha256:1")), write("good"), done());
        merged(TeamBench.express("042"));
        assertThat(mode.calls).containsSubsequence("begin CODING", "ended for container_switch", "resume CODING");
        assertThat(mode.tasks.get(0).instructions())
                .contains("`container_switch`", "You run in that container yourself");
        try (Store record = bench.record()) {
            assertThat(mode.said(session(record, CoderState.CODING)))
                    .contains("You called `container_switch`", "chosen sha256:1");
            assertThat(StoryProgress.fromJson(record.story("042").orElseThrow().data())
                            .images()
                            .current())
                    .isEqualTo("sha256:1");
        }
    }

    @Test
    void whatIsDownSuspendsAndTheSessionGoesOn() {
        AtomicInteger visits = new AtomicInteger();
        ScriptedLlm model = ScriptedLlm.builder("coder")
                .turn(write("bad"))
                .turn(Reply.failure(new RetriableException("the api is down", null, null)))
                .turn(write("good"))
                .turn(done())
                .build();
        ScriptedCoderMode mode = scripted(model);
        mode.watcher = call -> visits.addAndGet(call.startsWith("open") ? 1 : 0);
        merged(TeamBench.express("042"));
        assertThat(mode.calls)
                .containsExactly(
                        "open 042/1 CODING",
                        "begin CODING",
                        "close 042/1 CODING",
                        "open 042/1 CODING",
                        "resume CODING",
                        "close 042/1 CODING",
                        "end");
        assertThat(visits).hasValue(2);
    }
}
