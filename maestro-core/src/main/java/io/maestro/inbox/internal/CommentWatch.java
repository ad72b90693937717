package io.maestro.inbox.internal;

import io.maestro.error.RetriableException;
import io.maestro.git.ForgeComments;
import io.maestro.git.ForgeComments.Subject;
import io.maestro.inbox.Inbox;
import io.maestro.internal.Threads;
import io.maestro.secrets.Redactor;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has what people decide on asked and answered below proposals, as long as it waits. One thread looks after all, at the forge's own
 * intervals; whatever a forge does, no story is held up, since people can answer by other ways. Safe for use by several threads.
 */
public final class CommentWatch implements AutoCloseable {
    /** Until the next look where the forge does not say. */
    private static final Duration OTHERWISE = Duration.ofSeconds(30);

    /** What was decided in the last moment is told yet. */
    private static final Duration LAST = Duration.ofSeconds(5);

    private static final Logger LOG = LoggerFactory.getLogger(CommentWatch.class);

    private final ForgeComments forge;
    private final Inbox inbox;
    private final Redactor redactor;
    private final ScheduledThreadPoolExecutor timer;
    private final Map<Subject, Watched> watched = new ConcurrentHashMap<>();

    /**
     * Watches nothing yet.
     *
     * @param forge where comments are
     * @param inbox where the requests are
     * @param redactor takes secrets out of what is written there
     */
    public CommentWatch(ForgeComments forge, Inbox inbox, Redactor redactor) {
        this.forge = forge;
        this.inbox = inbox;
        this.redactor = redactor;
        this.timer = new ScheduledThreadPoolExecutor(1, Threads.platformFactory("maestro-comments"));
        timer.setRemoveOnCancelPolicy(true);
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    private static final class Watched {
        private final CommentDesk desk;
        private final Set<String> ids = ConcurrentHashMap.newKeySet();
        private @Nullable Future<?> next;
        private int failures;

        Watched(CommentDesk desk) {
            this.desk = desk;
        }
    }

    /**
     * Asks, or tells what was decided.
     *
     * @param subject below which proposal
     * @param requestId a request on which people decide
     */
    public void asked(Subject subject, String requestId) {
        Watched unused = watched.compute(subject, (key, known) -> {
            Watched one = known != null ? known : new Watched(new CommentDesk(forge, key, inbox, redactor));
            one.ids.add(requestId);
            schedule(key, one, Duration.ZERO);
            return one;
        });
    }

    /** Something may have happened at the forge. */
    public void lookSoon() {
        watched.keySet().forEach(this::lookSoon);
    }

    /**
     * A request of a story may have been answered.
     *
     * @param storyId the story
     */
    public void lookSoon(String storyId) {
        watched.keySet().stream()
                .filter(subject -> subject.storyId().equals(storyId))
                .forEach(this::lookSoon);
    }

    private void lookSoon(Subject subject) {
        watched.computeIfPresent(subject, (key, one) -> {
            schedule(key, one, Duration.ZERO);
            return one;
        });
    }

    /** Called while nobody else changes the entry. */
    private void schedule(Subject subject, Watched one, Duration wait) {
        Future<?> before = one.next;
        if (before != null) {
            before.cancel(false);
        }
        try {
            one.next = timer.schedule(() -> look(subject, one), wait.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("closed: what is written below {} is read by the next life", subject);
        }
    }

    private void look(Subject subject, Watched one) {
        // Whoever schedules from here on has news that this look may miss.
        Watched unused = watched.computeIfPresent(subject, (key, same) -> {
            same.next = null;
            return same;
        });
        Duration wait = interval();
        try {
            if (one.failures >= CommentDesk.MOST_FAILURES) {
                one.ids.removeAll(one.desk.decided(one.ids));
            }
            Set<String> ids = Set.copyOf(one.ids);
            one.ids.removeAll(ids.isEmpty() ? ids : one.desk.look(ids));
            one.failures = 0;
        } catch (RuntimeException | Error e) { // whatever it is: there is a next look, and other ways to answer
            wait = failed(subject, one, e, wait);
        }
        Duration next = wait;
        Watched unusedRest = watched.computeIfPresent(subject, (key, same) -> {
            if (same.ids.isEmpty()) {
                return null;
            }
            if (same.next == null) {
                schedule(key, same, next);
            }
            return same;
        });
    }

    /** A forge that fails even here ends no watch. */
    private Duration interval() {
        try {
            return Objects.requireNonNull(forge.interval(), "no interval");
        } catch (RuntimeException | Error e) { // it is a host's own code
            LOG.warn(
                    "comments are read every {}, since the forge does not tell its interval: {}",
                    OTHERWISE,
                    e.toString());
        }
        return OTHERWISE;
    }

    private static Duration failed(Subject subject, Watched one, Throwable e, Duration interval) {
        one.failures++;
        String what = "comments below {} are read again later: {}";
        if (one.failures == 1) {
            LOG.warn(what, subject, e.toString());
        } else {
            LOG.debug(what, subject, e.toString());
        }
        Duration asked =
                e instanceof RetriableException later ? later.retryAfter().orElse(Duration.ZERO) : Duration.ZERO;
        return asked.compareTo(interval) > 0 ? asked : interval;
    }

    /** Nobody reads any more; what waits is read by the next life. */
    @Override
    public void close() {
        timer.shutdown();
        try {
            boolean unused = timer.awaitTermination(LAST.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        timer.shutdownNow();
    }
}
