package io.maestro.team.internal.loop;

import io.maestro.agent.Limits;
import io.maestro.budget.internal.PaidRequest;
import io.maestro.event.MaestroEvent;
import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmContent;
import io.maestro.llm.LlmContextOverflowException;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.llm.Usage;
import io.maestro.prompt.internal.Prompts;
import io.maestro.runtime.ToolInvocation;
import io.maestro.runtime.ToolRuntime;
import io.maestro.secrets.CleanText;
import io.maestro.team.internal.machine.Events;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolResult;
import io.maestro.tools.ToolSignal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The loop of model and tools, for every role: ask the model, run the tools that it calls, give it the results, until a
 * terminal tool's signal. Bounded in turns, in tokens, cost and time, in reminders and in repetitions. Safe for use by several
 * threads.
 */
public final class ToolLoop {
    private static final Logger LOG = LoggerFactory.getLogger(ToolLoop.class);

    /** How often in a turn a conversation that its model cannot read is shortened. */
    private static final int MOST_OVERFLOWS = 2;

    /** How many tools that only read run at the same time. */
    static final int PARALLEL_CALLS = 4;

    private final ToolRuntime runtime;
    private final Prompts prompts;
    private final Events events;
    private final Traces traces;
    private final Limits limits;
    private final String sessionId;
    private final Function<String, OptionalDouble> temperatures;

    /** A loop that leaves the temperature to the models' vendors. */
    public ToolLoop(ToolRuntime runtime, Prompts prompts, Events events, Limits limits, String sessionId) {
        this(runtime, prompts, events, limits, sessionId, state -> OptionalDouble.empty());
    }

    /**
     * A loop.
     *
     * @param temperatures the temperature by the state's name
     */
    public ToolLoop(
            ToolRuntime runtime,
            Prompts prompts,
            Events events,
            Limits limits,
            String sessionId,
            Function<String, OptionalDouble> temperatures) {
        this.runtime = runtime;
        this.prompts = prompts;
        this.events = events;
        this.traces = new Traces(events.telemetry());
        this.limits = limits;
        this.sessionId = sessionId;
        this.temperatures = temperatures;
    }

    /** How a loop ended. */
    public sealed interface LoopOutcome {
        /** A terminal tool has completed. */
        record Signalled(ToolSignal signal) implements LoopOutcome {}

        /** A budget is used up; more of it may help. */
        record OverBudget(LoopFacts details) implements LoopOutcome {
            /** For the architect and the record; the first line says which budget. */
            public String facts() {
                return details.toText();
            }
        }

        /** The model does not come to an end; more of the same will not help. */
        record Stuck(String reason) implements LoopOutcome {}
    }

    /**
     * Runs the loop until it ends.
     *
     * @throws io.maestro.error.MaestroException when the cost is limited and the model has no price
     */
    public LoopOutcome run(LoopInput input) {
        return new LoopRun(input).run();
    }

    /** One run of the loop, with its counts. */
    private final class LoopRun {
        private final LoopInput input;
        private final ModelConversation conversation;
        private final LlmClient model;
        private final Map<String, ToolDefinition> tools;
        private final Set<String> terminal;
        private final ContextWindow window;
        private final CallLog log = new CallLog();
        private int reminders;
        private int cuts;

        LoopRun(LoopInput input) {
            this.input = input;
            this.conversation = input.conversation();
            this.model = input.model();
            this.tools = input.tools().list().stream()
                    .collect(Collectors.toUnmodifiableMap(ToolDefinition::name, tool -> tool, (one, other) -> one));
            this.terminal = tools.values().stream()
                    .filter(ToolDefinition::terminal)
                    .map(ToolDefinition::name)
                    .collect(Collectors.toUnmodifiableSet());
            this.window = new ContextWindow(input, limits.contextTokens());
        }

        LoopOutcome run() {
            try {
                return toEnd();
            } catch (OutOfTimeException e) {
                return overBudget(String.valueOf(e.getMessage()));
            }
        }

