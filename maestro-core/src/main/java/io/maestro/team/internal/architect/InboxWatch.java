package io.maestro.team.internal.architect;

import io.maestro.agent.Architect;
import io.maestro.inbox.internal.RecordedReply;
import io.maestro.internal.Threads;
import io.maestro.record.StoreException;
import io.maestro.record.internal.DecisionRequests;
import io.maestro.team.internal.machine.CancelledException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits until requests have their reply in the record, whoever wrote it, in whatever process, or until it is too late. What waits
 * holds no thread and no text: one thread looks for all. Safe for use by several threads.
 */
final class InboxWatch implements AutoCloseable {
    /** How soon the answer of another process is seen. */
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private static final Logger LOG = LoggerFactory.getLogger(InboxWatch.class);

    private final DecisionRequests requests;
    private final ScheduledThreadPoolExecutor timer;
    private final Map<String, WaitingRequest> waiting = new ConcurrentHashMap<>();
    private final AtomicBoolean watching = new AtomicBoolean();
    private final AtomicBoolean looksSoon = new AtomicBoolean();

    InboxWatch(DecisionRequests requests) {
        this.requests = requests;
        this.timer = new ScheduledThreadPoolExecutor(1, Threads.platformFactory("maestro-inbox"));
        timer.setRemoveOnCancelPolicy(true);
    }

    private static final class WaitingRequest {
        private final String storyId;
        private final Function<RecordedReply, Architect.Reply> read;
        private final CompletableFuture<Architect.Reply> reply = new CompletableFuture<>();
        private volatile @Nullable Future<?> limit;

        WaitingRequest(String storyId, Function<RecordedReply, Architect.Reply> read) {
            this.storyId = storyId;
            this.read = read;
        }

        void complete(String id, String json) {
            try {
                reply.complete(read.apply(RecordedReply.read(id, json)));
            } catch (RuntimeException | Error e) {
                reply.completeExceptionally(e);
            }
        }

        void end() {
            Future<?> timed = limit;
            if (timed != null) {
                timed.cancel(false);
            }
        }
    }

    /**
     * Waits for the reply to a request that is in the record.
     *
     * @param until when it is too late
     * @param read what the reply is; whatever it throws, the future fails with
     * @param onNew told of the future when nobody has waited for this request before
     */
    CompletableFuture<Architect.Reply> await(
            String id,
            String storyId,
            Instant until,
            Function<RecordedReply, Architect.Reply> read,
            Consumer<CompletableFuture<Architect.Reply>> onNew) {
        WaitingRequest mine = new WaitingRequest(storyId, read);
        WaitingRequest known = waiting.putIfAbsent(id, mine);
        if (known != null) {
            return known.reply;
        }
        try {
            watchAgain();
            long left = Math.max(0, Duration.between(Instant.now(), until).toMillis());
            mine.limit = timer.schedule(() -> late(id, until), left, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            throw new CancelledException();
        }
        if (mine.reply.isDone()) {
            mine.end();
        }
        onNew.accept(mine.reply);
        return mine.reply;
    }

    /** While something waits, one look follows the other. */
    private void watchAgain() {
        if (!waiting.isEmpty() && watching.compareAndSet(false, true)) {
            Future<?> unused = timer.schedule(
                    () -> {
                        look();
                        watching.set(false);
                        watchAgain();
                    },
                    INTERVAL.toMillis(),
                    TimeUnit.MILLISECONDS);
        }
    }

    /** Somebody may have replied in this process: looks at once. */
    void lookSoon() {
        if (!looksSoon.compareAndSet(false, true)) {
            return;
        }
        try {
            timer.execute(() -> {
                looksSoon.set(false);
                look();
            });
        } catch (RejectedExecutionException e) {
            LOG.debug("closed: what was replied is seen by the next life");
        }
    }

    private void look() {
        if (waiting.isEmpty()) {
            return;
        }
        try {
            Set<String> open = requests.pendingIds();
            for (String id : waiting.keySet()) {
                if (!open.contains(id)) {
                    settleOrFail(id);
                }
            }
        } catch (StoreException e) {
            LOG.warn("whether people have replied is looked up again: {}", e.getMessage());
        } catch (RuntimeException | Error e) { // whatever it is: there is a next look
            LOG.error("whether people have replied is looked up again", e);
        }
    }

    /** A reply that cannot be read keeps no other one waiting. */
    private void settleOrFail(String id) {
        try {
            settle(id);
        } catch (StoreException e) {
            throw e;
        } catch (RuntimeException e) {
            fail(id, e);
        }
    }

    private void settle(String id) {
        requests.find(id).map(row -> row.effect().reply()).ifPresent(reply -> {
            WaitingRequest settled = waiting.remove(id);
            if (settled != null) {
                settled.end();
                settled.complete(id, reply);
            }
        });
    }

    private void late(String id, Instant until) {
        try {
            RecordedReply none = new RecordedReply(RecordedReply.TIMEOUT, "no reply until " + until, "", null);
            DecisionRequests.ReplyStatus unused = requests.reply(id, "", false, "", none.json(), Instant.now());
            settle(id);
        } catch (RuntimeException | Error e) { // whatever it is: nobody may wait for ever
            LOG.warn("that nobody has replied to request {} is recorded later", id, e);
            Future<?> unused = timer.schedule(() -> late(id, until), INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    /** Whoever was to reply has failed, and nobody else has replied. */
    void fail(String id, Throwable failure) {
        WaitingRequest failed = waiting.remove(id);
        if (failed != null) {
            failed.end();
            failed.reply.completeExceptionally(failure);
        }
    }

    /** Nobody waits any more for replies about a story. */
    void forget(String storyId) {
        waiting.forEach((id, one) -> {
            if (one.storyId.equals(storyId)) {
                fail(id, new CancelledException());
            }
        });
    }

    /** Nobody looks any more; what waits goes on waiting in the record. */
    @Override
    public void close() {
        timer.shutdownNow();
    }
}
