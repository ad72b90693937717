package io.maestro.bench;

import org.openjdk.jmh.results.RunResult;

/** Of single shots, of which a noisy machine makes a few much too long. */
final class Medians {
    private Medians() {}

    /** The median of all iterations of all forks. */
    static double of(RunResult result) {
        double[] scores = result.getBenchmarkResults().stream()
                .flatMap(fork -> fork.getIterationResults().stream())
                .mapToDouble(iteration -> iteration.getPrimaryResult().getScore())
                .sorted()
                .toArray();
        return scores[scores.length / 2];
    }
}
