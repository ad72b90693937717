package io.maestro.exec.local;

import io.maestro.internal.Uninterrupted;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Ends all processes of a command: asks first, then kills, until none is left or it has tried for long enough. */
final class TreeKiller {
    /** How long a process may clean up after TERM. */
    static final Duration GRACE = Duration.ofMillis(500);

    /** How long KILL is repeated. Only what the kernel does not let go of, or what forks faster, lives on. */
    static final Duration KILL_LIMIT = Duration.ofSeconds(5);

    private static final long LONGEST_PAUSE_MILLIS = 32;

    private TreeKiller() {}

    /**
     * Ends the processes.
     *
     * @return the ids of those that are still there; empty, unless something is wrong
     */
    static List<Long> kill(ProcessTree tree, Uninterrupted uninterrupted) {
        Set<ProcessHandle> asked = new HashSet<>();
        List<ProcessHandle> alive = tree.alive();
        long start = System.nanoTime();
        long pause = 1;
        while (!alive.isEmpty()) {
            long elapsed = System.nanoTime() - start;
            if (elapsed > GRACE.plus(KILL_LIMIT).toNanos()) {
                break;
            }
            boolean force = elapsed > GRACE.toNanos();
            for (ProcessHandle process : alive) {
                if (force) {
                    process.destroyForcibly();
                } else if (asked.add(process)) {
                    process.destroy();
                }
            }
            uninterrupted.sleep(pause);
            pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS);
            alive = tree.alive();
        }
        return alive.stream().map(ProcessHandle::pid).toList();
    }
}
