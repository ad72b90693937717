package io.maestro.team.internal.architect;

import io.maestro.agent.Architect;
import io.maestro.internal.Threads;
import io.maestro.internal.Uninterrupted;
import io.maestro.team.internal.machine.CancelledException;
import io.maestro.telemetry.Telemetry;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replies that somebody thinks about: each on a thread of its own, so that an architect that hears no interrupt cannot hold a
 * coder up. Whoever asks for the same again gets the reply that is on its way. Safe for use by several threads.
 */
final class PendingReplies implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PendingReplies.class);
    private static final Duration END_LIMIT = Duration.ofSeconds(5);

    private final Consumer<String> onAbandon;
    private final Telemetry telemetry;
    private final ExecutorService threads = Threads.newExecutor("maestro-architect");
    private final ScheduledThreadPoolExecutor timer;
    private final Map<String, PendingReply> open = new ConcurrentHashMap<>();

    /**
     * Nothing is asked yet.
     *
     * @param onAbandon told of a story about which somebody may still think whose reply counts no more
     * @param telemetry who thinks does so below what is current where it is asked
     */
    PendingReplies(Consumer<String> onAbandon, Telemetry telemetry) {
        this.onAbandon = onAbandon;
        this.telemetry = telemetry;
        this.timer = new ScheduledThreadPoolExecutor(1, Threads.platformFactory("maestro-replies"));
        timer.setRemoveOnCancelPolicy(true);
    }

    /** One request on its way. */
    private final class PendingReply {
        private final Architect architect;
        private final Architect.Request request;

        /** The model's goes on with the next request; a host's architect has none. */
        private final boolean hasConversation;

        private final CompletableFuture<Architect.Reply> reply = new CompletableFuture<>();
        private final CountDownLatch ended = new CountDownLatch(1);

        /** Set by whoever decides what comes of it: the reply, the time limit, or a cancellation. */
        private final AtomicBoolean settled = new AtomicBoolean();

        private final Telemetry.Context context = telemetry.current();
        private volatile @Nullable Future<?> thread;
        private volatile @Nullable Future<?> limit;

        PendingReply(Architect architect, Architect.Request request, boolean hasConversation) {
            this.architect = architect;
            this.request = request;
            this.hasConversation = hasConversation;
        }

        /** Also what was cancelled before it began has ended. */
        void run(FutureTask<?> task) {
            try {
                task.run();
            } finally {
                ended.countDown();
            }
        }

        void think(Consumer<Architect.@Nullable Reply> onReply) {
            Architect.Reply given = null;
            Throwable failure = null;
            boolean counts;
            try (Telemetry.Scope scope = context.enter()) {
                given = architect.reply(request);
            } catch (Throwable e) {
                failure = e;
            } finally {
                counts = settled.compareAndSet(false, true);
                ended.countDown();
            }
            if (counts) {
                finish(given, failure == null ? recorded(onReply, given) : failure);
            }
        }

        private static @Nullable Throwable recorded(
                Consumer<Architect.@Nullable Reply> onReply, Architect.@Nullable Reply given) {
            try {
                onReply.accept(given);
                return null;
            } catch (Throwable e) { // whatever it is: nobody may wait for ever
                return e;
            }
        }

        void finish(Architect.@Nullable Reply given, @Nullable Throwable failure) {
            open.remove(request.id(), this);
            Future<?> timed = limit;
            if (timed != null) {
                timed.cancel(false);
            }
            if (failure != null || given == null) {
                reply.completeExceptionally(failure == null ? new CancelledException() : failure);
            } else {
                reply.complete(given);
            }
        }

        /** Ends the thinking; somebody who hears no interrupt is left to himself, and is not believed any more. */
        void stop(@Nullable Throwable failure) {
            Future<?> running = thread;
            if (running != null) {
                running.cancel(true);
            }
            boolean stopped = Uninterrupted.until(
                    System.nanoTime() + END_LIMIT.toNanos(), nanos -> ended.await(nanos, TimeUnit.NANOSECONDS));
            if (!stopped) {
                LOG.warn(
                        "architect {} still works on request {} although it was interrupted",
                        architect.id(),
                        request.id());
            }
            try {
                if (hasConversation) {
                    onAbandon.accept(request.storyId());
                }
            } finally {
                finish(null, failure);
            }
        }
    }

    /**
     * Asks, or joins who has asked already.
     *
     * @param limit null for a host's architect: the record's deadline holds
     * @param onReply checks and records the reply, on the architect's thread, before the future is completed
     * @param onTimeout records that there was none within the limit
     */
    CompletableFuture<Architect.Reply> ask(
            Architect architect,
            Architect.Request request,
            @Nullable Duration limit,
            Consumer<Architect.@Nullable Reply> onReply,
            Runnable onTimeout) {
        return open.computeIfAbsent(request.id(), id -> begin(architect, request, limit, onReply, onTimeout)).reply;
    }

    private PendingReply begin(
            Architect architect,
            Architect.Request request,
            @Nullable Duration limit,
            Consumer<Architect.@Nullable Reply> onReply,
            Runnable onTimeout) {
        PendingReply pending = new PendingReply(architect, request, limit != null);
        try {
            if (limit != null) {
                pending.limit = timer.schedule(
                        () -> Threads.execute(threads, () -> timeOut(pending, limit, onTimeout)),
                        TimeUnit.MILLISECONDS.convert(limit),
                        TimeUnit.MILLISECONDS);
            }
            FutureTask<?> task = new FutureTask<>(() -> pending.think(onReply), null);
            pending.thread = task;
            Threads.execute(threads, () -> pending.run(task));
        } catch (RejectedExecutionException e) {
            throw new CancelledException();
        }
        return pending;
    }

    private void timeOut(PendingReply pending, Duration limit, Runnable onTimeout) {
        ReplyTimeoutException late = new ReplyTimeoutException(pending.architect.id(), pending.request.kind(), limit);
        Throwable failure = late;
        if (!pending.settled.compareAndSet(false, true)) {
            return;
        }
        try {
            onTimeout.run();
        } catch (RuntimeException | Error e) {
            failure = e;
        }
        pending.stop(failure);
    }

    /** Somebody else has replied: whoever still thinks is stopped. */
    void withdraw(String requestId) {
        PendingReply withdrawn = open.get(requestId);
        if (withdrawn != null && withdrawn.settled.compareAndSet(false, true)) {
            try {
                Threads.execute(threads, () -> withdrawn.stop(null));
            } catch (RejectedExecutionException e) {
                LOG.debug("closed: all who think are interrupted");
            }
        }
    }

    /** Nobody waits any more for replies about a story. */
    void cancel(String storyId) {
        open.values().stream()
                .filter(pending -> pending.request.storyId().equals(storyId))
                .filter(pending -> pending.settled.compareAndSet(false, true))
                .toList()
                .forEach(pending -> pending.stop(null));
    }

    /** Interrupts those who still think. */
    @Override
    public void close() {
        timer.shutdownNow();
        threads.shutdownNow();
    }
}
