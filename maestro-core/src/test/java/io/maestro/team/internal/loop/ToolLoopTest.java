package io.maestro.team.internal.loop;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.maestro.agent.Limits;
import io.maestro.error.MaestroException;
import io.maestro.event.MaestroEvent;
import io.maestro.llm.LlmContent;
import io.maestro.llm.LlmContextOverflowException;
import io.maestro.llm.LlmMessage;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse.StopReason;
import io.maestro.llm.Price;
import io.maestro.llm.PriceTable;
import io.maestro.llm.Usage;
import io.maestro.prompt.internal.Prompts;
import io.maestro.record.AuditLog;
import io.maestro.record.StoreException;
import io.maestro.runtime.ToolRuntime;
import io.maestro.team.internal.machine.CancelledException;
import io.maestro.team.internal.machine.Events;
import io.maestro.team.internal.machine.StopCause;
import io.maestro.team.internal.machine.StopSignal;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolResult;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The loop with a scripted model, the real runtime and small tools. */
@Timeout(120)
class ToolLoopTest {
    private final LoopBench bench = new LoopBench();

    @AfterEach
    void close() {
        bench.close();
    }

    private static Reply done() {
        return Reply.toolCall("done", Map.of("summary", "all is well"));
    }

    private static ScriptedLlm plays(Reply... replies) {
        ScriptedLlm.Builder script = ScriptedLlm.builder("scripted");
        for (Reply reply : replies) {
            script.turn(reply);
        }
        return script.build();
    }

    private static ScriptedLlm repeats(Reply reply) {
        return ScriptedLlm.builder("scripted").repeat(reply).build();
    }

    private static Limits limits() {
        return Limits.defaults();
    }

    private static void assertDone(ToolLoop.LoopOutcome outcome) {
        assertThat(outcome).as("%s", outcome).isInstanceOf(ToolLoop.LoopOutcome.Signalled.class);
    }

    private static LoopFacts overBudget(ToolLoop.LoopOutcome outcome) {
        assertThat(outcome).as("%s", outcome).isInstanceOf(ToolLoop.LoopOutcome.OverBudget.class);
        return ((ToolLoop.LoopOutcome.OverBudget) outcome).details();
    }

    private static String stuck(ToolLoop.LoopOutcome outcome) {
        assertThat(outcome).as("%s", outcome).isInstanceOf(ToolLoop.LoopOutcome.Stuck.class);
        return ((ToolLoop.LoopOutcome.Stuck) outcome).reason();
    }

    /** The results in the last message of a request. */
    private static List<LlmContent.ToolReply> results(LlmRequest request) {
        List<LlmMessage> messages = request.messages();
        return messages.get(messages.size() - 1).content().stream()
                .filter(LlmContent.ToolReply.class::isInstance)
                .map(LlmContent.ToolReply.class::cast)
                .toList();
    }

    private static List<String> texts(LlmRequest request) {
        return results(request).stream().map(LlmContent.ToolReply::text).toList();
    }

    // Side by side

    /** Each waits for all others, so that one after another would never end. */
    @Test
    void neighboursThatOnlyReadRunAtTheSameTimeAndTheirResultsKeepTheOrder() {
        CyclicBarrier together = new CyclicBarrier(3);
        bench.reading("look", call -> {
            together.await(60, TimeUnit.SECONDS);
            return ToolResult.ok("saw " + call.arguments().string("what"));
        });
        ScriptedLlm model = plays(look("c").andToolCall("look", what("a")).andToolCall("look", what("b")), done());

        assertDone(bench.run(model, limits()));

        assertThat(texts(model.requests().get(1))).containsExactly("saw c", "saw a", "saw b");
        assertThat(bench.executions).hasSize(4).allMatch(call -> call.error() == null);
    }

    private static Map<String, String> what(String what) {
        return Map.of("what", what);
    }

    private static Reply look(String what) {
        return Reply.toolCall("look", what(what));
    }

