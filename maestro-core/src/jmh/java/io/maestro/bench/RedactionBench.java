package io.maestro.bench;

import io.maestro.secrets.internal.Redactions;
import java.util.Locale;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * How fast secrets are looked for in ordinary source, logs, lock files and JSON, beside a loop that runs the expression of
 * each of the same rules over the whole text. Both in one run; the machine should have nothing else to do.
 *
 * <pre>mvn -q -Pbench -pl maestro-core -am test -Dbench.main=io.maestro.bench.RedactionBench</pre>
 */
public final class RedactionBench {
    private RedactionBench() {}

    /**
     * Runs it; each way in a JVM of its own, a round in each.
     *
     * @param args the number of rounds
     * @throws RunnerException when one fails
     */
    public static void main(String[] args) throws RunnerException {
        int rounds = args.length == 0 ? 5 : Integer.parseInt(args[0]);
        for (String kind : new String[] {"source", "logs", "lock files", "JSON"}) {
            double redactor = micros("redactor", kind, rounds);
            double naive = micros("naive", kind, rounds);
            System.out.printf(
                    Locale.ROOT,
                    "%-10s redactor %7.1f MB/s   naive loop %6.3f MB/s   %.0f times%n",
                    kind,
                    Redactions.CHARACTERS / redactor,
                    Redactions.CHARACTERS / naive,
                    naive / redactor);
        }
    }

    private static double micros(String way, String kind, int forks) throws RunnerException {
        return Medians.of(new Runner(new OptionsBuilder()
                        .include("^" + Redactions.class.getName() + "\\." + way + "$")
                        .param("kind", kind)
                        .forks(forks)
                        .warmupIterations(3)
                        .warmupTime(TimeValue.seconds(2))
                        .measurementIterations(3)
                        .measurementTime(TimeValue.seconds(1))
                        .shouldFailOnError(true)
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .runSingle());
    }
}
