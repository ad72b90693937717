package io.maestro.claude.internal.run;

import io.maestro.claude.ClaudeEvent;
import io.maestro.claude.ClaudeResult.Ending;
import io.maestro.claude.internal.stream.EventReader;
import io.maestro.exec.internal.RunningProcess;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Knows whether a run takes too long. The CLI says nothing while a tool runs, while it waits before it asks the API again and
 * while it shortens its conversation: silence counts only when nothing of this is in flight. The time of the whole run always
 * counts, unless the host has suspended all.
 */
final class Watchdog {
    /** A sub-agent is heard of by itself; as a call that is open for long it would hide that the API is silent. */
    private static final Set<String> SUB_AGENTS = Set.of("Task", "Agent");

    /** More calls than any model has made at once; a bound for what is kept. */
    private static final int MOST_OPEN = 100;

    private static final int MOST_SHOWN = 10;

    private final ReentrantLock lock = new ReentrantLock();
    private final LongSupplier clock;
    private final Duration total;
    private final Duration inactivity;
    private final long begun;

    /** The names of the tools by the ids of their calls. */
    private final Map<String, String> open = new LinkedHashMap<>();

    private long lastHeard;

    /** Until then the CLI waits, as it has said itself. */
    private long quietUntil;

    private boolean compacting;
    private boolean idle;

    /** How many have suspended it. */
    private int suspended;

    private long suspendedAt;

    /** The nanoseconds of all suspensions that are over: they did not pass. */
    private long away;

    Watchdog(LongSupplier clock, Duration total, Duration inactivity) {
        this.clock = clock;
        this.total = total;
        this.inactivity = inactivity;
        this.begun = clock.getAsLong();
        this.lastHeard = begun;
        this.quietUntil = begun;
    }

    /** The CLI has said something. */
    void heard(ClaudeEvent event) {
        lock.lock();
        try {
            lastHeard = now();
            if (event instanceof ClaudeEvent.ToolUse use) {
                if (!SUB_AGENTS.contains(use.name())) {
                    open.put(use.id(), use.name());
                    if (open.size() > MOST_OPEN) {
                        open.remove(open.keySet().iterator().next());
                    }
                }
            } else if (event instanceof ClaudeEvent.ToolResult result) {
                open.remove(result.toolUseId());
            } else if (event instanceof ClaudeEvent.ApiRetry retry) {
                quietUntil = lastHeard + RunningProcess.nanos(Duration.ofMillis(Math.max(0, retry.delayMillis())));
            } else if (event instanceof ClaudeEvent.Result) {
                open.clear();
                idle = true;
            } else if (event instanceof ClaudeEvent.Other other && other.type().startsWith(EventReader.OVERLONG)) {
                // It may have been the result of any of them.
                open.clear();
            }
            // Whatever comes after the word that the conversation is being shortened: it is done.
            compacting =
                    event instanceof ClaudeEvent.Other other && other.type().contains("compacting");
        } finally {
            lock.unlock();
        }
    }

    /** The user has said something. */
    void asked() {
        lock.lock();
        try {
            lastHeard = now();
            idle = false;
        } finally {
            lock.unlock();
        }
    }

    /** From now on no time passes. */
    void suspend() {
        lock.lock();
        try {
            if (suspended++ == 0) {
                suspendedAt = clock.getAsLong();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Time passes again. */
    void resume() {
        lock.lock();
        try {
            if (suspended > 0 && --suspended == 0) {
                away += clock.getAsLong() - suspendedAt;
            }
        } finally {
            lock.unlock();
        }
    }

    private long now() {
        return (suspended > 0 ? suspendedAt : clock.getAsLong()) - away;
    }

    /** A limit that is overstepped. */
    record Verdict(Ending ending, String reason) {}

    Optional<Verdict> verdict() {
        lock.lock();
        try {
            long now = now();
            if (now - begun >= RunningProcess.nanos(total)) {
                return Optional.of(new Verdict(
                        Ending.TIMED_OUT,
                        "the limit of " + total.toSeconds() + " s for the run is used up" + inFlight()));
            }
            long silent = now - (quietUntil - lastHeard > 0 ? quietUntil : lastHeard);
            if (!idle && open.isEmpty() && !compacting && silent >= RunningProcess.nanos(inactivity)) {
                return Optional.of(new Verdict(
                        Ending.STALLED, "nothing came for " + inactivity.toSeconds() + " s, and no tool was running"));
            }
            return Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    private String inFlight() {
        return open.isEmpty()
                ? ""
                : ", while these tools were running: "
                        + open.values().stream().limit(MOST_SHOWN).toList();
    }
}
