package io.maestro.bench;

import java.util.Locale;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * How long it takes from {@code Maestro.builder()} to the first request to a model, on a small repository: in a JVM that has done it
 * before, and in a new one, beside what git alone takes for a mirror and a checkout.
 *
 * <pre>mvn -q -Pbench -pl maestro-core -am test -Dbench.main=io.maestro.bench.StartBench</pre>
 */
public final class StartBench {
    private StartBench() {}

    /**
     * Runs it; each way in new JVMs, a round in each.
     *
     * @param args the number of rounds
     * @throws RunnerException when one fails
     */
    public static void main(String[] args) throws RunnerException {
        int rounds = args.length == 0 ? 5 : Integer.parseInt(args[0]);
        double git = median("git", rounds, 5, 20);
        System.out.printf(Locale.ROOT, "git, mirror and checkout         %8.0f ms%n", git);
        double warm = median("maestro", rounds, 20, 20);
        System.out.printf(Locale.ROOT, "first request, warm JVM          %8.0f ms  x%.2f%n", warm, warm / git);
        double cold = median("maestro", rounds, 0, 1);
        System.out.printf(Locale.ROOT, "first request, new JVM           %8.0f ms  x%.2f%n", cold, cold / git);
    }

    private static double median(String way, int forks, int before, int measured) throws RunnerException {
        return Medians.of(new Runner(new OptionsBuilder()
                        .include("^" + Starts.class.getName() + "\\." + way + "$")
                        .forks(forks)
                        .warmupIterations(before)
                        .measurementIterations(measured)
                        .shouldFailOnError(true)
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .runSingle());
    }
}
