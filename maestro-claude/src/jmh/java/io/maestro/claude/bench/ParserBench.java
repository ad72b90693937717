package io.maestro.claude.bench;

import io.maestro.claude.testing.TreeEvents;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * How fast the output of the CLI is read, beside plain trees of Jackson.
 *
 * <p>From the root of the project; it takes about ten minutes:
 * <pre>mvn -q -Pclaude-bench -DskipTests -pl maestro-claude -am test -Dbench.main=io.maestro.claude.bench.ParserBench</pre>
 * Fewer or more rounds: {@code -Dbench.rounds=2}. In each round every way runs once in a JVM of its own, in shuffled order;
 * ratios are taken within a round.
 */
public final class ParserBench {
    private static final List<String> WAYS = List.of("treeOfText", "treeOfBytes", "eventsOfTrees", "parser");

    private ParserBench() {}

    /**
     * Runs it.
     *
     * @param args the number of rounds
     * @throws RunnerException when a way fails
     */
    public static void main(String[] args) throws RunnerException {
        int rounds = args.length == 0 ? 5 : Integer.parseInt(args[0]);
        long seed = System.nanoTime();
        System.out.println("rounds: " + rounds + ", seed of the order: " + seed + ", Java " + Runtime.version());
        Random random = new Random(seed);
        for (String corpus : List.of("transcripts", "partial", "long")) {
            int bytes = checkedEqual(corpus);
            Map<String, List<Double>> speeds = new LinkedHashMap<>();
            WAYS.forEach(way -> speeds.put(way, new ArrayList<>()));
            List<String> order = new ArrayList<>(WAYS);
            for (int round = 1; round <= rounds; round++) {
                Collections.shuffle(order, random);
                for (String way : order) {
                    speeds.get(way).add(measure(way, corpus) * bytes / 1e6);
                }
            }
            report(corpus, speeds);
        }
    }

    /** The size of the output, after both ways have made the same of it. */
    private static int checkedEqual(String corpus) {
        Parsing parsing = new Parsing();
        parsing.corpus = corpus;
        parsing.setUp();
        List<Object> ours =
                List.copyOf(parsing.events().stream().map(TreeEvents::normal).toList());
        List<Object> expected =
                List.copyOf(parsing.expected().stream().map(TreeEvents::normal).toList());
        if (!ours.equals(expected)) {
            throw new IllegalStateException("the parser makes other events of " + corpus + " than trees do");
        }
        System.out.println(corpus + ": " + parsing.bytes() + " bytes, " + ours.size() + " equal events");
        return parsing.bytes();
    }

    private static double measure(String way, String corpus) throws RunnerException {
        return new Runner(new OptionsBuilder()
                        .include("^" + Parsing.class.getName() + "\\." + way + "$")
                        .param("corpus", corpus)
                        .forks(1)
                        .warmupIterations(3)
                        .warmupTime(TimeValue.seconds(2))
                        .measurementIterations(3)
                        .measurementTime(TimeValue.seconds(1))
                        .shouldFailOnError(true)
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .runSingle()
                .getPrimaryResult()
                .getScore();
    }

    private static void report(String corpus, Map<String, List<Double>> speeds) {
        System.out.printf(
                "%n%s: throughput beside treeOfText%n%-16s %9s %10s %10s%n", corpus, "", "min", "median", "max");
        speeds.forEach((way, all) -> {
            List<Double> ratios = new ArrayList<>();
            for (int i = 0; i < all.size(); i++) {
                ratios.add(all.get(i) / speeds.get("treeOfText").get(i));
            }
            Collections.sort(ratios);
            List<Double> sorted = all.stream().sorted().toList();
            System.out.printf(
                    Locale.ROOT,
                    "%-16s x%8.2f  x%8.2f  x%8.2f   (median %.0f MB/s, %.0f to %.0f)%n",
                    way,
                    ratios.get(0),
                    ratios.get(ratios.size() / 2),
                    ratios.get(ratios.size() - 1),
                    sorted.get(sorted.size() / 2),
                    sorted.get(0),
                    sorted.get(sorted.size() - 1));
        });
    }
}
