package io.maestro.team.internal;

import io.maestro.agent.CoderState;
import io.maestro.audit.LeaseLostException;
import io.maestro.audit.Leases;
import io.maestro.audit.Redactor;
import io.maestro.audit.Store;
import io.maestro.audit.StoreException;
import io.maestro.error.MaestroException;
import io.maestro.event.MaestroEvent;
import io.maestro.event.MaestroListener;
import io.maestro.internal.Threads;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives stories to coders: in the order in which they were submitted, none before those that it depends on are done, not
 * more at once than there are coders, and none that another process works on. What it knows about a story is the row in the
 * store; here are only the tickets of those that this Maestro is to see to their end. Safe for use by several threads.
 */
final class Dispatcher implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);

    /** After a cancellation a tool may take its grace, and git its time to end. */
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(60);

    /** How soon it is seen what other processes have done. */
    private static final Duration POLL = Duration.ofMillis(500);

    /** Who brings something signals it. */
    private static final Duration NOTHING_TO_DO = Duration.ofMinutes(1);

    private static final Duration ADMISSION_POLL = Duration.ofMillis(20);

    /** Runs a story that is leased; called on a thread of its own. */
    @FunctionalInterface
    interface Work {
        StoryResult run(Store.StoryRecord row, Story story, String agentId);
    }

    private final Store store;
    private final LeaseKeeper leases;
    private final Redactor redactor;
    private final String sessionId;
    private final @Nullable String targetBranch;
    private final int maxCoders;
    private final Duration leaseTime;
    private final CoderNames names;
    private final Work work;
    /** Makes the result of a story that has ended, here or elsewhere. */
    private final Function<Store.StoryRecord, StoryResult> results;

    private final ExecutorService threads = Threads.newExecutor("maestro-story");
    private final ThreadFactory afterClose = Threads.newFactory("maestro-story-end");
    private final Thread thread;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** Changed under the lock; looked at without it by those who must not wait for the record. */
    private final Map<String, Ticket> tickets = new ConcurrentHashMap<>();

    /** Numbers the tickets in the order in which they were submitted. Guarded by the lock. */
    private long submitted;

    private volatile MaestroListener listener = event -> {};
    private boolean closed;

    Dispatcher(
            Store store,
            Redactor redactor,
            String sessionId,
            @Nullable String targetBranch,
            int maxCoders,
            Duration leaseTime,
            CoderNames names,
            Work work,
            Function<Store.StoryRecord, StoryResult> results) {
        this.store = store;
        this.leases = new LeaseKeeper(store.leases(), sessionId, leaseTime);
        this.redactor = redactor;
        this.sessionId = sessionId;
        this.targetBranch = targetBranch;
        this.maxCoders = maxCoders;
        this.leaseTime = leaseTime;
        this.names = names;
        this.work = work;
        this.results = results;
        this.thread = Threads.platformFactory("maestro-dispatcher").newThread(this::dispatch);
        thread.start();
    }

    /**
     * Takes a story in: as a new one, as the next attempt at one that has failed, or to go on with one that has begun.
     *
     * @throws MaestroException when it runs in this Maestro already, is known with another text, or this is closed
     */
    Ticket submit(Story story) {
        Ticket ticket = new Ticket(story.id(), story, this);
        add(ticket, true);
        try {
            admit(ticket, story);
        } catch (RuntimeException | Error e) {
            refuse(ticket, e);
            throw e;
        }
        signal();
        return ticket;
    }

    /** Sees a story that is in the store to its end; the ticket is that of others who watch it in this Maestro. */
    Ticket watch(String storyId) {
        Ticket ticket = new Ticket(storyId, null, this);
        ticket.admitted = true;
        ticket = add(ticket, false);
        signal();
        return ticket;
    }

    /** Sets who is told of what the dispatcher does by itself. */
    void listen(MaestroListener all) {
        listener = all;
    }

    /** The leases of this session. */
    LeaseKeeper leases() {
        return leases;
    }

    /** Ends a story that is to be seen to its end here; nothing happens to any other. */
    void cancel(String storyId) {
        Ticket ticket = tickets.get(storyId);
        if (ticket != null) {
            cancel(ticket);
        }
    }

    /** Ends a story that was not begun; nothing happens to one that has ended. */
    void giveUp(String storyId, String reason) {
        String key = Leases.story(storyId);
        if (leases.acquire(List.of(key)).isEmpty()) {
            return;
        }
        try {
            store.story(storyId)
                    .filter(row -> row.state() == CoderState.WAITING)
                    .ifPresent(row -> {
                        MaestroEvent ended = GivenUp.record(store, row, sessionId, redactor.redact(reason));
                        outside(() -> listener.onEvent(ended));
                    });
        } finally {
            leases.giveBack(key);
        }
        signal();
    }

    private Ticket add(Ticket ticket, boolean mustBeNew) {
        lock.lock();
        try {
            if (closed) {
                throw new MaestroException("this Maestro is closed; build a new one to run story " + ticket.storyId());
            }
            ticket.number = submitted++;
            Ticket other = tickets.putIfAbsent(ticket.storyId(), ticket);
            if (other != null && mustBeNew) {
                throw new MaestroException("story " + ticket.storyId() + " is running already in this Maestro");
            }
            if (other != null) {
                other.watched = true;
            }
            return other == null ? ticket : other;
        } finally {
            lock.unlock();
        }
    }

    /** A story that cannot be taken in. Who watches it too, as its specification does, did not submit it: he goes on. */
    private void refuse(Ticket ticket, Throwable failure) {
        lock.lock();
        try {
            tickets.remove(ticket.storyId(), ticket);
            if (ticket.watched && !closed) {
                Ticket next = new Ticket(ticket.storyId(), null, this);
                next.admitted = true;
                next.number = ticket.number;
                next.cancelled = ticket.cancelled;
                next.listen(ticket::onEvent);
                tickets.put(ticket.storyId(), next);
                CompletableFuture<StoryResult> unused = next.done.whenComplete((result, problem) -> {
                    if (problem == null) {
                        ticket.done.complete(result);
                    } else {
                        ticket.done.completeExceptionally(problem);
                    }
                });
            } else {
                outside(() -> ticket.done.completeExceptionally(failure));
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Writes the row of a new story or a next attempt. Another process may do the same, or be at work on the story: then its
     * row counts.
     */
    private void admit(Ticket ticket, Story story) {
        String key = Leases.story(story.id());
        long deadline = System.nanoTime() + leaseTime.toNanos();
        while (!ticket.admitted) {
            boolean leased = leases.acquire(List.of(key)).isPresent();
            try {
                Optional<Store.StoryRecord> known = store.story(story.id());
                if (known.isPresent() && known.get().state() != CoderState.ERROR) {
                    KnownStory.requireSame(known.get(), story, redactor, targetBranch);
                    ticket.admitted = true;
                } else if (leased) {
                    store.saveStory(GivenUp.waiting(story, known.orElse(null), sessionId));
                    ticket.admitted = true;
                } else if (System.nanoTime() > deadline) {
                    throw new MaestroException(
                            "story " + story.id() + " cannot be begun: another process has held it for "
                                    + leaseTime.toSeconds() + " s without working on it");
                }
            } finally {
                if (leased) {
                    leases.giveBack(key);
                }
            }
            if (!ticket.admitted) {
                LockSupport.parkNanos(ADMISSION_POLL.toNanos());
            }
        }
    }

    void cancel(Ticket ticket) {
        ticket.cancelled = true;
        CancellableTask<StoryResult> task = ticket.task;
        if (task != null) {
            task.cancel();
        } else if (lock.tryLock()) {
            // Otherwise the dispatcher is at work, and will see it soon.
            try {
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    private void signal() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Tells those who watch the story of an event. */
    void tell(MaestroEvent event) {
        Ticket ticket = tickets.get(event.storyId());
        if (ticket != null) {
            ticket.onEvent(event);
        }
    }

    // ---- The dispatcher's own thread

    private void dispatch() {
        lock.lock();
        try {
            while (!closed || !tickets.isEmpty()) {
                try {
                    assign();
                } catch (RuntimeException | Error e) {
                    failAllThatWait(e);
                }
                if (!closed || !tickets.isEmpty()) {
                    pause();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    @SuppressWarnings("WaitNotInLoop") // dispatch() is the loop
    private void pause() {
        boolean someWait = tickets.values().stream().anyMatch(ticket -> ticket.task == null);
        try {
            changed.await((someWait ? POLL : NOTHING_TO_DO).toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            // Nobody interrupts this thread but by mistake; it ends when it is closed.
            LOG.debug("the dispatcher was interrupted");
        }
    }

    private void assign() {
        Map<String, Ticket> ready = new LinkedHashMap<>();
        for (Ticket ticket : inOrder()) {
            if (ticket.admitted && ticket.task == null && isReady(ticket)) {
                ready.put(Leases.story(ticket.storyId()), ticket);
            }
        }
        while (!ready.isEmpty()) {
            // A cancelled story takes no coder: it is only ended.
            List<String> wanted = ready.entrySet().stream()
                    .filter(entry -> entry.getValue().cancelled || names.atWork() < maxCoders)
                    .map(Map.Entry::getKey)
                    .toList();
            Optional<String> leased = wanted.isEmpty() ? Optional.empty() : leases.acquire(wanted);
            if (leased.isEmpty()) {
                break;
            }
            Ticket ticket = ready.remove(leased.get());
            if (ticket == null || !beginOrFail(ticket)) {
                leases.giveBack(leased.get());
            }
        }
        ready.values().stream().filter(ticket -> ticket.cancelled).forEach(this::leaveToOthers);
    }

    private List<Ticket> inOrder() {
        return tickets.values().stream()
                .sorted(Comparator.comparingLong(ticket -> ticket.number))
                .toList();
    }

    /** What is wrong with one story does not end the others that wait; a record that does not answer does. */
    private boolean isReady(Ticket ticket) {
        try {
            return !settled(ticket) && (ticket.cancelled || mayBegin(ticket));
        } catch (StoreException e) {
            throw e;
        } catch (RuntimeException e) {
            fail(ticket, e);
            return false;
        }
    }

    /** Completes the ticket of a story that has ended, here or elsewhere. */
    private boolean settled(Ticket ticket) {
        Optional<Store.StoryRecord> row = store.story(ticket.storyId());
        if (row.isEmpty()) {
            fail(ticket, new MaestroException("there is no story " + ticket.storyId() + " in the record"));
            return true;
        }
        if (row.get().state().isFinal()) {
            complete(ticket, results.apply(row.get()));
            return true;
        }
        return false;
    }

    private boolean mayBegin(Ticket ticket) {
        Store.StoryRecord row = store.story(ticket.storyId()).orElseThrow();
        if (row.state() != CoderState.WAITING) {
            return true;
        }
        if (!ticket.circleChecked) {
            // Once is enough: whoever closes a circle comes last, and sees all of it.
            ticket.circleChecked = true;
            Optional<String> circle = KnownStory.circle(store, row);
            if (circle.isPresent()) {
                giveUp(row.id(), "it depends on itself: " + circle.get());
                return false;
            }
        }
        for (String other : row.dependsOn()) {
            Optional<Store.StoryRecord> dependency = store.story(other);
            CoderState state = dependency.map(Store.StoryRecord::state).orElse(CoderState.WAITING);
            if (state == CoderState.ERROR && row.specId() == null && !tickets.containsKey(other)) {
                giveUp(row.id(), "it depends on story " + other + ", which has failed");
            }
            if (dependency.isEmpty() && !ticket.toldOfUnknown) {
                ticket.toldOfUnknown = true;
                LOG.warn("story {} waits for story {}, which nobody has submitted yet", row.id(), other);
                outside(() ->
                        listener.onEvent(new MaestroEvent.DependencyUnknown(row.id(), GivenUp.DISPATCHER, other)));
            }
            if (state != CoderState.DONE) {
                return false;
            }
        }
        return true;
    }

    /** False when nothing was started, so that the lease is to be given back. */
    private boolean beginOrFail(Ticket ticket) {
        try {
            return begin(ticket);
        } catch (RuntimeException | Error e) {
            fail(ticket, e);
            return false;
        }
    }

    /** Starts a leased story; false when there is nothing to start. */
    private boolean begin(Ticket ticket) {
        Store.StoryRecord row = store.story(ticket.storyId()).orElseThrow();
        if (row.state().isFinal()) {
            complete(ticket, results.apply(row));
            return false;
        }
        Story given = ticket.story();
        Story story = given == null ? KnownStory.story(row) : given;
        Optional<String> holder = names.holderOf(row);
        // A cancelled story needs no workspace but the one that it has, which is given to nobody else meanwhile.
        boolean named = !ticket.cancelled || holder.isPresent();
        String agentId =
                named ? names.take(holder.orElse(null)) : (row.agentId() == null ? GivenUp.DISPATCHER : row.agentId());
        CancellableTask<StoryResult> task = new CancellableTask<>(() -> work.run(row, story, agentId));
        ticket.task = task;
        if (ticket.cancelled) {
            task.cancel();
        }
        // A story whose lease is lost is ended here without another word: somebody else works on it.
        leases.hold(Leases.story(ticket.storyId()), task::cancel);
        try {
            threads.execute(() -> {
                task.run();
                ended(ticket, task, named ? agentId : null);
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

    private void ended(Ticket ticket, CancellableTask<StoryResult> task, @Nullable String name) {
        StoryResult result = null;
        Throwable failure = null;
        try {
            result = task.done().join();
        } catch (RuntimeException e) {
            failure = e.getCause() == null ? e : e.getCause();
        }
        leases.giveBack(Leases.story(ticket.storyId()));
        lock.lock();
        try {
            if (name != null) {
                names.giveBack(name);
            }
            ticket.task = null;
            if (result != null) {
                complete(ticket, result);
            } else if (failure instanceof LeaseLostException) {
                LOG.warn("story {} goes on elsewhere: {}", ticket.storyId(), failure.getMessage());
                if (closed) {
                    leaveToOthers(ticket);
                }
            } else {
                fail(ticket, failure == null ? new IllegalStateException("no result") : failure);
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void complete(Ticket ticket, StoryResult result) {
        tickets.remove(ticket.storyId(), ticket);
        outside(() -> ticket.done.complete(result));
    }

    private void fail(Ticket ticket, Throwable failure) {
        tickets.remove(ticket.storyId(), ticket);
        outside(() -> ticket.done.completeExceptionally(failure));
    }

    /** What a host does at the end of a story must not hold the dispatcher up. */
    private void outside(Runnable action) {
        try {
            threads.execute(action);
        } catch (RejectedExecutionException e) {
            // Closed; not under the lock all the same.
            afterClose.newThread(action).start();
        }
    }

    /** The record cannot be read or written: nothing more can be done for what waits. What runs finds out by itself. */
    private void failAllThatWait(Throwable failure) {
        LOG.warn("stories that wait are given back, because the dispatcher failed: {}", failure.toString());
        for (Ticket ticket : inOrder()) {
            if (ticket.task == null) {
                fail(ticket, failure);
            }
        }
    }

    /** A cancelled story on which another process works: it is not waited for any longer. */
    private void leaveToOthers(Ticket ticket) {
        complete(ticket, GivenUp.result(ticket.storyId(), "cancelled here; another process works on it"));
    }

    /** Cancels what runs and what waits, and waits for the end of it. */
    @Override
    public void close() {
        List<Ticket> open;
        lock.lock();
        try {
            closed = true;
            open = inOrder();
            open.forEach(this::cancel);
        } finally {
            lock.unlock();
        }
        long deadline = System.nanoTime() + CLOSE_LIMIT.toNanos();
        for (Ticket ticket : runsHere() ? List.<Ticket>of() : open) {
            // Also when it is interrupted: what belongs to the stories must not be given back under their hands.
            if (!Awaiting.isEnded(ticket.done, deadline)) {
                LOG.warn(
                        "story {} has not ended {} s after it was cancelled",
                        ticket.storyId(),
                        CLOSE_LIMIT.toSeconds());
            }
        }
        lock.lock();
        try {
            // What still runs completes its ticket when it ends.
            tickets.values().stream()
                    .filter(ticket -> ticket.task == null)
                    .toList()
                    .forEach(this::leaveUndone);
            tickets.clear();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        threads.shutdownNow();
        leases.close();
    }

    private void leaveUndone(Ticket ticket) {
        fail(ticket, new MaestroException("this Maestro was closed before story " + ticket.storyId() + " had begun"));
    }

    /** Whether the calling thread is that of a story, which cannot wait for its own end. */
    boolean runsHere() {
        lock.lock();
        try {
            return tickets.values().stream().anyMatch(ticket -> ticket.task != null && ticket.task.runsHere());
        } finally {
            lock.unlock();
        }
    }
}
