package io.maestro.runtime;

import static io.maestro.runtime.TestTools.CODING;
import static io.maestro.runtime.TestTools.tool;
import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.maestro.event.MaestroEvent;
import io.maestro.record.AuditLog;
import io.maestro.record.StoreException;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolCaller;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolException;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tools that call other tools. */
@Timeout(60)
class ChildCallsTest {
    private static final ToolInvocation.Caller AGENT =
            new ToolInvocation.Caller("session", "coder-001", "042", 2, "CODING");

    private static final ToolFactory ECHO = tool(
            "echo",
            d -> d.readOnly().input(schema -> schema.requiredString("text", "What")),
            call -> ToolResult.ok(call.arguments().string("text")));

    private final RecordedCalls record = new RecordedCalls();
    private final List<MaestroEvent> events = Collections.synchronizedList(new ArrayList<>());
    private final List<List<String>> seen = Collections.synchronizedList(new ArrayList<>());
    private ToolRuntime runtime = builder().build();

    private ToolRuntime.Builder builder() {
        return ToolRuntime.builder()
                .record(record)
                .redactor(text -> text.replace("hunter2", "[REDACTED]"))
                .listener(events::add)
                .stopGrace(Duration.ofMillis(500));
    }

    @AfterEach
    void close() {
        runtime.close();
    }

    /** Has the agent call the first of some tools. */
    private ToolResult call(ToolFactory... tools) {
        ToolRegistry registry = ToolRegistry.builder().build();
        for (ToolFactory factory : tools) {
            registry.register(factory);
        }
        return runtime.call(
                registry.agentTools(CODING),
                new ToolInvocation("c", tools[0].definition().name(), "{}", AGENT));
    }

    private static Tool calling(String tool, Map<String, ?> arguments) {
        return call -> call.tools().call(tool, arguments);
    }

    private List<String> rows() {
        return record.rows.stream()
                .map(row -> row.callId() + " " + row.parentCallId() + " " + row.tool()
                        + (row.error() == null ? "" : " failed"))
                .toList();
    }

    @Test
    void aChildGoesTheWayOfEveryCall() {
        AtomicReference<String> seen = new AtomicReference<>();
        Tool composite = call -> {
            ToolResult child = call.tools().call("echo", Map.of("text", "password hunter2"));
            seen.set(child.text());
            call.tools().call("echo", Map.of("txt", 1));
            return ToolResult.ok(child.text() + "!");
        };

        ToolResult answer = call(tool("composite", composite), ECHO);

        assertThat(answer.text()).isEqualTo("password [REDACTED]!");
        assertThat(seen.get()).as("the tool is given what an agent is").isEqualTo("password [REDACTED]");
        assertThat(rows()).containsExactly("c/1 c echo", "c/2 c echo failed", "c null composite");
        AuditLog.ToolExecution child = record.rows.get(0);
        assertThat(child.parameters()).isEqualTo("{\"text\":\"password [REDACTED]\"}");
        assertThat(child.result()).isEqualTo("{\"text\":\"password [REDACTED]\"}");
        assertThat(child.agentId()).isEqualTo("coder-001");
        assertThat(record.rows.get(1).error()).contains("$.text: is missing");
        assertThat(events.stream()
                        .map(event -> event instanceof MaestroEvent.ToolStarted started
                                ? "+" + started.callId() + " " + started.parentCallId()
                                : "-" + ((MaestroEvent.ToolFinished) event).callId() + " "
                                        + ((MaestroEvent.ToolFinished) event).parentCallId()))
                .containsExactly("+c null", "+c/1 c", "-c/1 c", "+c/2 c", "-c/2 c", "-c null");
    }

    @Test
    void thePolicyDecidesOnChildrenToo() {
        runtime.close();
        runtime = builder()
                .policy((invocation, definition, arguments) ->
                        invocation.parentCallId() == null ? ToolDecision.allow() : ToolDecision.deny("not by a tool"))
                .build();

        ToolResult answer = call(tool("composite", calling("echo", Map.of("text", "a"))), ECHO);

        assertThat(answer.text()).contains("refused, nothing was run: not by a tool");
        assertThat(rows()).containsExactly("c/1 c echo failed", "c null composite failed");
    }

