package io.maestro.runtime;

import io.maestro.event.MaestroListener;
import io.maestro.internal.Names;
import io.maestro.internal.Texts;
import io.maestro.record.AuditLog;
import io.maestro.runtime.internal.CallInputs;
import io.maestro.runtime.internal.CallJournal;
import io.maestro.runtime.internal.CallJournal.Bounded;
import io.maestro.runtime.internal.CallProgress;
import io.maestro.runtime.internal.ChildCalls;
import io.maestro.runtime.internal.Cleaner;
import io.maestro.runtime.internal.PersonTime;
import io.maestro.runtime.internal.PolicyGate;
import io.maestro.runtime.internal.ToolThreads;
import io.maestro.schema.internal.InputReader;
import io.maestro.secrets.CleanText;
import io.maestro.secrets.Redactor;
import io.maestro.telemetry.Telemetry;
import io.maestro.tools.AgentTools;
import io.maestro.tools.ToolArguments;
import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolProgress;
import io.maestro.tools.ToolResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
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

    /** Of the arguments that a policy has changed so many characters are told. */
    private static final int MOST_OF_INPUT = 4000;

    private final PolicyGate gate;
    private final ToolApprover approver;
    private final ToolTracker tracker;
    private final Cleaner cleaner;
    private final CallJournal journal;
    private final ToolThreads threads;
    private final Telemetry telemetry;
    private final CallInputs inputs;

    private ToolRuntime(Builder builder, BiConsumer<AuditLog.ToolExecution, CleanText> record, Redactor redactor) {
        this.tracker = builder.tracker;
        this.cleaner = new Cleaner(redactor);
        this.inputs = new CallInputs(cleaner);
        this.approver = builder.approver;
        this.gate = new PolicyGate(builder.policies, approver, cleaner);
        this.journal = new CallJournal(record, builder.listener, cleaner, builder.telemetry);
        this.threads = new ToolThreads(builder.stopGrace);
        this.telemetry = builder.telemetry;
    }

    /**
     * Starts a runtime.
     *
     * @return a builder; a record and a redactor must be given
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Calls a tool and waits for its answer. When the calling thread is interrupted, the tool is cancelled, the answer is an
     * error that says so, and the thread's interrupt status is set again.
     *
     * @param tools the tools that the caller may use
     * @param invocation what it asks for
     * @return the answer for the model, which the record already holds
     * @throws io.maestro.record.StoreException when the call, or what follows from it, could not be recorded; the tool may
     *     have run
     */
    public ToolResult call(AgentTools tools, ToolInvocation invocation) {
        return call(tools, invocation, ToolProgress.NOBODY);
    }

    /**
     * Calls a tool as {@link #call(AgentTools, ToolInvocation)} does, and tells what it says meanwhile.
     *
     * @param tools the tools that the caller may use
     * @param invocation what it asks for
     * @param progress told each step, a line without secrets, by a thread of the tool's, after the listener
     * @return the answer for the model, which the record already holds
     * @throws io.maestro.record.StoreException when the call, or what follows from it, could not be recorded; the tool may
     *     have run
     */
    public ToolResult call(AgentTools tools, ToolInvocation invocation, ToolProgress progress) {
        return call(tools, invocation, progress, null).result();
    }

    /**
     * An answer of a tool.
     *
     * @param result free of secrets
     * @param text its text, for those who would else scan it again
     */
    public record Answer(ToolResult result, CleanText text) {}

    /**
     * Calls a tool as {@link #call(AgentTools, ToolInvocation)} does, for somebody who passes its answer on.
     *
     * @param tools the tools that the caller may use
     * @param invocation what it asks for
     * @return the answer for the model, which the record already holds
     * @throws io.maestro.record.StoreException when the call, or what follows from it, could not be recorded; the tool may
     *     have run
     */
    public Answer answer(AgentTools tools, ToolInvocation invocation) {
        return call(tools, invocation, ToolProgress.NOBODY, null);
    }

    private Answer call(AgentTools tools, ToolInvocation asked, ToolProgress progress, @Nullable ChildCalls parent) {
        ToolInvocation invocation = inputs.canonical(tools, asked);
        PersonTime person = new PersonTime(parent == null ? null : parent.person());
        try {
            return journal.recorded(
                    invocation, tracker, person, () -> answer(tools, invocation, progress, person, parent));
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
     * @throws io.maestro.record.StoreException when it could not be recorded
     */
    public ToolResult refuse(ToolInvocation invocation, String reason) {
        return journal.recorded(
                        invocation,
                        (asked, answer) -> {},
                        new PersonTime(null),
                        () -> Bounded.of(ToolResult.error(reason)))
                .result();
    }

    /**
     * Decides on a call of a tool that runs elsewhere, such as a program's own. Nothing is recorded unless it is refused. Its
     * arguments cannot be changed here: a policy that does so has refused.
     *
     * @param definition its name, as policies know it
     * @param invocation what was asked for; its input is a JSON object
     * @return empty when it may run, or the answer for the model, which the record already holds
     * @throws io.maestro.record.StoreException when a refusal could not be recorded
     */
    public Optional<ToolResult> decide(ToolDefinition definition, ToolInvocation invocation) {
        String refusal;
        try {
            PolicyGate.ArgumentReading unchanged = input -> {
                throw new IllegalArgumentException(
                        "those of " + definition.name() + ", which does not run here, cannot be changed");
            };
            refusal = gate.decide(
                            invocation, definition, inputs.read(invocation.input()), unchanged, new PersonTime(null))
                    .refusal();
        } catch (InputReader.BadInput | RuntimeException e) {
            refusal = "it could not be decided on: " + Texts.describe(e);
        }
        return refusal.isEmpty()
                ? Optional.empty()
                : Optional.of(refuse(invocation, "The call was refused, nothing was run: " + refusal));
    }

    /** {@return whether a policy decides on calls at all} */
    public boolean hasPolicies() {
        return gate.hasPolicies();
    }

    /**
     * Whether a tool that runs elsewhere may be offered.
     *
     * @param state where it would be
     * @param definition the tool
     * @return false when a policy {@linkplain ToolPolicy#withholds withholds} it from who works in that state
     */
    public boolean offers(String state, ToolDefinition definition) {
        return gate.offers(state, definition);
    }

    /**
     * Whether somebody was asked about a call that has not run, by a process that has ended since: it can be called again then.
     *
     * @param tools the tools that the caller may use
     * @param invocation the call
     * @return false unless its question is in the record, and its answer was not used
     */
    public boolean isOpen(AgentTools tools, ToolInvocation invocation) {
        return approver.isOpen(inputs.canonical(tools, invocation));
    }

    private Bounded answer(
            AgentTools tools,
            ToolInvocation invocation,
            ToolProgress progress,
            PersonTime person,
            @Nullable ChildCalls parent) {
        try {
            List<ToolDefinition> allowed = tools.list();
            for (ToolDefinition definition : allowed) {
                if (definition.name().equals(invocation.tool())) {
                    return checked(tools, definition, invocation, progress, person, parent);
                }
            }
            List<String> names = allowed.stream().map(ToolDefinition::name).toList();
            return Bounded.of(ToolResult.error(Names.unknownTool(cleaner.text(invocation.tool()), names)));
        } catch (ChildCalls.UnrecordedException e) {
            throw e;
        } catch (RuntimeException | LinkageError | StackOverflowError e) {
            LOG.error("The tool runtime failed: {}", cleaner.text(Texts.stackTrace(e)));
            return Bounded.of(ToolResult.error(
                    "Maestro failed before or after the tool ran, which is no fault of yours: " + Texts.describe(e)));
        }
    }

    private Bounded checked(
            AgentTools tools,
            ToolDefinition definition,
            ToolInvocation invocation,
            ToolProgress progress,
            PersonTime person,
            @Nullable ChildCalls parent) {
        Optional<String> misplaced = parent == null ? Optional.empty() : parent.refusal(definition);
        if (misplaced.isPresent()) {
            return Bounded.of(
                    definition, ToolResult.error("The call was refused, nothing was run: " + misplaced.get()));
        }
        String broken = "The tool '" + definition.name() + "' is broken and can't be called: ";
        ToolArguments arguments;
        try {
            arguments = inputs.read(definition, invocation.input());
        } catch (InputReader.BadInput e) {
            return Bounded.of(definition, ToolResult.error(String.valueOf(e.getMessage())));
        } catch (IllegalArgumentException e) {
            return Bounded.of(definition, ToolResult.error(broken + e.getMessage()));
        }
        PolicyGate.PolicyVerdict verdict =
                gate.decide(invocation, definition, arguments, input -> inputs.read(definition, input), person);
        if (!verdict.refusal().isEmpty()) {
            return Bounded.of(
                    definition, ToolResult.error("The call was refused, nothing was run: " + verdict.refusal()));
        }
        if (Thread.currentThread().isInterrupted()) {
            return Bounded.of(definition, ToolThreads.NOT_BEGUN);
        }
        ToolResult result = execute(tools, definition, invocation, verdict.arguments(), progress, person, parent);
        return verdict.input().equals(invocation.input())
                ? Bounded.of(definition, result)
                : new Bounded(
                        noted(
                                "A policy has changed the arguments of this call. It was asked for with: "
                                        + Texts.headAndTail(cleaner.text(invocation.input()), MOST_OF_INPUT),
                                result),
                        definition.resultLimit(),
                        invocation.withInput(verdict.input()));
    }

    /** An answer with a note before its text. */
    private static ToolResult noted(String note, ToolResult answer) {
        ToolResult.Builder result = ToolResult.builder(note + "\n\n" + answer.text());
        if (answer.isError()) {
            result.error();
        }
        answer.data().forEach(result::data);
        answer.exitCode().ifPresent(result::exitCode);
        answer.signal().ifPresent(result::signal);
        return result.build();
    }

    private ToolResult execute(
            AgentTools tools,
            ToolDefinition definition,
            ToolInvocation invocation,
            ToolArguments arguments,
            ToolProgress progress,
            PersonTime person,
            @Nullable ChildCalls parent) {
        Duration limit = parent == null ? definition.timeLimit() : parent.limit(definition.timeLimit());
        ChildCalls children = new ChildCalls(
                (child, above) -> call(tools, child, ToolProgress.NOBODY, above).result(),
                tools,
                invocation,
                definition,
                limit,
                person,
                parent);
        try (CallProgress told = new CallProgress(journal, cleaner, invocation, definition.name(), progress)) {
            ToolCall call = new ToolCall(invocation.callId(), definition.name(), arguments, limit, children, told);
            return execute(call, children, () -> tools.get(call.tool()).execute(call));
        }
    }

    /** On a thread of its own, for which what is current for telemetry here is current, too. */
    private ToolResult execute(ToolCall call, ChildCalls children, Callable<@Nullable ToolResult> tool) {
        ToolThreads.RunOutcome outcome;
        Telemetry.Context context = telemetry.current();
        try (children) {
            outcome = threads.run(
                    () -> {
                        try (children;
                                Telemetry.Scope scope = context.enter()) {
                            return tool.call();
                        }
                    },
                    children::nanosLeft);
        } catch (RejectedExecutionException e) {
            return ToolResult.error("The call was cancelled before it began: Maestro is being closed.");
        }
        children.requireRecorded();
        return threads.answer(call, outcome, cleaner);
    }

    /** Interrupts the tools that still run and waits for them for a short while. Calls after it are answered with an error. */
    @Override
    public void close() {
        threads.close();
    }

    /** Collects the parts of a runtime. Not safe for use by several threads. */
    public static final class Builder {
        private @Nullable BiConsumer<AuditLog.ToolExecution, CleanText> record;
        private @Nullable Redactor redactor;
        private final List<ToolPolicy> policies = new ArrayList<>();
        private ToolApprover approver = ToolApprover.NOBODY;
        private MaestroListener listener = event -> {};
        private ToolTracker tracker = (invocation, answer) -> {};
        private Telemetry telemetry = Telemetry.NONE;
        private Duration stopGrace = Duration.ofSeconds(2);

        private Builder() {}

        /**
         * Sets where calls are recorded. Required.
         *
         * @param writer writes a call before its answer is given, whose text it gets beside it; what it throws, the caller of the
         *     tool gets
         * @return this
         */
        public Builder record(BiConsumer<AuditLog.ToolExecution, CleanText> writer) {
            this.record = Objects.requireNonNull(writer, "writer");
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
         * Adds a policy that decides on each call. A call runs when all policies allow it; without one, everything that is
         * allowed and valid runs.
         *
         * @param decision the policy; one that throws has refused
         * @return this
         */
        public Builder policy(ToolPolicy decision) {
            policies.add(Objects.requireNonNull(decision, "decision"));
            return this;
        }

        /**
         * Sets who decides on a call when a policy asks.
         *
         * @param decider {@link ToolApprover#NOBODY} unless set
         * @return this
         */
        public Builder approver(ToolApprover decider) {
            this.approver = Objects.requireNonNull(decider, "decider");
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

        /**
         * Sets who traces the calls.
         *
         * @param tracer {@link Telemetry#NONE} unless set; what it throws reaches the callers
         * @return this
         */
        public Builder telemetry(Telemetry tracer) {
            this.telemetry = Objects.requireNonNull(tracer, "tracer");
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
         * @throws IllegalStateException when the record or the redactor is missing
         */
        public ToolRuntime build() {
            if (record == null || redactor == null) {
                throw new IllegalStateException(
                        "a ToolRuntime needs a record and a redactor: every call is recorded, and"
                                + " free of secrets");
            }
            return new ToolRuntime(this, record, redactor);
        }
    }
}
