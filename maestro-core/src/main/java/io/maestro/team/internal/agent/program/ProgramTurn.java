package io.maestro.team.internal.agent.program;

import io.maestro.llm.LlmContent;
import io.maestro.team.internal.loop.CallKey;
import io.maestro.team.internal.loop.CallLog;
import io.maestro.team.internal.loop.LoopFacts;
import io.maestro.team.internal.loop.Meter;
import io.maestro.tools.ToolResult;
import io.maestro.tools.ToolSignal;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a program in one step: how they went, and which of them ended it. Programs change files by tools of
 * their own, which are not seen here; so calls that repeat themselves are counted, and never refused. Safe for use by several
 * threads.
 */
final class ProgramTurn {
    private final ReentrantLock lock = new ReentrantLock();
    private final CallLog log = new CallLog();
    private @Nullable ToolSignal signal;
    private @Nullable String callId;
    private boolean over;

    /** Why nothing may be called any more; empty while the turn goes on. */
    Optional<String> refusal() {
        lock.lock();
        try {
            if (signal != null) {
                return Optional.of("not run: your turn ended with " + signal.name());
            }
            return over ? Optional.of("not run: your turn is over") : Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    /** Notes a call that was run. */
    void ran(LlmContent.ToolUse use, boolean readOnly, ToolResult result) {
        lock.lock();
        try {
            log.ran(CallKey.of(use), readOnly, result.isError() ? result.text() : null);
        } finally {
            lock.unlock();
        }
    }

    /** Ends the turn; false when it has ended otherwise meanwhile. */
    boolean end(String id, ToolSignal sent) {
        lock.lock();
        try {
            if (over || signal != null) {
                return false;
            }
            signal = sent;
            callId = id;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** The program has come back: calls that still run end nothing any more. */
    Optional<ToolSignal> close() {
        lock.lock();
        try {
            over = true;
            return Optional.ofNullable(signal);
        } finally {
            lock.unlock();
        }
    }

    /** What has ended it; empty where no call has. */
    Optional<ToolSignal> accepted() {
        lock.lock();
        try {
            return Optional.ofNullable(signal);
        } finally {
            lock.unlock();
        }
    }

    /** The call that has ended it; null while there is none. */
    @Nullable
    String endedBy() {
        lock.lock();
        try {
            return callId;
        } finally {
            lock.unlock();
        }
    }

    LoopFacts facts(String reason, Meter meter) {
        lock.lock();
        try {
            return log.facts(reason, meter);
        } finally {
            lock.unlock();
        }
    }
}
