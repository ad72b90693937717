package io.maestro.team.internal.dispatch;

import io.maestro.event.MaestroEvent;
import io.maestro.event.MaestroListener;
import io.maestro.internal.Threads;
import io.maestro.record.StoreException;
import io.maestro.record.internal.Leases;
import io.maestro.record.internal.MergeQueue;
import io.maestro.story.CoderState;
import io.maestro.team.internal.machine.ParkedException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whose turn it is to be merged: one story at a time for each target branch, over all processes of the record, in the order of
 * {@link MergeQueue}. Without it each merge would send all others who are ready to integrate and test again. It saves work and
 * decides nothing: that what is merged was tested is up to the forge, which refuses a branch that has moved. Safe for use by
 * several threads.
 */
public final class MergeTurns implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MergeTurns.class);

    /** How soon it is seen what other processes have done. */
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    /** How long a story is waited for that has the turn, or that nobody has leased after its process has ended. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final MergeQueue queue;
    private final LeaseKeeper leases;
    private final String sessionId;
    private final int mostAhead;
    private final MaestroListener listener;
    private final Duration patience;
    private final ScheduledThreadPoolExecutor timer;

    /** Held while a turn is given: only one thread does. */
    private final ReentrantLock giving = new ReentrantLock();

    /** Since when who waits for a branch is leased by nobody, by branch and story. Used by the thread that gives a turn. */
    private final Map<String, Map<String, Long>> unleased = new HashMap<>();

    /** Guards what follows. Nobody waits for the record under it. */
    private final ReentrantLock lock = new ReentrantLock();

    /** Whose turn it is, by target branch. */
    private final Map<String, MergeTurn> turns = new HashMap<>();

    /** The stories that wait here, by id. */
    private final Map<String, QueuedStory> waiting = new HashMap<>();

    /** The stories that test ahead, or have done so, by id. */
    private final Map<String, AheadTest> ahead = new HashMap<>();

    /** The tree of the target branch once a story is merged, by story. */
    private final Map<String, String> predicted = new HashMap<>();

    private boolean closed;

    /** How a turn ends. */
    public enum TurnEnd {
        /** The story is merged: what was predicted of it has come. */
        MERGED,
        /** The story has ended otherwise. */
        GONE,
        /** The story keeps its place, and waits later again. */
        ASIDE;

        /** How a turn ends with which a story comes into a state. */
        public static TurnEnd of(CoderState state) {
            return state == CoderState.DONE ? MERGED : state.isFinal() ? GONE : ASIDE;
        }
    }

    private static final class MergeTurn {
        private final String target;
        private final String storyId;
        private final long since = System.nanoTime();

        /** Somebody works on the story. */
        private boolean taken;

        MergeTurn(String target, String storyId) {
            this.target = target;
            this.storyId = storyId;
        }
    }

    private record QueuedStory(String target, CompletableFuture<Void> until) {}

    /** A story that tests together with what another one will have merged. */
    private static final class AheadTest {
        private final String target;
        private final String tree;

        /** Whose merge makes that tree; null when it is merged. */
        private @Nullable String behind;

        private @Nullable Thread thread;
        private boolean useless;
        private boolean over;

        AheadTest(String target, String behind, String tree) {
            this.target = target;
            this.behind = behind;
            this.tree = tree;
        }
    }

    /**
     * Begins to give turns.
     *
     * @param mostAhead how many are tested ahead of their turn
     * @param listener is told who waits
     */
    public MergeTurns(MergeQueue queue, LeaseKeeper leases, String sessionId, int mostAhead, MaestroListener listener) {
        this(queue, leases, sessionId, mostAhead, listener, PATIENCE);
    }

    MergeTurns(
            MergeQueue queue,
            LeaseKeeper leases,
            String sessionId,
            int mostAhead,
            MaestroListener listener,
            Duration patience) {
        this.queue = queue;
        this.leases = leases;
        this.sessionId = sessionId;
        this.mostAhead = mostAhead;
        this.listener = listener;
        this.patience = patience;
        this.timer = new ScheduledThreadPoolExecutor(1, Threads.platformFactory("maestro-merge-turns"));
        Future<?> unused = timer.scheduleWithFixedDelay(
                this::look, INTERVAL.toMillis(), INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Whether nothing is left to do in a state but to merge. */
    public static boolean isMerging(CoderState state) {
        return state == CoderState.PREPARE_MERGE || state == CoderState.AWAIT_MERGE;
    }

    // ---- Whose turn it is

    /** Work on a story begins: if it is its turn, it has come. */
    public void begun(String storyId) {
        lock.lock();
        try {
            turn(storyId).ifPresent(turn -> turn.taken = true);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes the turn of a story, which this session has leased.
     *
     * @throws ParkedException when it is not its turn; to be called again when the exception's future is completed
     */
    public void take(String storyId, int attempt, String agentId, String target) {
        if (isTaken(storyId)) {
            return;
        }
        CompletableFuture<Void> until = new CompletableFuture<>();
        lock.lock();
        try {
            waiting.put(storyId, new QueuedStory(target, until));
        } finally {
            lock.unlock();
        }
        int before = queue.enter(storyId, attempt, sessionId, target);
        give(target);
        if (isTaken(storyId)) {
            return;
        }
        chooseAhead(target);
        listener.onEvent(new MaestroEvent.MergeQueued(storyId, agentId, attempt, target, before + 1, Instant.now()));
        throw new ParkedException("its turn to be merged into " + target, until);
    }

    /** Whether it is a story's turn, which it takes if it is. */
    private boolean isTaken(String storyId) {
        lock.lock();
        try {
            Optional<MergeTurn> turn = turn(storyId);
            if (turn.isPresent()) {
                turn.get().taken = true;
                waiting.remove(storyId);
                ahead.remove(storyId);
            }
            return turn.isPresent();
        } finally {
            lock.unlock();
        }
    }

    /** Whether it is a story's turn. */
    public boolean has(String storyId) {
        lock.lock();
        try {
            return turn(storyId).isPresent();
        } finally {
            lock.unlock();
        }
    }

    /** Under the lock. */
    private Optional<MergeTurn> turn(String storyId) {
        return turns.values().stream()
                .filter(turn -> turn.storyId.equals(storyId))
                .findFirst();
    }

    /** Whether a story waits here for its turn. */
    public boolean isWanted(String target) {
        lock.lock();
        try {
            return waiting.values().stream().anyMatch(one -> one.target().equals(target));
        } finally {
            lock.unlock();
        }
    }

    /**
     * Nobody works any more on a story that has taken its turn: the next one comes. Nothing happens to one that has not, or whose
     * turn has come meanwhile.
     */
    public void end(String storyId, TurnEnd how) {
        end(storyId, how, turn -> turn.taken);
    }

    private void end(String storyId, TurnEnd how, Predicate<MergeTurn> which) {
        MergeTurn ended;
        boolean stands;
        lock.lock();
        try {
            ended = turn(storyId).filter(which).orElse(null);
            if (ended == null) {
                return;
            }
            turns.remove(ended.target);
            predicted.remove(storyId);
            if (how == TurnEnd.MERGED) {
                ahead.values().stream()
                        .filter(one -> storyId.equals(one.behind))
                        .forEach(one -> one.behind = null);
            } else {
                dropBehind(storyId);
            }
            // Who is stopped by the end of this process comes first again.
            stands = how == TurnEnd.ASIDE && !closed;
        } finally {
            lock.unlock();
        }
        try {
            if (stands) {
                standAside(storyId);
            }
        } finally {
            leases.giveBack(Leases.merge(ended.target));
        }
        try {
            give(ended.target);
        } catch (StoreException e) {
            LOG.debug("the next turn to be merged into {} comes later: {}", ended.target, e.getMessage());
        }
    }

    /** A paused story does not wait for its turn, and keeps its place; it waits again when it goes on. */
    public void pass(String storyId) {
        QueuedStory paused;
        lock.lock();
        try {
            paused = waiting.remove(storyId);
            AheadTest own = ahead.get(storyId);
            if (own != null) {
                drop(storyId, own);
            }
        } finally {
            lock.unlock();
        }
        try {
            standAside(storyId);
        } finally {
            if (paused != null) {
                paused.until().complete(null);
            }
        }
        end(storyId, TurnEnd.ASIDE, turn -> !turn.taken);
    }

    private void standAside(String storyId) {
        try {
            queue.standAside(storyId, sessionId);
        } catch (StoreException e) {
            // It gets the turn once more, and does not take it.
            LOG.debug("story {} stands aside later: {}", storyId, e.getMessage());
        }
    }

    /** A story waits here no longer: it has ended, or goes on elsewhere. */
    public void forget(String storyId) {
        lock.lock();
        try {
            waiting.remove(storyId);
            dropBehind(storyId);
            AheadTest own = ahead.get(storyId);
            if (own != null) {
                drop(storyId, own);
            }
            predicted.remove(storyId);
        } finally {
            lock.unlock();
        }
    }

    // ---- Ahead of the turn

    /** Whether it is worth while to {@linkplain #predict predict} what a story makes of the target branch. */
    public boolean looksAhead(String storyId) {
        return mostAhead > 0 && has(storyId);
    }

    /**
     * Says what the target branch holds when a story is merged, which has its turn or tests ahead: with that the next ones test.
     *
     * @param tree a tree that all workspaces can read
     */
    public void predict(String storyId, String tree) {
        String target;
        lock.lock();
        try {
            AheadTest own = ahead.get(storyId);
            target = own == null ? turn(storyId).map(turn -> turn.target).orElse(null) : own.target;
            if (target == null || own != null && own.useless) {
                return;
            }
            if (!tree.equals(predicted.put(storyId, tree))) {
                dropBehind(storyId);
            }
        } finally {
            lock.unlock();
        }
        chooseAhead(target);
    }

    /** Wakes those who come next as far as it is known what is merged before them. */
    private void chooseAhead(String target) {
        if (mostAhead == 0) {
            return;
        }
        List<String> order;
        try {
            order = queue.waiting(target).stream()
                    .map(MergeQueue.WaitingMerge::storyId)
                    .toList();
        } catch (StoreException e) {
            LOG.debug("nobody tests ahead for {}: {}", target, e.getMessage());
            return;
        }
        lock.lock();
        try {
            MergeTurn head = turns.get(target);
            if (head == null) {
                return;
            }
            String before = head.storyId;
            List<String> next = order.stream()
                    .filter(id -> !id.equals(head.storyId))
                    .limit(mostAhead)
                    .toList();
            for (String storyId : next) {
                String tree = predicted.get(before);
                if (tree == null) {
                    return;
                }
                if (!ahead.containsKey(storyId)) {
                    QueuedStory chosen = waiting.remove(storyId);
                    if (chosen == null) {
                        return;
                    }
                    ahead.put(storyId, new AheadTest(target, before, tree));
                    chosen.until().complete(null);
                }
                before = storyId;
            }
        } finally {
            lock.unlock();
        }
    }

    /** The tree with which a story is tested on this thread ahead of its turn; empty when it is not chosen, or has done it. */
    public Optional<String> beginAhead(String storyId) {
        lock.lock();
        try {
            AheadTest own = ahead.get(storyId);
            if (own == null || own.useless || own.over || own.thread != null) {
                return Optional.empty();
            }
            own.thread = Thread.currentThread();
            turn(storyId).ifPresent(turn -> turn.taken = true);
            return Optional.of(own.tree);
        } finally {
            lock.unlock();
        }
    }

    /** Whether what a story tests ahead is of no use any more: its thread was interrupted then. */
    public boolean isUseless(String storyId) {
        lock.lock();
        try {
            AheadTest own = ahead.get(storyId);
            return own != null && own.useless;
        } finally {
            lock.unlock();
        }
    }

    /**
     * A story has tested ahead; from here on its thread is not interrupted.
     *
     * @param passed whether those who come after it can count on it
     * @return whether the thread was interrupted
     */
    public boolean finishAhead(String storyId, boolean passed) {
        lock.lock();
        try {
            AheadTest own = ahead.get(storyId);
            if (own == null) {
                return false;
            }
            own.thread = null;
            own.over = true;
            if (own.useless) {
                ahead.remove(storyId);
            }
            if (own.useless || !passed) {
                predicted.remove(storyId);
                dropBehind(storyId);
            }
            return own.useless;
        } finally {
            lock.unlock();
        }
    }

    /** Under the lock: what was tested ahead with what a story would have merged is of no use, and what comes after that. */
    private void dropBehind(String storyId) {
        ahead.entrySet().stream()
                .filter(entry -> storyId.equals(entry.getValue().behind))
                .toList()
                .forEach(entry -> drop(entry.getKey(), entry.getValue()));
    }

    /** Under the lock. Who is at work ends itself. */
    private void drop(String storyId, AheadTest one) {
        one.useless = true;
        predicted.remove(storyId);
        if (one.thread == null) {
            ahead.remove(storyId);
        } else {
            one.thread.interrupt();
        }
        dropBehind(storyId);
    }

    // ---- Who gives turns

    private void look() {
        try {
            missed().forEach(turn -> end(turn.storyId, TurnEnd.ASIDE, now -> now == turn && !now.taken));
            targets().forEach(this::give);
        } catch (StoreException e) {
            // Whoever works says so, too.
            LOG.debug("whose turn it is to be merged is looked up again: {}", e.getMessage());
        } catch (RuntimeException | Error e) { // whatever it is: there is a next look
            LOG.error("whose turn it is to be merged is looked up again", e);
        }
    }

    private List<MergeTurn> missed() {
        lock.lock();
        try {
            return turns.values().stream()
                    .filter(turn -> !turn.taken && System.nanoTime() - turn.since > patience.toNanos())
                    .toList();
        } finally {
            lock.unlock();
        }
    }

    private Set<String> targets() {
        lock.lock();
        try {
            return waiting.values().stream().map(QueuedStory::target).collect(Collectors.toSet());
        } finally {
            lock.unlock();
        }
    }

    /**
     * Gives the turn to the first that waits, if it is nobody's and this session has that one: also before it has come here, as
     * after a restart, so that nobody who is faster passes it.
     */
    private void give(String target) {
        giving.lock();
        try {
            if (!isFree(target)) {
                return;
            }
            Optional<String> first = first(target);
            if (first.isEmpty() || leases.acquire(List.of(Leases.merge(target))).isEmpty()) {
                return;
            }
            MergeTurn turn = new MergeTurn(target, first.get());
            leases.hold(Leases.merge(target), () -> lost(turn));
            if (!begin(turn)) {
                leases.giveBack(Leases.merge(target));
            }
        } finally {
            giving.unlock();
        }
    }

    /**
     * Who has the next turn, if this session has leased it. Who is leased by nobody keeps its place for a while: after a death it
     * comes soon, or not at all.
     */
    private Optional<String> first(String target) {
        Map<String, Long> before = unleased.getOrDefault(target, Map.of());
        Map<String, Long> now = new HashMap<>();
        boolean mayCome = false;
        Optional<MergeQueue.WaitingMerge> first = Optional.empty();
        for (MergeQueue.WaitingMerge one : queue.waiting(target)) {
            if (one.sessionId() != null) {
                first = Optional.of(one);
                break;
            }
            long since = before.getOrDefault(one.storyId(), System.nanoTime());
            now.put(one.storyId(), since);
            mayCome |= System.nanoTime() - since < patience.toNanos();
        }
        unleased.put(target, now);
        return mayCome
                ? Optional.empty()
                : first.filter(one -> sessionId.equals(one.sessionId())).map(MergeQueue.WaitingMerge::storyId);
    }

    private boolean isFree(String target) {
        lock.lock();
        try {
            return !closed && !turns.containsKey(target);
        } finally {
            lock.unlock();
        }
    }

    /** False when this was closed. */
    private boolean begin(MergeTurn turn) {
        QueuedStory first;
        lock.lock();
        try {
            if (closed) {
                return false;
            }
            turns.put(turn.target, turn);
            first = waiting.remove(turn.storyId);
            AheadTest own = ahead.get(turn.storyId);
            turn.taken = own != null && own.thread != null;
            dropAllBut(turn);
        } finally {
            lock.unlock();
        }
        if (first != null) {
            first.until().complete(null);
        }
        return true;
    }

    /** Under the lock: who has tested with the branch as it is now, and is not next, has done so for nothing. */
    private void dropAllBut(MergeTurn turn) {
        List.copyOf(ahead.entrySet()).forEach(entry -> {
            AheadTest one = entry.getValue();
            if (one.behind == null
                    && one.target.equals(turn.target)
                    && !entry.getKey().equals(turn.storyId)) {
                drop(entry.getKey(), one);
            }
        });
    }

    /** Another process gives turns now; the forge refuses what this one has integrated if that one is faster. */
    private void lost(MergeTurn turn) {
        lock.lock();
        try {
            turns.remove(turn.target, turn);
            predicted.remove(turn.storyId);
            dropBehind(turn.storyId);
        } finally {
            lock.unlock();
        }
    }

    /** Gives no more turns; to be called before the stories are stopped, which keep their places. */
    @Override
    public void close() {
        List<MergeTurn> untaken;
        lock.lock();
        try {
            closed = true;
            untaken = turns.values().stream().filter(turn -> !turn.taken).toList();
            untaken.forEach(turn -> turns.remove(turn.target));
        } finally {
            lock.unlock();
        }
        timer.shutdownNow();
        untaken.forEach(turn -> leases.giveBack(Leases.merge(turn.target)));
    }
}
