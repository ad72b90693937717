package io.maestro.team.internal.dispatch;

import io.maestro.internal.Threads;
import io.maestro.record.Cancellation;
import io.maestro.record.Cancellations;
import io.maestro.record.StoreException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends what is worked on here when the record says that somebody wants that, in whatever process he has said so. One thread looks for
 * all, while there is anything. Safe for use by several threads.
 */
public final class CancelWatch implements AutoCloseable {
    /** How soon what another process has asked is seen. */
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private static final Logger LOG = LoggerFactory.getLogger(CancelWatch.class);

    private final Cancellations cancellations;
    private final List<Supplier<Map<String, Consumer<String>>>> atWork;
    private final ScheduledThreadPoolExecutor timer;

    /**
     * Begins to look.
     *
     * @param atWork what is worked on here, by its id, with what ends it and says why; specifications come before their stories, which end
     *     with them
     */
    public CancelWatch(Cancellations cancellations, List<Supplier<Map<String, Consumer<String>>>> atWork) {
        this.cancellations = cancellations;
        this.atWork = List.copyOf(atWork);
        this.timer = new ScheduledThreadPoolExecutor(1, Threads.platformFactory("maestro-cancellations"));
        Future<?> unused = timer.scheduleWithFixedDelay(
                this::look, INTERVAL.toMillis(), INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void look() {
        try {
            // Before they are read: what is begun anew after that is not meant.
            Map<String, Consumer<String>> ends = new LinkedHashMap<>();
            atWork.forEach(some -> ends.putAll(some.get()));
            if (ends.isEmpty()) {
                return;
            }
            Set<String> open =
                    cancellations.open().stream().map(Cancellation::id).collect(Collectors.toSet());
            ends.keySet().retainAll(open);
            // What was meant may have ended since, and something else have begun.
            ends.forEach((id, end) -> cancellations.open(id).ifPresent(cancellation -> end.accept(cancellation.by())));
        } catch (StoreException e) {
            // Whoever works says so, too.
            LOG.debug("whether somebody wants something to end is looked up again: {}", e.getMessage());
        } catch (RuntimeException | Error e) { // whatever it is: there is a next look
            LOG.error("whether somebody wants something to end is looked up again", e);
        }
    }

    /** Nobody looks any more; what is wanted stays in the record. */
    @Override
    public void close() {
        timer.shutdownNow();
    }
}