    @Test
    void notMoreThanAllowedRunAtTheSameTime() {
        AtomicInteger running = new AtomicInteger();
        CountDownLatch tooMany = new CountDownLatch(1);
        CountDownLatch enough = new CountDownLatch(ToolLoop.PARALLEL_CALLS);
        bench.reading("look", call -> {
            if (running.incrementAndGet() > ToolLoop.PARALLEL_CALLS) {
                tooMany.countDown();
            }
            enough.countDown();
            enough.await();
            // Long enough for one more to begin, if it may.
            boolean more = tooMany.await(200, TimeUnit.MILLISECONDS);
            running.decrementAndGet();
            return ToolResult.ok(more ? "too many" : "seen");
        });
        Reply many = look("0");
        for (int i = 1; i < 3 * ToolLoop.PARALLEL_CALLS; i++) {
            many = many.andToolCall("look", what(i + ""));
        }
        ScriptedLlm model = plays(many, done());
        assertDone(bench.run(model, limits()));
        assertThat(texts(model.requests().get(1)))
                .hasSize(3 * ToolLoop.PARALLEL_CALLS)
                .containsOnly("seen");
    }

    @Test
    void whatWritesRunsAloneAndInItsPlace() {
        List<String> order = new ArrayList<>();
        AtomicInteger running = new AtomicInteger();
        AtomicInteger crowd = new AtomicInteger();
        bench.reading("look", call -> {
            running.incrementAndGet();
            Thread.yield();
            synchronized (order) {
                order.add("look");
            }
            running.decrementAndGet();
            return ToolResult.ok("");
        });
        bench.writing("write", call -> {
            crowd.addAndGet(running.get());
            synchronized (order) {
                order.add("write " + call.arguments().string("what"));
            }
            return ToolResult.ok("");
        });
        Reply all = look("a")
                .andToolCall("look", what("b"))
                .andToolCall("write", what("1"))
                .andToolCall("write", what("2"))
                .andToolCall("look", what("c"));
        assertDone(bench.run(plays(all, done()), limits()));

        assertThat(order).containsExactly("look", "look", "write 1", "write 2", "look");
        assertThat(crowd).hasValue(0);
    }

    @Test
    void nothingRunsAfterATerminalToolButEveryCallIsAnswered() {
        AtomicInteger looked = new AtomicInteger();
        bench.reading("look", call -> ToolResult.ok("" + looked.incrementAndGet()));
        ScriptedLlm model = plays(look("a")
                .andToolCall("done", Map.of("summary", "s"))
                .andToolCall("look", what("b"))
                .andToolCall("done", Map.of("summary", "again")));
        assertDone(bench.run(model, limits()));

        assertThat(looked).hasValue(1);
        assertThat(bench.executions)
                .extracting(AuditLog.ToolExecution::tool, AuditLog.ToolExecution::error)
                .containsExactly(
                        tuple("look", null),
                        tuple("done", null),
                        tuple("look", "not run: your turn ended with done"),
                        tuple("done", "not run: your turn ended with done"));
        assertThat(last(bench.messages).content())
                .contains("not run: your turn ended with done")
                .doesNotContain("again");
    }

    private static <T> T last(List<T> list) {
        return list.get(list.size() - 1);
    }

    @Test
    void anInterruptEndsAllCallsAndWaitsForNoneThatHangs() throws Exception {
        CountDownLatch begun = new CountDownLatch(3);
        CountDownLatch release = new CountDownLatch(1);
        bench.reading("look", call -> {
            begun.countDown();
            release.await();
            return ToolResult.ok("");
        });
        bench.reading("hang", call -> {
            begun.countDown();
            while (release.getCount() > 0) {
                try {
                    release.await();
                } catch (InterruptedException e) {
                    // This one does not listen.
                }
            }
            return ToolResult.ok("");
        });
        ScriptedLlm model = plays(look("a")
                .andToolCall("hang", Map.of())
                .andToolCall("look", what("b"))
                .andToolCall("look", what("c"))
                .andToolCall("look", what("d")));
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        AtomicReference<Boolean> flag = new AtomicReference<>();
        Thread story = new Thread(() -> {
            try {
                bench.run(model, limits());
            } catch (Throwable e) {
                thrown.set(e);
                flag.set(Thread.currentThread().isInterrupted());
            }
        });
        story.start();
        begun.await();
        story.interrupt();
        story.join();
        try {
            assertThat(thrown.get()).isInstanceOf(CancelledException.class);
            assertThat(flag.get()).isTrue();
            // What was begun is in the record before the story ends.
            assertThat(bench.executions)
                    .hasSize(ToolLoop.PARALLEL_CALLS)
                    .allMatch(call -> String.valueOf(call.error()).contains("was cancelled"));
        } finally {
            release.countDown();
        }
    }

