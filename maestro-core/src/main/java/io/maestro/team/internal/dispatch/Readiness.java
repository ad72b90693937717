package io.maestro.team.internal.dispatch;

import io.maestro.agent.CoderState;
import io.maestro.audit.Store;
import io.maestro.audit.StoreException;
import io.maestro.error.MaestroException;
import io.maestro.event.MaestroEvent;
import io.maestro.event.MaestroListener;
import io.maestro.story.StoryResult;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decides whether a story that waits may begin, according to the record. Used by the dispatcher's thread. */
final class Readiness {
    private static final Logger LOG = LoggerFactory.getLogger(Readiness.class);

    private final Store store;
    private final Dependencies dependencies;
    private final Admission admission;
    private final Map<String, Ticket> tickets;
    private final Completions completions;
    private final MaestroListener listener;
    private final Function<Store.StoryRecord, StoryResult> results;

    Readiness(
            Store store,
            Admission admission,
            Map<String, Ticket> tickets,
            Completions completions,
            MaestroListener listener,
            Function<Store.StoryRecord, StoryResult> results) {
        this.store = store;
        this.dependencies = new Dependencies(store);
        this.admission = admission;
        this.tickets = tickets;
        this.completions = completions;
        this.listener = listener;
        this.results = results;
    }

    /**
     * Whether a story may begin, or is to be ended. What is wrong with one story does not end the others that wait.
     *
     * @throws StoreException when the record does not answer
     */
    boolean isReady(Ticket ticket) {
        if (ticket.stage != Ticket.Stage.WAITS) {
            return false;
        }
        try {
            Optional<Store.StoryRecord> row = store.story(ticket.storyId());
            if (row.isEmpty()) {
                throw new MaestroException("there is no story " + ticket.storyId() + " in the record");
            }
            return !isSettled(ticket, row.get())
                    && (ticket.cancelled || ticket.unwanted || !ticket.paused && mayBegin(ticket, row.get()));
        } catch (StoreException e) {
            throw e;
        } catch (RuntimeException e) {
            completions.fail(ticket, e);
            return false;
        }
    }

    /** Completes the ticket of a story that has ended, here or elsewhere. */
    boolean isSettled(Ticket ticket, Store.StoryRecord row) {
        if (row.state().isFinal()) {
            completions.complete(ticket, () -> results.apply(row));
            return true;
        }
        return false;
    }

    private boolean mayBegin(Ticket ticket, Store.StoryRecord row) {
        if (row.state() != CoderState.WAITING) {
            return true;
        }
        if (!ticket.circleChecked) {
            // Once is enough: whoever closes a circle comes last, and sees all of it.
            ticket.circleChecked = true;
            Optional<String> circle = dependencies.circle(row);
            if (circle.isPresent()) {
                giveUp(row, "it depends on itself: " + circle.get());
                return false;
            }
        }
        for (String other : row.dependsOn()) {
            Optional<CoderState> state = dependencies.state(other);
            if (state.isEmpty()) {
                tellOfUnknown(ticket, other);
            } else if (state.get() == CoderState.ERROR && row.specId() == null && !tickets.containsKey(other)) {
                giveUp(row, "it depends on story " + other + ", which has failed");
            }
            if (!state.equals(Optional.of(CoderState.DONE))) {
                return false;
            }
        }
        return true;
    }

    private void giveUp(Store.StoryRecord row, String reason) {
        admission.giveUp(row.id(), reason).ifPresent(this::tell);
    }

    private void tellOfUnknown(Ticket ticket, String other) {
        if (!ticket.toldOfUnknown) {
            ticket.toldOfUnknown = true;
            LOG.warn("story {} waits for story {}, which nobody has submitted yet", ticket.storyId(), other);
            tell(new MaestroEvent.DependencyUnknown(ticket.storyId(), StoryRows.DISPATCHER, other, Instant.now()));
        }
    }

    void tell(MaestroEvent event) {
        completions.outside(() -> listener.onEvent(event));
    }
}
