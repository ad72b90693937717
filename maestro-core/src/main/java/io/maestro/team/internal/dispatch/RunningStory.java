package io.maestro.team.internal.dispatch;

import io.maestro.error.MaestroException;
import io.maestro.event.MaestroEvent;
import io.maestro.llm.Usage;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Leases;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.team.internal.machine.BackgroundWork;
import io.maestro.team.internal.machine.ParkedException;
import io.maestro.team.internal.machine.StopCause;
import io.maestro.team.internal.machine.StopSignal;
import io.maestro.team.internal.story.StoryRows;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A story that this Maestro is to see to its end: where it stands here, what was read of its row, its lease, the thread that
 * works on it, and its end. The dispatcher's thread moves it from stage to stage, but for what says otherwise; what stops it is
 * safe for use by several threads.
 */
public final class RunningStory extends BackgroundWork<StoryResult> {
    /** Where a story stands here. */
    private enum Stage {
        /** Its row is being written. */
        COMES_IN,
        /** It waits for what it depends on, for a coder, or for another process. */
        WAITS,
        /** A coder works on it; the lease is held. */
        RUNS,
        /** It waits without a coder, see {@link ParkedException}, or for a service that is down; the lease is held. */
        IS_PARKED
    }

    private final LeaseKeeper leases;
    private final Mailbox mailbox;
    private final long number;

    private volatile @Nullable Story story;
    private volatile Stage stage;

    /** Somebody waits for its end who did not submit it. */
    private volatile boolean watched;

    private volatile boolean cancelled;

    /** Who has cancelled it and for what reason, as in "by alice: not needed"; empty when nobody has said so. */
    private volatile String why = "";

    /** The record says that somebody wants its end; looked up again once the story is leased. */
    private volatile boolean unwanted;

    private volatile boolean paused;
    private volatile boolean closed;

    /** This session has the story's lease. */
    private volatile boolean leased;

    /** The lease was lost while the story ran. */
    private boolean leaseLost;

    /** The row was read, and has not changed since, nor those of the stories that it depends on. */
    private boolean read;

    /** The story might have begun when its row was read. */
    private boolean ready;

    /** Its work is done, and only to be merged, when its row was read. */
    private boolean merges;

    private List<String> dependsOn = List.of();
    private boolean circleChecked;
    private boolean toldOfUnknown;

    /** How often in a row it failed and was tried again; an event of its own ends the row. */
    private final AtomicInteger failures = new AtomicInteger();

    /**
     * A story that comes in, or one of the record that waits.
     *
     * @param story as the host gave it; null when only the record has it
     * @param number the order in which stories were submitted
     */
    RunningStory(String id, @Nullable Story story, long number, LeaseKeeper leases, Mailbox mailbox) {
        super(id);
        this.story = story;
        this.number = number;
        this.leases = leases;
        this.mailbox = mailbox;
        this.stage = story == null ? Stage.WAITS : Stage.COMES_IN;
    }

    /** The order in which stories were submitted. */
    long number() {
        return number;
    }

    @Override
    public void onEvent(MaestroEvent event) {
        if (event instanceof MaestroEvent.StateChanged || event instanceof MaestroEvent.ModelAnswered) {
            failures.set(0);
        }
        super.onEvent(event);
    }

    // ---- Who wants it

    /** Notes that somebody waits for its end who did not submit it. */
    void watch() {
        watched = true;
    }

    /** Whether somebody waits for its end who did not submit it. */
    boolean isWatched() {
        return watched;
    }

    @Override
    public void cancel() {
        cancel("");
    }

    /** The same, with what is to be said of it, as in "by alice: not needed". */
    void cancel(String by) {
        if (!cancelled) {
            why = by;
        }
        cancelled = true;
        stop(StopCause.CANCELLED, by);
        mailbox.wake();
    }

    /** The record says that somebody wants its end, of whoever has leased it; nothing is done when it is cancelled already. */
    void endAsAsked(String by) {
        if (!leased) {
            unwanted = true;
            mailbox.wake();
        } else if (!cancelled) {
            cancel(by);
        }
    }

    /** The record says so, now that the story is leased and before anything is done for it. */
    void cancelBeforeBegin(String by) {
        why = by;
        cancelled = true;
    }

    /** Whether it is only to be ended. */
    boolean isCancelled() {
        return cancelled;
    }

    /** Whether a wish to end it is void, since what was meant has ended elsewhere; forgets the wish. Asked once the story is leased. */
    boolean wasUnwanted() {
        boolean was = unwanted && !cancelled;
        if (was) {
            unwanted = false;
        }
        return was;
    }

    /** Keeps it where it stands until {@link #goOn}; a cancelled one ends all the same. */
    void pause() {
        paused = true;
        stop(StopCause.PAUSED);
    }

    /** Ends the pause. */
    void goOn() {
        paused = false;
        mailbox.wake();
    }

    boolean isPaused() {
        return paused;
    }

    /** Keeps it where it stands for good: this Maestro is being closed. */
    void close() {
        closed = true;
        stop(StopCause.CLOSED);
    }

    /** The failure of a story that was not at work when this Maestro was closed. */
    MaestroException closedBefore() {
        return new MaestroException("this Maestro was closed before story " + id()
                + " had ended; Maestro.resume() of the next one goes on with it");
    }

    /** The result of a story that nobody has begun here. */
    StoryResult notBegun(String reason) {
        return new StoryResult(
                id(),
                1,
                StoryResult.Outcome.CANCELLED,
                Optional.empty(),
                Optional.empty(),
                Optional.of(reason),
                Usage.NONE,
                Optional.empty(),
                Duration.ZERO);
    }