    /** Somebody knows the thread of a story, and interrupts it while it waits for a tool. */
    @Test
    void anInterruptWithoutACauseIsTheFailureOfTheCall() {
        Thread story = Thread.currentThread();
        AtomicInteger calls = new AtomicInteger();
        bench.writing("write", call -> {
            if (calls.incrementAndGet() == 1) {
                story.interrupt();
                new CountDownLatch(1).await();
            }
            return ToolResult.ok("written");
        });
        ScriptedLlm model = plays(Reply.toolCall("write", what("a")), Reply.toolCall("write", what("a")), done());

        assertDone(bench.loop(limits()).run(bench.input(model, limits()).stop(new StopSignal())));

        assertThat(Thread.interrupted()).isFalse();
        assertThat(texts(model.requests().get(1)).get(0))
                .startsWith("'write' was ")
                .contains("and not by Maestro");
        assertThat(texts(model.requests().get(2))).containsExactly("written");
    }

    @Test
    void aStopWhoseInterruptWasSwallowedEndsTheLoopBeforeTheNextTurn() {
        StopSignal stop = new StopSignal();
        bench.writing("write", call -> {
            stop.set(StopCause.CLOSED);
            return ToolResult.ok("written");
        });
        ScriptedLlm model = plays(Reply.toolCall("write", what("a")), done());

        assertThatThrownBy(() ->
                        bench.loop(limits()).run(bench.input(model, limits()).stop(stop)))
                .isInstanceOf(CancelledException.class);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(model.requests()).hasSize(1);
    }

    /** Of several that run at the same time none is the one that was meant. */
    @Test
    void anInterruptWithoutACauseEndsNoCallsThatRunAtTheSameTime() {
        Thread story = Thread.currentThread();
        CyclicBarrier together = new CyclicBarrier(2, story::interrupt);
        bench.reading("look", call -> {
            together.await(60, TimeUnit.SECONDS);
            while (story.isInterrupted()) {
                Thread.onSpinWait();
            }
            return ToolResult.ok("seen");
        });
        ScriptedLlm model = plays(look("a").andToolCall("look", what("b")), done());

        assertDone(bench.loop(limits()).run(bench.input(model, limits()).stop(new StopSignal())));

        assertThat(Thread.interrupted()).isFalse();
        assertThat(texts(model.requests().get(1))).containsExactly("seen", "seen");
    }

    /** A listener is called on the thread of each call. */
    @Test
    void aListenerThatInterruptsOneOfSeveralCallsFailsThatOne() {
        try (LoopBench other = new LoopBench(event -> {
            if (event instanceof MaestroEvent.ToolStarted started
                    && started.tool().equals("peek")) {
                Thread.currentThread().interrupt();
            }
        })) {
            other.reading("look", call -> ToolResult.ok("seen"));
            other.reading("peek", call -> ToolResult.ok("seen"));
            ScriptedLlm model = plays(
                    look("a")
                            .andToolCall("peek", Map.of())
                            .andToolCall("look", what("b"))
                            .andToolCall("look", what("c")),
                    done());
            Limits limits = limits();

            assertDone(other.loop(limits).run(other.input(model, limits).stop(new StopSignal())));

            assertThat(texts(model.requests().get(1)))
                    .element(1, Assertions.as(InstanceOfAssertFactories.STRING))
                    .contains("and not by Maestro");
            assertThat(results(model.requests().get(1)))
                    .extracting(LlmContent.ToolReply::error)
                    .containsExactly(false, true, false, false);
        }
    }

