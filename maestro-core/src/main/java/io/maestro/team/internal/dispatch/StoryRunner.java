package io.maestro.team.internal.dispatch;

import io.maestro.audit.Cancellations;
import io.maestro.audit.LeaseLostException;
import io.maestro.audit.Leases;
import io.maestro.audit.Store;
import io.maestro.audit.StoreUnavailableException;
import io.maestro.error.MaestroException;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.team.internal.machine.ParkedException;
import io.maestro.team.internal.machine.StopCause;
import io.maestro.team.internal.machine.StoppableTask;
import io.maestro.team.internal.machine.StoppedException;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs leased stories on threads of their own, and decides what follows when one comes back: it has ended, it is parked, another
 * process has it, or it is tried again. Used by the dispatcher's thread.
 */
final class StoryRunner {
    private static final Logger LOG = LoggerFactory.getLogger(StoryRunner.class);

    private final Store store;
    private final LeaseKeeper leases;
    private final CoderNames names;
    private final Dispatcher.Work work;
    private final ExecutorService threads;
    private final Mailbox mailbox;
    private final Completions completions;
    private final Readiness readiness;
    private final BooleanSupplier closed;

    StoryRunner(
            Store store,
            LeaseKeeper leases,
            CoderNames names,
            Dispatcher.Work work,
            ExecutorService threads,
            Mailbox mailbox,
            Completions completions,
            Readiness readiness,
            BooleanSupplier closed) {
        this.store = store;
        this.leases = leases;
        this.names = names;
        this.work = work;
        this.threads = threads;
        this.mailbox = mailbox;
        this.completions = completions;
        this.readiness = readiness;
        this.closed = closed;
    }

    /**
     * Starts a leased story, or ends it when there is nothing to start. Where there is no thread for it, it begins later.
     *
     * @throws StoreUnavailableException when the record does not answer
     */
    void begin(Ticket ticket) {
        boolean begun = false;
        try {
            begun = tryBegin(ticket);
        } catch (StoreUnavailableException e) {
            throw e;
        } catch (RuntimeException | Error e) {
            failed(ticket, e);
        } finally {
            if (!begun) {
                completions.release(ticket);
            }
        }
    }

    private boolean tryBegin(Ticket ticket) {
        Store.StoryRecord row = store.story(ticket.storyId()).orElseThrow();
        if (readiness.isSettled(ticket, row)) {
            return false;
        }
        cancelIfAsked(ticket, row);
        if (ticket.unwanted && !ticket.cancelled) {
            // What was meant has ended elsewhere: this was begun anew.
            ticket.unwanted = false;
            return false;
        }
        Story given = ticket.story;
        Story story = given == null ? StoryHistory.story(row) : given;
        Optional<String> holder = names.holderOf(row);
        // A cancelled story needs no workspace but the one that it has, which is given to nobody else meanwhile.
        boolean named = !ticket.cancelled || holder.isPresent();
        String agentId = named
                ? names.take(holder.orElse(null))
                : Objects.requireNonNullElse(row.agentId(), StoryRows.DISPATCHER);
        StoppableTask<StoryResult> task = new StoppableTask<>(stop -> work.run(row, story, agentId, stop));
        ticket.leaseLost = false;
        ticket.task = task;
        ticket.stage = Ticket.Stage.RUNS;
        if (ticket.cancelled) {
            task.stop(StopCause.CANCELLED, ticket.why);
        }
        if (ticket.paused) {
            task.stop(StopCause.PAUSED);
        }
        if (closed.getAsBoolean()) {
            task.stop(StopCause.CLOSED);
        }
        leases.hold(Leases.story(ticket.storyId()), () -> leaseLost(ticket));
        try {
            threads.execute(() -> {
                try {
                    task.run();
                } finally {
                    mailbox.post(() -> ended(ticket, task, named ? agentId : null));
                }
            });
        } catch (RuntimeException | Error e) {
            ticket.task = null;
            if (named) {
                names.giveBack(agentId);
            }
            throw e;
        }
        return true;
    }

