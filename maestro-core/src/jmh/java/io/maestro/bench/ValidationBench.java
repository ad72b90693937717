package io.maestro.bench;

import java.util.Locale;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * What it costs to read and check the arguments of a call, good ones and bad ones, beside the validator alone with a schema that
 * is kept and with one that is read for each call.
 *
 * <pre>mvn -q -Pbench -pl maestro-core -am test -Dbench.main=io.maestro.bench.ValidationBench</pre>
 */
public final class ValidationBench {
    private ValidationBench() {}

    /**
     * Runs it; each way in a JVM of its own, a round in each.
     *
     * @param args the number of rounds
     * @throws Exception when a way gives another result than the others
     */
    public static void main(String[] args) throws Exception {
        int rounds = args.length == 0 ? 5 : Integer.parseInt(args[0]);
        requireEqual();
        for (String good : new String[] {"true", "false"}) {
            double ours = nanos("maestro", good, rounds);
            double cached = nanos("networkntCached", good, rounds);
            double fresh = nanos("networkntFresh", good, rounds);
            System.out.printf(
                    Locale.ROOT,
                    "good %-5s  maestro %8.0f ns   kept schema %8.0f ns   schema for each call %8.0f ns   x%.2f  x%.4f%n",
                    good,
                    ours,
                    cached,
                    fresh,
                    ours / cached,
                    ours / fresh);
        }
    }

    private static void requireEqual() throws Exception {
        for (boolean good : new boolean[] {true, false}) {
            Validations ways = new Validations();
            ways.good = good;
            int expected = good ? 0 : 3;
            if (ways.maestro().size() != expected
                    || ways.networkntCached().size() != expected
                    || ways.networkntFresh().size() != expected) {
                throw new IllegalStateException(ways.maestro() + " beside " + ways.networkntCached());
            }
        }
    }

    private static double nanos(String way, String good, int forks) throws RunnerException {
        return Medians.of(new Runner(new OptionsBuilder()
                        .include("^" + Validations.class.getName() + "\\." + way + "$")
                        .param("good", good)
                        .forks(forks)
                        .warmupIterations(3)
                        .warmupTime(TimeValue.seconds(1))
                        .measurementIterations(3)
                        .measurementTime(TimeValue.seconds(1))
                        .shouldFailOnError(true)
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .runSingle());
    }
}
