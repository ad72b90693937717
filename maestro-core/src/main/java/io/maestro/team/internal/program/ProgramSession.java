package io.maestro.team.internal.program;

import io.maestro.agent.Agent;
import io.maestro.agent.AgentResult;
import io.maestro.agent.AgentTask;
import io.maestro.agent.CoderState;
import io.maestro.agent.Limits;
import io.maestro.agents.AgentContext;
import io.maestro.audit.Store;
import io.maestro.audit.StoreException;
import io.maestro.budget.internal.PaidRequest;
import io.maestro.environment.Environment;
import io.maestro.error.MaestroException;
import io.maestro.event.MaestroEvent;
import io.maestro.internal.Uninterrupted;
import io.maestro.llm.LlmContent;
import io.maestro.llm.Usage;
import io.maestro.runtime.ToolInvocation;
import io.maestro.team.internal.coder.StoryRun;
import io.maestro.team.internal.loop.ChatInbox;
import io.maestro.team.internal.loop.Signals;
import io.maestro.team.internal.loop.ToolLoop;
import io.maestro.team.internal.machine.CancelledException;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolProvider;
import io.maestro.tools.ToolResult;
import io.maestro.tools.ToolSignal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a program has before it while it works on a story in one state; kept until the attempt ends. The story's thread works with
 * it and closes it, all else is safe for use by several threads.
 */
