package io.maestro.team.internal.dispatch;

import io.maestro.error.MaestroException;
import io.maestro.event.MaestroEvent;
import io.maestro.event.MaestroListener;
import io.maestro.internal.Threads;
import io.maestro.record.AuditLog;
import io.maestro.record.Cancellation;
import io.maestro.record.Cancellations;
import io.maestro.record.StoreException;
import io.maestro.record.StoreUnavailableException;
import io.maestro.record.internal.LeaseLostException;
import io.maestro.record.internal.Store;
import io.maestro.secrets.Redactor;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.team.internal.machine.ParkedException;
import io.maestro.team.internal.machine.StopCause;
import io.maestro.team.internal.machine.StopSignal;
import io.maestro.team.internal.machine.StoppedException;
import io.maestro.team.internal.story.StoryRows;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
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
 * at once, never one that another process has leased. What it knows about a story is the row in the store; here are only
 * those that this Maestro is to see to their end. A thread of its own decides; nobody waits for it. Safe for use by
 * several threads.
 */
public final class Dispatcher implements StoryDispatch, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);

    /** When it is stopped, a tool may take its grace, and git its time to end. */
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(60);

    /** How soon it is seen what other processes have done. */
    private static final Duration POLL = Duration.ofMillis(500);

    /** Who brings something signals it. */
    private static final Duration NOTHING_TO_DO = Duration.ofMinutes(1);

    /** Runs a story that is leased; called on a thread of its own. */
    @FunctionalInterface
    public interface DispatchedWork {
        /** Runs a story until it ends, is stopped, or waits for something that may take days. */
        StoryResult run(AuditLog.StoryRecord row, Story story, String agentId, StopSignal stop);

        /** A story has ended, or goes on elsewhere. */
        default void left(String storyId) {}
    }

    private final Store store;
    private final LeaseKeeper leases;
    private final DispatchedWork work;
    private final Admission admission;
    private final CoderNames names;
    private final Outages outages = new Outages();

    private final ExecutorService threads = Threads.newExecutor("maestro-story");
    private final Mailbox mailbox = new Mailbox();
    private final Map<String, RunningStory> stories = new ConcurrentHashMap<>();
    private final AtomicLong submitted = new AtomicLong();
    private final Completions completions;
    private final Readiness readiness;

    /** Guards who comes in and whether somebody may. Nobody waits for the record under it. */
    private final ReentrantLock door = new ReentrantLock();

    private volatile boolean closed;

    /** What was open when this was closed. */
    private volatile List<RunningStory> stopped = List.of();

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
            CoderNames names,
            DispatchedWork work,
            Function<AuditLog.StoryRecord, StoryResult> results) {
        this.store = store;
        this.leases = leases;
        this.work = work;
        this.admission = new Admission(store, leases, redactor, sessionId, targetBranch, leases.leaseTime());
        this.names = names;
        this.completions = new Completions(stories, threads, work::left);
        this.readiness =
                new Readiness(store, admission, stories, completions, event -> listener.onEvent(event), results);
        Threads.platformFactory("maestro-dispatcher").newThread(this::dispatch).start();
    }

    /**
     * Takes a story in: as a new one, as the next attempt at one that has failed, or to go on with one that has begun.
     *
     * @param own told of all that happens in the story
     * @throws MaestroException when it runs in this Maestro already, is known with another text, or this is closed
     */
    public RunningStory submit(Story story, MaestroListener own) {
        RunningStory running = running(story.id(), story, own);
        add(running, true);
        try {
            admission.admit(story);
        } catch (RuntimeException | Error e) {
            refuse(running, e);
            throw e;
        }
        running.admitted();
        return running;
    }

    private RunningStory running(String storyId, @Nullable Story story, MaestroListener own) {
        RunningStory running = new RunningStory(storyId, story, submitted.getAndIncrement(), leases, mailbox);
        running.listen(own);
        return running;
    }

    /**
     * Goes on with a story that has ended in ERROR; see {@link Admission#reopen}.
     *
     * @throws MaestroException when that cannot be, or this is closed
     */
    public RunningStory reopen(String storyId, int grants) {
        if (stories.containsKey(storyId)) {
            throw new MaestroException("story " + storyId + " is running already in this Maestro");
        }
        admission.reopen(storyId, grants);
        return watch(storyId, event -> {});
    }

    /** Sees a story that is in the store to its end, together with others who watch it in this Maestro. */
    public RunningStory watch(String storyId, MaestroListener own) {
        RunningStory running = running(storyId, null, own);
        RunningStory known = add(running, false);
        if (known != running) {
            known.listen(own);
        }
        mailbox.wake();
        return known;
    }

    @Override
    public CompletableFuture<StoryResult> watch(String storyId) {
        return watch(storyId, event -> {}).done();
    }

    /** Sets who is told of what the dispatcher does by itself. */
    public void listen(MaestroListener all) {
        listener = all;
    }

    @Override
    public boolean cancel(String storyId, String why) {
        RunningStory running = stories.get(storyId);
        if (running != null) {
            running.cancel(why);
        }
        return running != null;
    }

    /** What ends each story that is to be seen to its end here, by what is leased for it; see {@link CancelWatch}. */
    public Map<String, Consumer<String>> ends() {
        Map<String, Consumer<String>> ends = new HashMap<>();
        stories.values().forEach(running -> ends.put(running.id(), running::endAsAsked));
        return ends;
    }

    /** Lets a story that is to be seen to its end here stay where it stands, without a coder; false when it is another one. */
    public boolean pause(String storyId) {
        RunningStory running = stories.get(storyId);
        if (running != null) {
            running.pause();
        }
        return running != null;
    }

    /** Goes on with a story that was paused; false when it is to be seen to its end elsewhere. */
    public boolean goOn(String storyId) {
        RunningStory running = stories.get(storyId);
        if (running != null) {
            running.goOn();
        }
        return running != null;
    }

    /**
     * The stories that are paused. One that another process works on is not.
     *
     * @param waits whether a story has not begun yet
     */
    public Set<String> paused(Predicate<String> waits) {
        return stories.values().stream()
                .filter(running -> running.isPaused() && (running.isLeased() || waits.test(running.id())))
                .map(RunningStory::id)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Override
    public void giveUp(String storyId, String reason) {
        admission.giveUp(storyId, reason).ifPresent(readiness::tell);
        mailbox.wake();
    }

    /** Tells those who watch the story of an event. */
    public void tell(MaestroEvent event) {
        RunningStory running = stories.get(event.storyId());
        if (running != null) {
            running.onEvent(event);
        }
    }

    private RunningStory add(RunningStory running, boolean mustBeNew) {
        door.lock();
        try {
            if (closed) {
                throw new MaestroException("this Maestro is closed; build a new one to run story " + running.id());
            }
            RunningStory other = stories.putIfAbsent(running.id(), running);
            if (other == null) {
                return running;
            }
            if (mustBeNew) {
                throw new MaestroException("story " + running.id() + " is running already in this Maestro");
            }
            other.watch();
            return other;
        } finally {
            door.unlock();
        }
    }

    /** A story that cannot be taken in. Who watches it too, as its specification does, did not submit it: he goes on. */
    private void refuse(RunningStory running, Throwable failure) {
        door.lock();
        try {
            if (running.isWatched() && !closed) {
                running.leaveToRecord();
            } else {
                completions.fail(running, failure);
            }
        } finally {
            door.unlock();
        }
        mailbox.wake();
    }

    // ---- The dispatcher's own thread

    private void dispatch() {
        while (!closed || !stories.isEmpty()) {
            try {
                boolean someWait = stories.values().stream().anyMatch(RunningStory::waits);
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
        for (RunningStory running : inOrder()) {
            try {
                assign(running);
            } catch (StoreUnavailableException e) {
                throw e;
            } catch (RuntimeException | Error e) {
                completions.fail(running, e);
            }
        }
    }

    private void assign(RunningStory running) {
        if (running.isCancelled()) {
            running.unpark();
        }
        if (!readiness.isReady(running) || running.needsCoder() && !names.hasRoom()) {
            return;
        }
        if (running.acquire()) {
            begin(running);
        } else if (running.isCancelled()) {
            completions.complete(running, () -> running.notBegun("cancelled here; another process works on it"));
        }
    }

    private List<RunningStory> inOrder() {
        return stories.values().stream()
                .sorted(Comparator.comparingLong(RunningStory::number))
                .toList();
    }

    /** The record cannot be read or written: nothing more can be done for what waits. What runs finds out by itself. */
    private void failAllThatWait(Throwable failure) {
        LOG.warn("stories that wait are given back, because the dispatcher failed: {}", failure.toString());
        inOrder().stream().filter(RunningStory::waits).forEach(running -> completions.fail(running, failure));
    }

    /**
     * Starts a leased story, or ends it when there is nothing to start. Where there is no thread for it, it begins later.
     *
     * @throws StoreUnavailableException when the record does not answer
     */
    private void begin(RunningStory running) {
        boolean begun = false;
        try {
            begun = tryBegin(running);
        } catch (StoreUnavailableException e) {
            throw e;
        } catch (RuntimeException | Error e) {
            failed(running, e);
        } finally {
            if (!begun) {
                running.release();
            }
        }
    }

    private boolean tryBegin(RunningStory running) {
        AuditLog.StoryRecord row = store.story(running.id()).orElseThrow();
        if (readiness.isSettled(running, row)) {
            return false;
        }
        cancellationOf(row).ifPresent(wish -> running.cancelBeforeBegin(wish.by()));
        if (running.wasUnwanted()) {
            // What was meant has ended elsewhere: this was begun anew.
            return false;
        }
        Story story = running.story(row);
        Optional<String> holder = names.holderOf(row);
        running.read(row);
        if (holder.isEmpty()) {
            running.beginsAnew();
        }
        boolean asCoder = running.needsCoder();
        if (asCoder && !names.hasRoom()) {
            return false;
        }
        // A cancelled story needs no workspace but the one that it has, which is given to nobody else meanwhile.
        String name = asCoder || holder.isPresent() ? names.take(holder.orElse(null), asCoder) : null;
        String agentId = name != null ? name : Objects.requireNonNullElse(row.agentId(), StoryRows.DISPATCHER);
        try {
            running.begin(
                    threads,
                    stop -> work.run(row, story, agentId, stop),
                    result -> {
                        stopped(running, name);
                        completions.complete(running, () -> result);
                    },
                    failure -> {
                        stopped(running, name);
                        failed(running, failure);
                    });
        } catch (RuntimeException | Error e) {
            giveBack(name);
            throw e;
        }
        return true;
    }

    /** Who wants the end of a story, with its specification or alone. Nobody else can end it now, as it is leased. */
    private Optional<Cancellation> cancellationOf(AuditLog.StoryRecord row) {
        Cancellations cancellations = store.cancellations();
        String spec = row.specId();
        // A story that was written after its specification was to end has no cancellation of its own.
        return cancellations.open(row.id()).or(() -> spec == null ? Optional.empty() : cancellations.open(spec));
    }

    private void giveBack(@Nullable String name) {
        if (name != null) {
            names.giveBack(name);
        }
    }

    private void stopped(RunningStory running, @Nullable String name) {
        giveBack(name);
        running.readAgain();
    }

    /** Decides what follows: it has ended, it is parked, another process has it, or it is tried again. */
    private void failed(RunningStory running, Throwable failure) {
        if (closed) {
            end(running, failure instanceof ParkedException ? running.closedBefore() : failure);
        } else if (failure instanceof ParkedException parked) {
            LOG.debug("story {} {}", running.id(), parked.getMessage());
            running.park(parked.until());
        } else if (stopCause(failure) == StopCause.PAUSED) {
            running.waitPaused();
        } else if (failure instanceof LeaseLostException || stopCause(failure) == StopCause.LEASE_LOST) {
            LOG.warn("story {} goes on elsewhere: {}", running.id(), failure.getMessage());
            running.release();
            running.waitAgain();
        } else if (Outages.isTransient(failure) && running.tryLater()) {
            LOG.warn("story {} is tried again later: {}", running.id(), failure.getMessage());
        } else {
            end(running, failure);
        }
    }

    private void end(RunningStory running, Throwable failure) {
        completions.complete(running, () -> readiness.resultDespite(running, failure));
    }

    private static @Nullable StopCause stopCause(Throwable failure) {
        return failure instanceof StoppedException stopped ? stopped.stopCause() : null;
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
        stopped.forEach(RunningStory::close);
        mailbox.post(() -> inOrder().stream()
                .filter(running -> !running.runs())
                .forEach(running -> completions.fail(running, running.closedBefore())));
    }

    /** Stops what runs, and waits until it has stopped. */
    @Override
    public void close() {
        stop();
        long deadline = System.nanoTime() + CLOSE_LIMIT.toNanos();
        for (RunningStory running : runsHere() ? List.<RunningStory>of() : stopped) {
            // Also when it is interrupted: what belongs to the stories must not be given back under their hands.
            if (!running.awaitEnd(Duration.ofNanos(deadline - System.nanoTime()))) {
                LOG.warn("story {} has not stopped after {} s", running.id(), CLOSE_LIMIT.toSeconds());
            }
        }
        threads.shutdownNow();
    }

    /** Whether the calling thread is that of a story, which cannot wait for its own end. */
    public boolean runsHere() {
        return stories.values().stream().anyMatch(RunningStory::runsHere);
    }
}
