package io.maestro.story;

import io.maestro.llm.Usage;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;

/**
 * What became of a story.
 *
 * @param storyId the story's id
 * @param attempt which attempt it was; from 1
 * @param outcome how it ended
 * @param mergeCommit the commit on the target branch that brought the work in; empty unless {@link Outcome#MERGED}
 * @param branch the story's branch; empty when the story ended before one was made
 * @param error why it failed and what to do; empty on success
 * @param usage the tokens of coder and architect; with those of the attempts in whose place this one was begun because their
 *     process was killed and their workspace lost
 * @param cost what they cost in US dollars; empty when the price of a model that was asked is not known
 * @param duration how long it was worked on, in all lives; waiting for replies and for services is not counted
 */
public record StoryResult(
        String storyId,
        int attempt,
        Outcome outcome,
        Optional<String> mergeCommit,
        Optional<String> branch,
        Optional<String> error,
        Usage usage,
        Optional<BigDecimal> cost,
        Duration duration) {

    /** How a story ended. */
    public enum Outcome {
        /** Its work is on the target branch. */
        MERGED,
        /** The architect agreed that there was nothing to do. */
        NO_CHANGE,
        /** The architect rejected it. */
        REJECTED,
        /** It could not be finished; {@link StoryResult#error()} says why. */
        FAILED,
        /** The host cancelled it or closed Maestro. */
        CANCELLED
    }

    /**
     * Whether the story is done.
     *
     * @return true when its work is merged, or there was nothing to do
     */
    public boolean succeeded() {
        return outcome == Outcome.MERGED || outcome == Outcome.NO_CHANGE;
    }
}