    @Test
    void aRecordThatCannotBeWrittenEndsTheLoop() {
        try (LoopBench other = new LoopBench(event -> {})) {
            try (ToolRuntime runtime = ToolRuntime.builder()
                    .record((call, answer) -> {
                        throw new StoreException("the disk is full", null);
                    })
                    .redactor(text -> text)
                    .build()) {
                other.reading("look", call -> ToolResult.ok(""));
                ToolLoop loop = new ToolLoop(runtime, new Prompts(), new Events(List.of()), limits(), "session");
                LoopInput input = other.input(plays(look("a").andToolCall("look", what("b"))), limits());
                assertThatThrownBy(() -> loop.run(input)).isInstanceOf(StoreException.class);
            }
        }
    }

    // The circuit breaker

    private LoopBench failing(AtomicInteger runs) {
        return bench.reading("look", call -> {
            runs.incrementAndGet();
            return ToolResult.error("no such thing");
        });
    }

    @Test
    void aCallThatFailsAgainAndAgainIsNotRunAnyMore() {
        AtomicInteger runs = new AtomicInteger();
        failing(runs).reading("other", call -> ToolResult.ok("fine"));
        // The same arguments, written in different ways.
        ScriptedLlm model = plays(
                Reply.rawToolCall("look", "{\"a\":1,\"b\":\"x\"}"),
                Reply.rawToolCall("look", "{ \"b\": \"\\u0078\", \"a\": 1.0 }"),
                Reply.toolCall("other", Map.of()),
                Reply.rawToolCall("look", "{\"a\":10e-1,\"b\":\"x\"}"),
                Reply.rawToolCall("look", "{\"a\":1,\"b\":\"x\"}"),
                done());
        assertDone(bench.run(model, limits()));

        assertThat(runs).hasValue(3);
        assertThat(texts(model.requests().get(5)))
                .singleElement()
                .asString()
                .startsWith("not run: this very call has failed 3 times")
                .endsWith("no such thing");
        assertThat(results(model.requests().get(5))).allMatch(LlmContent.ToolReply::error);
        assertThat(bench.executions)
                .filteredOn(row -> row.tool().equals("look"))
                .hasSize(4)
                .last()
                .satisfies(row -> assertThat(row.error()).startsWith("not run: this very call has failed 3 times"));
    }

    @Test
    void itIsTriedAgainWhenSomethingHasChanged() {
        AtomicInteger runs = new AtomicInteger();
        failing(runs).writing("write", call -> ToolResult.ok("written"));
        assertDone(bench.run(
                plays(look("a"), look("a"), look("a"), Reply.toolCall("write", Map.of()), look("a"), done()),
                limits()));
        assertThat(runs).hasValue(4);
    }

    @Test
    void aChangeThatFailedIsNone() {
        AtomicInteger runs = new AtomicInteger();
        failing(runs).writing("write", call -> ToolResult.error("read-only"));
        assertDone(bench.run(
                plays(look("a"), look("a"), look("a"), Reply.toolCall("write", Map.of()), look("a"), done()),
                limits()));
        assertThat(runs).hasValue(3);
    }

    @Test
    void itIsTriedAgainAfterSomeTurns() {
        AtomicInteger runs = new AtomicInteger();
        failing(runs).reading("other", call -> ToolResult.ok("fine"));
        List<Reply> replies = new ArrayList<>(Collections.nCopies(CallLog.MOST_FAILURES, look("a")));
        for (int i = 0; i < CallLog.REST_TURNS; i++) {
            replies.add(Reply.toolCall("other", what("" + i)));
        }
        replies.add(look("a"));
        replies.add(look("a"));
        replies.add(done());
        assertDone(bench.run(plays(replies.toArray(Reply[]::new)), limits()));
        assertThat(runs).hasValue(CallLog.MOST_FAILURES + 1);
    }

    @Test
    void anotherCallOfTheSameToolRuns() {
        AtomicInteger runs = new AtomicInteger();
        failing(runs);
        assertDone(bench.run(plays(look("a"), look("a"), look("a"), look("b"), look("c"), done()), limits()));
        assertThat(runs).hasValue(5);
    }

