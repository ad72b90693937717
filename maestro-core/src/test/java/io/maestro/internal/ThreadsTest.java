package io.maestro.internal;

import static io.maestro.testing.AssertThat.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ThreadsTest {
    private static final boolean HAS_VIRTUAL = Runtime.version().feature() >= 21;

    @Test
    void whatOnlyWaitsUsesVirtualThreadsWhereTheJvmHasThem() throws Exception {
        ExecutorService executor = Threads.newWaitingExecutor("pump");
        try {
            Thread thread = executor.submit(Thread::currentThread).get(10, TimeUnit.SECONDS);
            assertThat(isVirtual(thread)).isEqualTo(HAS_VIRTUAL);
            assertThat(thread.isDaemon()).isTrue();
        } finally {
            executor.shutdownNow();
        }
    }

    /** Virtual ones would take the host's carriers for as long as they compute. */
    @Test
    void workUsesPlatformThreads() throws Exception {
        ExecutorService executor = Threads.newExecutor("work");
        try {
            Thread thread = executor.submit(Thread::currentThread).get(10, TimeUnit.SECONDS);
            assertThat(isVirtual(thread)).isFalse();
            assertThat(thread.isDaemon()).isTrue();
        } finally {
            executor.shutdownNow();
        }
    }

    /** As on a machine that has too many of them for a while. */
    @Test
    void aTaskThatNoThreadCanBeMadeForRunsLater() throws Exception {
        AtomicInteger refusals = new AtomicInteger(3);
        CompletableFuture<Integer> ran = new CompletableFuture<>();
        Threads.execute(
                task -> {
                    if (refusals.getAndDecrement() > 0) {
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                    task.run();
                },
                () -> ran.complete(refusals.get()));
        assertThat(ran.get(10, TimeUnit.SECONDS)).isEqualTo(-1);
    }

    @Test
    void tasksThatWaitForEachOtherAllRun() throws Exception {
        for (ExecutorService executor : List.of(Threads.newWaitingExecutor("any"), Threads.newExecutor("plain"))) {
            assertAllRunAtOnce(executor);
        }
    }

    private static void assertAllRunAtOnce(ExecutorService executor) throws Exception {
        int tasks = 50;
        CountDownLatch allRunning = new CountDownLatch(tasks);
        try {
            List<Future<Boolean>> results = new ArrayList<>();
            for (int i = 0; i < tasks; i++) {
                results.add(executor.submit(() -> {
                    allRunning.countDown();
                    return allRunning.await(10, TimeUnit.SECONDS);
                }));
            }
            for (Future<Boolean> result : results) {
                assertThat(result.get(20, TimeUnit.SECONDS)).isTrue();
            }
        } finally {
            executor.shutdownNow();
        }
    }

    @Test
    void threadsAreNumbered() {
        ThreadFactory factory = Threads.newWaitingFactory("agent");
        assertThat(factory.newThread(() -> {}).getName()).isEqualTo("agent-0");
        assertThat(factory.newThread(() -> {}).getName()).isEqualTo("agent-1");
    }

    @Test
    void platformThreadsDoNotKeepTheJvmAlive() throws Exception {
        Thread thread = Threads.platformFactory("plain").newThread(() -> {});
        assertThat(thread.isDaemon()).isTrue();
        assertThat(isVirtual(thread)).isFalse();
        assertThat(thread.getName()).isEqualTo("plain-0");
    }

    @Test
    void virtualThreadsAreFoundExactlyWhereTheJvmHasThem() {
        assertThat(Threads.virtualFactory("light").isPresent()).isEqualTo(HAS_VIRTUAL);
        assertThat(Threads.virtualExecutor("light").isPresent()).isEqualTo(HAS_VIRTUAL);
    }

    private static boolean isVirtual(Thread thread) throws ReflectiveOperationException {
        return HAS_VIRTUAL && (boolean) Thread.class.getMethod("isVirtual").invoke(thread);
    }
}
