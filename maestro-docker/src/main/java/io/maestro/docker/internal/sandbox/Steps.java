package io.maestro.docker.internal.sandbox;

import io.maestro.docker.ContainerStartException;
import io.maestro.docker.DockerException;
import io.maestro.docker.ProvisioningReport;
import io.maestro.docker.ProvisioningReport.Step;
import io.maestro.docker.ProvisioningReport.StepStatus;
import io.maestro.exec.ExecException;
import io.maestro.exec.ExecResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Runs the steps of making a container and writes down how they went. For one thread. */
final class Steps {
    private static final int LONGEST = 2000;

    /** Shorter values are no secrets but words. */
    private static final int SHORTEST = 8;

    private final Consumer<Step> listener;
    private final List<Step> done = new ArrayList<>();

    private UnaryOperator<String> conceal = text -> text;

    /** @param listener is told each step when it has ended */
    Steps(Consumer<Step> listener) {
        this.listener = listener;
    }

    /** How a step went. */
    record Outcome(
            StepStatus status, String detail, @Nullable String error) {
        static Outcome success(String detail) {
            return new Outcome(StepStatus.SUCCESS, detail, null);
        }

        static Outcome skipped(String detail) {
            return new Outcome(StepStatus.SKIPPED, detail, null);
        }

        static Outcome failed(String detail, String error) {
            return new Outcome(StepStatus.FAILED, detail, error);
        }

        /** Of several things some of which may have failed. */
        static Outcome of(String what, List<String> good, List<String> faults) {
            int all = good.size() + faults.size();
            String detail =
                    good.size() + " of " + all + " " + what + (good.isEmpty() ? "" : ": " + String.join(", ", good));
            StepStatus status =
                    faults.isEmpty() ? StepStatus.SUCCESS : good.isEmpty() ? StepStatus.FAILED : StepStatus.PARTIAL;
            return new Outcome(status, detail, faults.isEmpty() ? null : String.join("; ", faults));
        }
    }

    /** What is said from now on has no values of these. */
    void conceal(Collection<String> secrets) {
        // The longest first, as one may be a part of another.
        List<String> values = secrets.stream()
                .filter(value -> value.length() >= SHORTEST)
                .sorted(Comparator.comparingInt(String::length).reversed())
                .toList();
        conceal = text -> {
            String shown = text;
            for (String value : values) {
                shown = shown.replace(value, "[REDACTED]");
            }
            return shown;
        };
    }

    /** Runs a step. What the engine or a command in the container does wrong is a failure of the step. */
    void run(String name, Supplier<Outcome> step) {
        long begin = System.nanoTime();
        Outcome outcome;
        try {
            outcome = step.get();
        } catch (DockerException | ExecException | IllegalArgumentException e) {
            outcome = Outcome.failed("not done", String.valueOf(e.getMessage()));
        }
        add(name, outcome, begin);
    }

    /** Runs a step without which there is no container: its failure is the whole one's. */
    <T> T need(String name, Supplier<T> step, Function<T, String> detail) {
        long begin = System.nanoTime();
        T made = step.get();
        add(name, Outcome.success(detail.apply(made)), begin);
        return made;
    }

    private void add(String name, Outcome outcome, long begin) {
        Step step = new Step(
                name,
                outcome.status(),
                clipped(outcome.detail()),
                outcome.error() == null ? null : clipped(outcome.error()),
                Duration.ofNanos(System.nanoTime() - begin));
        done.add(step);
        listener.accept(step);
        // Whoever has given up does not get the container, so it must not stay.
        if (Thread.currentThread().isInterrupted()) {
            throw new ContainerStartException(
                    ContainerStartException.Reason.CANCELLED,
                    "cancelled at the step " + name + "; nothing is left",
                    null);
        }
    }

    ProvisioningReport report() {
        return new ProvisioningReport(done);
    }

    /** Why a command failed, in its own last words. */
    static String why(ExecResult result) {
        String said =
                (result.stderr().text().strip() + "\n" + result.stdout().text().strip()).strip();
        String ending = switch (result.ending()) {
            case EXITED -> "exit code " + result.exitCode().orElse(-1);
            case TIMED_OUT -> "ended at its time limit";
            case CANCELLED -> "cancelled";
        };
        return said.isEmpty() ? ending : ending + ", " + said;
    }

    private String clipped(String said) {
        String text = conceal.apply(said);
        // What failed is said first, and why mostly at the end.
        return text.length() <= LONGEST
                ? text
                : text.substring(0, LONGEST / 4) + " … " + text.substring(text.length() - LONGEST * 3 / 4);
    }
}