    @Test
    void aModelThatInsistsOnAFailingCallIsStopped() {
        AtomicInteger runs = new AtomicInteger();
        failing(runs).reading("other", call -> ToolResult.ok("fine"));
        ScriptedLlm model = repeats(look("a").andToolCall("other", Map.of()));
        LoopFacts facts = overBudget(bench.run(model, limits()));

        assertThat(runs).hasValue(3);
        assertThat(facts.reason()).isEqualTo("a call that had failed 3 times came 5 times more: look {\"what\":\"a\"}");
        assertThat(facts.calls().refused()).isEqualTo(5);
        assertThat(facts.toText()).contains("calls that were not run, as they had failed before: 5");
    }

    @Test
    void theSameCallsInOneAnswerAreCountedToo() {
        AtomicInteger runs = new AtomicInteger();
        failing(runs);
        Reply five = look("a");
        for (int i = 0; i < 3; i++) {
            five = five.andToolCall("look", what("a"));
        }
        assertDone(bench.run(plays(five, done()), limits()));
        assertThat(runs).hasValue(3);
    }

    @Test
    void identicalCallsInARowAreStoppedAlsoWhenTheySucceed() {
        bench.writing("write", call -> ToolResult.ok("written"));
        ScriptedLlm model = repeats(Reply.toolCall("write", Map.of("a", 1)));
        LoopFacts facts = overBudget(bench.run(model, limits()));
        assertThat(facts.reason()).isEqualTo("the same call came 5 times in a row: write {\"a\":1}");
        assertThat(model.requests()).hasSize(5);
    }

    // Facts

    @Test
    void theFactsSayWhatWasDoneAndHowItWent() {
        bench.reading(
                "look",
                call -> call.arguments().string("what").equals("a")
                        ? ToolResult.ok("seen")
                        : ToolResult.error("no such thing:\n\n   b" + "x".repeat(500)));
        Usage usage = new Usage(100, 20, 3, 4);
        ScriptedLlm model =
                plays(look("a").usage(usage), look("b").usage(usage), look("a").usage(usage));
        Limits limits = Limits.builder().turnsPerState(3).build();
        Meter meter = new Meter(limits, prices()::cost);
        LoopFacts facts = overBudget(bench.loop(limits)
                .run(LoopInput.of(bench.conversation("Story"), bench.tools(), LoopBench.SIGNALS, model, meter)));

        assertThat(facts.calls().failureRate()).isEqualTo(33);
        assertThat(facts.toText().lines().toList())
                .startsWith(
                        "all 3 turns are used up",
                        "calls of tools: 3, of which failed: 1 (33 %)",
                        "most repeated call: look {\"what\":\"a\"}, 2 times",
                        "tokens used for the story: 381 (read 300, written 60, read from a cache 9,"
                                + " written to a cache 12)",
                        "cost of the story: 0.036 US dollars")
                .contains("last calls:", "- look {\"what\":\"a\"}: ok")
                .hasSize(10)
                .allMatch(line -> line.length() < 400);
        assertThat(facts.toText()).contains("- look {\"what\":\"b\"}: failed: no such thing: bxxx");
    }

    private static PriceTable prices() {
        return PriceTable.builder()
                .model("scripted", Price.of("100", "100", "0", "0"))
                .build();
    }

    @Test
    void onlyTheLastCallsAreNamed() {
        bench.reading("look", call -> ToolResult.ok("seen"));
        ScriptedLlm.Builder model = ScriptedLlm.builder("scripted");
        for (int i = 0; i < 20; i++) {
            model.turn(look("n" + i));
        }
        LoopFacts facts = overBudget(
                bench.run(model.build(), Limits.builder().turnsPerState(20).build()));
        assertThat(facts.calls().last()).hasSize(8).last().asString().contains("n19");
        assertThat(facts.toText()).doesNotContain("most repeated");
    }

    // Budgets

