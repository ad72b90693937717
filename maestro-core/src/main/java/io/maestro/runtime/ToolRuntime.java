package io.maestro.runtime;

import io.maestro.audit.Redactor;
import io.maestro.audit.Store;
import io.maestro.event.MaestroListener;
import io.maestro.internal.LogContext;
import io.maestro.runtime.internal.CallJournal;
import io.maestro.runtime.internal.ChildCalls;
import io.maestro.runtime.internal.Cleaner;
import io.maestro.runtime.internal.InputReader;
import io.maestro.runtime.internal.InputValidator;
import io.maestro.runtime.internal.Names;
import io.maestro.runtime.internal.Texts;
import io.maestro.runtime.internal.ToolThreads;
import io.maestro.tools.ToolArguments;
import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolException;
import io.maestro.tools.ToolProvider;
import io.maestro.tools.ToolResult;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one place where tools run, whoever asked for them. A call goes through the allow-list, the tool's JSON Schema, the
 * host's {@link ToolPolicy}, and then runs on a thread of its own within the tool's time limit; its answer is freed of
 * secrets, bounded, written to the record, shown to the {@link ToolTracker}, and only then given. Safe for use by several threads.
 *
 * <p>A tool may call others of its caller's while it runs: they go the same way, as calls below its own, by the rules of {@link
 * io.maestro.tools.ToolCaller}.
 *
 * <p>What a tool or a model does wrong is an answer with {@link ToolResult#isError()}, never an exception. It is recorded
 * like every other answer. The record holds the answer as a JSON object with {@code text} and, where there are any,
 * {@code data} and {@code signal}; of an error it holds the text.
 */
public final class ToolRuntime implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ToolRuntime.class);

    private final ToolPolicy policy;
    private final ToolTracker tracker;
    private final Duration stopGrace;
    private final Cleaner cleaner;
    private final CallJournal journal;
    private final ToolThreads threads;
    private final InputReader reader = new InputReader();
    private final InputValidator validator = new InputValidator();

    private ToolRuntime(Builder builder, Store store, Redactor redactor) {
        this.policy = builder.policy;
        this.tracker = builder.tracker;
        this.stopGrace = builder.stopGrace;
        this.cleaner = new Cleaner(redactor);
        this.journal = new CallJournal(store, builder.listener, cleaner);
        this.threads = new ToolThreads(builder.stopGrace);
    }

    /**
     * Starts a runtime.
     *
     * @return a builder; a store and a redactor must be given
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Calls a tool and waits for its answer. When the calling thread is interrupted, the tool is cancelled, the answer is an
     * error that says so, and the thread's interrupt status is set again.
     *
     * @param provider the tools that the caller may use
     * @param invocation what it asks for
     * @return the answer for the model, which the record already holds
     * @throws io.maestro.audit.StoreException when the call, or what follows from it, could not be recorded; the tool may
     *     have run
     */
    public ToolResult call(ToolProvider provider, ToolInvocation invocation) {
        return call(provider, invocation, null);
    }

    private ToolResult call(ToolProvider provider, ToolInvocation invocation, @Nullable ChildCalls parent) {
        try {
            return recorded(invocation, tracker, () -> answer(provider, invocation, parent));
        } catch (ChildCalls.UnrecordedException e) {
            throw e.failure();
        }
    }

    /**
     * Refuses a call that is not to be run for a reason of the caller's, such as that its turn has ended. It is recorded and told
     * like one that has failed; the {@link ToolTracker} does not see it.
     *
     * @param invocation what was asked for
     * @param reason why nothing is run, for the model
     * @return the answer for the model, an error
     * @throws io.maestro.audit.StoreException when it could not be recorded
     */
    public ToolResult refuse(ToolInvocation invocation, String reason) {
        return recorded(invocation, (asked, answer) -> {}, () -> bounded(ToolResult.error(reason)));
    }

    private ToolResult recorded(ToolInvocation invocation, ToolTracker tracking, Supplier<Bounded> work) {
        ToolInvocation.Caller caller = invocation.caller();
        String tool = Texts.clip(cleaner.text(invocation.tool()), 200);
        try (LogContext context = new LogContext()) {
            context.with(LogContext.STORY, caller.storyId())
                    .with(LogContext.AGENT, caller.agentId())
                    .with(LogContext.STATE, caller.state())
                    .with(LogContext.TOOL, tool);
            return recorded(invocation, tool, tracking, work);
        }
    }

    private ToolResult recorded(ToolInvocation invocation, String tool, ToolTracker tracking, Supplier<Bounded> work) {
        // Interrupted threads can't write to every kind of store, so the status is put aside until the end.
        boolean interrupted = Thread.interrupted();
        Instant began = Instant.now();
        long start = System.nanoTime();
        try {
            journal.begin(invocation, tool, began);
            Bounded answer = interrupted
                    ? bounded(ToolResult.error("The call was cancelled before it began; nothing was run."))
                    : work.get();
            interrupted |= Thread.interrupted();
            ToolResult clean = cleaner.answer(answer.result, answer.limit);
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            journal.record(invocation, tool, clean, began, took);
            tracking.onAnswer(invocation, clean);
            journal.end(invocation, tool, clean, took);
            return clean;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** An answer, and how many characters of it are kept. */
    private record Bounded(ToolResult result, int limit) {}

    private static Bounded bounded(ToolResult result) {
        return new Bounded(result, ToolDefinition.DEFAULT_RESULT_LIMIT);
    }

    private Bounded answer(ToolProvider provider, ToolInvocation invocation, @Nullable ChildCalls parent) {
        try {
            List<ToolDefinition> allowed = provider.list();
            for (ToolDefinition definition : allowed) {
                if (definition.name().equals(invocation.tool())) {
                    return new Bounded(
                            checked(provider, definition, invocation, parent), definition.resultLimit());
                }
            }
            List<String> names = allowed.stream().map(ToolDefinition::name).toList();
            return bounded(ToolResult.error(Names.unknownTool(cleaner.text(invocation.tool()), names)));
        } catch (ChildCalls.UnrecordedException e) {
            throw e;
        } catch (RuntimeException | LinkageError | StackOverflowError e) {
            LOG.error("The tool runtime failed: {}", cleaner.text(Texts.stackTrace(e)));
            return bounded(ToolResult.error(
                    "Maestro failed before or after the tool ran, which is no fault of yours: " + Texts.describe(e)));
        }
    }

    private ToolResult checked(
            ToolProvider provider,
            ToolDefinition definition,
            ToolInvocation invocation,
            @Nullable ChildCalls parent) {
        Optional<String> misplaced = parent == null ? Optional.empty() : parent.refusal(definition);
        if (misplaced.isPresent()) {
            return ToolResult.error("The call was refused, nothing was run: " + misplaced.get());
        }
        String input = invocation.input().isBlank() ? "{}" : invocation.input();
        String about = "The arguments of '" + definition.name() + "' are not valid, nothing was run";
        Map<String, Object> values;
        List<String> faults;
        try {
            values = reader.read(input);
            faults = validator.faults(definition, input, values, cleaner::text);
        } catch (InputReader.BadInput e) {
            return ToolResult.error(about + ": " + e.getMessage());
        } catch (IllegalArgumentException e) {
            return ToolResult.error(
                    "The tool '" + definition.name() + "' is broken and can't be called: " + e.getMessage());
        }
        if (!faults.isEmpty()) {
            return ToolResult.error(about + ". Correct them and call it again:\n- " + String.join("\n- ", faults));
        }
        ToolArguments arguments = ToolArguments.of(values);
        Optional<String> refusal = refusal(invocation, definition, arguments);
        if (refusal.isPresent()) {
            return ToolResult.error("The call was refused, nothing was run: " + refusal.get());
        }
        return Thread.currentThread().isInterrupted()
                ? ToolResult.error("The call was cancelled before it began; nothing was run.")
                : execute(provider, definition, invocation, arguments, parent);
    }

    /** A policy that fails has not allowed the call. */
    private Optional<String> refusal(ToolInvocation invocation, ToolDefinition definition, ToolArguments arguments) {
        try {
            return policy.refuse(invocation, definition, arguments);
        } catch (Exception | LinkageError | StackOverflowError | AssertionError e) {
            LOG.warn("The tool policy failed: {}", cleaner.text(Texts.stackTrace(e)));
            return Optional.of("the policy that decides on it failed: " + Texts.describe(e));
        }
    }

    private ToolResult execute(
            ToolProvider provider,
            ToolDefinition definition,
            ToolInvocation invocation,
            ToolArguments arguments,
            @Nullable ChildCalls parent) {
        Duration limit = parent == null ? definition.timeLimit() : parent.limit(definition.timeLimit());
        ChildCalls children = new ChildCalls(
                (child, above) -> call(provider, child, above), provider, invocation, definition, limit, parent);
        ToolCall call = new ToolCall(invocation.callId(), definition.name(), arguments, limit, children);
        ToolThreads.Outcome outcome;
        try (children) {
            outcome = threads.run(
                    () -> {
                        try (children) {
                            return provider.get(call.tool()).execute(call);
                        }
                    },
                    limit);
        } catch (RejectedExecutionException e) {
            return ToolResult.error("The call was cancelled before it began: Maestro is being closed.");
        }
        children.requireRecorded();
        return switch (outcome.ending()) {
            case FINISHED -> finished(call, outcome);
            case TIMED_OUT ->
                stopped("'" + call.tool() + "' timed out after " + Texts.seconds(call.timeLimit()), outcome);
            case CANCELLED -> stopped("'" + call.tool() + "' was cancelled", outcome);
        };
    }

    private ToolResult finished(ToolCall call, ToolThreads.Outcome outcome) {
        Throwable failure = outcome.failure();
        if (failure instanceof ToolException) {
            return ToolResult.error(String.valueOf(failure.getMessage()));
        }
        if (failure instanceof InterruptedException) {
            return ToolResult.error("'" + call.tool() + "' was interrupted before it had finished.");
        }
        if (failure != null) {
            if (LOG.isDebugEnabled()) {
                LOG.debug("The tool {} failed: {}", call.tool(), cleaner.text(Texts.stackTrace(failure)));
            }
            return ToolResult.error("'" + call.tool() + "' failed: " + Texts.describe(failure));
        }
        ToolResult result = outcome.result();
        return result != null
                ? result
                : ToolResult.error("'" + call.tool() + "' is broken: it returned null instead of an answer. What it did"
                        + " is unknown.");
    }

    /** Keeps what the tool still had to say, such as the output of a command up to its end. */
    private ToolResult stopped(String what, ToolThreads.Outcome outcome) {
        if (outcome.stillRunning()) {
            return ToolResult.error(what + ", but has not stopped within " + Texts.seconds(stopGrace)
                    + " of being interrupted: it may still be running, and what it does may still take effect.");
        }
        ToolResult partial = outcome.result();
        if (partial == null) {
            return ToolResult.error(what + " and has stopped.");
        }
        ToolResult.Builder result = ToolResult.builder(
                        what + " and has stopped. Its answer up to then:\n" + partial.text())
                .error();
        partial.data().forEach(result::data);
        partial.exitCode().ifPresent(result::exitCode);
        return result.build();
    }

    /** Interrupts the tools that still run and waits for them for a short while. Calls after it are answered with an error. */
    @Override
    public void close() {
        threads.close();
    }

    /** Collects the parts of a runtime. Not safe for use by several threads. */
    public static final class Builder {
        private @Nullable Store store;
        private @Nullable Redactor redactor;
        private ToolPolicy policy = ToolPolicy.ALLOW_ALL;
        private MaestroListener listener = event -> {};
        private ToolTracker tracker = (invocation, answer) -> {};
        private Duration stopGrace = Duration.ofSeconds(2);

        private Builder() {}

        /**
         * Sets where calls are recorded. Required.
         *
         * @param record the store; the caller closes it, after the runtime
         * @return this
         */
        public Builder store(Store record) {
            this.store = Objects.requireNonNull(record, "record");
            return this;
        }

        /**
         * Sets what takes secrets out of answers and records. Required.
         *
         * @param secrets the redactor
         * @return this
         */
        public Builder redactor(Redactor secrets) {
            this.redactor = Objects.requireNonNull(secrets, "secrets");
            return this;
        }

        /**
         * Sets who decides on each call; without one, everything that is allowed and valid runs.
         *
         * @param decision the policy; one that throws has refused
         * @return this
         */
        public Builder policy(ToolPolicy decision) {
            this.policy = Objects.requireNonNull(decision, "decision");
            return this;
        }

        /**
         * Sets who is told when tools start and end.
         *
         * @param watcher the listener
         * @return this
         */
        public Builder listener(MaestroListener watcher) {
            this.listener = Objects.requireNonNull(watcher, "watcher");
            return this;
        }

        /**
         * Sets who keeps what follows from calls.
         *
         * @param keeper called for each call, after it was recorded and before its answer is given; what it throws, the
         *     caller of the tool gets
         * @return this
         */
        public Builder tracker(ToolTracker keeper) {
            this.tracker = Objects.requireNonNull(keeper, "keeper");
            return this;
        }

        /** For tests, so that those about tools that do not stop are quick. */
        Builder stopGrace(Duration grace) {
            this.stopGrace = grace;
            return this;
        }

        /**
         * Makes the runtime.
         *
         * @return the runtime; to be closed
         * @throws IllegalStateException when the store or the redactor is missing
         */
        public ToolRuntime build() {
            if (store == null || redactor == null) {
                throw new IllegalStateException(
                        "a ToolRuntime needs a store and a redactor: every call is recorded, and" + " free of secrets");
            }
            return new ToolRuntime(this, store, redactor);
        }
    }
}
