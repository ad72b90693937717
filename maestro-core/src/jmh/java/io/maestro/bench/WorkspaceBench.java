package io.maestro.bench;

import java.util.Locale;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * How long one workspace and eight take, beside {@code git clone --local}, {@code --no-hardlinks} and JGit, and what each needs on
 * the disk; then the same of a small repository in which stories were merged before.
 *
 * <pre>mvn -q -Pbench -pl maestro-core -am test -Dbench.main=io.maestro.bench.WorkspaceBench</pre>
 */
public final class WorkspaceBench {
    private static final int LARGE = 11_400;
    private static final int SMALL = 300;

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
            compare(rounds, count, LARGE, 0, "maestro", "cloneNoHardlinks");
        }
        compare(1, 1, LARGE, 0, "jgit");
        for (int stories : new int[] {10, 100, 1000}) {
            compare(rounds, 1, SMALL, stories, "maestro");
        }
    }

    private static void compare(int rounds, int count, int files, int stories, String... ways) throws RunnerException {
        double clone = print(rounds, count, files, stories, "cloneLocal", Double.NaN);
        for (String way : ways) {
            double unused = print(rounds, count, files, stories, way, clone);
        }
    }

    private static double print(int rounds, int count, int files, int stories, String way, double clone)
            throws RunnerException {
        double time = median(way, count, files, stories, rounds);
        System.out.printf(
                Locale.ROOT,
                "%d of %d files after %d stories, %s: %.0f ms%s%n",
                count,
                files,
                stories,
                way,
                time,
                Double.isNaN(clone) ? "" : String.format(Locale.ROOT, ", x%.2f of git clone --local", clone / time));
        return time;
    }

    private static double median(String way, int count, int files, int stories, int rounds) throws RunnerException {
        return Medians.of(new Runner(new OptionsBuilder()
                        .include("^" + Workspaces.class.getName() + "\\." + way + "$")
                        .param("count", String.valueOf(count))
                        .param("files", String.valueOf(files))
                        .param("stories", String.valueOf(stories))
                        .forks(1)
                        .warmupIterations(1)
                        .measurementIterations(rounds)
                        .shouldFailOnError(true)
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .runSingle());
    }
}
