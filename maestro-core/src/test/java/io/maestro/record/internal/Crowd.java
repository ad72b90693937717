package io.maestro.record.internal;

import io.maestro.record.CostScope;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** One of many who ask a model, each request for at most {@link #DEAREST}, of which a cap lets through some. */
final class Crowd {
    static final BigDecimal DEAREST = new BigDecimal("0.5");

    private final Spending spending;
    private final String name;
    private final Random random;
    private final Map<CostScope, BigDecimal> caps;
    private final int requests;
    private final Consumer<BigDecimal> paid;
    private int tried;

    /**
     * Someone who holds the lease of the story of his name.
     *
     * @param paid is told each cost
     */
    Crowd(
            Spending spending,
            String name,
            long seed,
            Map<CostScope, BigDecimal> caps,
            int requests,
            Consumer<BigDecimal> paid) {
        this.spending = spending;
        this.name = name;
        this.random = new Random(seed);
        this.caps = caps;
        this.requests = requests;
        this.paid = paid;
    }

    /** Makes all requests; one that others under way leave no room for is made again. */
    Void run() throws Exception {
        while (tried < requests) {
            BigDecimal most = DEAREST.multiply(BigDecimal.valueOf(random.nextInt(1, 1001), 3));
            Spending.CostReservation request = new Spending.CostReservation(
                    UUID.randomUUID().toString(), name, name, null, 1, "coder-001", "CODING", "m", most);
            Optional<Spending.Refusal> refusal = spending.reserve(request, caps);
            if (refusal.isEmpty() || !refusal.get().mayPass()) {
                tried++;
            }
            if (refusal.isEmpty()) {
                BigDecimal cost = most.multiply(BigDecimal.valueOf(random.nextInt(1001), 3));
                paid.accept(cost);
                spending.settle(request, cost);
            }
        }
        return null;
    }

    /** A process of its own: url, name, seed, cap, requests, threads, file for the costs. */
    public static void main(String[] arguments) throws Exception {
        String name = arguments[1];
        long seed = Long.parseLong(arguments[2]);
        int threads = Integer.parseInt(arguments[5]);
        ConcurrentLinkedQueue<BigDecimal> paid = new ConcurrentLinkedQueue<>();
        try (Store store = Backend.open(arguments[0])) {
            List<Callable<Void>> tasks = IntStream.range(0, threads)
                    .mapToObj(thread -> {
                        String own = name + "-" + thread;
                        store.leases().acquire(List.of(Leases.story(own)), own, Duration.ofHours(1));
                        return (Callable<Void>) new Crowd(
                                store.spending(),
                                own,
                                seed + thread,
                                Map.of(CostScope.TOTAL, new BigDecimal(arguments[3])),
                                Integer.parseInt(arguments[4]) / threads,
                                paid::add)::run;
                    })
                    .toList();
            Parallel.run(tasks);
        }
        Files.write(
                Path.of(arguments[6]),
                paid.stream().map(BigDecimal::toPlainString).toList());
    }
}
