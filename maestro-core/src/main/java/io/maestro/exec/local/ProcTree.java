package io.maestro.exec.local;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The tree as {@code /proc} shows it. A process belongs to the command when it is a descendant of one that does, or is in
 * the session that the command was started in, or has the command's cookie in its environment. The three cover each
 * other: a parent may be gone, a daemon opens a session of its own, a program may clear its environment.
 */
final class ProcTree implements ProcessTree {
    /** No session is the command's own. */
    static final long NO_SESSION = -1;

    private final long session;
    private final String cookie;
    private final long notBefore;

    private final Map<Long, Long> known;

    /**
     * Watches one command.
     *
     * @param session the session that it was started in and that is its own, or {@link #NO_SESSION}
     * @param cookie what its environment holds and no other command's does
     * @param notBefore a time, in ticks since boot, before which no process of the command was started
     * @param known process id to start time of all processes that were found to belong to the command; is added to
     */
    ProcTree(long session, String cookie, long notBefore, Map<Long, Long> known) {
        this.session = session;
        this.cookie = cookie;
        this.notBefore = notBefore;
        this.known = known;
    }

    @Override
    public List<ProcessHandle> alive() {
        Map<Long, ProcStat> candidates = new HashMap<>();
        for (ProcStat process : Proc.processes()) {
            // Neither what is older than the command nor ourselves: however its id or its parent's id came about.
            if (process.startTicks() >= notBefore
                    && process.pid() != ProcessHandle.current().pid()) {
                candidates.put(process.pid(), process);
            }
        }
        Map<Long, ProcStat> members = new HashMap<>();
        long until = Proc.lookAgainUntil();
        candidates.values().stream()
                .filter(process -> belongs(process, until))
                .forEach(process -> members.put(process.pid(), process));
        addDescendants(members, candidates);
        members.values().forEach(process -> known.put(process.pid(), process.startTicks()));

        // Parents first: a shell whose child is ended before itself goes on with what follows in its line.
        List<ProcessHandle> handles = new ArrayList<>();
        members.values().stream()
                .sorted(Comparator.comparingLong(ProcStat::startTicks).thenComparingLong(ProcStat::pid))
                .forEach(process -> Proc.handle(process).ifPresent(handles::add));
        return handles;
    }

    private boolean belongs(ProcStat process, long until) {
        Long start = known.get(process.pid());
        if (start != null && start == process.startTicks()) {
            return true;
        }
        return process.session() == session || Proc.environment(process, until).contains(cookie);
    }

    private static void addDescendants(Map<Long, ProcStat> members, Map<Long, ProcStat> candidates) {
        boolean grown = !members.isEmpty();
        while (grown) {
            grown = false;
            for (ProcStat process : candidates.values()) {
                if (members.containsKey(process.parent()) && members.putIfAbsent(process.pid(), process) == null) {
                    grown = true;
                }
            }
        }
    }
}
