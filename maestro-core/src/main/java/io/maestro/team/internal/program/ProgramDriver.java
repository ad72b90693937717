package io.maestro.team.internal.program;

import io.maestro.agent.CoderState;
import io.maestro.team.internal.coder.CoderDriver;
import io.maestro.team.internal.coder.StoryRun;
import io.maestro.team.internal.loop.ToolLoop;
import io.maestro.tools.ToolSignal;
import java.util.ArrayList;
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
    private final Map<StoryRun, Map<CoderState, ProgramSession>> kept = new ConcurrentHashMap<>();

    /** A driver for all stories. */
    public ProgramDriver(ProgramServices services) {
        this.services = services;
    }

    @Override
    public ToolLoop.Outcome work(StoryRun run) {
        List<String> untold = run.untold();
        ProgramSession session = session(run);
        if (session == null) {
            session = new ProgramSession(run, services);
            kept.computeIfAbsent(run, attempt -> new EnumMap<>(CoderState.class))
                    .put(run.state(), session);
            int earlier = run.untoldBefore();
            Optional<ToolSignal> left = RecordedSignal.of(run, session.tools(), services.store());
            if (left.isPresent()) {
                // That life has told its program what stood here.
                untold.subList(0, earlier).clear();
                return new ToolLoop.Outcome.Signalled(left.get());
            }
            session.mayKnow = session.hasBegunBefore() ? earlier : 0;
        }
        // Kept until the turn is over: of a program that was interrupted nobody knows what it was told.
        int told = untold.size();
        List<String> news = news(untold, session.mayKnow);
        session.mayKnow = told;
        ToolLoop.Outcome outcome = session.turn(news);
        session.mayKnow = 0;
        untold.subList(0, told).clear();
        return outcome;
    }

    private @Nullable ProgramSession session(StoryRun run) {
        Map<CoderState, ProgramSession> sessions = kept.get(run);
        return sessions == null ? null : sessions.get(run.state());
    }

    private static List<String> news(List<String> untold, int known) {
        List<String> news = new ArrayList<>();
        for (int i = 0; i < untold.size(); i++) {
            news.add((i < known ? AGAIN : "") + untold.get(i));
        }
        return List.copyOf(news);
    }

    @Override
    public void tellMore(StoryRun run, String text) {
        ProgramSession session = session(run);
        run.stay(services.store(), session == null ? null : session.endedBy(), text);
    }

    @Override
    public void leave(StoryRun run) {
        ProgramSession session = session(run);
        if (session != null) {
            session.close();
        }
    }

    @Override
    public void end(StoryRun run) {
        Map<CoderState, ProgramSession> sessions = kept.remove(run);
        if (sessions != null) {
            sessions.values().forEach(ProgramSession::close);
        }
    }
}
