package io.maestro.bench;

import java.util.Locale;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * How long one workspace and eight take, beside {@code git clone --local}, {@code --no-hardlinks} and JGit, and what each needs on
 * the disk.
 *
 * <pre>mvn -q -Pbench -pl maestro-core -am test -Dbench.main=io.maestro.bench.WorkspaceBench</pre>
 */
public final class WorkspaceBench {
    private WorkspaceBench() {}

    /**
     * Runs it; each way in a JVM of its own.
     *
     * @param args the number of rounds
     * @throws RunnerException when one fails
     */
    public static void main(String[] args) throws RunnerException {
        int rounds = args.length == 0 ? 5 : Integer.parseInt(args[0]);
        for (int count : new int[] {1, 8}) {
            double clone = median("cloneLocal", count, rounds);
            for (String way : new String[] {"maestro", "cloneLocal", "cloneNoHardlinks", "jgit"}) {
                if (!way.equals("jgit") || count == 1) {
                    double time = way.equals("cloneLocal") ? clone : median(way, count, way.equals("jgit") ? 1 : rounds);
                    System.out.printf(
                            Locale.ROOT, "%d of %-16s %7.0f ms  x%.2f of git clone%n", count, way, time, clone / time);
                }
            }
        }
    }

    private static double median(String way, int count, int rounds) throws RunnerException {
        return Medians.of(new Runner(new OptionsBuilder()
                        .include("^" + Workspaces.class.getName() + "\\." + way + "$")
                        .param("count", String.valueOf(count))
                        .forks(1)
                        .warmupIterations(1)
                        .measurementIterations(rounds)
                        .shouldFailOnError(true)
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .runSingle());
    }
}
