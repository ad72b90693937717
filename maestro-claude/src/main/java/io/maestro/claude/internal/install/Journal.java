package io.maestro.claude.internal.install;

import io.maestro.claude.ClaudeFinder.Outcome;
import io.maestro.claude.ClaudeFinder.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes down what was tried. Used by one thread. */
final class Journal {
    private static final Logger LOG = LoggerFactory.getLogger(Journal.class);

    private final List<Step> steps = new ArrayList<>();

    /** Something to try; fails with {@link StepFailure} and what it is called. */
    @FunctionalInterface
    interface Attempt<T> {
        Done<T> run();
    }

    /** What came of it, and what there is to say about it. */
    record Done<T>(T value, String detail) {}

    /** Tries it; empty when it has failed. */
    <T> Optional<T> attempt(String name, Attempt<T> attempt) {
        long begin = System.nanoTime();
        try {
            Done<T> done = attempt.run();
            add(name, Outcome.DONE, done.detail(), begin);
            return Optional.of(done.value());
        } catch (StepFailure e) {
            add(name, Outcome.FAILED, e.getMessage(), begin);
            return Optional.empty();
        }
    }

    void skip(String name, String why) {
        add(name, Outcome.SKIPPED, why, System.nanoTime());
    }

    private void add(String name, Outcome outcome, String detail, long begin) {
        Step step = new Step(name, outcome, detail, Duration.ofNanos(System.nanoTime() - begin));
        LOG.debug("{}", step);
        steps.add(step);
    }

    List<Step> steps() {
        return List.copyOf(steps);
    }
}