    @Test
    void turnsOfAVisitBeforeARestartCount() {
        bench.reading("look", call -> ToolResult.ok("seen"));
        bench.run(plays(look("a"), look("b")), Limits.builder().turnsPerState(2).build());
        Limits limits = Limits.builder().turnsPerState(3).build();
        ScriptedLlm model = plays(look("c"));
        LoopFacts facts = overBudget(bench.loop(limits).run(bench.resumed(model, limits)));
        assertThat(facts.reason()).isEqualTo("all 3 turns are used up");
        model.assertFinished();
    }

    @Test
    void tokensThatAreUsedUpStopTheLoopBeforeTheNextCall() {
        bench.reading("look", call -> ToolResult.ok("seen"));
        ScriptedLlm model =
                plays(look("a").usage(new Usage(40, 10, 0, 0)), look("b").usage(new Usage(50, 0, 0, 0)));
        LoopFacts facts =
                overBudget(bench.run(model, Limits.builder().tokensPerStory(100).build()));
        assertThat(facts.reason()).isEqualTo("100 of 100 tokens are used up");
        model.assertFinished();
    }

    @Test
    void timeThatIsUsedUpStopsTheLoop() {
        ScriptedLlm model = plays();
        LoopFacts facts = overBudget(bench.run(
                model, Limits.builder().timePerStory(Duration.ofNanos(1)).build()));
        assertThat(facts.reason()).isEqualTo("the story's time is used up: 0 s of 0 s");
    }

    @Test
    void aCostThatIsUsedUpStopsTheLoopAndMoreCanBeGranted() {
        bench.reading("look", call -> ToolResult.ok("seen"));
        Limits limits = Limits.builder().costPerStory(new BigDecimal("0.02")).build();
        Usage cent = new Usage(50, 50, 1000, 1000);
        ScriptedLlm model =
                plays(look("a").usage(cent), look("b").usage(cent), look("c").usage(cent), done().usage(cent));
        Meter meter = new Meter(limits, prices()::cost);
        LoopInput input = LoopInput.of(bench.conversation("Story"), bench.tools(), LoopBench.SIGNALS, model, meter);
        assertThat(overBudget(bench.loop(limits).run(input)).reason())
                .isEqualTo("0.02 US dollars of 0.02 US dollars are used up");
        assertThat(model.requests()).hasSize(2);
        meter.grant();
        assertDone(bench.loop(limits).run(input));
        model.assertFinished();
    }

    @Test
    void aModelWithoutAPriceIsNotAskedWhenTheCostIsLimited() {
        Limits limits = Limits.builder().costPerStory(BigDecimal.ONE).build();
        ScriptedLlm model = plays();
        assertThatThrownBy(() -> bench.run(model, limits))
                .isInstanceOf(MaestroException.class)
                .hasMessage(
                        "the price of the model scripted is not known, so that Limits.costPerStory of 1.00 US dollars"
                                + " cannot be kept: set its price by agents(agents -> agents.prices(…)) of the builder, or models.prices in"
                                + " config.json, or remove the limit");
        assertThat(model.requests()).isEmpty();
        assertThatThrownBy(
                        () -> bench.loop(limits).run(bench.input(model, limits).onAnyBudget()))
                .hasMessageContaining("the price of the model scripted is not known");
    }

    @Test
    void onAnyBudgetTheLoopGoesOnButCounts() {
        Limits limits = Limits.builder().tokensPerStory(1).build();
        LoopInput input = bench.input(plays(done().usage(new Usage(5, 0, 0, 0))), limits);
        input.meter().add("scripted", "scripted", new Usage(10, 0, 0, 0));
        assertDone(bench.loop(limits).run(input.onAnyBudget()));
        assertThat(input.meter().usage().totalTokens()).isEqualTo(15);
    }

    // Ends without an end

    @Test
    void answersThatAreCutAgainAndAgainAreTheReason() {
        Limits limits = Limits.builder().reminders(1).answerTokens(700).build();
        Reply cut = Reply.text("half a sen").stopReason(StopReason.MAX_TOKENS);
        assertThat(stuck(bench.run(plays(cut, cut), limits)))
                .contains("2 of its answers were cut at 700 tokens: raise Limits.answerTokens");
    }

