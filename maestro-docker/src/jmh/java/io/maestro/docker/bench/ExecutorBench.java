package io.maestro.docker.bench;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * What a command in a container costs: by {@code docker exec}, by {@code DockerExecutor} without and with channels, and, as
 * the floor, by a shell on this machine; for one agent and for eight, each in a container of its own. Also from the start
 * of a container to the result of its first command.
 *
 * <p>From the root of the project, with a docker engine and the images for tests; it takes about five minutes:
 * <pre>mvn -q -Pdocker-bench -DskipTests -pl maestro-docker -am test</pre>
 * Fewer or more rounds: {@code -Dbench.rounds=2}. In each round every way runs once in a JVM of its own, in shuffled order;
 * ratios are taken within a round.
 */
public final class ExecutorBench {
    private ExecutorBench() {}

    /**
     * Runs it.
     *
     * @param args the number of rounds
     * @throws Exception when a way gives another result than the others
     */
    public static void main(String[] args) throws Exception {
        int rounds = args.length == 0 ? 5 : Integer.parseInt(args[0]);
        long seed = System.nanoTime();
        System.out.println("rounds: " + rounds + ", seed of the order: " + seed + ", Java " + Runtime.version());
        List<String> ways = checkedEqual();
        for (int agents : new int[] {1, 8}) {
            List<String> order = new ArrayList<>(ways);
            if (agents == 1) {
                order.add("containerStart");
            }
            Map<String, List<Double>> perSecond = new LinkedHashMap<>();
            order.forEach(way -> perSecond.put(way, new ArrayList<>()));
            Random random = new Random(seed);
            for (int round = 1; round <= rounds; round++) {
                Collections.shuffle(order, random);
                for (String way : order) {
                    perSecond.get(way).add(measure(way, agents));
                }
            }
            report(perSecond, agents);
        }
    }

    /** The ways by name, after all have given the same answer. */
    private static List<String> checkedEqual() throws Exception {
        RoundTrips trips = new RoundTrips();
        trips.setUp();
        try {
            RoundTrips.Agent agent = new RoundTrips.Agent();
            Map<String, Callable<String>> ways = new LinkedHashMap<>();
            ways.put("dockerExec", () -> trips.dockerExec(agent));
            ways.put("slowPath", () -> trips.slowPath(agent));
            ways.put("fastPath", () -> trips.fastPath(agent));
            ways.put("localShell", trips::localShell);
            ways.put("localExecutor", trips::localExecutor);
            for (Map.Entry<String, Callable<String>> way : ways.entrySet()) {
                String answer = way.getValue().call();
                if (!answer.equals("hello\n")) {
                    throw new IllegalStateException(way.getKey() + " answers: " + answer);
                }
            }
            return List.copyOf(ways.keySet());
        } finally {
            trips.tearDown();
        }
    }

    private static double measure(String way, int agents) throws RunnerException {
        return new Runner(new OptionsBuilder()
                        .include("^" + RoundTrips.class.getName() + "\\." + way + "$")
                        .forks(1)
                        .jvmArgsAppend("-Dagents=" + agents)
                        .threads(agents)
                        .warmupIterations(2)
                        .warmupTime(TimeValue.seconds(1))
                        .measurementIterations(3)
                        .measurementTime(TimeValue.seconds(1))
                        .shouldFailOnError(true)
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .runSingle()
                .getPrimaryResult()
                .getScore();
    }

    private static void report(Map<String, List<Double>> perSecond, int agents) {
        System.out.printf(
                "%n%d agent(s), throughput beside dockerExec%n%-16s %9s %10s %10s%n",
                agents, "", "min", "median", "max");
        perSecond.forEach((way, scores) -> {
            List<Double> ratios = new ArrayList<>();
            for (int i = 0; i < scores.size(); i++) {
                ratios.add(scores.get(i) / perSecond.get("dockerExec").get(i));
            }
            Collections.sort(ratios);
            double median = scores.stream().sorted().toList().get(scores.size() / 2);
            System.out.printf(
                    Locale.ROOT,
                    "%-16s x%8.2f  x%8.2f  x%8.2f   (median %.0f/s, %.2f ms each)%n",
                    way,
                    ratios.get(0),
                    ratios.get(ratios.size() / 2),
                    ratios.get(ratios.size() - 1),
                    median,
                    1000.0 * agents / median);
        });
    }
}
