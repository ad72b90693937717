package io.maestro.team.internal.program;

import io.maestro.agent.Agent;
import io.maestro.agent.AgentResult;
import io.maestro.agent.AgentTask;
import io.maestro.agent.CoderState;
import io.maestro.audit.StoreException;
import io.maestro.environment.Environment;
import io.maestro.error.MaestroException;
import io.maestro.internal.Uninterrupted;
import io.maestro.runtime.ToolInvocation;
import io.maestro.team.internal.coder.StoryRun;
import io.maestro.team.internal.loop.ChatInbox;
import io.maestro.team.internal.loop.Meter;
import io.maestro.team.internal.loop.Signals;
import io.maestro.team.internal.loop.ToolLoop;
import io.maestro.team.internal.machine.CancelledException;
import io.maestro.tools.ToolProvider;
import io.maestro.tools.ToolSignal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a program has before it while it works on a story in one state; kept until the attempt ends. The story's thread works with
 * it and closes it, all else is safe for use by several threads.
 */
public final class ProgramSession extends ProgramContext implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ProgramSession.class);

    /** Answered by the environment, which may put another container in the place of the program's. */
    private static final Set<String> MOVES = Set.of("container_switch", "container_update");

    private final StoryRun run;
    private final ProgramServices services;
    private final CoderState state;
    private final ToolProvider provider;
    private final ReentrantLock chat = new ReentrantLock();
    private long chatRead;
    private volatile int step;
    private volatile String instructions = "";
    private volatile String assignment = "";
    private @Nullable Agent work;

    /** How much of the guidance the program may have been told in a step that was interrupted. */
    private int mayKnow;

    ProgramSession(StoryRun run, ProgramServices services) {
        this(run, services, services.contexts().tools(run));
    }

    private ProgramSession(StoryRun run, ProgramServices services, ToolProvider provider) {
        super(new Parts(
                services.runtime(),
                provider,
                Signals.of(run.state()),
                services.prompts(),
                services.store(),
                services.redactor(),
                services.limits(),
                services.events()));
        this.run = run;
        this.services = services;
        this.state = run.state();
        this.provider = provider;
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
        ProgramTurn now = nextTurn();
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

    /** Whether an earlier life has worked in this step. */
    private boolean hasBegunBefore() {
        return services.store().messages(run.story().id()).stream()
                .anyMatch(row -> row.attempt() == run.attempt()
                        && row.step() == run.step()
                        && row.agentId().equals(run.agentId())
                        && row.state().equals(conversation()));
    }

    /** Beside the state stands whose conversation it is: Maestro's own is not to be mistaken for it. */
    @Override
    protected String conversation() {
        return state.name() + "/" + services.program().id();
    }

    /** The call that ended the turn in this step. */
    @Nullable
    String endedBy() {
        String here = turn().endedBy();
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
    protected Meter meter() {
        return run.meter();
    }

    @Override
    protected ToolInvocation.Caller caller() {
        return new ToolInvocation.Caller(
                run.sessionId(), run.agentId(), run.story().id(), run.attempt(), state.name());
    }

    @Override
    protected int step() {
        return step;
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
    public Optional<String> session() {
        return run.session(state);
    }

    @Override
    public void session(String id) {
        run.session(services.store(), state, id);
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
