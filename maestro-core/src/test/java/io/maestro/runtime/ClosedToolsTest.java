package io.maestro.runtime;

import static io.maestro.runtime.TestTools.CODING;
import static io.maestro.runtime.TestTools.made;
import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.maestro.tools.AgentTools;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolException;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of an agent's tools when it ends. */
@Timeout(60)
class ClosedToolsTest {
    private final AtomicInteger closed = new AtomicInteger();

    /** Counts how often it is closed. */
    private class Counted implements Tool {
        @Override
        public ToolResult execute(ToolCall call) {
            return ToolResult.ok("");
        }

        @Override
        public void close() throws Exception {
            closed.incrementAndGet();
        }
    }

    private static AgentTools provider(ToolFactory... factories) {
        ToolRegistry registry = ToolRegistry.builder().build();
        for (ToolFactory factory : factories) {
            registry.register(factory);
        }
        return registry.agentTools(CODING);
    }

    @Test
    void thoseThatWereMadeAreClosedOnce() {
        AgentTools tools = provider(
                made("used", d -> d, context -> new Counted()), made("unused", d -> d, context -> new Counted()));
        Tool used = tools.get("used");

        tools.close();
        tools.close();

        assertThat(used).isInstanceOf(Counted.class);
        assertThat(closed).hasValue(1);
        assertThatExceptionOfType(ToolException.class)
                .isThrownBy(() -> tools.get("used"))
                .withMessage("tool 'used' is closed: its agent has ended");
        assertThatExceptionOfType(ToolException.class).isThrownBy(() -> tools.get("unused"));
    }

    @Test
    void oneThatFailsKeepsNoOtherOpen() {
        AgentTools tools = provider(
                made("a", d -> d, context -> new Counted() {
                    @Override
                    public void close() throws Exception {
                        super.close();
                        throw TestTools.<RuntimeException>sneaky(new AssertionError("no"));
                    }
                }),
                made("b", d -> d, context -> new Counted()));
        tools.get("a");
        tools.get("b");

        tools.close();

        assertThat(closed).hasValue(2);
    }

    @Test
    void oneThatIsMadeMeanwhileIsClosedToo() throws Exception {
        CountDownLatch making = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        AgentTools tools = provider(made("slow", d -> d, context -> {
            making.countDown();
            try {
                go.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return new Counted();
        }));
        CompletableFuture<Tool> got = CompletableFuture.supplyAsync(() -> tools.get("slow"));
        making.await();

        tools.close();
        go.countDown();

        assertThat(got)
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableThat()
                .withRootCauseInstanceOf(ToolException.class);
        assertThat(closed).hasValue(1);
    }

    @Test
    void anInterruptDoesNotKeepThemOpen() {
        AgentTools tools = provider(made("a", d -> d, context -> new Counted()));
        tools.get("a");

        Thread.currentThread().interrupt();
        tools.close();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(closed).hasValue(1);
    }
}
