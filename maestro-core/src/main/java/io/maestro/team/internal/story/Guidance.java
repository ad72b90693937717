package io.maestro.team.internal.story;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * What the coder is to be told in its next turn: answers, feedback, failures. A text stays in the record until it has been
 * told. Changed by the coder's thread; other threads may write the progress to the record meanwhile, so each change makes a
 * list of its own.
 */
public final class Guidance {
    private List<String> guidance = new ArrayList<>();
    private transient int earlier;

    Guidance() {}

    /** Goes on with what an earlier life has left untold. */
    void takenUp() {
        earlier = guidance.size();
    }

    /** Tells the coder something, in its next turn. */
    public void tell(String text) {
        List<String> longer = new ArrayList<>(guidance);
        longer.add(text);
        guidance = longer;
    }

    /** What the coder has not been told yet, oldest first. */
    public List<String> untold() {
        return List.copyOf(guidance);
    }

    /** How much of it was there before this life: an earlier one has told it, if it had begun to work. */
    public int untoldBefore() {
        return Math.min(earlier, guidance.size());
    }

    /** The oldest texts have been told. */
    public void told(int count) {
        guidance = new ArrayList<>(guidance.subList(count, guidance.size()));
    }

    /** Texts have been told, wherever they stand. */
    public void told(Predicate<String> told) {
        List<String> rest = new ArrayList<>(guidance);
        rest.removeIf(told);
        guidance = rest;
    }
}
