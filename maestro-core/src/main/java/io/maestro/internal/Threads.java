package io.maestro.internal;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The one place that decides which kind of thread Maestro's tasks run on. */
public final class Threads {
    private static final Logger LOG = LoggerFactory.getLogger(Threads.class);

    /** {@code prefix -> ThreadFactory} of virtual threads; null on a JVM before 21. */
    private static final @Nullable MethodHandle VIRTUAL_FACTORY = findVirtualFactory();

    /** {@code ThreadFactory -> ExecutorService} with a thread per task; null on a JVM before 21. */
    private static final @Nullable MethodHandle THREAD_PER_TASK = findThreadPerTask();

    private static final ThreadFactory AFTER = newWaitingFactory("maestro-after");

    /** How soon it is tried again to make a thread. */
    private static final long RETRY_MILLIS = 100;

    static {
        // The JDK's timer has its thread from now on, also when no other one can be made.
        CompletableFuture.delayedExecutor(0, TimeUnit.MILLISECONDS, Runnable::run)
                .execute(() -> {});
    }

    private Threads() {}

    /**
     * An executor for work: one daemon platform thread per running task, and no limit. Work reads and hashes trees, searches
     * files and calls SQLite's native code, and a virtual thread gives way to nobody meanwhile: on two cores, two snapshots of
     * large workspaces stopped all virtual threads of the host for seconds.
     *
     * @param name what the threads are called, followed by {@code -0}, {@code -1} and so on
     * @return an executor that the caller shuts down
     */
    public static ExecutorService newExecutor(String name) {
        return Executors.newCachedThreadPool(platformFactory(name));
    }

    /**
     * An executor for what only waits, for connections and other threads: one thread per running task and no limit, virtual
     * where the JVM has such threads (Java 21 and later), a daemon platform thread otherwise. Neither kind keeps the JVM alive.
     *
     * @param name what the threads are called, followed by {@code -0}, {@code -1} and so on
     * @return an executor that the caller shuts down
     */
    public static ExecutorService newWaitingExecutor(String name) {
        return virtualExecutor(name).orElseGet(() -> newExecutor(name));
    }

    /**
     * A factory of the threads that {@link #newWaitingExecutor} uses.
     *
     * @param name what the threads are called, followed by {@code -0}, {@code -1} and so on
     * @return a factory that several threads may use
     */
    public static ThreadFactory newWaitingFactory(String name) {
        return virtualFactory(name).orElseGet(() -> platformFactory(name));
    }

    static Optional<ExecutorService> virtualExecutor(String name) {
        MethodHandle threadPerTask = THREAD_PER_TASK;
        if (threadPerTask == null) {
            return Optional.empty();
        }
        return virtualFactory(name).map(factory -> (ExecutorService) call(threadPerTask, factory));
    }

    /**
     * A factory of the threads that {@link #newExecutor} uses.
     *
     * @param name what the threads are called, followed by {@code -0}, {@code -1} and so on
     * @return a factory that several threads may use
     */
    public static ThreadFactory platformFactory(String name) {
        AtomicLong next = new AtomicLong();
        return task -> {
            Thread thread = new Thread(task, name + "-" + next.getAndIncrement());
            thread.setDaemon(true);
            return thread;
        };
    }

    static Optional<ThreadFactory> virtualFactory(String name) {
        MethodHandle virtualFactory = VIRTUAL_FACTORY;
        if (virtualFactory == null) {
            return Optional.empty();
        }
        return Optional.of((ThreadFactory) call(virtualFactory, name + "-"));
    }

    private static Object call(MethodHandle handle, Object argument) {
        try {
            return handle.invoke(argument);
        } catch (Throwable e) {
            throw new IllegalStateException("this JVM has virtual threads but does not make them: " + e, e);
        }
    }

    /** {@code prefix -> Thread.ofVirtual().name(prefix, 0).factory()}, which a compiler for Java 17 does not know. */
    private static @Nullable MethodHandle findVirtualFactory() {
        if (Runtime.version().feature() < 21) {
            return null;
        }
        try {
            MethodHandles.Lookup lookup = MethodHandles.publicLookup();
            Class<?> builder = Class.forName("java.lang.Thread$Builder$OfVirtual");
            MethodHandle ofVirtual = lookup.findStatic(Thread.class, "ofVirtual", MethodType.methodType(builder));
            MethodHandle name =
                    lookup.findVirtual(builder, "name", MethodType.methodType(builder, String.class, long.class));
            MethodHandle factory = lookup.findVirtual(builder, "factory", MethodType.methodType(ThreadFactory.class));
            MethodHandle named = MethodHandles.insertArguments(name, 2, 0L);
            return MethodHandles.filterReturnValue(MethodHandles.collectArguments(named, 0, ofVirtual), factory);
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }

    private static @Nullable MethodHandle findThreadPerTask() {
        if (Runtime.version().feature() < 21) {
            return null;
        }
        try {
            MethodType type = MethodType.methodType(ExecutorService.class, ThreadFactory.class);
            return MethodHandles.publicLookup().findStatic(Executors.class, "newThreadPerTaskExecutor", type);
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }

    /**
     * Runs a task on another thread, and returns at once. Where no thread can be made, because the machine has too many or too
     * little memory, the task is not lost: it runs as soon as there is one.
     *
     * @param executor makes the thread; what else it throws at once, as when it was shut down, is thrown, and what it throws
     *     later is not told
     * @param task what to run
     */
    public static void execute(Executor executor, Runnable task) {
        try {
            executor.execute(task);
        } catch (OutOfMemoryError e) {
            LOG.warn("no thread can be made, which is tried again: {}", e.getMessage());
            CompletableFuture.delayedExecutor(RETRY_MILLIS, TimeUnit.MILLISECONDS, Runnable::run)
                    .execute(() -> execute(executor, task));
        }
    }

    /**
     * A time that holds no thread. What depends on it runs in a thread of its own, for a host may block the common pool.
     *
     * @param time however long
     * @return completed when it is over
     */
    public static CompletableFuture<?> after(Duration time) {
        return CompletableFuture.runAsync(
                () -> {},
                CompletableFuture.delayedExecutor(
                        TimeUnit.MILLISECONDS.convert(time),
                        TimeUnit.MILLISECONDS,
                        task -> execute(own -> AFTER.newThread(own).start(), task)));
    }
}