    /** A person needs longer than any of the tools may: the time counts neither against the child nor against its callers. */
    @Test
    void thePersonsTimeCountsForNoCallOfTheChain() {
        runtime.close();
        long wait = Duration.ofMillis(1100).toNanos();
        runtime = builder()
                .policy(ToolPolicy.byRules(List.of(ToolRule.of("echo").ask("sure?"))))
                .approver((invocation, tool, arguments, question) -> {
                    seen.add(invocation.callers());
                    long until = System.nanoTime() + wait;
                    while (System.nanoTime() < until) {
                        Thread.onSpinWait();
                    }
                    return ToolDecision.allow();
                })
                .build();
        UnaryOperator<ToolDefinition.Builder> quick = d -> d.timeLimit(Duration.ofSeconds(1));

        ToolResult answer = call(
                tool("outer", quick, calling("inner", Map.of())),
                tool("inner", quick, calling("echo", Map.of("text", "a"))),
                ECHO);

        assertThat(answer.text()).isEqualTo("a");
        assertThat(seen).containsExactly(List.of("outer", "inner"));
        assertThat(record.rows)
                .hasSize(3)
                .allSatisfy(
                        row -> assertThat(row.durationMillis()).as(row.tool()).isLessThan(1000));
    }

    @Test
    void aToolsOwnTimeCountsAlsoBesideAPersons() {
        runtime.close();
        runtime = builder()
                .policy(ToolPolicy.byRules(List.of(ToolRule.of("echo").ask("sure?"))))
                .approver((invocation, tool, arguments, question) -> ToolDecision.allow())
                .build();
        Tool slow = call -> {
            ToolResult unused = call.tools().call("echo", Map.of("text", "a"));
            new CountDownLatch(1).await();
            return ToolResult.ok("never");
        };

        assertThat(call(tool("slow", d -> d.timeLimit(Duration.ofMillis(300)), slow), ECHO)
                        .text())
                .contains("'slow' timed out");
    }

    @Test
    void onlyToolsThatTheAgentIsOfferedCanBeCalled() {
        assertThat(call(tool("composite", calling("shell", Map.of())), ECHO).text())
                .contains("no tool 'shell'", "echo");
        assertThat(rows()).containsExactly("c/1 c shell failed", "c null composite failed");
    }

    @Test
    void whatOnlyAnAgentMayCallIsRefused() {
        AtomicInteger runs = new AtomicInteger();
        Tool counted = call -> ToolResult.ok("" + runs.incrementAndGet());

        assertThat(call(tool("a", calling("done", Map.of())), tool("done", d -> d.terminal(), counted))
                        .text())
                .contains("only an agent itself may call 'done' (a → done)");
        assertThat(call(tool("a", calling("move", Map.of())), tool("move", d -> d.agentOnly(), counted))
                        .isError())
                .isTrue();
        assertThat(call(tool("reads", d -> d.readOnly(), calling("writes", Map.of())), tool("writes", counted))
                        .text())
                .contains("'reads' is read-only and 'writes' is not (reads → writes)");
        assertThat(runs).hasValue(0);
    }

    @Test
    void aToolThatWouldCallItselfIsRefused() {
        ToolResult answer = call(tool("a", calling("b", Map.of())), tool("b", calling("a", Map.of())));

        assertThat(answer.text()).contains("'a' would call itself (a → b → a)");
        assertThat(rows()).containsExactly("c/1/1 c/1 a failed", "c/1 c b failed", "c null a failed");
    }

