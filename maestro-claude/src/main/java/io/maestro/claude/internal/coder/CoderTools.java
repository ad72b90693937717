package io.maestro.claude.internal.coder;

import io.maestro.agent.spi.AgentContext;
import io.maestro.claude.ClaudeRun;
import io.maestro.llm.internal.PlainSchema;
import io.maestro.mcp.McpCall;
import io.maestro.mcp.McpTools;
import io.maestro.tools.InputSchema;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolResult;
import io.maestro.tools.ToolSignal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tools of a coder's state as the CLI calls them over MCP. What ends a visit or exchanges the container only the main
 * conversation may call, no sub-agent. A terminal tool whose call is accepted ends the visit; a question
 * keeps its call open until it is answered; a tool that exchanges the container is put off until the CLI has ended, since it
 * would take the CLI with it. Safe for use by several threads.
 */
final class CoderTools implements McpTools {
    private static final Logger LOG = LoggerFactory.getLogger(CoderTools.class);
    private static final String QUESTION = "ask_question";

    /** More than the CLI takes to end once it has the result of the call that has ended its turn. */
    private static final Duration END_LIMIT = Duration.ofSeconds(2);

    /** The CLI says that its main conversation uses a tool before it calls it; over HTTP the call may be read first. */
    private static final Duration USE_LIMIT = Duration.ofSeconds(3);

    private final AgentContext task;
    private final Consumer<Happening> happenings;
    private final Supplier<ClaudeRun> run;

    private final CountDownLatch left = new CountDownLatch(1);
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable ToolSignal accepted;
    private @Nullable McpCall move;
    private @Nullable CompletableFuture<String> question;
    private boolean broken;

    /**
     * The tools of a task.
     *
     * @param happenings gets what the story's thread must know
     * @param run the CLI that calls them; waits until it has been started
     */
    CoderTools(AgentContext task, Consumer<Happening> happenings, Supplier<ClaudeRun> run) {
        this.task = task;
        this.happenings = happenings;
        this.run = run;
    }

    /** With schemas that the CLI's API takes: it hands them on as they are. */
    @Override
    public List<ToolDefinition> list() {
        return task.tools().stream()
                .map(tool -> tool.toBuilder()
                        .input(InputSchema.ofMap(PlainSchema.withPlainNames(tool.input())))
                        .build())
                .toList();
    }

    @Override
    public ToolResult call(McpCall asked) {
        boolean ofMainOnly = task.movesCoder(asked.tool())
                || task.tools().stream()
                        .anyMatch(tool -> tool.terminal() && tool.name().equals(asked.tool()));
        Optional<String> use = run.get().mainUse(asked.id(), asked.tool(), ofMainOnly ? USE_LIMIT : Duration.ZERO);
        if (ofMainOnly && use.isEmpty()) {
            return refused(
                    asked,
                    "Not run: only the main conversation may call " + asked.tool()
                            + ", and this is the call of a sub-agent. Say in your answer what you have found or done.");
        }
        McpCall call = new McpCall(use.orElse(asked.id()), asked.tool(), asked.input());
        Optional<String> refusal = refusal(call);
        if (refusal.isPresent()) {
            return refused(call, refusal.get());
        }
        if (task.movesCoder(call.tool())) {
            return putOff(call);
        }
        AgentContext.Call done;
        try {
            done = decided(call);
        } catch (RuntimeException e) {
            return failed(e);
        }
        if (done.ends().isEmpty()) {
            return withNews(done.result());
        }
        ToolSignal signal = done.ends().get();
        return signal.name().equals(QUESTION) ? held(call, signal) : accept(call, done.result(), signal);
    }

    /** Where there is a policy somebody may be asked for long; the tool's own limit, and that of the answer, bound the call. */
    private AgentContext.Call decided(McpCall call) {
        if (!task.decidesOnOwnTools()) {
            return task.call(call.id(), call.tool(), call.input());
        }
        ClaudeRun waiting = run.get();
        waiting.suspendLimits();
        try {
            return task.call(call.id(), call.tool(), call.input());
        } finally {
            waiting.resumeLimits();
        }
    }

    private ToolResult refused(McpCall call, String reason) {
        try {
            return task.refuse(call.id(), call.tool(), call.input(), reason);
        } catch (RuntimeException e) {
            return failed(e);
        }
    }

