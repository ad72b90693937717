package io.maestro.exec.local;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What is left of the commands of hosts that were killed: all that has an executor's {@link RootMark}, with the sessions
 * and the descendants of it. Neither what a command of this JVM has started, nor this JVM, nor its ancestors: all of these
 * may have the mark as well, when a command of an executor runs this JVM.
 */
final class Leftovers implements ProcessTree {
    private static final long SELF = ProcessHandle.current().pid();

    private final String mark;
    private final List<String> runningCookies;

    /** Process id to start time of all processes that were found. */
    private final Map<Long, Long> known = new HashMap<>();

    Leftovers(String mark) {
        this(mark, System.getenv(Cookie.VARIABLE), System.getenv(RootMark.VARIABLE));
    }

    /** With the variables of this JVM's own environment, which it has when a command of an executor runs it. */
    Leftovers(String mark, @Nullable String outerCookies, @Nullable String outerMarks) {
        this.mark = mark;
        // The command that runs this JVM is spared only where it has the mark itself: everything that this JVM and its
        // like have ever started inherits its cookie, what is left of them included.
        boolean inside = outerCookies != null && outerMarks != null && outerMarks.contains(mark);
        this.runningCookies = inside ? List.of(Cookie.THIS_JVM, outerCookies) : List.of(Cookie.THIS_JVM);
    }

    /** The ids of all processes that were found, living or not. */
    Collection<Long> found() {
        return new TreeSet<>(known.keySet());
    }

    @Override
    public List<ProcessHandle> alive() {
        Map<Long, ProcStat> candidates = new HashMap<>();
        Proc.processes().forEach(process -> candidates.put(process.pid(), process));
        Map<Long, ProcStat> spared = new HashMap<>();
        for (ProcStat p = candidates.remove(SELF); p != null; p = candidates.remove(p.parent())) {
            spared.put(p.pid(), p);
        }
        Map<Long, ProcStat> running = new HashMap<>();
        Map<Long, ProcStat> left = new HashMap<>();
        long until = Proc.lookAgainUntil();
        for (ProcStat process : candidates.values()) {
            String environment = Proc.environment(process, until);
            if (runningCookies.stream().anyMatch(environment::contains)) {
                running.put(process.pid(), process);
            } else if (isKnown(process) || RootMark.isIn(environment, mark)) {
                left.put(process.pid(), process);
            }
        }
        grow(running, candidates.values(), sessions(spared));
        spared.putAll(running);
        candidates.keySet().removeAll(spared.keySet());
        left.keySet().removeAll(spared.keySet());
        grow(left, candidates.values(), sessions(spared));

        List<ProcessHandle> handles = new ArrayList<>();
        for (ProcStat process : left.values()) {
            known.put(process.pid(), process.startTicks());
            Proc.handle(process).ifPresent(handles::add);
        }
        return handles;
    }

    private boolean isKnown(ProcStat process) {
        Long start = known.get(process.pid());
        return start != null && start == process.startTicks();
    }

    private static Set<Long> sessions(Map<Long, ProcStat> processes) {
        Set<Long> sessions = new HashSet<>();
        processes.values().forEach(process -> sessions.add(process.session()));
        sessions.add(0L); // of the kernel, or opened outside this container
        return sessions;
    }

    /** Adds who is below a member, or in the session of one, until nobody is added. */
    private static void grow(Map<Long, ProcStat> members, Collection<ProcStat> candidates, Set<Long> foreignSessions) {
        Set<Long> sessions = new HashSet<>();
        boolean grown = !members.isEmpty();
        while (grown) {
            if (Launcher.opensSession()) {
                members.values().forEach(member -> sessions.add(member.session()));
                sessions.removeAll(foreignSessions);
            }
            grown = false;
            for (ProcStat process : candidates) {
                if (members.containsKey(process.parent()) || sessions.contains(process.session())) {
                    grown |= members.putIfAbsent(process.pid(), process) == null;
                }
            }
        }
    }
}
