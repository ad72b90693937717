package io.maestro.team.internal.dispatch;

import io.maestro.audit.Leases;
import io.maestro.internal.Threads;
import io.maestro.story.StoryResult;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;

/**
 * Takes tickets out and completes them, whatever happens: with an Error, without a free thread, after the end of the dispatcher.
 * What a host does then never holds the dispatcher up. Safe for use by several threads.
 */
final class Completions {
    private final Map<String, Ticket> tickets;
    private final LeaseKeeper leases;
    private final Executor threads;

    Completions(Map<String, Ticket> tickets, LeaseKeeper leases, ExecutorService threads) {
        this.tickets = tickets;
        this.leases = leases;
        ThreadFactory afterClose = Threads.platformFactory("maestro-story-end");
        this.threads = task -> {
            try {
                threads.execute(task);
            } catch (RejectedExecutionException e) {
                // Closed; not on the dispatcher's thread all the same.
                afterClose.newThread(task).start();
            }
        };
    }

    /** The story has ended. Its result may take a long look at the record. */
    void complete(Ticket ticket, Supplier<StoryResult> result) {
        release(ticket);
        tickets.remove(ticket.storyId(), ticket);
        outside(() -> {
            try {
                ticket.done.complete(result.get());
            } catch (Throwable e) { // whatever it is: nobody may wait for ever
                ticket.done.completeExceptionally(e);
            }
        });
    }

    /** The story has not ended, and is not seen to here any more. */
    void fail(Ticket ticket, Throwable failure) {
        release(ticket);
        tickets.remove(ticket.storyId(), ticket);
        outside(() -> ticket.done.completeExceptionally(failure));
    }

    /** Gives the story's lease back, if this session has it. */
    void release(Ticket ticket) {
        if (ticket.leased) {
            ticket.leased = false;
            leases.giveBack(Leases.story(ticket.storyId()));
        }
    }

    /** Does something of the host's. */
    void outside(Runnable action) {
        Threads.execute(threads, action);
    }
}
