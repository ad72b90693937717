package io.maestro.docker;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How each step of making a container went, in order. Nobody has to look into the container to know.
 *
 * @param steps all of them, those that were not asked for too
 */
public record ProvisioningReport(List<Step> steps) {
    /**
     * Copies the list.
     *
     * @param steps all steps
     */
    public ProvisioningReport {
        steps = List.copyOf(steps);
    }

    /** How a step went. */
    public enum StepStatus {
        /** All of it was done. */
        SUCCESS,
        /** There was nothing to do. */
        SKIPPED,
        /** Some of it was done. */
        PARTIAL,
        /** Nothing of it was done. */
        FAILED
    }

    /**
     * One step.
     *
     * @param name what, for example {@code forward_git}
     * @param status how it went
     * @param detail what was done, or why not; no values of variables
     * @param error what went wrong; null when nothing did
     * @param duration how long it took
     */
    public record Step(
            String name,
            StepStatus status,
            String detail,
            @Nullable String error,
            Duration duration) {}

    /**
     * Whether nothing failed, not even in part.
     *
     * @return true when every step was done or had nothing to do
     */
    public boolean succeeded() {
        return steps.stream()
                .allMatch(step -> step.status() == StepStatus.SUCCESS || step.status() == StepStatus.SKIPPED);
    }

    /**
     * Looks a step up.
     *
     * @param name its name
     * @return empty when there was none of that name
     */
    public Optional<Step> step(String name) {
        return steps.stream().filter(step -> step.name().equals(name)).findFirst();
    }

    /** A line for each step. */
    @Override
    public String toString() {
        return steps.stream()
                .map(step -> "%s: %s (%d ms) %s%s"
                        .formatted(
                                step.name(),
                                step.status().name().toLowerCase(Locale.ROOT),
                                step.duration().toMillis(),
                                step.detail(),
                                step.error() == null ? "" : ": " + step.error()))
                .collect(Collectors.joining("\n"));
    }
}
