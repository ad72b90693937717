package io.maestro.team.internal.agent.program;

import io.maestro.environment.Equipment;
import io.maestro.llm.LlmClient;
import io.maestro.story.CoderState;
import io.maestro.team.internal.coder.CoderDriver;
import io.maestro.team.internal.coder.StoryAttempt;
import io.maestro.team.internal.loop.ToolLoop;
import io.maestro.team.internal.story.Guidance;
import io.maestro.tools.ToolSignal;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A program that works in PLANNING and CODING. It runs on while the architect answers a question of its; whenever else the
 * coder leaves the state it is ended, and goes on in its session when the coder comes back.
 */
public final class ProgramDriver implements CoderDriver {
    /** Told twice does no harm, not told does. */
    public static final String AGAIN = "You may have been told this already, before you were interrupted:\n\n";

    private final ProgramServices services;
    private final Map<StoryAttempt, Map<CoderState, ProgramSession>> kept = new ConcurrentHashMap<>();

    /** A driver for all stories. */
    public ProgramDriver(ProgramServices services) {
        this.services = services;
    }

    @Override
    public String author() {
        return services.program().id();
    }

    @Override
    public List<LlmClient> services() {
        return services.program().mode().services();
    }

    @Override
    public Equipment equipment(String agentId) {
        return services.program().mode().equipment(agentId);
    }

    @Override
    public ToolLoop.LoopOutcome work(StoryAttempt run) {
        Guidance guidance = run.guidance();
        ProgramSession session = session(run);
        if (session == null) {
            session = new ProgramSession(run, services);
            kept.computeIfAbsent(run, attempt -> new EnumMap<>(CoderState.class))
                    .put(run.state(), session);
            int earlier = guidance.untoldBefore();
            Optional<ToolSignal> left =
                    RecordedSignal.of(run, session.tools(), services.resources().store());
            if (left.isPresent()) {
                // That life has told its program what stood here.
                guidance.told(earlier);
                return new ToolLoop.LoopOutcome.Signalled(left.get());
            }
            session.goesOnAfter(earlier);
        }
        // Kept until the turn is over: of a program that was interrupted nobody knows what it was told.
        List<String> untold = guidance.untold();
        ToolLoop.LoopOutcome outcome = session.turn(untold);
        guidance.told(untold.size());
        return outcome;
    }

    private @Nullable ProgramSession session(StoryAttempt run) {
        Map<CoderState, ProgramSession> sessions = kept.get(run);
        return sessions == null ? null : sessions.get(run.state());
    }

    @Override
    public void tellMore(StoryAttempt run, String text) {
        ProgramSession session = session(run);
        run.stay(services.resources().store(), session == null ? null : session.endedBy(), text);
    }

    @Override
    public void leave(StoryAttempt run) {
        ProgramSession session = session(run);
        if (session != null) {
            session.close();
        }
    }

    @Override
    public void end(StoryAttempt run) {
        Map<CoderState, ProgramSession> sessions = kept.remove(run);
        if (sessions != null) {
            sessions.values().forEach(ProgramSession::finish);
        }
    }
}