    // ---- Its row

    /** Its row is written: it waits. */
    void admitted() {
        stage = Stage.WAITS;
        mailbox.wake();
    }

    /** Its row could not be written: the one in the record counts, if there is one. */
    void leaveToRecord() {
        story = null;
        stage = Stage.WAITS;
    }

    /** The story as the host gave it, or without its secrets as the record has it. */
    Story story(AuditLog.StoryRecord row) {
        Story given = story;
        return given == null ? StoryRows.story(row) : given;
    }

    /** Whether the row is to be read. */
    boolean mustBeRead() {
        return !read;
    }

    /** The row may have changed. */
    void readAgain() {
        read = false;
    }

    /** One of these rows may have changed. */
    void readAgainAfter(Set<String> changed) {
        if (changed.contains(id()) || !Collections.disjoint(changed, dependsOn)) {
            read = false;
        }
    }

    /** The row was read. */
    void read(AuditLog.StoryRecord row) {
        dependsOn = row.dependsOn();
        merges = MergeTurns.isMerging(row.state());
        read = true;
    }

    /** Its workspace is not here: the story is begun anew, and needs a coder. */
    void beginsAnew() {
        merges = false;
    }

    /** Whether the story might begin when the row was read. */
    void ready(boolean mayBegin) {
        ready = mayBegin;
    }

    /** Whether to look for a circle of dependencies: true once, since the story that closes a circle comes last, and sees all of it. */
    boolean mustCheckCircle() {
        boolean must = !circleChecked;
        circleChecked = true;
        return must;
    }

    /** Whether to say that the story waits for one that is not there; true once. */
    boolean mustTellOfUnknown() {
        boolean must = !toldOfUnknown;
        toldOfUnknown = true;
        return must;
    }

    // ---- Its stages

    /** Whether it waits to begin, or to go on. Safe for use by several threads. */
    boolean waits() {
        return stage == Stage.WAITS;
    }

    /** Whether it is worked on. */
    boolean runs() {
        return stage == Stage.RUNS;
    }

    /** Whether a story that waits is to begin, as far as it was read, or to be ended. */
    boolean isReady() {
        return cancelled || unwanted || !paused && ready;
    }

    /** A cancelled story takes no coder: it is only ended. One whose work is done is only merged, beside the coders. */
    boolean needsCoder() {
        return !cancelled && !unwanted && !merges;
    }

    /**
     * Works on the story, which is leased, on another thread.
     *
     * @param onResult told of the result on the dispatcher's thread
     * @param onFailure told there of what was thrown in its place
     * @throws RuntimeException when there is no thread for it
     */
    void begin(
            Executor threads,
            Function<StopSignal, StoryResult> work,
            Consumer<StoryResult> onResult,
            Consumer<Throwable> onFailure) {
        leaseLost = false;
        renew();
        stage = Stage.RUNS;
        // Not before: whoever stops it from now on stops this run.
        if (cancelled) {
            stop(StopCause.CANCELLED, why);
        }
        if (paused) {
            stop(StopCause.PAUSED);
        }
        if (closed) {
            stop(StopCause.CLOSED);
        }
        leases.hold(lease(), this::leaseLost);
        threads.execute(() -> {
            Runnable end;
            try {
                StoryResult result = perform(work);
                end = () -> onResult.accept(result);
            } catch (Throwable e) { // whatever it is: the dispatcher decides what follows
                end = () -> onFailure.accept(e);
            }
            mailbox.post(end);
        });
    }

    /** It goes on as soon as it may: here, or in the process that has taken it over. */
    void waitAgain() {
        stage = Stage.WAITS;
    }

    /** Stopped by a pause: it waits, with its lease when that is still held. */
    void waitPaused() {
        if (leaseLost) {
            release();
        }
        waitAgain();
    }

    /** It keeps its lease and its workspace, and nothing else, until something has happened. */
    void park(CompletableFuture<?> until) {
        failures.set(0);
        parkUntil(until);
    }

    /** Tries it again later, which is longer each time; false when that was done too often. */
    boolean tryLater() {
        int times = countFailure();
        if (times > Outages.MOST) {
            return false;
        }
        parkUntil(Outages.later(times));
        return true;
    }

    /** It could not be gone on with once more; how often in a row now. */
    int countFailure() {
        return failures.incrementAndGet();
    }

    private void parkUntil(CompletableFuture<?> until) {
        stage = Stage.IS_PARKED;
        CompletableFuture<?> unused = until.whenComplete((value, problem) -> mailbox.post(this::unpark));
    }

    /** It waits no longer for what it was parked for; nothing happens to one that is not parked. */
    void unpark() {
        if (stage == Stage.IS_PARKED) {
            stage = Stage.WAITS;
        }
    }

    // ---- Its lease

    private String lease() {
        return Leases.story(id());
    }

    /** Whether this session has the lease. Safe for use by several threads. */
    boolean isLeased() {
        return leased;
    }

    /** Leases the story, unless that is done; false when another process has it. */
    boolean acquire() {
        if (!leased && leases.acquire(List.of(lease())).isEmpty()) {
            return false;
        }
        leased = true;
        return true;
    }

    /** Gives the lease back, if this session has it. */
    void release() {
        if (leased) {
            leased = false;
            leases.giveBack(lease());
        }
    }

    /** On the thread that renews leases. */
    private void leaseLost() {
        stop(StopCause.LEASE_LOST);
        mailbox.post(() -> {
            leaseLost = runs();
            if (!leaseLost) {
                leased = false;
                stage = Stage.WAITS;
            }
        });
    }
}