    @Test
    void theChainHasAnEnd() {
        ToolFactory[] chain = new ToolFactory[ToolCaller.MOST_DEPTH + 2];
        for (int i = 0; i < chain.length; i++) {
            chain[i] = tool(
                    "t" + i, i == chain.length - 1 ? call -> ToolResult.ok("end") : calling("t" + (i + 1), Map.of()));
        }

        assertThat(call(chain).text()).contains("more than 4 calls stand below that of the agent", "t0 → t1", "→ t5");
        chain[4] = tool("t4", call -> ToolResult.ok("end"));
        assertThat(call(chain).text()).isEqualTo("end");
    }

    @Test
    void aCallHasABoundedNumberOfChildrenOnAllLevels() {
        AtomicInteger made = new AtomicInteger();
        Tool many = call -> {
            while (true) {
                if (!call.tools().call("echo", Map.of("text", "a")).isError()) {
                    made.incrementAndGet();
                }
            }
        };
        Tool twice = call -> {
            call.tools().call("many", Map.of());
            return call.tools().call("echo", Map.of("text", "more"));
        };

        assertThat(call(tool("twice", twice), tool("many", many), ECHO).text())
                .isEqualTo("'echo' was not called: 100 calls have come of one call of 'twice'; do it in smaller steps");
        assertThat(made).hasValue(99);
        assertThat(rows()).hasSize(101);
    }

    @Test
    void aChildEndsWithinTheTimeOfItsParent() {
        AtomicReference<Duration> limit = new AtomicReference<>();
        Tool sleeps = call -> {
            limit.set(call.timeLimit());
            TimeUnit.SECONDS.sleep(60);
            return ToolResult.ok("");
        };
        Tool tells = call ->
                ToolResult.ok("tells: " + call.tools().call("sleeps", Map.of()).text());

        ToolResult answer =
                call(tool("tells", d -> d.timeLimit(Duration.ofMillis(1500)), tells), tool("sleeps", sleeps));

        assertThat(limit.get()).isBetween(Duration.ofMillis(1), Duration.ofMillis(1350));
        assertThat(answer.isError()).isFalse();
        assertThat(answer.text()).contains("tells: 'sleeps' timed out after", "has stopped");
    }

    @Test
    void itsOwnLimitHoldsWhereThatIsShorter() {
        Tool tells = call -> ToolResult.ok("" + call.timeLimit());

        assertThat(call(
                                tool("composite", calling("tells", Map.of())),
                                tool("tells", d -> d.timeLimit(Duration.ofSeconds(3)), tells))
                        .text())
                .isEqualTo("PT3S");
    }

    @Test
    void whoCancelsTheParentCancelsTheChild() throws Exception {
        CountDownLatch runs = new CountDownLatch(1);
        AtomicReference<Throwable> stopped = new AtomicReference<>();
        AtomicReference<Throwable> parent = new AtomicReference<>();
        Tool hangs = call -> {
            runs.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                stopped.set(e);
                throw e;
            }
            return ToolResult.ok("");
        };
        Tool waits = call -> {
            try {
                return call.tools().call("hangs", Map.of());
            } catch (InterruptedException e) {
                parent.set(e);
                throw e;
            }
        };
        AtomicReference<@Nullable ToolResult> answer = new AtomicReference<>();
        Thread agent = new Thread(() -> answer.set(call(tool("waits", waits), tool("hangs", hangs))));
        agent.start();
        runs.await();
        agent.interrupt();
        agent.join();

