package io.maestro.runtime;

import static io.maestro.runtime.TestTools.CODING;
import static io.maestro.runtime.TestTools.made;
import static io.maestro.runtime.TestTools.tool;
import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.tools.AgentTools;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Time limits and cancellation. */
@Timeout(60)
class ToolRuntimeTimeTest {
    private final RecordedCalls record = new RecordedCalls();
    private final ToolRuntime runtime = runtime(Duration.ofSeconds(10));

    /** Soon gives up on a tool that does not stop. */
    private final ToolRuntime impatient = runtime(Duration.ofMillis(200));

    private final ExecutorService caller = Executors.newSingleThreadExecutor();

    /** Lets go of tools that ignore interrupts. */
    private final CountDownLatch release = new CountDownLatch(1);

    @AfterEach
    void close() {
        release.countDown();
        runtime.close();
        impatient.close();
        caller.shutdownNow();
    }

    private ToolRuntime runtime(Duration stopGrace) {
        return ToolRuntime.builder()
                .record(record)
                .redactor(text -> text)
                .stopGrace(stopGrace)
                .build();
    }

    private static ToolInvocation invocation(String tool) {
        return new ToolInvocation("1", tool, "", new ToolInvocation.Caller("s", "coder-001", "042", 1, "CODING"));
    }

    private static AgentTools provider(ToolFactory factory) {
        return ToolRegistry.builder().build().register(factory).agentTools(CODING);
    }

    private ToolResult call(long limitMillis, Tool tool) {
        return call(runtime, limitMillis, tool);
    }

    private static ToolResult call(ToolRuntime runtime, long limitMillis, Tool tool) {
        ToolFactory factory = tool("slow", d -> d.timeLimit(Duration.ofMillis(limitMillis)), tool);
        return runtime.call(provider(factory), invocation("slow"));
    }

    private void ignoreInterrupts() {
        while (true) {
            try {
                release.await();
                return;
            } catch (InterruptedException e) {
                // that is the point
            }
        }
    }

    @Test
    void stopsAToolAtItsLimit() {
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        ToolResult result = call(500, call -> {
            try {
                release.await();
                return ToolResult.ok("");
            } catch (InterruptedException e) {
                interrupted.complete(true);
                throw e;
            }
        });

        assertThat(interrupted).isCompletedWithValue(true);
        assertThat(result.isError()).isTrue();
        assertThat(result.text()).isEqualTo("'slow' timed out after 500 ms and has stopped.");
        assertThat(record.last().error()).isEqualTo(result.text());
        assertThat(record.last().durationMillis()).isGreaterThanOrEqualTo(500);
    }

    @Test
    void keepsWhatAStoppedToolHadToSay() {
        ToolResult result = call(500, call -> {
            try {
                release.await();
            } catch (InterruptedException e) {
                return ToolResult.builder("42 lines of output").exitCode(143).build();
            }
            return ToolResult.ok("");
        });

        assertThat(result.isError()).isTrue();
        assertThat(result.text())
                .isEqualTo("'slow' timed out after 500 ms and has stopped. Its answer up to then:\n42 lines of output");
        assertThat(result.exitCode()).hasValue(143);
    }

    @Test
    void admitsThatAToolDidNotStop() {
        ToolResult result = call(impatient, 500, call -> {
            ignoreInterrupts();
            return ToolResult.ok("late");
        });

        assertThat(result.text())
                .isEqualTo(
                        "'slow' timed out after 500 ms, but has not stopped within 200 ms of being interrupted: it may"
                                + " still be running, and what it does may still take effect.");
        assertThat(record.rows).hasSize(1);
    }

    @Test
    void theLimitHoldsForTheFactoryToo() {
        ToolFactory factory = made("slow", d -> d.timeLimit(Duration.ofMillis(500)), context -> {
            ignoreInterrupts();
            return call -> ToolResult.ok("late");
        });

        assertThat(impatient.call(provider(factory), invocation("slow")).text()).contains("timed out after 500 ms");
    }

    @Test
    void aVeryLongLimitIsNoError() {
        ToolFactory factory =
                tool("patient", d -> d.timeLimit(Duration.ofSeconds(Long.MAX_VALUE)), call -> ToolResult.ok("ok"));

        assertThat(runtime.call(provider(factory), invocation("patient")).text())
                .isEqualTo("ok");
    }

    @Test
    void cancelsTheToolWhenTheCallerIsInterrupted() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CompletableFuture<Boolean> stopped = new CompletableFuture<>();
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        AtomicBoolean flag = new AtomicBoolean();
        Future<ToolResult> answer = caller.submit(() -> {
            thread.complete(Thread.currentThread());
            ToolResult result = call(60_000, call -> {
                running.countDown();
                try {
                    release.await();
                } catch (InterruptedException e) {
                    stopped.complete(true);
                    throw e;
                }
                return ToolResult.ok("");
            });
            flag.set(Thread.currentThread().isInterrupted());
            return result;
        });
        running.await();
        thread.get().interrupt();

        assertThat(answer.get().text()).isEqualTo("'slow' was cancelled and has stopped.");
        assertThat(stopped).isCompletedWithValue(true);
        assertThat(flag).isTrue();
        assertThat(record.last().error()).contains("cancelled");
    }

    @Test
    void anInterruptedCallerStartsNothing() {
        AtomicBoolean ran = new AtomicBoolean();
        Thread.currentThread().interrupt();
        ToolResult result;
        boolean flag;
        try {
            result = call(1000, call -> {
                ran.set(true);
                return ToolResult.ok("");
            });
        } finally {
            flag = Thread.interrupted();
        }

        assertThat(result.text()).isEqualTo("The call was cancelled before it began; nothing was run.");
        assertThat(ran).isFalse();
        assertThat(flag).isTrue();
        assertThat(record.rows).hasSize(1);
    }

    @Test
    void closingStopsWhatRuns() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        Future<ToolResult> answer = caller.submit(() -> call(60_000, call -> {
            running.countDown();
            release.await();
            return ToolResult.ok("");
        }));
        running.await();
        runtime.close();

        assertThat(answer.get(10, TimeUnit.SECONDS).text()).isEqualTo("'slow' was interrupted before it had finished.");
    }

    @Test
    void theToolSeesTheCallersContextClassLoader() {
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        ClassLoader own = new ClassLoader(before) {};
        Thread.currentThread().setContextClassLoader(own);
        try {
            ToolResult result = call(
                    1000,
                    call -> ToolResult.ok(String.valueOf(Thread.currentThread().getContextClassLoader() == own)));
            assertThat(result.text()).isEqualTo("true");
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }
}
