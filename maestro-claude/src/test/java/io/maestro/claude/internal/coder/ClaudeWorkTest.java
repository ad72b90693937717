package io.maestro.claude.internal.coder;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.maestro.agent.AgentResult;
import io.maestro.agent.AgentTask;
import io.maestro.agent.spi.AgentContext;
import io.maestro.claude.ClaudeEvent;
import io.maestro.claude.ClaudeResult.Ending;
import io.maestro.error.MaestroException;
import io.maestro.llm.Usage;
import io.maestro.mcp.McpCall;
import io.maestro.tools.ToolResult;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ClaudeWorkTest {
    private final FakeTask task = new FakeTask();
    private final EndedSessions ended = new EndedSessions();
    private FakeCli cli;
    private ClaudeWork work;
    private Parts parts;

    private ClaudeWork work(FakeCli.Act... acts) {
        return play(List.of(acts));
    }

    private ClaudeWork play(List<FakeCli.Act> acts) {
        work = new ClaudeWork(
                task,
                ended,
                given -> {
                    parts = given;
                    cli = new FakeCli(given, acts);
                    return cli;
                },
                closed -> {});
        return work;
    }

    @AfterEach
    void nothingFailedInThePlay() {
        if (work != null) {
            work.close();
            assertThat(cli.failures).isEmpty();
            assertThat(cli.closed).isTrue();
        }
    }

    private static String signal(AgentResult outcome) {
        return outcome.signal().orElseThrow().name();
    }

    @Test
    void aPlanThatIsAcceptedEndsTheVisit() {
        AgentResult outcome =
                work(run -> run.call("submit_plan", "{\"plan\":\"p\"}")).run(new AgentTask(List.of()));

        assertThat(signal(outcome)).isEqualTo("submit_plan");
        assertThat(cli.said).containsExactly("start: the story");
        assertThat(task.calls).containsExactly("submit_plan {\"plan\":\"p\"}");
        assertThat(task.session).isNotNull();
    }

    /** As after an answer that was not streamed. */
    @Test
    void aCallThatDoesNotSayWhichUseItIsIsTheOnlyOneOfItsTool() {
        List<String> endAfter = new CopyOnWriteArrayList<>();
        AgentResult outcome = work(run -> {
                    run.onlyUse = Optional.of("toolu_7");
                    parts.tools().call(new McpCall("2", "submit_plan", "{}"));
                    endAfter.addAll(run.endsAfter());
                    run.ends(Ending.ENDED, "");
                })
                .run(new AgentTask(List.of()));

        assertThat(signal(outcome)).isEqualTo("submit_plan");
        assertThat(endAfter).containsExactly("toolu_7");
    }

    @Test
    void aCliThatGoesOnAfterTheEndOfItsTurnIsEnded() {
        AtomicBoolean mayAsk = new AtomicBoolean(true);
        AgentResult outcome = work(run -> {
                    // Nothing tells that the result of this call has come.
                    parts.tools().call(new McpCall("toolu_2", "submit_plan", "{}"));
                    mayAsk.set(parts.mayAsk().getAsBoolean());
                })
                .run(new AgentTask(List.of()));

        assertThat(signal(outcome)).isEqualTo("submit_plan");
        poll(() -> !mayAsk.get());
        assertThat(cli.said).hasSize(1);
    }

    @Test
    void aCliThatPassesByAPolicyEndsTheStory() {
        work(run -> run.ends(Ending.GATE_BYPASSED, "the CLI has run its tool Bash without asking first"));

        assertThatThrownBy(() -> work.run(new AgentTask(List.of())))
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("without asking first");
        assertThat(cli.said).containsExactly("start: the story");
    }

    /** A session that is gone never gets the message that was to go on with it. */
    @Test
    void toldIsWhatTheModelHasAnswered() {
        task.session = "11111111-2222-3333-4444-555555555555";
        work(run -> run.ends(Ending.UNKNOWN_SESSION, "No conversation found"), run -> {
                    parts.listener().onEvent(new ClaudeEvent.MessageStart("m1", "m", Usage.NONE, Optional.empty()));
                    run.call("submit_plan", "{}");
                })
                .run(new AgentTask(List.of()));

        assertThat(task.records).anyMatch(row -> row.startsWith("system") && row.contains("instructions"));
        assertThat(task.records)
                .filteredOn(row -> row.startsWith("user"))
                .singleElement()
                .asString()
                .contains("<claude-lost")
                .doesNotContain("<claude-restarted");
    }

    @Test
    void whatIsSaidFirstAfterAReviewIsItsFeedback() {
        work(run -> run.call("submit_plan", "{}")).run(new AgentTask(List.of()));
        work.close();

        AgentResult outcome =
                work(run -> run.call("submit_plan", "{}")).run(new AgentTask(List.of("change this", "and that")));

        assertThat(signal(outcome)).isEqualTo("submit_plan");
        assertThat(cli.said).containsExactly("resume: change this\n\nand that");
    }

    @Test
    void aSessionThatWasCutOffIsToldSo() {
        task.session = "11111111-2222-3333-4444-555555555555";

        work(run -> run.call("submit_plan", "{}")).run(new AgentTask(List.of("the machine was restarted")));

        assertThat(cli.said)
                .containsExactly(
                        "resume: <claude-restarted {terminal=`mcp__maestro__submit_plan`}>\n\nthe machine was restarted");
    }

    @Test
    void aQuestionHoldsItsCallOpenUntilItIsAnswered() throws Exception {
        BlockingQueue<String> answers = new LinkedBlockingQueue<>();
        List<FakeCli.Run> runs = new CopyOnWriteArrayList<>();
        work(run -> {
            runs.add(run);
            answers.add(run.call("ask_question", "{}").text());
            run.call("submit_plan", "{}");
        });

        assertThat(signal(work.run(new AgentTask(List.of())))).isEqualTo("ask_question");
        assertThat(answers).isEmpty();
        assertThat(runs.get(0).limits).as("a person may take his time").containsExactly("suspended");
        assertThat(signal(work.run(new AgentTask(List.of("You asked", "42"))))).isEqualTo("submit_plan");

        assertThat(answers.poll(60, TimeUnit.SECONDS)).isEqualTo("You asked\n\n42");
        assertThat(runs.get(0).limits).containsExactly("suspended", "resumed");
        assertThat(cli.said).containsExactly("start: the story");
    }

    @Test
    void anAnswerThatNobodyWaitsForAnyMoreIsSaidToTheResumedSession() {
        work(
                run -> {
                    Thread.currentThread().interrupt();
                    run.call("ask_question", "{}");
                },
                run -> run.call("submit_plan", "{}"));

        assertThat(signal(work.run(new AgentTask(List.of())))).isEqualTo("ask_question");
        poll(() -> !work.holdsQuestion());
        assertThat(signal(work.run(new AgentTask(List.of("42"))))).isEqualTo("submit_plan");

        assertThat(cli.said)
                .containsExactly(
                        "start: the story", "resume: <claude-restarted {terminal=`mcp__maestro__submit_plan`}>\n\n42");
    }

    @Test
    void aToolThatExchangesTheContainerIsCalledAfterTheCliHasEndedAndItsAnswerIsSaid() {
        List<String> during = new CopyOnWriteArrayList<>();
        work(
                run -> {
                    McpCall change = new McpCall("toolu_9", "container_switch", "{\"image\":\"b\"}");
                    during.add(parts.tools().call(change).text());
                    during.add(run.call("shell", "{}").text());
                    during.addAll(task.calls);
                    run.ends(Ending.ENDED, "");
                },
                run -> run.call("submit_plan", "{}"));

        assertThat(signal(work.run(new AgentTask(List.of())))).isEqualTo("submit_plan");

        assertThat(during).hasSize(2);
        assertThat(during.get(0)).contains("goes on after it");
        assertThat(during.get(1)).startsWith("Not run:");
        assertThat(task.refused).singleElement().asString().endsWith(" shell");
        assertThat(task.calls).containsExactly("container_switch {\"image\":\"b\"}", "submit_plan {}");
        assertThat(cli.moves).isOne();
        assertThat(cli.said)
                .containsExactly(
                        "start: the story",
                        "resume: <claude-moved {answer=runs in image b now, tool=container_switch}>");
    }

    @Test
    void aSwitchThatFailsIsToldAsAFailure() {
        task.answers.put(
                "container_switch",
                input ->
                        new AgentContext.Call(ToolResult.error("no shell in it; the safe one runs"), Optional.empty()));

        work(run -> run.call("container_switch", "{}"), run -> run.call("submit_plan", "{}"))
                .run(new AgentTask(List.of()));

        assertThat(cli.said.get(1)).contains("It has failed: no shell in it; the safe one runs");
    }

    @Test
    void aTurnWithoutATerminalToolIsRemindedInTheSameProcess() {
        AgentResult outcome = work(
                        run -> run.ends(Ending.COMPLETED, "I think so"), run -> run.call("submit_plan", "{}"))
                .run(new AgentTask(List.of()));

        assertThat(signal(outcome)).isEqualTo("submit_plan");
        assertThat(cli.said.get(1)).startsWith("say: <reminder").contains("mcp__maestro__submit_plan");
    }

    @Test
    void remindersAreBounded() {
        FakeCli.Act idle = run -> run.ends(Ending.COMPLETED, "");
        int most = task.limits().reminders();
        AgentResult outcome = play(Collections.nCopies(most + 1, idle)).run(new AgentTask(List.of()));

        assertThat(outcome.text()).contains((most + 1) + " times");
    }

    @Test
    void theFirstStallIsTakenUpWithAReminderAndTheSecondIsTheEnd() {
        AgentResult outcome = work(
                        run -> run.ends(Ending.STALLED, "nothing for 5 minutes"),
                        run -> run.ends(Ending.TIMED_OUT, "1 hour"))
                .run(new AgentTask(List.of("feedback")));

        assertThat(cli.said.get(1))
                .startsWith("resume: <claude-stalled {")
                .contains("nothing was heard of you", "mcp__maestro__submit_plan")
                .endsWith(">\n\nfeedback");
        assertThat(outcome.text()).contains("has taken too long").contains("once before");
        assertThat(task.records).anyMatch(record -> record.startsWith("note") && record.contains("has stalled"));
    }

    @Test
    void aCrashAfterAPlanWasAcceptedLosesNothing() {
        work(run -> {
            parts.tools().call(new McpCall("toolu_1", "submit_plan", "{}"));
            run.ends(Ending.CRASHED, "exit 137");
        });

        assertThat(signal(work.run(new AgentTask(List.of())))).isEqualTo("submit_plan");
    }

    @Test
    void aSessionThatIsGoneIsBegunAnew() {
        task.session = "11111111-2222-3333-4444-555555555555";

        work(run -> run.ends(Ending.UNKNOWN_SESSION, "No conversation found"), run -> run.call("submit_plan", "{}"))
                .run(new AgentTask(List.of("feedback")));

        assertThat(cli.said.get(1))
                .isEqualTo("start: the story\n\n<claude-lost {terminal=`mcp__maestro__submit_plan`}>\n\nfeedback");
        assertThat(task.session).isNotEqualTo("11111111-2222-3333-4444-555555555555");
    }

    @Test
    void aSessionThatIsGoneIsNoStall() {
        task.session = "11111111-2222-3333-4444-555555555555";

        AgentResult outcome = work(
                        run -> run.ends(Ending.UNKNOWN_SESSION, "No conversation found"),
                        run -> run.ends(Ending.STALLED, ""),
                        run -> run.call("submit_plan", "{}"))
                .run(new AgentTask(List.of()));

        assertThat(signal(outcome)).isEqualTo("submit_plan");
        assertThat(cli.said.get(2)).startsWith("resume: <claude-stalled");
    }

    @Test
    void aSessionThatIsLostAgainAndAgainIsTheEnd() {
        FakeCli.Act lost = run -> run.ends(Ending.UNKNOWN_SESSION, "No conversation found");
        task.session = "11111111-2222-3333-4444-555555555555";

        AgentResult outcome = work(lost, lost).run(new AgentTask(List.of()));

        assertThat(outcome.text()).contains("does not find the session");
    }

    @Test
    void budgetsAreForTheArchitect() {
        assertThat(work(run -> run.ends(Ending.MAX_TURNS, "")).run(new AgentTask(List.of())))
                .satisfies(over -> assertThat(over.ending()).isEqualTo(AgentResult.Ending.OVER_BUDGET))
                .satisfies(over -> assertThat(over.text()).contains("turns are used up"));

        work(run -> {
            cli.refused = "5 of 5 tokens are used up";
            run.ends(Ending.FAILED, "API Error: 400 …");
        });
        assertThat(work.run(new AgentTask(List.of()))).isEqualTo(AgentResult.overBudget("5 of 5 tokens are used up"));
    }

    @Test
    void aRecordThatCannotBeWrittenEndsTheWork() {
        task.answers.put("shell", input -> {
            throw new MaestroException("the disk is full");
        });

        work(run -> run.call("shell", "{}"));

        assertThatThrownBy(() -> work.run(new AgentTask(List.of()))).hasMessage("the disk is full");
    }

    @Test
    void anInterruptEndsTheCli() throws Exception {
        BlockingQueue<FakeCli.Run> runs = new LinkedBlockingQueue<>();
        BlockingQueue<Throwable> thrown = new LinkedBlockingQueue<>();
        work(runs::add);
        Thread thread = new Thread(() -> {
            thrown.add(catchThrowable(() -> work.run(new AgentTask(List.of()))));
            thrown.add(new Throwable("interrupted: " + Thread.currentThread().isInterrupted()));
        });
        thread.start();
        FakeCli.Run run = runs.poll(60, TimeUnit.SECONDS);
        thread.interrupt();

        assertThat(thrown.poll(60, TimeUnit.SECONDS)).hasMessageContaining("cancelled");
        assertThat(thrown.poll(60, TimeUnit.SECONDS)).hasMessage("interrupted: true");
        assertThat(run.closed).isTrue();
        thread.join();
    }

    @Test
    void theChatIsReadWithTheAnswersOfTools() {
        BlockingQueue<String> answers = new LinkedBlockingQueue<>();
        work(run -> {
            task.unread.add("coder-002: look out");
            answers.add(run.call("shell", "{}").text());
            run.call("submit_plan", "{}");
        });
        work.run(new AgentTask(List.of()));

        assertThat(answers.remove()).isEqualTo("ran\n\ncoder-002: look out");
    }

    @Test
    void twentyAnswersWithoutAToolOfMaestrosAreNoted() {
        work(run -> {
            for (int i = 0; i < Watch.TURNS_WITHOUT_TOOLS; i++) {
                parts.listener().onEvent(new ClaudeEvent.Said("msg_" + i, "m", "{}", Optional.empty()));
                parts.listener().onEvent(new ClaudeEvent.Said("msg_" + i, "m", "{}", Optional.empty()));
            }
            run.call("submit_plan", "{}");
        });
        work.run(new AgentTask(List.of()));

        assertThat(task.records)
                .filteredOn(record -> record.startsWith("note"))
                .singleElement()
                .asString()
                .contains("20 times");
    }

    @Test
    void theTurnsOfAVisitAreCountedOverAllThatIsStartedForIt() {
        int limit = task.limits().turnsPerState();
        List<Optional<String>> seen = new CopyOnWriteArrayList<>();
        AgentResult outcome = work(
                        run -> {
                            answers(limit - 1);
                            seen.add(parts.spent());
                            run.ends(Ending.STALLED, "");
                        },
                        run -> {
                            answers(1);
                            seen.add(parts.spent());
                            run.ends(Ending.COMPLETED, "not asked again, since nothing is left");
                        })
                .run(new AgentTask(List.of()));

        assertThat(outcome).isEqualTo(AgentResult.overBudget("all " + limit + " turns are used up"));
        assertThat(seen).containsExactly(Optional.empty(), Optional.of("all " + limit + " turns are used up"));
        assertThat(cli.said).hasSize(2);
    }

    @Test
    void aNewVisitHasItsTurnsAgain() {
        List<Integer> left = new CopyOnWriteArrayList<>();
        work(
                run -> {
                    answers(3);
                    run.call("submit_plan", "{}");
                },
                run -> {
                    left.add(parts.turnsLeft().getAsInt());
                    run.call("submit_plan", "{}");
                });
        work.run(new AgentTask(List.of()));
        work.run(new AgentTask(List.of("change this")));

        assertThat(left).containsExactly(task.limits().turnsPerState());
    }

    private void answers(int count) {
        for (int i = 0; i < count; i++) {
            parts.listener().onEvent(new ClaudeEvent.Said("msg_" + UUID.randomUUID(), "m", "{}", Optional.empty()));
        }
    }

    @Test
    void nobodyIsRemindedWhenABudgetIsUsedUp() {
        AgentResult outcome = work(run -> {
                    task.exceeded = "5 of 5 tokens are used up";
                    run.ends(Ending.COMPLETED, "");
                })
                .run(new AgentTask(List.of()));

        assertThat(outcome).isEqualTo(AgentResult.overBudget("5 of 5 tokens are used up"));
        assertThat(cli.said).hasSize(1);
    }

    @Test
    void theContainerIsNotExchangedUnderAQuestionThatIsOpen() {
        work(run -> {
            run.call("ask_question", "{}");
            run.call("submit_plan", "{}");
        });
        assertThat(signal(work.run(new AgentTask(List.of())))).isEqualTo("ask_question");

        // By a sub-agent, for example.
        ToolResult refused = parts.tools().call(new McpCall("toolu_other", "container_switch", "{}"));
        assertThat(refused.isError()).isTrue();
        assertThat(refused.text()).startsWith("Not run:").contains("question");
        assertThat(task.refused).containsExactly("toolu_other container_switch");
        assertThat(signal(work.run(new AgentTask(List.of("42"))))).isEqualTo("submit_plan");
        assertThat(task.calls).doesNotContain("container_switch {}");
    }

    @Test
    void aProcessThatIsGoneWhenItIsToBeRemindedIsStartedAgain() {
        work(
                run -> {
                    run.gone = true;
                    run.ends(Ending.COMPLETED, "");
                },
                run -> run.call("submit_plan", "{}"));

        assertThat(signal(work.run(new AgentTask(List.of())))).isEqualTo("submit_plan");
        assertThat(cli.said.get(1)).startsWith("resume: <reminder");
    }

    private static void poll(BooleanSupplier condition) {
        long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(limit);
            LockSupport.parkNanos(1_000_000);
        }
    }
}
