package io.maestro.team.internal.agent.program;

import io.maestro.agent.Agent;
import io.maestro.agent.AgentResult;
import io.maestro.agent.AgentTask;
import io.maestro.environment.Environment;
import io.maestro.error.MaestroException;
import io.maestro.llm.LlmContent;
import io.maestro.llm.internal.MessageJson;
import io.maestro.runtime.ToolInvocation;
import io.maestro.team.internal.coder.StoryAttempt;
import io.maestro.team.internal.loop.ChatInbox;
import io.maestro.team.internal.loop.Meter;
import io.maestro.team.internal.loop.OutOfTimeException;
import io.maestro.team.internal.loop.Signals;
import io.maestro.team.internal.loop.ToolLoop;
import io.maestro.tools.AgentTools;
import io.maestro.tools.ToolSignal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What a program has before it while it works on a story in one state; kept until the attempt ends. The story's thread works with
 * it and closes it, all else is safe for use by several threads.
 */
public final class ProgramSession extends ProgramContext {
    /** Answered by the environment, which may put another container in the place of the program's. */
    private static final Set<String> MOVES = Set.of("container_switch", "container_update");

    private final StoryAttempt run;
    private final ProgramServices services;
    private final AgentTools agentTools;
    private final ReentrantLock chat = new ReentrantLock();
    private long chatRead;
    private volatile String instructions = "";
    private volatile String assignment = "";

    /** How much of the guidance the program may have been told in a step that was interrupted. */
    private int mayKnow;

    ProgramSession(StoryAttempt run, ProgramServices services) {
        this(run, services, services.contexts().tools(run));
    }

    private ProgramSession(StoryAttempt run, ProgramServices services, AgentTools agentTools) {
        super(
                // Beside the state stands whose conversation it is: Maestro's own is not to be mistaken for it.
                new ProgramWork(
                        new ToolInvocation.Caller(
                                run.sessionId(),
                                run.agentId(),
                                run.story().id(),
                                run.attempt(),
                                run.state().name()),
                        "coder",
                        run.state(),
                        run.state().name() + "/" + services.program().id()),
                new AgentServices(
                        services.runtime(),
                        agentTools,
                        Signals.of(run.state()),
                        services.resources().prompts(),
                        services.resources().store(),
                        services.resources().redactor(),
                        services.resources().settings().limits(),
                        services.events()));
        this.run = run;
        this.services = services;
        this.agentTools = agentTools;
    }

    /** An earlier life may have told so much of the guidance, if it has worked in this step. */
    void goesOnAfter(int earlier) {
        mayKnow = hasBegunBefore() ? earlier : 0;
    }

    /**
     * Lets the program work; goes on with the one that waits for an answer, if there is one.
     *
     * @param untold what it has not been told, as far as that is known
     * @throws OutOfTimeException with the facts, when the time is used up: it is not known what the program was told
     */
    ToolLoop.LoopOutcome turn(List<String> untold) {
        List<String> news = new ArrayList<>();
        for (int i = 0; i < untold.size(); i++) {
            news.add((i < mayKnow ? ProgramDriver.AGAIN : "") + untold.get(i));
        }
        mayKnow = untold.size();
        ToolLoop.LoopOutcome outcome = work(news);
        mayKnow = 0;
        return outcome;
    }

    private ToolLoop.LoopOutcome work(List<String> news) {
        String mode = "the coder mode " + services.program().id();
        AgentResult result;
        try {
            result = turn(
                    run.step(),
                    run.stop(),
                    () -> run.stop().calling(mode, () -> program().run(new AgentTask(clean(news)))));
        } catch (OutOfTimeException e) {
            throw new OutOfTimeException(
                    turn().facts(String.valueOf(e.getMessage()), run.meter()).toText(), e);
        }
        Optional<ToolSignal> accepted = turn().accepted();
        if (accepted.isPresent()) {
            return new ToolLoop.LoopOutcome.Signalled(accepted.get());
        }
        run.sandbox().requireCommandsAnswered();
        return switch (result.ending()) {
            case OVER_BUDGET -> new ToolLoop.LoopOutcome.OverBudget(turn().facts(result.text(), run.meter()));
            case STUCK -> new ToolLoop.LoopOutcome.Stuck(result.text());
            default ->
                throw new MaestroException(
                        mode + " is faulty: it says " + result + ", but no call of a terminal tool was accepted");
        };
    }

    @Override
    protected Agent open() {
        String hashes = services.contexts().instructions(run).hashes();
        if (!hashes.isEmpty()) {
            record("note", MessageJson.write(List.of(new LlmContent.Text(hashes))));
        }
        instructions = clean(services.contexts().instructions(run, agentTools));
        assignment = clean(services.contexts().storyPrompt(run));
        return services.program().mode().open(this);
    }

    /** Whether an earlier life has worked in this step. */
    private boolean hasBegunBefore() {
        return services.resources().store().messages(run.story().id()).stream()
                .anyMatch(row -> row.attempt() == run.attempt()
                        && row.step() == run.step()
                        && row.agentId().equals(run.agentId())
                        && row.state().equals(conversation()));
    }

    /** The call that ended the turn in this step. */
    @Nullable
    String endedBy() {
        String here = turn().endedBy();
        return here != null
                ? here
                : RecordedSignal.callId(run, tools(), services.resources().store())
                        .orElse(null);
    }

    /** The attempt has ended: nothing goes on here. */
    void finish() {
        close();
        agentTools.close();
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
    public boolean movesCoder(String tool) {
        return services.resources().environments().isolates() && MOVES.contains(tool);
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
        return run.progress().sessions().in(state());
    }

    @Override
    public void session(String id) {
        run.save(services.resources().store(), () -> run.progress().sessions().opened(state(), id));
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
