package io.maestro.team.internal;

import io.maestro.tools.ToolSignal;
import java.util.List;
import java.util.Optional;

/**
 * A program that works in PLANNING and CODING. It runs on while the architect answers a question of its; whenever else the
 * coder leaves the state it is ended, and goes on in its session when the coder comes back.
 */
final class ProgramThinking implements Thinking {
    private final ProgramParts parts;

    ProgramThinking(ProgramParts parts) {
        this.parts = parts;
    }

    @Override
    public ToolLoop.Outcome think(StoryRun run) {
        ProgramDesk desk = run.programs.get(run.state);
        if (desk == null) {
            desk = new ProgramDesk(run, parts);
            run.programs.put(run.state, desk);
            Optional<ToolSignal> left = RecordedEnd.of(run, desk.tools(), parts.store());
            if (left.isPresent()) {
                // That life has told its program what stood here.
                List<String> guidance = run.progress.guidance;
                guidance.subList(0, Math.min(run.earlierGuidance, guidance.size()))
                        .clear();
                return new ToolLoop.Outcome.Signalled(left.get());
            }
        }
        // Kept until the visit is over: of a program that was killed nobody knows whether it was told.
        List<String> news = List.copyOf(run.progress.guidance);
        ToolLoop.Outcome outcome = desk.visit(news);
        run.progress.guidance.subList(0, news.size()).clear();
        return outcome;
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
