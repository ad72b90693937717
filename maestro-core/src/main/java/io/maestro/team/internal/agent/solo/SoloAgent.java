package io.maestro.team.internal.agent.solo;

import io.maestro.agent.Agent;
import io.maestro.agent.AgentResult;
import io.maestro.agent.AgentTask;
import io.maestro.internal.Uninterrupted;
import io.maestro.llm.Usage;
import io.maestro.team.internal.loop.Meter;
import io.maestro.team.internal.machine.CancelledException;
import io.maestro.telemetry.Telemetry;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** An agent without a team around it. Safe for use by several threads. */
public final class SoloAgent implements Agent {
    private final SoloServices services;
    private final SoloWorker worker;
    private final AtomicInteger calls;
    private final Runnable afterWork;
    private final AutoCloseable rest;
    private final ReentrantLock working = new ReentrantLock();
    private final ReentrantLock state = new ReentrantLock();
    private @Nullable Thread thread;
    private boolean closed;
    private boolean released;

    /**
     * Makes the agent.
     *
     * @param calls counts its calls of tools
     * @param afterWork run when a task has ended
     * @param rest closed last
     */
    public SoloAgent(
            SoloServices services, SoloWorker worker, AtomicInteger calls, Runnable afterWork, AutoCloseable rest) {
        this.services = services;
        this.worker = worker;
        this.calls = calls;
        this.afterWork = afterWork;
        this.rest = rest;
    }

    @Override
    public String id() {
        return services.id();
    }

    @Override
    public String role() {
        return services.role();
    }

    @Override
    public AgentResult run(AgentTask task) {
        Objects.requireNonNull(task, "task");
        if (working.isHeldByCurrentThread() || !working.tryLock()) {
            throw new IllegalStateException(id() + " works on another task: wait for its end, or build one more agent");
        }
        try {
            begin();
            return counted(task);
        } finally {
            afterWork.run();
            end();
            working.unlock();
        }
    }

    private void begin() {
        state.lock();
        try {
            if (closed) {
                throw new IllegalStateException(id() + " is closed; build another agent");
            }
            thread = Thread.currentThread();
        } finally {
            state.unlock();
        }
    }

    /** An interrupt by {@link #close} was for the work, and not for what the caller does after it. */
    private void end() {
        state.lock();
        try {
            if (closed && thread != null) {
                boolean unused = Thread.interrupted();
            }
            thread = null;
        } finally {
            state.unlock();
        }
    }

    private AgentResult counted(AgentTask task) {
        Meter meter = services.meter();
        Usage before = meter.usage();
        Optional<BigDecimal> cost = meter.knownCost();
        int earlier = calls.get();
        meter.work();
        AgentResult result;
        try {
            result = traced(task);
        } catch (CancelledException e) {
            result = AgentResult.cancelled();
        } catch (RuntimeException e) {
            if (!Thread.currentThread().isInterrupted()) {
                throw e;
            }
            result = AgentResult.cancelled();
        } finally {
            meter.pause();
        }
        Optional<BigDecimal> dollars = meter.knownCost().flatMap(now -> cost.map(now::subtract));
        return result.counted(minus(meter.usage(), before), dollars, calls.get() - earlier);
    }

    private AgentResult traced(AgentTask task) {
        Telemetry.Operation operation = new Telemetry.Operation(
                Telemetry.Kind.AGENT, id(), services.work(), id(), SoloServices.ATTEMPT, "", null);
        try (Telemetry.Span span = services.services().events().telemetry().start(operation, Instant.now());
                Telemetry.Scope scope = span.enter()) {
            try {
                return worker.work(task.messages());
            } catch (RuntimeException | Error e) {
                span.failed(e.getClass().getSimpleName());
                throw e;
            }
        }
    }

    private static Usage minus(Usage all, Usage before) {
        return new Usage(
                all.inputTokens() - before.inputTokens(),
                all.outputTokens() - before.outputTokens(),
                all.cacheReadTokens() - before.cacheReadTokens(),
                all.cacheWriteTokens() - before.cacheWriteTokens(),
                all.cacheWriteHourTokens() - before.cacheWriteHourTokens());
    }

    @Override
    public void close() {
        state.lock();
        try {
            closed = true;
            if (thread != null && !Thread.currentThread().equals(thread)) {
                thread.interrupt();
            }
        } finally {
            state.unlock();
        }
        if (working.isHeldByCurrentThread()) {
            throw new IllegalStateException(id() + " cannot be closed by what it calls; close it when it has ended");
        }
        working.lock();
        try {
            if (!released) {
                released = true;
                release();
            }
        } finally {
            working.unlock();
        }
    }

    private void release() {
        Uninterrupted.closing("the work of " + id(), worker::close);
        Uninterrupted.closing("what " + id() + " has worked with", rest);
    }
}
