package io.maestro.bench;

import io.maestro.builtin.internal.Searches;
import java.util.Locale;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * How long {@code search_files} takes for 200 MB in 20,000 files, beside {@code grep -rn} and {@code git grep}: with a plain text,
 * with patterns that have a text which every match has, a rare one, a common one or one of several, with one of sets only, and
 * with one whose case does not count.
 *
 * <pre>mvn -q -Pbench -pl maestro-core -am test -Dbench.main=io.maestro.bench.SearchBench</pre>
 */
public final class SearchBench {
    private SearchBench() {}

    /**
     * Runs it; each way in a JVM of its own, a round in each.
     *
     * @param args the number of rounds
     * @throws RunnerException when one fails
     */
    public static void main(String[] args) throws RunnerException {
        int rounds = args.length == 0 ? 5 : Integer.parseInt(args[0]);
        String[][] searches = {
            {"F", "needle_"},
            {"E", "needle_[0-9]+"},
            {"E", "needle|hay_[0-9]+ack"},
            {"E", "[a-z]+_[0-9]+"},
            {"E", "class [a-z]+_|needle_"},
            {"E", "[d][l][e][_][0-9]+"},
            {"Ei", "NEEDLE_[0-9]+"}
        };
        for (String[] search : searches) {
            double grep = median("grep", search, rounds, 2);
            double gitGrep = median("gitGrep", search, rounds, 2);
            double ours = median("searchFiles", search, rounds, 5);
            System.out.printf(
                    Locale.ROOT,
                    "%-2s %-22s grep %6.0f ms   git grep %6.0f ms   search_files %6.0f ms  x%.2f of grep  x%.2f of git grep%n",
                    search[0],
                    search[1],
                    grep,
                    gitGrep,
                    ours,
                    ours / grep,
                    ours / gitGrep);
        }
    }

    private static double median(String way, String[] search, int forks, int before) throws RunnerException {
        return Medians.of(new Runner(new OptionsBuilder()
                        .include("^" + Searches.class.getName() + "\\." + way + "$")
                        .param("options", search[0])
                        .param("pattern", search[1])
                        .forks(forks)
                        .warmupIterations(before)
                        .measurementIterations(5)
                        .shouldFailOnError(true)
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .runSingle());
    }
}
