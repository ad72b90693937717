package io.maestro.story;

import io.maestro.llm.Usage;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What became of a story.
 *
 * @param storyId the story's id
 * @param attempt which attempt it was; from 1
 * @param outcome how it ended
 * @param tests how the project's tests went when they were last needed; empty when the story ended before
 * @param mergeCommit the commit on the target branch that brought the work in; empty unless {@link Outcome#MERGED}
 * @param branch the story's branch, which a forge may have deleted after the merge; empty when the story ended before one was
 *     made
 * @param error why it failed and what to do; empty on success
 * @param usage the tokens of coder and architect; with those of the attempts in whose place this one was begun because their
 *     process was killed and their workspace lost
 * @param cost what they cost in US dollars; empty when the price of a model that was asked is not known
 * @param duration how long it was worked on, in all lives; waiting for replies and for services is not counted
 * @param costs what each agent has cost in each state of each attempt, in the order of attempts; of earlier attempts, too
 */
public record StoryResult(
        String storyId,
        int attempt,
        Outcome outcome,
        Optional<TestOutcome> tests,
        Optional<String> mergeCommit,
        Optional<String> branch,
        Optional<String> error,
        Usage usage,
        Optional<BigDecimal> cost,
        Duration duration,
        List<Cost> costs) {
    /**
     * Copies the list.
     *
     * @param storyId see the record
     * @param attempt see the record
     * @param outcome see the record
     * @param tests see the record
     * @param mergeCommit see the record
     * @param branch see the record
     * @param error see the record
     * @param usage see the record
     * @param cost see the record
     * @param duration see the record
     * @param costs see the record
     */
    public StoryResult {
        costs = List.copyOf(costs);
    }

    /**
     * A result without tests and without the single costs.
     *
     * @param storyId see the record
     * @param attempt see the record
     * @param outcome see the record
     * @param mergeCommit see the record
     * @param branch see the record
     * @param error see the record
     * @param usage see the record
     * @param cost see the record
     * @param duration see the record
     */
    public StoryResult(
            String storyId,
            int attempt,
            Outcome outcome,
            Optional<String> mergeCommit,
            Optional<String> branch,
            Optional<String> error,
            Usage usage,
            Optional<BigDecimal> cost,
            Duration duration) {
        this(storyId, attempt, outcome, Optional.empty(), mergeCommit, branch, error, usage, cost, duration, List.of());
    }

    /**
     * What the requests of an agent to a model have used and cost.
     *
     * @param attempt in which attempt; from 1
     * @param agentId whose, for example {@code coder-001}
     * @param state in which state, for example {@code CODING}; followed by {@code /} and the id of the coder mode where a program
     *     worked in it
     * @param model the model's name
     * @param requests how many requests
     * @param usage their tokens
     * @param cost US dollars; empty when the price of the model is not known. Requests whose process was killed are a part of
     *     their own, without tokens, that costs what they may have cost at most
     */
    public record Cost(
            int attempt,
            String agentId,
            String state,
            String model,
            long requests,
            Usage usage,
            Optional<BigDecimal> cost) {}

    /**
     * The same result with the single costs.
     *
     * @param parts see {@link #costs()}
     * @return a copy
     */
    public StoryResult withCosts(List<Cost> parts) {
        return new StoryResult(
                storyId, attempt, outcome, tests, mergeCommit, branch, error, usage, cost, duration, parts);
    }

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

    /**
     * Whether work is on the target branch that no test has run on.
     *
     * @return true when it is {@linkplain Outcome#MERGED merged} and {@link TestOutcome#UNTESTED}
     */
    public boolean untested() {
        return outcome == Outcome.MERGED
                && tests.filter(TestOutcome.UNTESTED::equals).isPresent();
    }
}