        assertThat(answer.get()).hasToString("error: 'waits' was cancelled and has stopped.");
        assertThat(stopped.get()).isInstanceOf(InterruptedException.class);
        assertThat(parent.get()).hasMessage("'waits' was cancelled while it called 'hangs'");
        assertThat(rows()).containsExactly("c/1 c hangs failed", "c null waits failed");
        assertThat(record.rows.get(0).error()).isEqualTo("'hangs' was cancelled and has stopped.");
    }

    @Test
    void nothingBeginsOrGoesOnAfterTheCall() throws Exception {
        ExecutorService own = Executors.newCachedThreadPool();
        AtomicReference<ToolCall> kept = new AtomicReference<>();
        AtomicReference<Future<ToolResult>> left = new AtomicReference<>();
        CountDownLatch hanging = new CountDownLatch(1);
        Tool leaves = call -> {
            kept.set(call);
            left.set(own.submit(() -> call.tools().call("hangs", Map.of())));
            hanging.await();
            return ToolResult.ok("left");
        };
        Tool hangs = call -> {
            hanging.countDown();
            new CountDownLatch(1).await();
            return ToolResult.ok("");
        };
        try {
            assertThat(call(tool("leaves", leaves), tool("hangs", hangs), ECHO).text())
                    .isEqualTo("left");
            assertThat(left.get())
                    .failsWithin(Duration.ofSeconds(10))
                    .withThrowableThat()
                    .withRootCauseInstanceOf(InterruptedException.class);
            assertThatExceptionOfType(ToolException.class)
                    .isThrownBy(() -> kept.get().tools().call("echo", Map.of("text", "late")))
                    .withMessage("the call of 'leaves' has ended; 'echo' was not called");
        } finally {
            own.shutdownNow();
        }
    }

    @Test
    void oneThatOnlyReadsRunsBesideOthersAndOneThatDoesNotRunsAlone() throws Exception {
        AtomicInteger now = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch together = new CountDownLatch(2);
        Tool writes = call -> {
            most.accumulateAndGet(now.incrementAndGet(), Math::max);
            TimeUnit.MILLISECONDS.sleep(5);
            now.decrementAndGet();
            return ToolResult.ok("");
        };
        Tool meets = call -> {
            together.countDown();
            return together.await(30, TimeUnit.SECONDS) ? ToolResult.ok("met") : ToolResult.error("alone");
        };
        // A chain below a call that runs alone: each waits for its own children only.
        Tool deeper = calling("writes", Map.of());
        Tool composite = call -> {
            ExecutorService own = Executors.newFixedThreadPool(4);
            try {
                List<Callable<ToolResult>> work = List.of(
                        () -> call.tools().call("writes", Map.of()),
                        () -> call.tools().call("deeper", Map.of()),
                        () -> call.tools().call("meets", Map.of()),
                        () -> call.tools().call("meets", Map.of()),
                        () -> call.tools().call("writes", Map.of()));
                for (Future<ToolResult> done : own.invokeAll(work)) {
                    assertThat(done.get().isError()).isFalse();
                }
                return ToolResult.ok("all");
            } finally {
                own.shutdownNow();
            }
        };

        ToolResult answer = call(
                tool("composite", composite),
                tool("writes", writes),
                tool("deeper", deeper),
                tool("meets", d -> d.readOnly(), meets));

        assertThat(answer.text()).isEqualTo("all");
        assertThat(most).hasValue(1);
        assertThat(record.rows.stream().map(AuditLog.ToolExecution::callId)).doesNotHaveDuplicates();
    }

    @Test
    void aChildThatCannotBeRecordedEndsItsParentWhateverThatMakesOfIt() {
        AtomicInteger answers = new AtomicInteger();
        runtime.close();
        runtime = builder()
                .tracker((invocation, answer) -> {
                    if (invocation.tool().equals("echo")) {
                        throw new StoreException("the disk is full", null);
                    }
                    answers.incrementAndGet();
                })
                .build();
        Tool ignores = call -> {
            try {
                call.tools().call("echo", Map.of("text", "a"));
            } catch (StoreException e) {
                // As a careless tool would.
            }
            return ToolResult.ok("all is well");
        };

        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> call(tool("top", calling("ignores", Map.of())), tool("ignores", ignores), ECHO))
                .withMessage("the disk is full");
        assertThat(answers).hasValue(0);
    }

    @Test
    void argumentsThatAreNoJsonAreAFaultOfTheTool() {
        Tool composite = call -> {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> call.tools().call("echo", Map.of("text", new Object())))
                    .withMessageContaining("not a JSON type");
            return call.tools().call("echo", Map.of("text", "fine"));
        };

        assertThat(call(tool("composite", composite), ECHO).text()).isEqualTo("fine");
        assertThat(rows()).hasSize(2);
    }
}
