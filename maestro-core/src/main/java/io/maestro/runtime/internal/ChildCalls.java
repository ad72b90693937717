package io.maestro.runtime.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.maestro.runtime.ToolInvocation;
import io.maestro.tools.AgentTools;
import io.maestro.tools.ToolArguments;
import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolCaller;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolException;
import io.maestro.tools.ToolResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The calls that a tool makes while one call of it runs. Enforces which tools it may call, how many, how deep and for how long;
 * that none begins or goes on when the call has ended; and that those which are not read-only come one after the other. Each call
 * waits for its own children only, so that these waits cannot form a circle. Safe for use by several threads.
 */
public final class ChildCalls implements ToolCaller, AutoCloseable {
    private static final JsonMapper JSON = new JsonMapper();
    private static final ToolArguments NONE = ToolArguments.of(Map.of());

    private final Runner runner;
    private final AgentTools tools;
    private final ToolInvocation invocation;
    private final ToolDefinition caller;
    private final List<String> chain;
    private final AtomicInteger calls;
    private final PersonTime person;
    private final long deadline;
    private final Semaphore writing = new Semaphore(1);
    private final ReentrantLock lock = new ReentrantLock();
    private final Set<Thread> inside = new HashSet<>();
    private int last;
    private boolean ended;
    private volatile @Nullable RuntimeException failure;

    /** Runs a call as the runtime does, below another one. */
    @FunctionalInterface
    public interface Runner {
        /**
         * Runs it.
         *
         * @param child the call
         * @param parent where it stands
         * @return its answer
         */
        ToolResult run(ToolInvocation child, ChildCalls parent);
    }

    /** A call below another one could not be recorded: no answer may be given on. */
    public static final class UnrecordedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final RuntimeException failure;

        private UnrecordedException(RuntimeException failure) {
            super(failure);
            this.failure = failure;
        }

        /**
         * What its recording failed with.
         *
         * @return thrown by whoever records
         */
        public RuntimeException failure() {
            return failure;
        }
    }

    /**
     * For a call that is about to run.
     *
     * @param runner runs its children
     * @param tools the tools of the agent
     * @param invocation the call
     * @param caller its tool
     * @param limit how long it may take, from now, without the time that people are waited for
     * @param person the time that people are waited for
     * @param parent where it stands itself; null for a call of the agent
     */
    public ChildCalls(
            Runner runner,
            AgentTools tools,
            ToolInvocation invocation,
            ToolDefinition caller,
            Duration limit,
            PersonTime person,
            @Nullable ChildCalls parent) {
        this.runner = runner;
        this.tools = tools;
        this.invocation = invocation;
        this.caller = caller;
        this.person = person;
        this.deadline = System.nanoTime() - person.nanos() + TimeUnit.NANOSECONDS.convert(limit);
        List<String> names = new ArrayList<>(parent == null ? List.of() : parent.chain);
        names.add(caller.name());
        this.chain = List.copyOf(names);
        this.calls = parent == null ? new AtomicInteger() : parent.calls;
    }

    /**
     * Why the caller may not call a tool.
     *
     * @param asked the tool
     * @return empty when it may
     */
    public Optional<String> refusal(ToolDefinition asked) {
        String way = " (" + String.join(" → ", chain) + " → " + asked.name() + ")";
        if (asked.agentOnly()) {
            return Optional.of("only an agent itself may call '" + asked.name() + "'" + way);
        }
        if (caller.readOnly() && !asked.readOnly()) {
            return Optional.of("'" + caller.name() + "' is read-only and '" + asked.name() + "' is not" + way);
        }
        if (chain.contains(asked.name())) {
            return Optional.of("'" + asked.name() + "' would call itself" + way);
        }
        return chain.size() > MOST_DEPTH
                ? Optional.of("more than " + MOST_DEPTH + " calls stand below that of the agent" + way)
                : Optional.empty();
    }

    /**
     * How long the call may go on. Stands still while a person is waited for.
     *
     * @return nanoseconds; 0 or less when its time is over
     */
    public long nanosLeft() {
        return deadline + person.nanos() - System.nanoTime();
    }

    /**
     * The time that people are waited for in this call.
     *
     * @return counts that of its children, too
     */
    public PersonTime person() {
        return person;
    }

    /**
     * How long a child may take.
     *
     * @param own the limit of its tool
     * @return more than zero
     */
    public Duration limit(Duration own) {
        Duration left = Duration.ofNanos(Math.max(nanosLeft(), 1_000_000));
        return new ToolCall("", "", NONE, left).commandLimit(own);
    }

    @Override
    public ToolResult call(String tool, Map<String, ?> arguments) throws InterruptedException {
        String input = json(tool, arguments);
        ToolInvocation child = enter(tool, input);
        ToolResult answer;
        try {
            answer = mayRunBesideOthers(tool) ? run(child) : runAlone(child);
        } finally {
            leave();
        }
        if (Thread.interrupted()) {
            throw new InterruptedException("'" + caller.name() + "' was cancelled while it called '" + tool + "'");
        }
        return answer;
    }

    private boolean mayRunBesideOthers(String tool) {
        return tools.list().stream().noneMatch(definition -> definition.name().equals(tool) && !definition.readOnly());
    }

    private ToolResult runAlone(ToolInvocation child) throws InterruptedException {
        writing.acquire();
        try {
            return run(child);
        } finally {
            writing.release();
        }
    }

    private ToolResult run(ToolInvocation child) {
        try {
            return runner.run(child, this);
        } catch (RuntimeException e) { // the runtime throws nothing else than that it could not record
            failure = e;
            throw e;
        }
    }

    private ToolInvocation enter(String tool, String input) {
        lock.lock();
        try {
            if (ended) {
                throw new ToolException("the call of '" + caller.name() + "' has ended; '" + tool + "' was not called");
            }
            if (calls.incrementAndGet() > MOST_CALLS) {
                throw new ToolException("'" + tool + "' was not called: " + MOST_CALLS
                        + " calls have come of one call of '" + chain.get(0) + "'; do it in smaller steps");
            }
            inside.add(Thread.currentThread());
            last++;
            return new ToolInvocation(
                    invocation.callId() + "/" + last, tool, input, invocation.caller(), invocation.callId(), chain);
        } finally {
            lock.unlock();
        }
    }

    private void leave() {
        lock.lock();
        try {
            inside.remove(Thread.currentThread());
        } finally {
            lock.unlock();
        }
    }

    private static String json(String tool, Map<String, ?> arguments) {
        try {
            return JSON.writeValueAsString(ToolArguments.of(arguments).asMap());
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("no JSON can be made of the arguments for '" + tool + "'", e);
        }
    }

    /** The call has ended: what its threads still wait for is cancelled, and nothing begins any more. */
    @Override
    public void close() {
        lock.lock();
        try {
            ended = true;
            inside.forEach(Thread::interrupt);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Fails when a child could not be recorded, whatever the tool has made of that.
     *
     * @throws UnrecordedException with what its recording failed with
     */
    public void requireRecorded() {
        RuntimeException thrown = failure;
        if (thrown != null) {
            throw new UnrecordedException(thrown);
        }
    }
}
