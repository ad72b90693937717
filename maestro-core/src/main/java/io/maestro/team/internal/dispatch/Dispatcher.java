package io.maestro.team.internal.dispatch;

import io.maestro.audit.Leases;
import io.maestro.audit.Redactor;
import io.maestro.audit.Store;
import io.maestro.audit.StoreException;
import io.maestro.audit.StoreUnavailableException;
import io.maestro.error.MaestroException;
import io.maestro.event.MaestroEvent;
import io.maestro.event.MaestroListener;
import io.maestro.internal.Threads;
import io.maestro.internal.Uninterrupted;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.team.internal.machine.StopCause;
import io.maestro.team.internal.machine.StopSignal;
import io.maestro.team.internal.machine.StoppableTask;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Dispatches stories to coders: in the order in which they were submitted, after their dependencies, at most {@code maxCoders}
 * at once, never one that another process has leased. What it knows about a story is the row in the store; here are only the
 * tickets of those that this Maestro is to see to their end. A thread of its own decides; nobody waits for it. Safe for use by
 * several threads.
 */
public final class Dispatcher implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);

    /** When it is stopped, a tool may take its grace, and git its time to end. */
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(60);

    /** How soon it is seen what other processes have done. */
    private static final Duration POLL = Duration.ofMillis(500);

    /** Who brings something signals it. */
    private static final Duration NOTHING_TO_DO = Duration.ofMinutes(1);

    /** Runs a story that is leased; called on a thread of its own. */
    @FunctionalInterface
    public interface Work {
        /** Runs a story until it ends, is stopped, or waits for something that may take days. */
        StoryResult run(Store.StoryRecord row, Story story, String agentId, StopSignal stop);
    }

    private final LeaseKeeper leases;
    private final Admission admission;
    private final int maxCoders;
    private final CoderNames names;
    private final Outages outages = new Outages();

    private final ExecutorService threads = Threads.newExecutor("maestro-story");
    private final Mailbox mailbox = new Mailbox();
    private final Map<String, Ticket> tickets = new ConcurrentHashMap<>();
    private final AtomicLong submitted = new AtomicLong();
    private final Completions completions;
    private final Readiness readiness;
    private final StoryRunner runner;

    /** Guards who comes in and whether somebody may. Nobody waits for the record under it. */
    private final ReentrantLock door = new ReentrantLock();

    private volatile boolean closed;

    /** What was open when this was closed. */
    private volatile List<Ticket> stopped = List.of();

    private volatile MaestroListener listener = event -> {};

    /**
     * Begins to dispatch.
     *
     * @param results makes the result of a story that has ended, here or elsewhere
     */
    public Dispatcher(
            Store store,
            LeaseKeeper leases,
            Redactor redactor,
            String sessionId,
            @Nullable String targetBranch,
            int maxCoders,
            CoderNames names,
            Work work,
            Function<Store.StoryRecord, StoryResult> results) {
        this.leases = leases;
        this.admission = new Admission(store, leases, redactor, sessionId, targetBranch, leases.leaseTime());
        this.maxCoders = maxCoders;
        this.names = names;
        this.completions = new Completions(tickets, leases, threads);
        this.readiness =
                new Readiness(store, admission, tickets, completions, event -> listener.onEvent(event), results);
        this.runner =
                new StoryRunner(store, leases, names, work, threads, mailbox, completions, readiness, () -> closed);
        Threads.platformFactory("maestro-dispatcher").newThread(this::dispatch).start();
    }

    /**
     * Takes a story in: as a new one, as the next attempt at one that has failed, or to go on with one that has begun.
     *
     * @param own told of all that happens in the story
     * @throws MaestroException when it runs in this Maestro already, is known with another text, or this is closed
     */
    public Ticket submit(Story story, MaestroListener own) {
        Ticket ticket = new Ticket(story.id(), story, this, submitted.getAndIncrement());
        ticket.listen(own);
        add(ticket, true);
        try {
            admission.admit(story);
        } catch (RuntimeException | Error e) {
            refuse(ticket, e);
            throw e;
        }
        ticket.stage = Ticket.Stage.WAITS;
        mailbox.wake();
        return ticket;
    }

    /**
     * Goes on with a story that has ended in ERROR; see {@link Admission#reopen}.
     *
     * @throws MaestroException when that cannot be, or this is closed
     */
    public Ticket reopen(String storyId, int grants) {
        if (tickets.containsKey(storyId)) {
            throw new MaestroException("story " + storyId + " is running already in this Maestro");
        }
        admission.reopen(storyId, grants);
        return watch(storyId, event -> {});
    }

    /** Sees a story that is in the store to its end; the ticket is that of others who watch it in this Maestro. */
    public Ticket watch(String storyId, MaestroListener own) {
        Ticket ticket = new Ticket(storyId, null, this, submitted.getAndIncrement());
        ticket.listen(own);
        Ticket known = add(ticket, false);
        if (known != ticket) {
            known.listen(own);
        }
        mailbox.wake();
        return known;
    }

    /** Sets who is told of what the dispatcher does by itself. */
    public void listen(MaestroListener all) {
        listener = all;
    }

    /** Ends a story that is to be seen to its end here; false when it is another one, to which nothing happens. */
    public boolean cancel(String storyId) {
        return cancel(storyId, "");
    }

    /** The same, with what is to be said of it, as in "by alice: not needed". */
    boolean cancel(String storyId, String why) {
        Ticket ticket = tickets.get(storyId);
        if (ticket != null) {
            cancel(ticket, why);
        }
        return ticket != null;
    }

    /** Ends it; why is what is said of it, as in "by alice: not needed". */
    void cancel(Ticket ticket, String why) {
        if (!ticket.cancelled) {
            ticket.why = why;
        }
        ticket.cancelled = true;
        StoppableTask<StoryResult> task = ticket.task;
        if (task != null) {
            task.stop(StopCause.CANCELLED, why);
        }
        mailbox.wake();
    }

    /** What ends each story that is to be seen to its end here, by what is leased for it; see {@link CancelWatch}. */
    public Map<String, Consumer<String>> ends() {
        Map<String, Consumer<String>> ends = new HashMap<>();
        tickets.values().forEach(ticket -> ends.put(Leases.story(ticket.storyId()), why -> end(ticket, why)));
        return ends;
    }

    /** Somebody wants its end, of whoever has leased it. */
    private void end(Ticket ticket, String why) {
        if (!ticket.leased) {
            ticket.unwanted = true;
            mailbox.wake();
        } else if (!ticket.cancelled) {
            cancel(ticket, why);
        }
    }

    /** Lets a story that is to be seen to its end here stay where it stands, without a coder; false when it is another one. */
    public boolean pause(String storyId) {
        Ticket ticket = tickets.get(storyId);
        if (ticket != null) {
            ticket.paused = true;
            StoppableTask<StoryResult> task = ticket.task;
            if (task != null) {
                task.stop(StopCause.PAUSED);
            }
        }
        return ticket != null;
    }

    /** Goes on with a story that was paused; false when it is to be seen to its end elsewhere. */
    public boolean goOn(String storyId) {
        Ticket ticket = tickets.get(storyId);
        if (ticket != null) {
            ticket.paused = false;
            mailbox.wake();
        }
        return ticket != null;
    }

    /**
     * The stories that are paused. One that another process works on is not.
     *
     * @param waits whether a story has not begun yet
     */
    public Set<String> paused(Predicate<String> waits) {
        return tickets.values().stream()
                .filter(ticket -> ticket.paused && (ticket.leased || waits.test(ticket.storyId())))
                .map(Ticket::storyId)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Ends a story that was not begun; nothing happens to one that has ended. */
    public void giveUp(String storyId, String reason) {
        admission.giveUp(storyId, reason).ifPresent(readiness::tell);
        mailbox.wake();
    }

    /** Tells those who watch the story of an event. */
    public void tell(MaestroEvent event) {
        Ticket ticket = tickets.get(event.storyId());
        if (ticket != null) {
            ticket.onEvent(event);
        }
    }

    private Ticket add(Ticket ticket, boolean mustBeNew) {
        door.lock();
        try {
            if (closed) {
                throw new MaestroException("this Maestro is closed; build a new one to run story " + ticket.storyId());
            }
            Ticket other = tickets.putIfAbsent(ticket.storyId(), ticket);
            if (other == null) {
                return ticket;
            }
            if (mustBeNew) {
                throw new MaestroException("story " + ticket.storyId() + " is running already in this Maestro");
            }
            other.watched = true;
            return other;
        } finally {
            door.unlock();
        }
    }

    /** A story that cannot be taken in. Who watches it too, as its specification does, did not submit it: he goes on. */
    private void refuse(Ticket ticket, Throwable failure) {
        door.lock();
        try {
            if (ticket.watched && !closed) {
                ticket.story = null;
                ticket.stage = Ticket.Stage.WAITS;
            } else {
                completions.fail(ticket, failure);
            }
        } finally {
            door.unlock();
        }
        mailbox.wake();
    }

    // ---- The dispatcher's own thread

    private void dispatch() {
        while (!closed || !tickets.isEmpty()) {
            try {
                boolean someWait = tickets.values().stream().anyMatch(ticket -> ticket.stage == Ticket.Stage.WAITS);
                mailbox.work(outages.pause().orElse(someWait ? POLL : NOTHING_TO_DO));
                if (!closed && !outages.mustWait()) {
                    assign();
                    outages.ended();
                }
            } catch (StoreException e) {
                if (!outages.mayPass(e)) {
                    failAllThatWait(e);
                }
            } catch (RuntimeException | Error e) {
                failAllThatWait(e);
            }
        }
        mailbox.close();
    }

    /** What is wrong with one story does not end the others. */
    private void assign() {
        readiness.lookForChanges();
        for (Ticket ticket : inOrder()) {
            try {
                assign(ticket);
            } catch (StoreUnavailableException e) {
                throw e;
            } catch (RuntimeException | Error e) {
                completions.fail(ticket, e);
            }
        }
    }

    private void assign(Ticket ticket) {
        if (ticket.stage == Ticket.Stage.IS_PARKED && ticket.cancelled) {
            StoryRunner.unpark(ticket);
        }
        if (!readiness.isReady(ticket)) {
            return;
        }
        // A cancelled story takes no coder: it is only ended.
        if (!ticket.cancelled && !ticket.unwanted && names.atWork() >= maxCoders) {
            return;
        }
        if (!ticket.leased
                && leases.acquire(List.of(Leases.story(ticket.storyId()))).isEmpty()) {
            if (ticket.cancelled) {
                completions.complete(
                        ticket,
                        () -> StoryHistory.notBegun(ticket.storyId(), "cancelled here; another process works on it"));
            }
            return;
        }
        ticket.leased = true;
        runner.begin(ticket);
    }

    private List<Ticket> inOrder() {
        return tickets.values().stream()
                .sorted(Comparator.comparingLong(ticket -> ticket.number))
                .toList();
    }

    /** The record cannot be read or written: nothing more can be done for what waits. What runs finds out by itself. */
    private void failAllThatWait(Throwable failure) {
        LOG.warn("stories that wait are given back, because the dispatcher failed: {}", failure.toString());
        inOrder().stream()
                .filter(ticket -> ticket.stage == Ticket.Stage.WAITS)
                .forEach(ticket -> completions.fail(ticket, failure));
    }

    // ---- The end

    /** Begins nothing any more, and stops what runs, which stays where it stands. A second call does nothing. */
    public void stop() {
        door.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            stopped = inOrder();
        } finally {
            door.unlock();
        }
        for (Ticket ticket : stopped) {
            StoppableTask<StoryResult> task = ticket.task;
            if (task != null) {
                task.stop(StopCause.CLOSED);
            }
        }
        mailbox.post(() -> inOrder().stream()
                .filter(ticket -> ticket.stage != Ticket.Stage.RUNS)
                .forEach(ticket -> completions.fail(ticket, StoryRunner.closedBefore(ticket))));
    }

    /** Stops what runs, and waits until it has stopped. */
    @Override
    public void close() {
        stop();
        long deadline = System.nanoTime() + CLOSE_LIMIT.toNanos();
        for (Ticket ticket : runsHere() ? List.<Ticket>of() : stopped) {
            // Also when it is interrupted: what belongs to the stories must not be given back under their hands.
            if (!Uninterrupted.isEnded(ticket.done, Duration.ofNanos(deadline - System.nanoTime()))) {
                LOG.warn("story {} has not stopped after {} s", ticket.storyId(), CLOSE_LIMIT.toSeconds());
            }
        }
        threads.shutdownNow();
    }

    /** Whether the calling thread is that of a story, which cannot wait for its own end. */
    public boolean runsHere() {
        return tickets.values().stream().anyMatch(ticket -> {
            StoppableTask<StoryResult> task = ticket.task;
            return task != null && task.runsHere();
        });
    }
}
