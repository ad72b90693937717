package io.maestro.team.internal.loop;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.agent.Limits;
import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmContent;
import io.maestro.llm.LlmInterruptedException;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.team.internal.machine.CancelledException;
import io.maestro.team.internal.machine.StopCause;
import io.maestro.team.internal.machine.StopSignal;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import io.maestro.tools.ToolResult;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The time of a story is looked at between waits, and cuts each of them. */
@Timeout(30)
class TimedWorkTest {
    private static final String USED_UP = "the story's time is used up: ";
    private static final Duration SHORT = Duration.ofMillis(400);

    private final LoopBench bench = new LoopBench();
    private final CountDownLatch never = new CountDownLatch(1);

    @AfterEach
    void close() {
        bench.close();
    }

    private static Limits limits(Duration time) {
        return Limits.builder().timePerStory(time).build();
    }

    private static Reply done() {
        return Reply.toolCall("done", Map.of("summary", "all is well"));
    }

    private static Reply calls(String tool, int count) {
        Reply reply = Reply.toolCall(tool, Map.of("n", 0));
        for (int i = 1; i < count; i++) {
            reply = reply.andToolCall(tool, Map.of("n", i));
        }
        return reply.andToolCall("done", Map.of("summary", "too early"));
    }

    private static void assertOutOfTime(ToolLoop.LoopOutcome outcome) {
        assertThat(outcome).as("%s", outcome).isInstanceOf(ToolLoop.LoopOutcome.OverBudget.class);
        assertThat(((ToolLoop.LoopOutcome.OverBudget) outcome).facts()).startsWith(USED_UP);
    }

    /** Alone and side by side; each call would take a twentieth of a second, or a tenth, or for ever. */
    @ParameterizedTest
    @ValueSource(strings = {"nap", "glance", "hang", "stare"})
    void ofTheCallsOfAnAnswerThoseAreRunForWhichThereIsTime(String tool) {
        AtomicInteger begun = new AtomicInteger();
        bench.writing("nap", call -> nap(begun, 50))
                .reading("glance", call -> nap(begun, 100))
                .writing("hang", call -> nap(begun, 1_000_000))
                .reading("stare", call -> nap(begun, 1_000_000));
        Limits limits = limits(SHORT);
        ScriptedLlm model = ScriptedLlm.builder("scripted")
                .turn(calls(tool, 60))
                .turn(done())
                .build();
        LoopInput input = bench.input(model, limits);
        assertOutOfTime(bench.loop(limits).run(input));

        int ran = begun.get();
        assertThat(ran).isLessThan(40);
        assertThat(bench.executions).hasSize(61);
        assertThat(bench.executions.stream()
                        .filter(row -> row.error() != null && row.error().startsWith("not run: " + USED_UP)))
                .hasSize(61 - ran);
        assertThat(bench.executions)
                .last()
                .satisfies(row -> assertThat(row.tool()).isEqualTo("done"));
        assertThat(Thread.interrupted()).isFalse();

        // With more of it the model goes on, and knows what became of each call.
        input.meter().grant();
        assertThat(bench.loop(limits).run(input)).isInstanceOf(ToolLoop.LoopOutcome.Signalled.class);
        List<LlmContent> answers = model.requests().get(1).messages().get(2).content();
        assertThat(answers).hasSize(61);
        assertThat(answers.stream().filter(part -> part.toString().contains("The call was stopped: " + USED_UP)))
                .hasSizeBetween(
                        ran == 0 || tool.equals("nap") || tool.equals("glance") ? 0 : 1, ToolLoop.PARALLEL_CALLS);
        assertThat(answers.stream().filter(part -> part.toString().contains("not run: " + USED_UP)))
                .hasSize(61 - ran);
    }

    private ToolResult nap(AtomicInteger begun, long millis) throws InterruptedException {
        begun.incrementAndGet();
        boolean unused = never.await(millis, TimeUnit.MILLISECONDS);
        return ToolResult.ok("rested");
    }

    @Test
    void aModelThatDoesNotAnswerIsLeftWithTheTime() {
        AtomicInteger asked = new AtomicInteger();
        LlmClient model = new LlmClient() {
            @Override
            public String model() {
                return "silent";
            }

            @Override
            public LlmResponse complete(LlmRequest request) {
                asked.incrementAndGet();
                try {
                    never.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new LlmInterruptedException("interrupted", e);
                }
                throw new AssertionError("it never answers");
            }
        };
        Limits limits = limits(SHORT);
        LoopInput input = bench.input(model, limits);
        assertOutOfTime(bench.loop(limits).run(input));
        assertThat(asked.get()).isLessThanOrEqualTo(1);
        assertThat(Thread.interrupted()).isFalse();
    }

    /** Who decides on a budget that is used up needs time. */
    @Test
    void onAnyBudgetCallsAreRun() {
        bench.writing("write", call -> ToolResult.ok("written"));
        Limits limits = limits(Duration.ofNanos(1));
        ScriptedLlm model = ScriptedLlm.builder("scripted")
                .turn(Reply.toolCall("write", Map.of()))
                .turn(done())
                .build();
        assertThat(bench.loop(limits).run(bench.input(model, limits).onAnyBudget()))
                .isInstanceOf(ToolLoop.LoopOutcome.Signalled.class);
        assertThat(bench.executions).allMatch(row -> row.error() == null);
    }

    @Test
    void whatHasEndedInTimeIsNotInterrupted() {
        StopSignal stop = new StopSignal();
        for (int i = 0; i < 20; i++) {
            Meter meter = new Meter(limits(Duration.ofMillis(10)));
            assertThatThrownBy(() -> {
                        while (true) {
                            assertThat(meter.timed(stop, () -> "whole", result -> true))
                                    .isEqualTo("whole");
                        }
                    })
                    .isInstanceOf(OutOfTimeException.class);
            assertThat(Thread.interrupted()).isFalse();
        }
    }

    @Test
    void whoStopsTheStoryMeanwhileDoesSo() {
        StopSignal stop = new StopSignal();
        Meter meter = new Meter(limits(Duration.ofMillis(50)));
        assertThatThrownBy(() -> meter.timed(
                        stop,
                        () -> {
                            stop.set(StopCause.CLOSED);
                            Thread.currentThread().interrupt();
                            await(meter);
                            throw new CancelledException();
                        },
                        result -> true))
                .isInstanceOf(CancelledException.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    /** Until its time is used up, interrupted or not. */
    private static void await(Meter meter) {
        while (meter.outOfTime().isEmpty()) {
            Thread.onSpinWait();
        }
    }

    @Test
    void timeThatDoesNotCountEndsNoWait() throws Exception {
        Meter meter = new Meter(limits(Duration.ofMillis(100)));
        boolean ended = meter.timed(
                new StopSignal(),
                () -> {
                    meter.pause();
                    try {
                        return !never.await(250, TimeUnit.MILLISECONDS);
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                },
                result -> true);
        assertThat(ended).isTrue();
        meter.work();
        assertThatThrownBy(() -> meter.timed(
                        new StopSignal(),
                        () -> {
                            try {
                                never.await();
                                return true;
                            } catch (InterruptedException e) {
                                return false;
                            }
                        },
                        result -> result))
                .isInstanceOf(OutOfTimeException.class)
                .hasMessageStartingWith(USED_UP);
    }
}
