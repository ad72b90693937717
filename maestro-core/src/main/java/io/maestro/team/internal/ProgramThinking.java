package io.maestro.team.internal;

import io.maestro.tools.ToolSignal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A program that works in PLANNING and CODING. It runs on while the architect answers a question of its; whenever else the
 * coder leaves the state it is ended, and goes on in its session when the coder comes back.
 */
final class ProgramThinking implements Thinking {
    /** Told twice does no harm, not told does. */
    static final String AGAIN = "You may have been told this already, before you were interrupted:\n\n";

    private final ProgramParts parts;

    ProgramThinking(ProgramParts parts) {
        this.parts = parts;
    }

    @Override
    public ToolLoop.Outcome think(StoryRun run) {
        List<String> guidance = run.progress.guidance;
        ProgramDesk desk = run.programs.get(run.state);
        if (desk == null) {
            desk = new ProgramDesk(run, parts);
            run.programs.put(run.state, desk);
            int earlier = Math.min(run.earlierGuidance, guidance.size());
            Optional<ToolSignal> left = RecordedEnd.of(run, desk.tools(), parts.store());
            if (left.isPresent()) {
                // That life has told its program what stood here.
                guidance.subList(0, earlier).clear();
                return new ToolLoop.Outcome.Signalled(left.get());
            }
            desk.mayKnow = desk.hasBegunBefore() ? earlier : 0;
        }
        // Kept until the visit is over: of a program that was interrupted nobody knows what it was told.
        int told = guidance.size();
        List<String> news = news(guidance, desk.mayKnow);
        desk.mayKnow = told;
        ToolLoop.Outcome outcome = desk.visit(news);
        desk.mayKnow = 0;
        guidance.subList(0, told).clear();
        return outcome;
    }

    private static List<String> news(List<String> guidance, int known) {
        List<String> news = new ArrayList<>();
        for (int i = 0; i < guidance.size(); i++) {
            news.add((i < known ? AGAIN : "") + guidance.get(i));
        }
        return List.copyOf(news);
    }

    @Override
    public void tellMore(StoryRun run, String text) {
        ProgramDesk desk = run.programs.get(run.state);
        run.save(parts.store(), () -> {
            run.progress.guidance.add(text);
            run.progress.actedOn = desk == null ? null : desk.endedBy();
        });
    }

    @Override
    public void leave(StoryRun run) {
        ProgramDesk desk = run.programs.get(run.state);
        if (desk != null) {
            desk.close();
        }
    }

    /** Ends what still runs for an attempt that ends. */
    static void end(StoryRun run) {
        run.programs.values().forEach(ProgramDesk::close);
        run.programs.clear();
    }
}
