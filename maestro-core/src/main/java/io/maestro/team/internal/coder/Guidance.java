package io.maestro.team.internal.coder;

import io.maestro.agent.Architect;
import io.maestro.team.internal.dispatch.StoryProgress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * What the coder is to be told in its next turn: answers, feedback, failures. A text stays in the record until it has been
 * told. Changed by the coder's thread; other threads may write the progress to the record meanwhile, so each change makes a
 * list of its own.
 */
public final class Guidance {
    private final StoryProgress progress;
    private final int earlier;

    /** Goes on with what an earlier life has left untold. */
    Guidance(StoryProgress progress) {
        this.progress = progress;
        this.earlier = progress.guidance.size();
    }

    /** Tells the coder something, in its next turn. */
    public void tell(String text) {
        List<String> longer = new ArrayList<>(progress.guidance);
        longer.add(text);
        progress.guidance = longer;
    }

    /**
     * Tells the coder what the architect has replied, with an approval too: guidance that gets lost makes two agents go round
     * in circles.
     *
     * @param what what was decided on, as in "your plan"
     * @return whether the story goes forward; otherwise the coder must change something
     * @throws RejectedException when the story ends here
     */
    boolean approved(Architect.Reply reply, String what) {
        String message = reply.message().isBlank() ? "(no reason given)" : reply.message();
        switch (reply.decision()) {
            case REJECTED:
                throw new RejectedException("the architect rejected " + what + ": " + message);
            case NEEDS_CHANGES:
                tell("The architect wants changes to " + what + ":\n\n" + message);
                return false;
            default:
                if (!reply.message().isBlank()) {
                    tell("The architect approved " + what + " and says:\n\n" + message);
                }
                return true;
        }
    }

    /** What the coder has not been told yet, oldest first. */
    public List<String> untold() {
        return List.copyOf(progress.guidance);
    }

    /** How much of it was there before this life: an earlier one has told it, if it had begun to work. */
    public int untoldBefore() {
        return Math.min(earlier, progress.guidance.size());
    }

    /** The oldest texts have been told. */
    public void told(int count) {
        progress.guidance = new ArrayList<>(progress.guidance.subList(count, progress.guidance.size()));
    }

    /** Texts have been told, wherever they stand. */
    void told(Predicate<String> told) {
        List<String> rest = new ArrayList<>(progress.guidance);
        rest.removeIf(told);
        progress.guidance = rest;
    }
}
