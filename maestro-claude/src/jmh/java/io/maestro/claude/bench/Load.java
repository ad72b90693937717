package io.maestro.claude.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Several callers at once, each of which makes its next call when it has the answer to the last. */
final class Load {
    private static final int MOST_CALLS = 2_000_000;

    private Load() {}

    /**
     * What came of it.
     *
     * @param perSecond calls of all callers together
     * @param p50 microseconds that half of the calls took at most
     * @param p99 microseconds that 99 of 100 took at most
     */
    record Figures(double perSecond, double p50, double p99) {}

    static Figures run(List<McpCaller> callers, double seconds) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(callers.size());
        try {
            CountDownLatch start = new CountDownLatch(1);
            List<Future<long[]>> running = new ArrayList<>();
            for (McpCaller caller : callers) {
                running.add(threads.submit(() -> {
                    start.await();
                    return calls(caller, System.nanoTime() + (long) (seconds * 1e9));
                }));
            }
            long begin = System.nanoTime();
            start.countDown();
            List<long[]> times = new ArrayList<>();
            for (Future<long[]> one : running) {
                times.add(one.get());
            }
            double took = (System.nanoTime() - begin) / 1e9;
            long[] all = times.stream().flatMapToLong(Arrays::stream).sorted().toArray();
            return new Figures(
                    all.length / took,
                    all[all.length / 2] / 1e3,
                    all[(int) Math.min(all.length - 1, all.length * 0.99)] / 1e3);
        } finally {
            threads.shutdownNow();
        }
    }

    private static long[] calls(McpCaller caller, long end) throws Exception {
        long[] took = new long[1024];
        int calls = 0;
        for (long now = System.nanoTime(); now < end && calls < MOST_CALLS; calls++) {
            if (calls == took.length) {
                took = Arrays.copyOf(took, calls * 2);
            }
            caller.callOnce();
            long after = System.nanoTime();
            took[calls] = after - now;
            now = after;
        }
        return Arrays.copyOf(took, calls);
    }
}
