package io.maestro.bench;

import java.util.Collection;
import java.util.Locale;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * How many calls {@value #CALLERS} callers get into the record in a second, and how long one of them waits, beside a transaction
 * for each row with plain JDBC and the same settings of SQLite.
 *
 * <pre>mvn -q -Pbench -pl maestro-core -am test -Dbench.main=io.maestro.bench.AuditBench</pre>
 */
public final class AuditBench {
    private static final int CALLERS = 64;

    private AuditBench() {}

    /** Rows in a second, and the milliseconds that the slowest of a hundred takes. */
    private record Score(double rows, double slowest) {}

    /**
     * Runs it; each way in a JVM of its own, a round in each.
     *
     * @param args the number of rounds
     * @throws RunnerException when one fails
     */
    public static void main(String[] args) throws RunnerException {
        int rounds = args.length == 0 ? 5 : Integer.parseInt(args[0]);
        Score ours = score("maestro", rounds);
        for (String other : new String[] {"jdbc", "jdbcInTurn"}) {
            Score theirs = score(other, rounds);
            System.out.printf(
                    Locale.ROOT,
                    "%d callers  %-10s %6.0f rows/s, p99 %7.1f ms   maestro %6.0f rows/s, p99 %7.1f ms   rows x%.2f  p99 x%.3f%n",
                    CALLERS,
                    other,
                    theirs.rows,
                    theirs.slowest,
                    ours.rows,
                    ours.slowest,
                    ours.rows / theirs.rows,
                    ours.slowest / theirs.slowest);
        }
    }

    private static Score score(String way, int forks) throws RunnerException {
        Collection<RunResult> results = new Runner(new OptionsBuilder()
                        .include("^" + AuditWrites.class.getName() + "\\." + way + "$")
                        .threads(CALLERS)
                        .forks(forks)
                        .warmupIterations(2)
                        .warmupTime(TimeValue.seconds(1))
                        .measurementIterations(3)
                        .measurementTime(TimeValue.seconds(2))
                        .shouldFailOnError(true)
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .run();
        double rows = 0;
        double slowest = 0;
        for (RunResult result : results) {
            if (result.getParams().getMode() == Mode.Throughput) {
                rows = result.getPrimaryResult().getScore() * 1000;
            } else {
                slowest = result.getPrimaryResult().getStatistics().getPercentile(99);
            }
        }
        return new Score(rows, slowest);
    }
}
