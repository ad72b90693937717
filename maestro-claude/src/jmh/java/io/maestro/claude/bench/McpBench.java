package io.maestro.claude.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/**
 * How many calls of a tool our MCP server answers in a second, and how long one takes, beside servers on the official SDK.
 *
 * <p>From the root of the project; it takes about four minutes:
 * <pre>mvn -q -Pclaude-bench -DskipTests -pl maestro-claude -am test -Dbench.main=io.maestro.claude.bench.McpBench</pre>
 * Fewer or more rounds: {@code -Dbench.rounds=2}. In each round each server runs once, in a JVM of its own and in shuffled
 * order; ratios are taken within a round. All are asked by the same client, plain sockets that stay open, with the same bytes
 * but for the token and the session. What the SDK gets for it is the best it has:
 * <ul>
 *   <li>over HTTP its two servlets, in Tomcat, since it has no HTTP server of its own: the one with sessions, which is what
 *       ours is and which answers by server-sent events, and the stateless one, which answers as JSON as ours does;
 *   <li>over TCP its transport for standard input and output on the streams of a connection, a server for each: it has none for
 *       TCP;
 *   <li>tools run on the transport's own threads ({@code immediateExecution}), and inputs are not validated, which is not our
 *       server's work either. Ours runs each call on a thread that can be interrupted, here as always.
 * </ul>
 * Before it is timed each server must give the right results.
 */
public final class McpBench {
    private static final Map<String, List<String>> WAYS = Map.of(
            "HTTP",
            List.of("maestro-http", "sdk-http", "sdk-http-stateless"),
            "TCP",
            List.of("maestro-tcp", "sdk-tcp"));

    private static final int[] CLIENTS = {1, 16};
    private static final double WARM_UP_SECONDS = 2;
    private static final double SECONDS = 1.5;

    private McpBench() {}

    /**
     * Runs it.
     *
     * @param args the number of rounds
     * @throws Exception when a server fails or answers something else
     */
    public static void main(String[] args) throws Exception {
        int rounds = args.length == 0 ? 5 : Integer.parseInt(args[0]);
        long seed = System.nanoTime();
        System.out.println("rounds: " + rounds + ", seed of the order and of the texts: " + seed + ", Java "
                + Runtime.version() + ", " + Runtime.getRuntime().availableProcessors() + " processors");
        Random random = new Random(seed);
        List<String> order = new ArrayList<>();
        WAYS.values().forEach(order::addAll);
        Map<String, List<Load.Figures>> all = new LinkedHashMap<>();
        for (int round = 1; round <= rounds; round++) {
            Collections.shuffle(order, random);
            for (String way : order) {
                measure(way, random, all);
            }
        }
        for (String transport : List.of("HTTP", "TCP")) {
            for (int clients : CLIENTS) {
                report(transport, clients, all);
            }
        }
    }

    private static void measure(String way, Random random, Map<String, List<Load.Figures>> all) throws Exception {
        try (ServerProcess server = ServerProcess.start(way)) {
            List<McpCaller> callers = new ArrayList<>();
            try {
                for (int i = 0; i < CLIENTS[CLIENTS.length - 1]; i++) {
                    callers.add(server.connect());
                }
                callers.get(0).mustAnswerRightly(random);
                Load.run(callers, WARM_UP_SECONDS);
                for (int clients : CLIENTS) {
                    all.computeIfAbsent(way + clients, key -> new ArrayList<>())
                            .add(Load.run(callers.subList(0, clients), SECONDS));
                }
            } catch (Exception e) {
                throw new IllegalStateException(way + " failed", e);
            } finally {
                for (McpCaller caller : callers) {
                    closeQuietly(caller);
                }
            }
        }
    }

    private static void closeQuietly(McpCaller caller) {
        try {
            caller.close();
        } catch (IOException e) {
            // It is over in any case.
        }
    }

    private static void report(String transport, int clients, Map<String, List<Load.Figures>> all) {
        List<String> ways = WAYS.get(transport);
        List<Load.Figures> ours = all.get(ways.get(0) + clients);
        System.out.printf(
                Locale.ROOT,
                "%n%s, %d client%s%n%-20s %30s %22s %22s   %s%n",
                transport,
                clients,
                clients == 1 ? "" : "s",
                "",
                "calls/s (min median max)",
                "p50 in microseconds",
                "p99 in microseconds",
                "calls/s of ours beside it");
        for (String way : ways) {
            List<Load.Figures> its = all.get(way + clients);
            List<Double> ratios = new ArrayList<>();
            for (int i = 0; i < its.size(); i++) {
                ratios.add(ours.get(i).perSecond() / its.get(i).perSecond());
            }
            System.out.printf(
                    Locale.ROOT,
                    "%-20s %30s %22s %22s   %s%n",
                    way,
                    spread(its.stream().map(Load.Figures::perSecond).toList(), "%.0f"),
                    spread(its.stream().map(Load.Figures::p50).toList(), "%.0f"),
                    spread(its.stream().map(Load.Figures::p99).toList(), "%.0f"),
                    way.equals(ways.get(0)) ? "" : spread(ratios, "x%.2f"));
        }
    }

    private static String spread(List<Double> values, String format) {
        List<Double> sorted = values.stream().sorted().toList();
        return String.format(
                Locale.ROOT,
                String.join(" ", format, format, format),
                sorted.get(0),
                sorted.get(sorted.size() / 2),
                sorted.get(sorted.size() - 1));
    }
}
