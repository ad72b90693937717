package io.maestro.testkit.contract;

import io.maestro.tools.Tool;
import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts what becomes of the tools of a factory. Safe for use by several threads. */
final class WatchedTools {
    private final AtomicInteger made = new AtomicInteger();
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicInteger closed = new AtomicInteger();
    private final List<Throwable> closingFaults = new CopyOnWriteArrayList<>();
    private final CountDownLatch called = new CountDownLatch(1);

    ToolFactory of(ToolFactory factory) {
        return new ToolFactory() {
            @Override
            public ToolDefinition definition() {
                return factory.definition();
            }

            @Override
            public Tool create(ToolContext context) {
                Tool tool = factory.create(context);
                made.incrementAndGet();
                return watched(tool);
            }
        };
    }

    private Tool watched(Tool tool) {
        return new Tool() {
            @Override
            public ToolResult execute(ToolCall call) throws Exception {
                calls.incrementAndGet();
                called.countDown();
                return tool.execute(call);
            }

            @Override
            public void close() {
                closed.incrementAndGet();
                try {
                    tool.close();
                } catch (Exception e) {
                    closingFaults.add(e);
                }
            }
        };
    }

    int made() {
        return made.get();
    }

    int calls() {
        return calls.get();
    }

    int closed() {
        return closed.get();
    }

    List<Throwable> closingFaults() {
        return closingFaults;
    }

    void awaitCall() throws InterruptedException {
        if (!called.await(60, TimeUnit.SECONDS)) {
            throw new AssertionError("the tool was not called within a minute");
        }
    }
}