    private Optional<String> refusal(McpCall call) {
        lock.lock();
        try {
            if (broken) {
                return Optional.of("Not run: Maestro cannot go on with this story.");
            }
            if (accepted != null) {
                return Optional.of("Not run: your turn has ended with " + accepted.name() + ".");
            }
            if (move != null) {
                return Optional.of("Not run: your session is stopped for " + move.tool()
                        + " and goes on after it; call " + call.tool() + " then.");
            }
            return Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    private ToolResult putOff(McpCall call) {
        Optional<String> refusal = takeOrRefuse(call);
        if (refusal.isPresent()) {
            return refused(call, refusal.get());
        }
        run.get().endAfter(call.id());
        return ToolResult.ok(
                "Your session is stopped now, so that the container can be exchanged, and goes on after it."
                        + " You are told then what came of " + call.tool() + ".");
    }

    private Optional<String> takeOrRefuse(McpCall call) {
        lock.lock();
        try {
            if (accepted != null || move != null) {
                return Optional.of("Not run: another call has ended your turn.");
            }
            if (question != null) {
                // To end the CLI would cut the question off.
                return Optional.of("Not run: a question of yours is open; call " + call.tool() + " after its answer.");
            }
            move = call;
            return Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    private ToolResult accept(McpCall call, ToolResult result, ToolSignal signal) {
        lock.lock();
        try {
            if (accepted != null) {
                return ToolResult.error("Your turn has ended with " + accepted.name() + " already.");
            }
            accepted = signal;
        } finally {
            lock.unlock();
        }
        run.get().endAfter(call.id());
        return result;
    }

    /** Blocks for as long as the architect thinks. */
    private ToolResult held(McpCall call, ToolSignal signal) {
        CompletableFuture<String> answer = new CompletableFuture<>();
        lock.lock();
        try {
            if (question != null || accepted != null) {
                return ToolResult.error("Ask one question at a time: another call of yours is open.");
            }
            question = answer;
        } finally {
            lock.unlock();
        }
        ClaudeRun asking = run.get();
        // What is bounded is the work of the CLI, not how long a person thinks.
        asking.suspendLimits();
        happenings.accept(new Happening.Asked(signal));
        try {
            return ToolResult.ok(answer.get());
        } catch (InterruptedException e) {
            forget(answer);
            Thread.currentThread().interrupt();
            return ToolResult.error("'" + call.tool() + "' was cancelled before there was an answer.");
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } finally {
            asking.resumeLimits();
        }
    }

    @SuppressWarnings("ReferenceEquality")
    private void forget(CompletableFuture<String> answer) {
        lock.lock();
        try {
            if (question == answer) {
                question = null;
            }
        } finally {
            lock.unlock();
        }
    }

    private ToolResult failed(RuntimeException failure) {
        lock.lock();
        try {
            broken = true;
        } finally {
            lock.unlock();
        }
        happenings.accept(new Happening.Broken(failure));
        return ToolResult.error("Maestro failed, which is no fault of yours. Stop here.");
    }

    /** Where the model looks anyway: the chat has no other way into a turn of the CLI. */
    private ToolResult withNews(ToolResult result) {
        Optional<String> unread = task.unread();
        if (unread.isEmpty()) {
            return result;
        }
        ToolResult.Builder both = ToolResult.builder(result.text() + "\n\n" + unread.get());
        if (result.isError()) {
            both.error();
        }
        result.data().forEach(both::data);
        result.exitCode().ifPresent(both::exitCode);
        return both.build();
    }

    /**
     * Whether the model may be asked once more. Once a call has ended the turn, the CLI may not have heard of that when it has
     * the call's result: its next request then waits here until it has, instead of costing money.
     */
    boolean mayAsk() {
        lock.lock();
        try {
            if (accepted == null && move == null) {
                return true;
            }
        } finally {
            lock.unlock();
        }
        try {
            if (!left.await(END_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.info("{}: Claude Code goes on although its turn has ended, and is ended", task.agentId());
                run.get().end();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return false;
    }

    /** The CLI has ended. */
    void left() {
        left.countDown();
    }

    /** Answers the question whose call is held open; false when none is. */
    boolean answer(String text) {
        lock.lock();
        try {
            if (question == null) {
                return false;
            }
            question.complete(text);
            question = null;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Whether a call is held open for an answer. */
    boolean holdsQuestion() {
        lock.lock();
        try {
            return question != null;
        } finally {
            lock.unlock();
        }
    }

    /** The signal that has ended the visit. */
    Optional<ToolSignal> accepted() {
        lock.lock();
        try {
            return Optional.ofNullable(accepted);
        } finally {
            lock.unlock();
        }
    }

    /** The call that was put off, which is to be made now that the CLI has ended; once. */
    Optional<McpCall> takeMove() {
        lock.lock();
        try {
            Optional<McpCall> put = Optional.ofNullable(move);
            move = null;
            return put;
        } finally {
            lock.unlock();
        }
    }
}