    @Test
    void aModelThatEndsItsTurnIsRemindedSoOftenAndNoMore() {
        Limits limits = Limits.builder().reminders(2).build();
        ScriptedLlm model = plays(Reply.text("I am done."), Reply.nothing(), Reply.text("Really."));
        assertThat(stuck(bench.run(model, limits)))
                .contains("ended its turn 3 times without calling one of [done]", "try another model");
        assertThat(texts(model))
                .filteredOn(text -> text.startsWith("Your turn ended without a call of `done`."))
                .hasSize(2);
    }

    /** All texts of the user's side in the last request. */
    private static List<String> texts(ScriptedLlm model) {
        return last(model.requests()).messages().stream()
                .filter(message -> message.role() == LlmMessage.Role.USER)
                .flatMap(message -> message.content().stream())
                .flatMap(part -> part instanceof LlmContent.Text text ? Stream.of(text.text()) : Stream.empty())
                .toList();
    }

    @Test
    void anAnswerThatWasCutIsNotRun() {
        AtomicInteger runs = new AtomicInteger();
        bench.writing("write", call -> ToolResult.ok("" + runs.incrementAndGet()));
        ScriptedLlm model = plays(
                Reply.toolCall("write", Map.of()).stopReason(StopReason.MAX_TOKENS),
                Reply.text("half a sen").stopReason(StopReason.MAX_TOKENS),
                done());
        assertDone(bench.run(model, Limits.builder().answerTokens(77).build()));
        assertThat(runs).hasValue(0);
        assertThat(bench.executions.get(0).error()).startsWith("not run: your answer was cut at 77 tokens");
        assertThat(model.requests()).allMatch(request -> request.maxTokens() == 77);
        assertThat(texts(model.requests().get(1)))
                .containsExactly("not run: your answer was cut at 77 tokens; do it in smaller steps");
        assertThat(texts(model)).anyMatch(text -> text.startsWith("Your answer was cut at 77 tokens.\n"));
    }

    @Test
    void aRefusalEndsTheLoop() {
        assertThat(stuck(bench.run(plays(Reply.text("no").stopReason(StopReason.REFUSAL)), limits())))
                .contains("refused to answer");
    }

    @Test
    void theTemperatureIsThatOfTheState() {
        ScriptedLlm model = plays(done());
        Limits limits = limits();
        assertDone(bench.loop(limits, state -> OptionalDouble.of(state.equals("CODING") ? 0.25 : 1))
                .run(bench.input(model, limits)));
        assertThat(model.requests().get(0).temperature()).hasValue(0.25);
    }

    // The window

    private static ToolResult big(ToolCall call) {
        return ToolResult.ok("x".repeat(4_000));
    }

    @Test
    void aConversationThatGrowsTooLongIsShortenedAndSoSeldom() {
        bench.reading("look", ToolLoopTest::big);
        ScriptedLlm.Builder script = ScriptedLlm.builder("scripted");
        for (int i = 0; i < 30; i++) {
            script.turn(look("n" + i));
        }
        ScriptedLlm model = script.turn(done()).build();
        Limits limits = Limits.builder().contextTokens(8_000).build();
        AtomicInteger asked = new AtomicInteger();
        LoopInput input = bench.input(model, limits).todos(() -> {
            asked.incrementAndGet();
            return "[ ] write a test";
        });
        assertDone(bench.loop(limits).run(input));

        List<AuditLog.Message> rows = bench.messages.stream()
                .filter(message -> message.role().equals("compaction"))
                .toList();
        // 30 results of 4,000 characters, of which 4 or so fit into the half that is freed each time.
        assertThat(rows).hasSizeBetween(4, 10);
        assertThat(asked).hasValue(rows.size());
        assertThat(model.requests()).allSatisfy(request -> {
            assertThat(MessageSizes.of(request.messages())).isLessThan(32_000);
            assertThat(request.messages().get(0).content().get(0)).isEqualTo(new LlmContent.Text("The story"));
        });
        assertThat(texts(model)).anyMatch(text -> text.contains("[ ] write a test"));
        // What was sent before stays the beginning of what is sent next, but for a compaction.
        long cacheBreaks = 0;
        for (int i = 1; i < model.requests().size(); i++) {
            List<LlmMessage> before = model.requests().get(i - 1).messages();
            List<LlmMessage> after = model.requests().get(i).messages();
            if (after.size() < before.size() || !after.subList(0, before.size()).equals(before)) {
                cacheBreaks++;
            }
        }
        assertThat(cacheBreaks).isEqualTo(rows.size());
    }

