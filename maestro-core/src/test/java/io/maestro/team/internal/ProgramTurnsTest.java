package io.maestro.team.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.agent.Agent;
import io.maestro.agent.AgentResult;
import io.maestro.agent.AgentTask;
import io.maestro.agent.Architect;
import io.maestro.agent.spi.AgentContext;
import io.maestro.agent.spi.AgentProvider;
import io.maestro.agent.spi.ScriptedCoderMode;
import io.maestro.error.MaestroException;
import io.maestro.error.RetriableException;
import io.maestro.llm.Usage;
import io.maestro.record.CostScope;
import io.maestro.record.internal.Store;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.team.internal.dispatch.RunningStory;
import io.maestro.testkit.Reply;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** How a visit of a program ends, and what of it counts. */
class ProgramTurnsTest extends ProgramBench {
    /** A mode of one visit. */
    private void visits(Visiting visit) {
        bench.mode = new AgentProvider() {
            @Override
            public Agent open(AgentContext task) {
                return new Agent() {
                    @Override
                    public String id() {
                        return task.agentId();
                    }

                    @Override
                    public String role() {
                        return task.role();
                    }

                    @Override
                    public AgentResult run(AgentTask told) {
                        return visit.work(task);
                    }

                    @Override
                    public void close() {}
                };
            }

            @Override
            public void close() {}
        };
    }

    private interface Visiting {
        AgentResult work(AgentContext task);
    }

    private StoryResult result() {
        try (TeamBench.Life life = bench.life()) {
            return life.run(TeamBench.express("042"));
        }
    }

    @Test
    void nothingRunsAfterTheEndOfATurn() {
        List<AgentContext.Call> calls = new ArrayList<>();
        visits(task -> {
            calls.add(task.call("1", "write_file", "{\"path\": \"a.txt\", \"content\": \"good\"}"));
            calls.add(task.call("2", "done", "{}"));
            calls.add(task.call("3", "done", "{\"summary\": \"s\"}"));
            calls.add(task.call("4", "write_file", "{\"path\": \"a.txt\", \"content\": \"bad\"}"));
            calls.add(task.call("5", "done", "{\"summary\": \"s\"}"));
            return AgentResult.completed(calls.get(2).ends().orElseThrow());
        });
        assertThat(result().outcome()).isEqualTo(Outcome.MERGED);
        assertThat(calls).extracting(call -> call.result().isError()).containsExactly(false, true, false, true, true);
        assertThat(calls).extracting(call -> call.ends().isPresent()).containsExactly(false, false, true, false, false);
        assertThat(calls.get(3).result().text()).isEqualTo("not run: your turn ended with done");
        try (Store record = bench.record()) {
            assertThat(record.toolExecutions("042").stream()
                            .filter(row -> row.agentId().equals("coder-001")
                                    && row.state().equals("CODING"))
                            .map(row -> row.callId() + (row.error() == null ? "" : " failed")))
                    .containsExactly("1", "2 failed", "3", "4 failed", "5 failed");
        }
    }

    @Test
    void anAcceptedEndCountsAlthoughTheProgramFailsAfterIt() {
        for (RuntimeException failure : List.of(
                new MaestroException("exit 1"),
                new RetriableException("gone", null, null),
                new IllegalStateException())) {
            bench = new TeamBench(subdirectory(failure.getClass().getSimpleName()));
            bench.architect = new Approves();
            visits(task -> {
                task.call("1", "write_file", "{\"path\": \"a.txt\", \"content\": \"good\"}");
                task.call("2", "done", "{\"summary\": \"s\"}");
                throw failure;
            });
            assertThat(result().outcome()).isEqualTo(Outcome.MERGED);
        }
    }

    @Test
    void anEndThatNoCallHasSentIsNone() {
        visits(task -> AgentResult.completed(new io.maestro.tools.ToolSignal("done", Map.of("summary", "trust me"))));
        assertThat(result().error().orElseThrow()).contains("no call of a terminal tool was accepted");
    }

    @Test
    void aProgramThatIsStuckFails() {
        visits(task -> AgentResult.stuck("stalled twice; look at its log"));
        assertThat(result().error().orElseThrow()).isEqualTo("in CODING: stalled twice; look at its log");
    }

    @Test
    void anOutageIsWaitedForAndNotThePrograms() {
        AtomicInteger visits = new AtomicInteger();
        environments.commandFailures.add(new RetriableException("the engine is down", null, null));
        visits(task -> {
            if (visits.incrementAndGet() == 1) {
                assertThat(task.call("0", "shell", "{\"cmd\": \"true\"}")
                                .result()
                                .isError())
                        .isTrue();
                return AgentResult.stuck("every call fails");
            }
            task.call("1", "write_file", "{\"path\": \"a.txt\", \"content\": \"good\"}");
            return AgentResult.completed(
                    task.call("2", "done", "{\"summary\": \"s\"}").ends().orElseThrow());
        });
        assertThat(result().outcome()).isEqualTo(Outcome.MERGED);
        assertThat(visits).hasValue(2);
    }