        private LoopOutcome toEnd() {
            LoopOutcome recovered = recover();
            if (recovered != null) {
                return recovered;
            }
            // Counted by the conversation, since an earlier process may have used up some of them.
            while (conversation.turnsInStep() < limits.turnsPerState()) {
                input.stop().check();
                Optional<String> exceeded = input.bounded() ? input.meter().exceeded() : Optional.empty();
                if (exceeded.isPresent()) {
                    return overBudget(exceeded.get());
                }
                input.texts().news().get().ifPresent(conversation::addUser);
                window.fit();
                log.nextTurn();
                LoopOutcome outcome = turn();
                if (outcome != null) {
                    return outcome;
                }
            }
            return overBudget("all " + limits.turnsPerState() + " turns are used up");
        }

        private LoopOutcome overBudget(String reason) {
            return new LoopOutcome.OverBudget(log.facts(reason, input.meter()));
        }

        /** Asks and does what the model says; null when the loop goes on. */
        private @Nullable LoopOutcome turn() {
            for (int shortened = 0; ; shortened++) {
                try {
                    LlmResponse response = ask();
                    return react(response.toolUses(), response.stopReason(), this::answer);
                } catch (LlmContextOverflowException e) {
                    if (shortened == MOST_OVERFLOWS || !window.halve()) {
                        return new LoopOutcome.Stuck("the conversation is too long for " + model.model()
                                + ", also after it was shortened " + shortened
                                + " times; give it a shorter story, or a model with a larger window: "
                                + e.getMessage());
                    }
                    LOG.warn("the conversation of {} was shortened: {}", conversation.origin(), e.getMessage());
                }
            }
        }

        /** Does what an earlier process could not do any more before it was killed; null when the model is to be asked. */
        private @Nullable LoopOutcome recover() {
            for (LlmContent.ToolUse use : conversation.justAnswered()) {
                // A terminal tool does nothing but send its signal, which was not acted on.
                ToolSignal sent = terminal.contains(use.name()) ? call(use).signal() : null;
                if (sent != null) {
                    return new LoopOutcome.Signalled(sent);
                }
            }
            return conversation.endsWithAnswer()
                    ? react(conversation.unanswered(), conversation.stopReason(), this::recordedAnswer)
                    : null;
        }

        /** The answer to a call that an earlier process may have begun. */
        private Supplier<CallAnswer> recordedAnswer(LlmContent.ToolUse use) {
            if (readsOnly(use)
                    || terminal.contains(use.name())
                    || !tools.containsKey(use.name())
                    || runtime.isOpen(input.tools(), invocation(use))) {
                return () -> call(use);
            }
            ToolResult result =
                    conversation.executed(use).map(RecordedResult::result).orElseGet(RecordedResult::interrupted);
            return () -> new CallAnswer(result.text(), result.isError());
        }

        private LlmResponse ask() {
            LlmRequest.Origin origin = conversation.origin();
            LlmRequest request = new LlmRequest(
                    origin,
                    conversation.system(),
                    conversation.messages(),
                    input.tools().list(),
                    limits.answerTokens(),
                    temperatures.apply(origin.state()));
            PaidRequest paid = input.meter().account().reserve(request, conversation.attempt(), model.model());
            events.onEvent(new MaestroEvent.ModelCalled(
                    origin.storyId(),
                    origin.agentId(),
                    conversation.attempt(),
                    origin.state(),
                    model.model(),
                    Instant.now()));
            long start = System.nanoTime();
            LlmResponse response =
                    traces.model(conversation, model.model(), input.meter().account(), () -> answer(request, paid));
            Usage usage = Objects.requireNonNull(response.usage());
            events.onEvent(new MaestroEvent.ModelAnswered(
                    origin.storyId(),
                    origin.agentId(),
                    conversation.attempt(),
                    origin.state(),
                    response.model(),
                    usage,
                    Duration.ofNanos(System.nanoTime() - start),
                    Instant.now()));
            input.meter().answered();
            input.meter().add(model.model(), response.model(), usage);
            return response;
        }

        private LlmResponse answer(LlmRequest request, PaidRequest paid) {
            WrittenText written = conversation.written(events);
            LlmResponse response;
            try {
                response = timed(() -> input.stop()
                        .calling("the client of model " + model.model(), () -> paid.send(model, request, written)));
            } catch (OutOfTimeException e) {
                // Does nothing when it was sent: its end is known then.
                paid.failed(false);
                throw e;
            }
            written.onEnd();
            conversation.addAssistant(response, paid);
            return response;
        }

