package io.maestro.team.internal.agent.program;

import io.maestro.agent.Agent;
import io.maestro.agent.AgentResult;
import io.maestro.agent.Limits;
import io.maestro.agent.spi.AgentContext;
import io.maestro.budget.internal.PaidRequest;
import io.maestro.error.MaestroException;
import io.maestro.internal.Uninterrupted;
import io.maestro.llm.LlmContent;
import io.maestro.llm.LlmStreamListener;
import io.maestro.llm.Usage;
import io.maestro.prompt.internal.Prompts;
import io.maestro.record.AuditLog;
import io.maestro.record.StoreException;
import io.maestro.record.internal.Store;
import io.maestro.runtime.ToolInvocation;
import io.maestro.runtime.ToolRuntime;
import io.maestro.secrets.Redactor;
import io.maestro.story.CoderState;
import io.maestro.team.internal.loop.Meter;
import io.maestro.team.internal.loop.OutOfTimeException;
import io.maestro.team.internal.loop.Signals;
import io.maestro.team.internal.machine.CancelledException;
import io.maestro.team.internal.machine.Events;
import io.maestro.team.internal.machine.StopSignal;
import io.maestro.tools.AgentTools;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolResult;
import io.maestro.tools.ToolSignal;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What every program may use, whether it is a coder of a team or works alone: it calls tools, pays for requests to models and
 * writes into the record. One thread opens the program, has it work turn by turn and closes it; all else is safe for use by
 * several threads.
 */
