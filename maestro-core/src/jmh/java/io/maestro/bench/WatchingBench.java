package io.maestro.bench;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * How much longer a story takes that is watched: with the monitor, a page that reads all events and shows the story; with traces and
 * metrics of OpenTelemetry; and with both. The ways take turns in one JVM, so that what else the machine does hits all alike; each
 * is compared with the plain way of its own turn, and the median of that is printed. The processor time is that of this JVM, with the
 * page's reading in it, without the commands and git. A model that thinks is what a story has; one that answers at once is the worst
 * that can be.
 *
 * <p>On two cores with some work of others, 16 answers: where the model thinks for a second, still less than models do, a story of
 * 17 s takes no longer with the monitor (-0.9 % in the median of 6 turns), with traces (-1.5 %) or with both (-1.9 %); the processor
 * works 0.4 to 0.6 s more for the monitor and its page, and 0.01 s for traces. With a load of 8 by others, 12 turns: where the model
 * thinks for 75 ms, a story of 2.4 s takes 3 % longer with the monitor and 9 % with both, and 0.2 s more of the processor, about
 * half of it in the monitor's own threads. Where it answers at once, in 1.3 s, times say nothing there (+9 to +37 %).
 *
 * <pre>mvn -q -Pbench -pl maestro-core -am test -Dbench.main=io.maestro.bench.WatchingBench -Dbench.rounds=20</pre>
 */
public final class WatchingBench {
    /** Turns before the first that is measured. */
    private static final int WARMUP = 4;

    private WatchingBench() {}

    /** Milliseconds of each story by turn and way. */
    private record Turns(double[][] story, double[][] processor) {}

    /**
     * Runs it.
     *
     * @param args the number of turns
     * @throws RunnerException when one fails
     */
    public static void main(String[] args) throws RunnerException {
        int rounds = args.length == 0 ? 20 : Integer.parseInt(args[0]);
        for (int thought : new int[] {1_000, 75, 0}) {
            Turns turns = turns(rounds, thought);
            double[] plain = of(Watch.PLAIN, turns.story);
            double processor = mean(of(Watch.PLAIN, turns.processor));
            System.out.printf(
                    Locale.ROOT,
                    "a model that thinks for %d ms: %.0f ms for a story, of which %.0f ms of the processor%n",
                    thought,
                    median(plain),
                    processor);
            for (Watch watch : Watch.values()) {
                if (watch != Watch.PLAIN) {
                    double more = mean(of(watch, turns.processor)) - processor;
                    print(watch, of(watch, turns.story), plain, more);
                }
            }
        }
    }

    private static void print(Watch watch, double[] watched, double[] plain, double processor) {
        double[] ratios = new double[plain.length];
        for (int i = 0; i < plain.length; i++) {
            ratios[i] = (watched[i] / plain[i] - 1) * 100;
        }
        Arrays.sort(ratios);
        System.out.printf(
                Locale.ROOT,
                "  %-8s %8.0f ms  %+5.1f %% (half of the turns from %+.1f to %+.1f %%; the fastest quarter of both %+.1f %%),"
                        + " processor %+.0f ms%n",
                watch.name().toLowerCase(Locale.ROOT),
                median(watched),
                ratios[ratios.length / 2],
                ratios[ratios.length / 4],
                ratios[ratios.length * 3 / 4],
                (fastest(watched) / fastest(plain) - 1) * 100,
                processor);
    }

    /** What else the machine does only ever makes a story longer. */
    private static double fastest(double[] times) {
        return Arrays.stream(times)
                .sorted()
                .limit(Math.max(1, times.length / 4))
                .average()
                .orElseThrow();
    }

    private static double mean(double[] times) {
        return Arrays.stream(times).average().orElseThrow();
    }

    private static double median(double[] times) {
        double[] sorted = times.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private static double[] of(Watch watch, double[][] turns) {
        return Arrays.stream(turns).mapToDouble(turn -> turn[watch.ordinal()]).toArray();
    }

    private static Turns turns(int rounds, int thought) throws RunnerException {
        int ways = Watch.values().length;
        List<IterationResult> stories = new Runner(new OptionsBuilder()
                        .include("^" + WatchedStories.class.getName() + "\\.story$")
                        .param("thought", String.valueOf(thought))
                        .forks(1)
                        .warmupIterations(WARMUP * ways)
                        .measurementIterations(rounds * ways)
                        .shouldFailOnError(true)
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .runSingle().getBenchmarkResults().iterator().next().getIterationResults().stream()
                        .toList();
        Turns turns = new Turns(new double[rounds][ways], new double[rounds][ways]);
        for (int i = 0; i < stories.size(); i++) {
            // WARMUP is a multiple of the number of ways: what is measured begins with the first turn's order.
            int way = Watch.of(i).ordinal();
            turns.story[i / ways][way] = stories.get(i).getPrimaryResult().getScore();
            turns.processor[i / ways][way] =
                    stories.get(i).getSecondaryResults().get("processor").getScore();
        }
        return turns;
    }
}