        private <T> T timed(Supplier<T> work) {
            return input.bounded() ? input.meter().timed(input.stop(), work, answer -> true) : work.get();
        }

        /** What follows from an answer, of now or of an earlier process; null when the loop goes on. */
        private @Nullable LoopOutcome react(
                List<LlmContent.ToolUse> uses,
                LlmResponse.@Nullable StopReason stopReason,
                Function<LlmContent.ToolUse, Supplier<CallAnswer>> caller) {
            boolean cut = stopReason == LlmResponse.StopReason.MAX_TOKENS;
            if (stopReason == LlmResponse.StopReason.REFUSAL) {
                return new LoopOutcome.Stuck(model.model() + " refused to answer; look at the story's text");
            }
            if (uses.isEmpty()) {
                return remind(cut);
            }
            if (cut) {
                // The last call may be cut in the middle of its arguments: running it would be a guess.
                String reason =
                        "not run: your answer was cut at " + limits.answerTokens() + " tokens; do it in smaller steps";
                conversation.addUser(
                        uses.stream().map(use -> notRun(use, reason)).toList(), List.of());
                return null;
            }
            return runAll(uses, caller);
        }

        private @Nullable LoopOutcome remind(boolean cut) {
            cuts += cut ? 1 : 0;
            if (++reminders > limits.reminders()) {
                return new LoopOutcome.Stuck(
                        model.model() + " ended its turn " + reminders + " times without calling one of "
                                + terminal.stream().sorted().toList() + "; "
                                + (cuts > 0
                                        ? cuts + " of its answers were cut at " + limits.answerTokens()
                                                + " tokens: raise Limits.answerTokens or budgets.answer_tokens"
                                        : "try another model or a clearer story"));
            }
            String names =
                    terminal.stream().sorted().map(name -> '`' + name + '`').collect(Collectors.joining(", "));
            conversation.addUser((cut ? "Your answer was cut at " + limits.answerTokens() + " tokens.\n" : "")
                    + prompts.render("reminder", Map.of("terminal", names)));
            return null;
        }

        private @Nullable LoopOutcome runAll(
                List<LlmContent.ToolUse> uses, Function<LlmContent.ToolUse, Supplier<CallAnswer>> caller) {
            List<LlmContent> replies = new ArrayList<>(uses.size());
            List<CleanText> clean = new ArrayList<>(uses.size());
            ToolSignal signal = null;
            String over = "";
            while (replies.size() < uses.size() && over.isEmpty()) {
                List<LlmContent.ToolUse> group = group(uses, replies.size());
                List<CallAnswer> answers = ParallelCalls.run(
                        group.stream().map(caller).map(traces::carried).toList(), PARALLEL_CALLS, input.stop());
                input.stop().check();
                for (int i = 0; i < group.size(); i++) {
                    CallAnswer answer = answers.get(i);
                    note(group.get(i), answer);
                    clean.addAll(answer.clean());
                    replies.add(new LlmContent.ToolReply(group.get(i).id(), answer.text(), answer.error()));
                    signal = answer.signal();
                    if (signal != null) {
                        over = "not run: your turn ended with " + signal.name();
                    } else if (answer.notRun() == NotRun.OUT_OF_TIME) {
                        over = answer.text();
                    }
                }
            }
            for (LlmContent.ToolUse use : uses.subList(replies.size(), uses.size())) {
                // Every call must be answered, or the conversation cannot go on.
                replies.add(notRun(use, over));
            }
            conversation.addUser(replies, clean);
            return signal == null
                    ? log.circling().map(this::overBudget).orElse(null)
                    : new LoopOutcome.Signalled(signal);
        }

        /**
         * The calls that come next: neighbours that only read, or a single other one. The same call comes only once, so that
         * its failures are counted.
         */
        private List<LlmContent.ToolUse> group(List<LlmContent.ToolUse> uses, int from) {
            Set<CallKey> keys = new HashSet<>();
            int to = from;
            while (to < uses.size() && readsOnly(uses.get(to)) && keys.add(CallKey.of(uses.get(to)))) {
                to++;
            }
            return uses.subList(from, Math.max(to, from + 1));
        }