public final class ProgramSession implements AgentContext, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ProgramSession.class);

    /** Answered by the environment, which may put another container in the place of the program's. */
    private static final Set<String> MOVES = Set.of("container_switch", "container_update");

    private static final Set<String> ROLES = Set.of("user", "assistant", "note");

    private final StoryRun run;
    private final ProgramServices services;
    private final CoderState state;
    private final ToolProvider provider;
    private final Map<String, ToolDefinition> tools;
    private final ReentrantLock chat = new ReentrantLock();
    private long chatRead;
    private volatile int step;
    private volatile ProgramTurn turn;
    private volatile String instructions = "";
    private volatile String assignment = "";
    private @Nullable Agent work;

    /** How much of the guidance the program may have been told in a step that was interrupted. */
    private int mayKnow;

    ProgramSession(StoryRun run, ProgramServices services) {
        this.run = run;
        this.services = services;
        this.state = run.state();
        this.provider = services.contexts().tools(run);
        this.tools = provider.list().stream()
                .collect(Collectors.toUnmodifiableMap(ToolDefinition::name, tool -> tool, (one, other) -> one));
        this.turn = new ProgramTurn(services.limits());
    }

    /** An earlier life may have told so much of the guidance, if it has worked in this step. */
    void goesOnAfter(int earlier) {
        mayKnow = hasBegunBefore() ? earlier : 0;
    }

    /**
     * Lets the program work; goes on with the one that waits for an answer, if there is one.
     *
     * @param untold what it has not been told, as far as that is known
     */
    ToolLoop.Outcome turn(List<String> untold) {
        List<String> news = new ArrayList<>();
        for (int i = 0; i < untold.size(); i++) {
            news.add((i < mayKnow ? ProgramDriver.AGAIN : "") + untold.get(i));
        }
        mayKnow = untold.size();
        ToolLoop.Outcome outcome = work(news);
        mayKnow = 0;
        return outcome;
    }

    private ToolLoop.Outcome work(List<String> news) {
        step = run.step();
        ProgramTurn now = new ProgramTurn(services.limits());
        turn = now;
        AgentResult outcome;
        try {
            outcome = run.stop()
                    .calling(
                            "the coder mode " + services.program().id(),
                            () -> work().run(new AgentTask(
                                    news.stream().map(this::clean).toList())));
        } catch (StoreException e) {
            throw e;
        } catch (RuntimeException e) {
            CancelledException.check();
            return afterAll(now, e);
        }
        CancelledException.check();
        // What was accepted counts, whatever the program makes of it.
        Optional<ToolSignal> signal = now.close();
        if (signal.isPresent()) {
            return new ToolLoop.Outcome.Signalled(signal.get());
        }
        run.sandbox().requireCommandsAnswered();
        switch (outcome.ending()) {
            case OVER_BUDGET -> {
                return new ToolLoop.Outcome.OverBudget(now.facts(outcome.text(), run.meter()));
            }
            case STUCK -> {
                return new ToolLoop.Outcome.Stuck(outcome.text());
            }
            default -> {
                // Below.
            }
        }
        throw new MaestroException("the coder mode " + services.program().id() + " is faulty: it says " + outcome
                + ", but no call of a terminal tool was accepted");
    }

    /** A turn that was ended is over, whatever happens to the program then. */
    private ToolLoop.Outcome afterAll(ProgramTurn now, RuntimeException failure) {
        close();
        ToolSignal signal = now.close().orElseThrow(() -> failure);
        LOG.warn(
                "the program of {} for story {} failed after it had ended its turn with {}: {}",
                run.agentId(),
                run.story().id(),
                signal.name(),
                failure.getMessage());
        return new ToolLoop.Outcome.Signalled(signal);
    }

    private Agent work() {
        Agent known = work;
        if (known != null) {
            return known;
        }
        instructions = clean(services.contexts().instructions(run, provider));
        assignment = clean(services.contexts().storyPrompt(run));
        Agent opened = services.program().mode().open(this);
        work = opened;
        return opened;
    }

    /** The program sends it to a model. */
    private String clean(String text) {
        return services.redactor().redact(text);
    }

    /** Whether an earlier life has worked in this step. */
    private boolean hasBegunBefore() {
        return services.store().messages(run.story().id()).stream()
                .anyMatch(row -> row.attempt() == run.attempt()
                        && row.step() == run.step()
                        && row.agentId().equals(run.agentId())
                        && row.state().equals(conversation()));
    }

    /** Beside the state stands whose conversation it is: Maestro's own is not to be mistaken for it. */
    private String conversation() {
        return state.name() + "/" + services.program().id();
    }

    /** The call that ended the turn in this step. */
    @Nullable
    String endedBy() {
        String here = turn.endedBy();
        return here != null
                ? here
                : RecordedSignal.callId(run, tools(), services.store()).orElse(null);
    }

    /** Ends the program; its session stays. */
    @Override
    public void close() {
        Agent open = work;
        work = null;
        if (open != null) {
            Uninterrupted.closing(
                    "the program of " + run.agentId() + " for story "
                            + run.story().id(),
                    open);
        }
    }

    @Override
    public String agentId() {
        return run.agentId();
    }

    @Override
    public String role() {
        return "coder";
    }

    @Override
    public String storyId() {
        return run.story().id();
    }

    @Override
    public int attempt() {
        return run.attempt();
    }

    @Override
    public CoderState state() {
        return state;
    }

    @Override
    public Environment environment() {
        return run.environment();
    }

    @Override
    public Limits limits() {
        return services.limits();
    }

    @Override
    public List<ToolDefinition> tools() {
        return provider.list();
    }

    @Override
    public Call call(String callId, String tool, String input) {
        ProgramTurn now = turn;
        Optional<String> refusal = now.refusal();
        if (refusal.isPresent()) {
            return new Call(ToolResult.error(refusal.get()), Optional.empty());
        }
        ToolResult result = services.runtime()
                .call(
                        provider,
                        new ToolInvocation(
                                callId,
                                tool,
                                input,
                                new ToolInvocation.Caller(
                                        run.sessionId(),
                                        run.agentId(),
                                        run.story().id(),
                                        run.attempt(),
                                        state.name())));
        ToolDefinition known = tools.get(tool);
        now.ran(new LlmContent.ToolUse(callId, tool, input), known != null && known.readOnly(), result);
        ToolSignal signal = known != null && known.terminal() && !result.isError()
                ? result.signal().orElse(null)
                : null;
        return signal == null ? new Call(result, Optional.empty()) : ended(now, callId, result, signal);
    }

    private Call ended(ProgramTurn now, String callId, ToolResult result, ToolSignal signal) {
        Optional<String> fault = Signals.fault(signal, Signals.of(state));
        if (fault.isPresent()) {
            LOG.warn("a terminal tool is faulty: {}", fault.get());
            return new Call(
                    ToolResult.error("the tool is faulty, which is not your fault: " + fault.get()), Optional.empty());
        }
        return now.end(callId, signal)
                ? new Call(result, Optional.of(signal))
                : new Call(ToolResult.error(now.refusal().orElse("not run")), Optional.empty());
    }

    @Override
    public boolean movesCoder(String tool) {
        return services.isolates() && MOVES.contains(tool);
    }

    @Override
    public String instructions() {
        return instructions;
    }

    @Override
    public String assignment() {
        return assignment;
    }

    @Override
    public String prompt(String prompt, Map<String, ?> variables) {
        return clean(services.prompts().render(prompt, variables));
    }

    @Override
    public Optional<String> session() {
        return run.session(state);
    }

    @Override
    public void session(String id) {
        run.session(services.store(), state, id);
    }

    @Override
    public Request reserve(String model, long inputTokens, long outputTokens) {
        PaidRequest paid = run.meter()
                .account()
                .reserve(run.agentId(), conversation(), run.attempt(), model, inputTokens, outputTokens);
        return new Request() {
            @Override
            public void used(String answered, Usage usage) {
                run.meter().answered();
                ProgramSession.this.used(paid, answered, usage);
            }

            @Override
            public void unanswered(String asked, Usage most) {
                ProgramSession.this.used(paid, asked, most);
            }

            @Override
            public void failed(boolean mayBeCharged) {
                paid.failed(mayBeCharged);
            }
        };
    }

    @Override
    public void used(String model, Usage usage) {
        run.meter().answered();
        used(run.meter().account().unreserved(run.agentId(), conversation(), run.attempt(), model), model, usage);
    }

    private void used(PaidRequest paid, String model, Usage usage) {
        // The row first: the next life counts what is there.
        paid.record(services.store(), message("assistant", "[]", model, usage));
        services.events()
                .onEvent(new MaestroEvent.ModelAnswered(run.story().id(), run.agentId(), model, usage, Duration.ZERO));
        run.meter().add(model, model, usage);
    }

    @Override
    public Optional<String> exceeded() {
        return run.meter().exceeded();
    }

    @Override
    public void record(String role, String content) {
        if (!ROLES.contains(role)) {
            throw new IllegalArgumentException("the role must be one of " + ROLES + ", is '" + role + "'");
        }
        services.store().recordMessage(message(role, content, null, Usage.NONE));
    }

    private Store.Message message(String role, String content, @Nullable String model, Usage usage) {
        return new Store.Message(
                run.sessionId(),
                run.story().id(),
                run.attempt(),
                run.agentId(),
                conversation(),
                step,
                role,
                content,
                model,
                null,
                usage.inputTokens(),
                usage.outputTokens(),
                usage.cacheReadTokens(),
                usage.cacheWriteTokens(),
                Instant.now());
    }

    @Override
    public Optional<String> unread() {
        chat.lock();
        try {
            ChatInbox.News news =
                    services.notes().unread(run.agentId(), run.story().id(), Math.max(chatRead, run.chatSince()));
            chatRead = Math.max(chatRead, news.upTo());
            return news.block();
        } finally {
            chat.unlock();
        }
    }
}