    /** Before anything is done for the story, which is leased: nobody else can end it now. */
    private void cancelIfAsked(Ticket ticket, Store.StoryRecord row) {
        Cancellations wishes = store.cancellations();
        String spec = row.specId();
        // A story that was written after its specification was to end has no wish of its own.
        Optional<Cancellations.Wish> wish = wishes.open(Leases.story(ticket.storyId()))
                .or(() -> spec == null ? Optional.empty() : wishes.open(Leases.spec(spec)));
        if (wish.isPresent()) {
            // Also where it is cancelled with its specification.
            ticket.why = wish.get().by();
            ticket.cancelled = true;
        }
    }

    private void leaseLost(Ticket ticket) {
        StoppableTask<StoryResult> task = ticket.task;
        if (task != null) {
            task.stop(StopCause.LEASE_LOST);
        }
        mailbox.post(() -> {
            ticket.leaseLost = ticket.stage == Ticket.Stage.RUNS;
            if (!ticket.leaseLost) {
                ticket.leased = false;
                ticket.stage = Ticket.Stage.WAITS;
            }
        });
    }

    private void ended(Ticket ticket, StoppableTask<StoryResult> task, @Nullable String name) {
        if (name != null) {
            names.giveBack(name);
        }
        ticket.task = null;
        ticket.read = false;
        CompletableFuture<StoryResult> done = task.done();
        if (!done.isCompletedExceptionally()) {
            completions.complete(ticket, done::join);
        } else {
            failed(ticket, failureOf(done));
        }
    }

    private void failed(Ticket ticket, Throwable failure) {
        if (failure instanceof ParkedException parked && !closed.getAsBoolean()) {
            LOG.debug("story {} {}", ticket.storyId(), parked.getMessage());
            ticket.failures.set(0);
            park(ticket, parked.until());
        } else if (stopCause(failure).equals(Optional.of(StopCause.PAUSED)) && !closed.getAsBoolean()) {
            if (ticket.leaseLost) {
                completions.release(ticket);
            }
            ticket.stage = Ticket.Stage.WAITS;
        } else if (isElsewhere(failure) && !closed.getAsBoolean()) {
            LOG.warn("story {} goes on elsewhere: {}", ticket.storyId(), failure.getMessage());
            completions.release(ticket);
            ticket.stage = Ticket.Stage.WAITS;
        } else if (Outages.isTransient(failure) && !closed.getAsBoolean() && ticket.failures.get() < Outages.MOST) {
            LOG.warn("story {} is tried again later: {}", ticket.storyId(), failure.getMessage());
            park(ticket, Outages.later(ticket.failures.incrementAndGet()));
        } else {
            Throwable told =
                    closed.getAsBoolean() && failure instanceof ParkedException ? closedBefore(ticket) : failure;
            completions.complete(ticket, () -> readiness.resultDespite(ticket, told));
        }
    }

    private static Throwable failureOf(CompletableFuture<?> done) {
        try {
            done.join();
            return new IllegalStateException("it has not failed");
        } catch (CompletionException | CancellationException e) {
            return e.getCause() == null ? e : e.getCause();
        }
    }

    private static boolean isElsewhere(Throwable failure) {
        return failure instanceof LeaseLostException || stopCause(failure).equals(Optional.of(StopCause.LEASE_LOST));
    }

    private static Optional<StopCause> stopCause(Throwable failure) {
        return failure instanceof StoppedException stopped ? Optional.of(stopped.stopCause()) : Optional.empty();
    }

    /** The story keeps its lease and its workspace, and nothing else. */
    private void park(Ticket ticket, CompletableFuture<?> until) {
        ticket.stage = Ticket.Stage.IS_PARKED;
        CompletableFuture<?> unused = until.whenComplete((value, problem) -> mailbox.post(() -> unpark(ticket)));
    }

    static void unpark(Ticket ticket) {
        if (ticket.stage == Ticket.Stage.IS_PARKED) {
            ticket.stage = Ticket.Stage.WAITS;
        }
    }

    static MaestroException closedBefore(Ticket ticket) {
        return new MaestroException("this Maestro was closed before story " + ticket.storyId()
                + " had ended; Maestro.resume() of the next one goes on with it");
    }
}