    @Test
    void aTokenIsAsLongAsTheModelSays() {
        bench.reading("look", ToolLoopTest::big);
        for (int charactersPerToken : new int[] {1, 4}) {
            bench.messages.clear();
            ScriptedLlm.Builder script = ScriptedLlm.builder("scripted");
            for (int i = 0; i < 4; i++) {
                String what = "n" + i;
                script.turn(request ->
                        look(what).usage(new Usage(0, 1, MessageSizes.of(request.messages()) / charactersPerToken, 0)));
            }
            assertDone(bench.run(
                    script.turn(done()).build(),
                    Limits.builder().contextTokens(10_000).build()));
            assertThat(bench.messages.stream()
                            .filter(message -> message.role().equals("compaction"))
                            .count())
                    .as("%s characters in a token", charactersPerToken)
                    .isEqualTo(charactersPerToken == 1 ? 1 : 0);
        }
    }

    @Test
    void aConversationThatTheModelCannotReadIsShortenedAndSentAgain() {
        bench.reading("look", ToolLoopTest::big);
        LlmContextOverflowException tooLong = new LlmContextOverflowException("too long", null);
        ScriptedLlm model =
                plays(look("a"), look("b"), look("c"), Reply.failure(tooLong), Reply.failure(tooLong), done());
        assertDone(bench.run(model, limits()));
        List<Long> sizes = model.requests().stream()
                .map(request -> MessageSizes.of(request.messages()))
                .toList();
        assertThat(sizes.get(4)).isLessThan(sizes.get(3) * 6 / 10);
        assertThat(sizes.get(5)).isLessThan(sizes.get(4) * 6 / 10);
    }

    /** Who was told once how long is too long does not have to be told again. */
    @Test
    void aWindowThatIsSmallerThanItWasSaidToBeIsRemembered() {
        bench.reading("look", ToolLoopTest::big);
        AtomicInteger refused = new AtomicInteger();
        ScriptedLlm.Builder script = ScriptedLlm.builder("scripted");
        for (int i = 0; i < 20; i++) {
            String what = "n" + i;
            script.turn(request -> MessageSizes.of(request.messages()) > 20_000
                    ? Reply.failure(
                            new LlmContextOverflowException("too long, the " + refused.incrementAndGet() + "th", null))
                    : look(what));
        }
        overBudget(bench.run(script.build(), Limits.builder().turnsPerState(18).build()));
        assertThat(refused).hasValue(1);
    }

    @Test
    void aConversationThatIsAlwaysTooLongEndsTheLoop() {
        bench.reading("look", ToolLoopTest::big);
        LlmContextOverflowException tooLong = new LlmContextOverflowException("too long", null);
        ScriptedLlm model =
                plays(look("a"), look("b"), Reply.failure(tooLong), Reply.failure(tooLong), Reply.failure(tooLong));
        assertThat(stuck(bench.run(model, limits())))
                .contains("too long for scripted, also after it was shortened 2 times");
        assertThat(stuck(bench.run(plays(Reply.failure(tooLong)), limits()))).contains("shortened 0 times");
    }

    // Events

    @Test
    void listenersSeeEveryQuestionAndAnswer() {
        assertDone(bench.run(plays(Reply.text("hm"), done()), limits()));
        assertThat(bench.seen.stream().filter(MaestroEvent.ModelCalled.class::isInstance))
                .hasSize(2);
        assertThat(bench.seen.stream().filter(MaestroEvent.ModelAnswered.class::isInstance))
                .hasSize(2);
    }
}