public abstract class ProgramContext implements AgentContext, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ProgramContext.class);

    private static final Set<String> ROLES = Set.of("system", "user", "assistant", "note");

    /** No real conversation has so many; what is in a container may only call itself one. */
    private static final int MOST_TEXTS = 20_000;

    private final ProgramWork work;
    private final AgentServices services;
    private final Map<String, ToolDefinition> tools;
    private final ProgramEvents told;
    private volatile ProgramTurn turn;
    private volatile int step;
    private @Nullable Agent program;

    private final ReentrantLock recording = new ReentrantLock();

    /** The hashes of what the record has of this state; null until somebody asks. */
    private @Nullable Set<String> recorded;

    /**
     * Who works on what.
     *
     * @param caller who calls tools, for their record
     * @param role as what
     * @param state in which state
     * @param conversation what the record of messages has in the place of a state
     */
    public record ProgramWork(ToolInvocation.Caller caller, String role, CoderState state, String conversation) {}

    /**
     * By what an agent is recorded, bounded and told.
     *
     * @param runtime where its calls run
     * @param agentTools its tools
     * @param signals what may end its turn; see {@link Signals}
     * @param prompts what it is told
     * @param store the record
     * @param redactor takes the secrets out of what it is told
     * @param limits what it may cost
     * @param events who watches
     */
    public record AgentServices(
            ToolRuntime runtime,
            AgentTools agentTools,
            Map<String, List<String>> signals,
            Prompts prompts,
            Store store,
            Redactor redactor,
            Limits limits,
            Events events) {}

    /** Nothing is opened or called yet. */
    protected ProgramContext(ProgramWork work, AgentServices services) {
        this.work = work;
        this.services = services;
        this.tools = services.agentTools().list().stream()
                .collect(Collectors.toUnmodifiableMap(ToolDefinition::name, tool -> tool, (one, other) -> one));
        this.turn = new ProgramTurn();
        this.told = new ProgramEvents(work.caller(), services.redactor(), services.events());
    }

    @Override
    public final Map<String, String> traceVariables() {
        return services.events().telemetry().variables();
    }

    /** Opens the program; nothing of it runs. */
    protected abstract Agent open();

    /** What it has cost so far. */
    protected abstract Meter meter();

    /**
     * Lets the program work until its turn is over. The call that was accepted counts, whatever the program makes of it: it may
     * say something else, or fail. One that fails is closed, and the next turn opens it anew.
     *
     * @param number the turn's step in the record
     * @param stop why the thread is to stop
     * @param working has the {@linkplain #program() program} work
     * @return how the turn ended: by that call, else as the program says
     * @throws OutOfTimeException when the time is used up before that
     */
    protected final AgentResult turn(int number, StopSignal stop, Supplier<AgentResult> working) {
        step = number;
        ProgramTurn now = new ProgramTurn();
        turn = now;
        AgentResult result;
        try {
            result = meter().timed(stop, working, ended -> ended.ending() != AgentResult.Ending.CANCELLED);
        } catch (StoreException e) {
            end();
            throw e;
        } catch (RuntimeException e) {
            end();
            CancelledException.check();
            ToolSignal signal = now.close().orElseThrow(() -> e);
            LOG.warn(
                    "the program of {} for {} failed after it had ended its turn with {}: {}",
                    agentId(),
                    storyId(),
                    signal.name(),
                    e.getMessage());
            return AgentResult.completed(signal);
        }
        CancelledException.check();
        return now.close().map(AgentResult::completed).orElse(result);
    }

    /** The program, opened where it is not. */
    protected final Agent program() {
        Agent known = program;
        if (known == null) {
            known = open();
            program = known;
        }
        return known;
    }

    /** Whether the program is open: the next turn goes on with it. */
    protected final boolean isOpen() {
        return program != null;
    }

    private void end() {
        Agent known = program;
        program = null;
        if (known != null) {
            Uninterrupted.closing("the program of " + agentId(), known);
        }
    }

    /** Ends the program; its session stays. */
    @Override
    public void close() {
        end();
    }

    /** The newest turn. */
    final ProgramTurn turn() {
        return turn;
    }

    @Override
    public final String agentId() {
        return work.caller().agentId();
    }

    @Override
    public final String role() {
        return work.role();
    }

    @Override
    public final String storyId() {
        return work.caller().storyId();
    }

    @Override
    public final int attempt() {
        return work.caller().attempt();
    }

    @Override
    public final CoderState state() {
        return work.state();
    }

    /** The program sends it to a model. */
    protected final String clean(String text) {
        return services.redactor().redact(text);
    }

    /** The texts of a task, which the program sends to a model. */
    protected final List<String> clean(List<String> texts) {
        return texts.stream().map(this::clean).toList();
    }

    /** What the record of messages has in the place of a state. */
    final String conversation() {
        return work.conversation();
    }

    @Override
    public final Limits limits() {
        return services.limits();
    }

    @Override
    public final List<ToolDefinition> tools() {
        return services.agentTools().list();
    }

    @Override
    public final Call call(String callId, String tool, String input) {
        ProgramTurn now = turn;
        Optional<String> refusal = now.refusal();
        if (refusal.isPresent()) {
            return new Call(refuse(callId, tool, input, refusal.get()), Optional.empty());
        }
        ToolDefinition known = tools.get(tool);
        Supplier<ToolResult> run = () ->
                services.runtime().call(services.agentTools(), new ToolInvocation(callId, tool, input, work.caller()));
        ToolResult result;
        try {
            // A terminal tool takes no time.
            result = known != null && known.terminal() ? run.get() : meter().timedCall(StopSignal.byInterrupt(), run);
        } catch (OutOfTimeException e) {
            return new Call(refuse(callId, tool, input, "not run: " + e.getMessage()), Optional.empty());
        }
        now.ran(new LlmContent.ToolUse(callId, tool, input), known != null && known.readOnly(), result);
        ToolSignal signal = known != null && known.terminal() && !result.isError()
                ? result.signal().orElse(null)
                : null;
        return signal == null ? new Call(result, Optional.empty()) : ended(now, callId, result, signal);
    }

    @Override
    public final ToolResult refuse(String callId, String tool, String input, String reason) {
        return services.runtime().refuse(new ToolInvocation(callId, tool, input, work.caller()), reason);
    }

    @Override
    public final boolean decidesOnOwnTools() {
        return services.runtime().hasPolicies();
    }

    @Override
    public final boolean offersOwnTool(String tool) {
        return services.runtime().offers(work.caller().state(), own(tool));
    }

    @Override
    public final Optional<ToolResult> decideOnOwnTool(String callId, String tool, String input) {
        ToolInvocation invocation = new ToolInvocation(callId, tool, input, work.caller());
        return ToolDefinition.isValidName(tool)
                ? services.runtime().decide(own(tool), invocation)
                : Optional.of(services.runtime().refuse(invocation, "not run: this is no name of a tool"));
    }

    private static ToolDefinition own(String tool) {
        return ToolDefinition.builder(tool)
                .description("A tool of the program's own")
                // As Claude Code names them.
                .pathArguments("file_path", "notebook_path", "path")
                .build();
    }

    private Call ended(ProgramTurn now, String callId, ToolResult result, ToolSignal signal) {
        Optional<String> fault = Signals.fault(signal, services.signals());
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
    public final void ownToolStarted(String callId, String tool, String arguments) {
        told.toolStarted(callId, tool, arguments);
    }

    @Override
    public final void ownToolFinished(String callId, String tool, Duration duration, boolean error, String answer) {
        told.toolFinished(callId, tool, duration, error, answer);
    }

    @Override
    public final String prompt(String prompt, Map<String, ?> variables) {
        return clean(services.prompts().render(prompt, variables));
    }

    @Override
    public final ModelRequest reserve(String model, long inputTokens, long outputTokens) {
        PaidRequest paid =
                meter().account().reserve(agentId(), conversation(), attempt(), model, inputTokens, outputTokens);
        long asked = System.nanoTime();
        told.modelCalled(model);
        return new ModelRequest() {
            @Override
            public void used(String answered, Usage usage) {
                meter().answered();
                ProgramContext.this.used(paid, answered, usage, since(asked));
            }

            @Override
            public void unanswered(String name, Usage most) {
                ProgramContext.this.used(paid, name, most, since(asked));
            }

            @Override
            public void failed(boolean mayBeCharged) {
                paid.failed(mayBeCharged);
            }
        };
    }

    @Override
    public final void used(String model, Usage usage) {
        meter().answered();
        used(meter().account().unreserved(agentId(), conversation(), attempt(), model), model, usage, Duration.ZERO);
    }

    private static Duration since(long nanoTime) {
        return Duration.ofNanos(System.nanoTime() - nanoTime);
    }

    private void used(PaidRequest paid, String model, Usage usage, Duration took) {
        // The row first: the next life counts what is there.
        paid.record(services.store(), message("assistant", "[]", model, usage), usage);
        told.modelAnswered(
                model, usage, meter().account().dollars(model, model, usage).orElse(null), took);
        meter().add(model, model, usage);
    }

    @Override
    public LlmStreamListener stream() {
        return told.text();
    }

    @Override
    public final Optional<String> exceeded() {
        return meter().exceeded();
    }

    @Override
    public final void record(String role, String content) {
        if (!ROLES.contains(role)) {
            throw new IllegalArgumentException("the role must be one of " + ROLES + ", is '" + role + "'");
        }
        recording.lock();
        try {
            services.store().recordMessage(message(role, content, null, Usage.NONE));
            if (recorded != null) {
                recorded.add(hash(role, content));
            }
        } finally {
            recording.unlock();
        }
    }

    @Override
    public final void recordOnce(String role, String content) {
        recording.lock();
        try {
            if (recorded == null) {
                recorded = services.store().messages(storyId()).stream()
                        .filter(row -> row.attempt() == attempt()
                                && row.agentId().equals(agentId())
                                && row.state().equals(conversation()))
                        .map(row -> hash(row.role(), row.content()))
                        .collect(Collectors.toCollection(HashSet::new));
            }
            if (recorded.contains(hash(role, content))) {
                return;
            }
            if (recorded.size() >= MOST_TEXTS) {
                throw new MaestroException("the model of " + agentId() + " was told more than " + MOST_TEXTS
                        + " texts in " + state() + ", as none is in a real conversation");
            }
            record(role, content);
        } finally {
            recording.unlock();
        }
    }

    /** Of what is left without secrets: the record has none. */
    private String hash(String role, String content) {
        try {
            byte[] text = (role + ' ' + services.redactor().redact(content)).getBytes(StandardCharsets.UTF_8);
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }

    private AuditLog.Message message(String role, String content, @Nullable String model, Usage usage) {
        return new AuditLog.Message(
                work.caller().sessionId(),
                storyId(),
                attempt(),
                agentId(),
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
}