    @Test
    void aBudgetThatIsUsedUpIsReviewedWithTheFacts() {
        AtomicInteger visits = new AtomicInteger();
        bench.limits.tokensPerStory(100);
        Approves architect = new Approves();
        bench.architect = architect;
        visits(task -> {
            if (visits.incrementAndGet() == 1) {
                assertThat(task.exceeded()).isEmpty();
                task.call("0", "list_files", "{}");
                task.used("claude-sonnet-5", new Usage(90, 10, 0, 0));
                return AgentResult.overBudget(task.exceeded().orElseThrow());
            }
            assertThat(task.exceeded()).isEmpty();
            task.call("1", "write_file", "{\"path\": \"a.txt\", \"content\": \"good\"}");
            return AgentResult.completed(
                    task.call("2", "done", "{\"summary\": \"s\"}").ends().orElseThrow());
        });
        assertThat(result().outcome()).isEqualTo(Outcome.MERGED);
        assertThat(architect.asked.get(0).facts().get(Architect.Request.BUDGET))
                .contains("100 of 100 tokens are used up", "calls of tools: 1", "- list_files");
    }

    /** Whatever it does when the time is used up; on a busy machine that may be before its first call. */
    @Test
    void aProgramIsEndedWhenTheTimeIsUsedUpAndGoesOnWithMore() {
        AtomicInteger visits = new AtomicInteger();
        List<String> answers = new ArrayList<>();
        bench.limits.timePerStory(Duration.ofSeconds(1)).budgetReviews(100);
        Approves architect = new Approves();
        bench.architect = architect;
        visits(task -> {
            if (visits.incrementAndGet() == 1) {
                answers.add(task.call("0", "shell", "{\"cmd\": \"sleep 1000\"}")
                        .result()
                        .text());
                answers.add(task.call("1", "write_file", "{\"path\": \"b.txt\", \"content\": \"bad\"}")
                        .result()
                        .text());
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return AgentResult.cancelled();
                }
            }
            task.call("2", "write_file", "{\"path\": \"a.txt\", \"content\": \"good\"}");
            return AgentResult.completed(
                    task.call("3", "done", "{\"summary\": \"s\"}").ends().orElseThrow());
        });
        assertThat(result().outcome()).isEqualTo(Outcome.MERGED);
        assertThat(answers).hasSize(2).allMatch(text -> text.contains("the story's time is used up: "));
        assertThat(answers.get(1)).startsWith("not run: ");
        assertThat(architect.asked.get(0).facts().get(Architect.Request.BUDGET))
                .contains("the story's time is used up: ", "calls of tools: ");
    }

    @Test
    void aRequestOfAProgramIsReservedAgainstTheHardLimits() {
        bench.limits.costCap(CostScope.STORY, BigDecimal.ONE);
        visits(task -> {
            task.reserve("claude-sonnet-5", 10, 10).failed(false);
            task.reserve("claude-sonnet-5", 10, 10).used("claude-sonnet-5", new Usage(0, 1_000_000, 0, 0));
            task.reserve("claude-sonnet-5", 10, 10);
            return AgentResult.stuck("never");
        });
        StoryResult result = result();
        assertThat(result.error().orElseThrow()).contains("the hard limit on the cost of story 042");
        assertThat(result.costs())
                .filteredOn(cost -> cost.agentId().equals("coder-001"))
                .singleElement()
                .satisfies(cost -> {
                    assertThat(cost.state()).startsWith("CODING/");
                    assertThat(cost.usage().outputTokens()).isEqualTo(1_000_000);
                    assertThat(cost.cost().orElseThrow())
                            .isEqualByComparingTo(result.cost().orElseThrow());
                });
    }

    @Test
    void workThatCannotBeCommittedGoesBackToTheProgram() {
        ScriptedCoderMode mode = firstWithWorkThatCannotBeCommitted();
        merged(TeamBench.express("042"));
        assertThat(mode.calls).containsSubsequence("begin CODING", "close 042/1 CODING", "resume CODING");
        assertThat(mode.news.get(1)).first().asString().startsWith("Your work cannot be committed: ");
    }

    @Test
    void cancellingEndsIt() throws Exception {
        ScriptedCoderMode mode = scripted(Reply.toolCall("shell", Map.of("cmd", "sleep 1000")), done());
        try (TeamBench.Life life = bench.life()) {
            RunningStory running = life.team.submit(TeamBench.express("042"), event -> {});
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (life.store.messages("042").isEmpty()) {
                assertThat(System.nanoTime()).isLessThan(deadline);
                TimeUnit.MILLISECONDS.sleep(5);
            }
            running.cancel();
            assertThat(life.end(running).outcome()).isEqualTo(Outcome.CANCELLED);
        }
        assertThat(mode.calls).endsWith("close 042/1 CODING", "end");
    }
}