        private boolean readsOnly(LlmContent.ToolUse use) {
            ToolDefinition tool = tools.get(use.name());
            return tool != null && tool.readOnly() && !tool.terminal();
        }

        /** Runs a call, or refuses to; the log is read here and written later, on the loop's own thread. */
        private Supplier<CallAnswer> answer(LlmContent.ToolUse use) {
            Optional<String> refusal = log.refusal(CallKey.of(use));
            return refusal.<Supplier<CallAnswer>>map(text -> () -> new CallAnswer(
                            runtime.refuse(invocation(use), text).text(), true, null, NotRun.FAILED_BEFORE, List.of()))
                    .orElse(() -> call(use));
        }

        private LlmContent notRun(LlmContent.ToolUse use, String reason) {
            return new LlmContent.ToolReply(
                    use.id(), runtime.refuse(invocation(use), reason).text(), true);
        }

        private ToolInvocation invocation(LlmContent.ToolUse use) {
            LlmRequest.Origin origin = conversation.origin();
            return new ToolInvocation(
                    use.id(),
                    use.name(),
                    use.input(),
                    new ToolInvocation.Caller(
                            sessionId, origin.agentId(), origin.storyId(), conversation.attempt(), origin.state()));
        }

        private void note(LlmContent.ToolUse use, CallAnswer answer) {
            CallKey key = CallKey.of(use);
            if (answer.notRun() == null) {
                log.ran(key, readsOnly(use), answer.error() ? answer.text() : null);
            } else if (answer.notRun() == NotRun.FAILED_BEFORE) {
                log.refused(key);
            }
        }

        private CallAnswer call(LlmContent.ToolUse use) {
            List<CleanText> clean = new ArrayList<>(1);
            ToolResult result;
            try {
                result = inTime(use, clean);
            } catch (OutOfTimeException e) {
                String reason = "not run: " + e.getMessage();
                return new CallAnswer(
                        runtime.refuse(invocation(use), reason).text(), true, null, NotRun.OUT_OF_TIME, List.of());
            }
            boolean interrupted = input.stop().dropStray().isPresent();
            if (interrupted) {
                LOG.warn(
                        "a call of {} for {} was interrupted, and not by Maestro: a tool or a policy of the host"
                                + " must not interrupt the thread that it is called on",
                        use.name(),
                        conversation.origin());
            }
            if (interrupted && result.isError()) {
                return new CallAnswer(
                        result.text() + "\nThe call was interrupted by something that was called, and not by Maestro.",
                        true);
            }
            ToolSignal signal = terminal.contains(use.name()) && !result.isError()
                    ? result.signal().orElse(null)
                    : null;
            Optional<String> fault = signal == null ? Optional.empty() : Signals.fault(signal, input.signals());
            if (fault.isPresent()) {
                LOG.warn("the tool {} is faulty: {}", use.name(), fault.get());
                return new CallAnswer("the tool is faulty, which is not your fault: " + fault.get(), true);
            }
            return new CallAnswer(result.text(), result.isError(), signal, null, clean);
        }

        /** A terminal tool takes no time; what is to be done next is looked at when that begins. */
        private ToolResult inTime(LlmContent.ToolUse use, List<CleanText> clean) {
            Supplier<ToolResult> call = () -> {
                ToolRuntime.Answer answer = runtime.answer(input.tools(), invocation(use));
                clean.add(answer.text());
                return answer.result();
            };
            return input.bounded() && !terminal.contains(use.name())
                    ? input.meter().timedCall(input.stop(), call)
                    : call.get();
        }
    }

    /** Why a call was not run. */
    private enum NotRun {
        FAILED_BEFORE,
        OUT_OF_TIME
    }

    /**
     * What a call came to.
     *
     * @param clean holds the text unless something was added to it
     */
    private record CallAnswer(
            String text,
            boolean error,
            @Nullable ToolSignal signal,
            @Nullable NotRun notRun,
            List<CleanText> clean) {
        CallAnswer(String text, boolean error) {
            this(text, error, null, null, List.of());
        }
    }
}
