package io.maestro.claude.internal.run;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.claude.ClaudeEvent;
import io.maestro.claude.ClaudeResult;
import io.maestro.claude.ClaudeResult.Ending;
import io.maestro.claude.ClaudeRun;
import io.maestro.error.MaestroException;
import io.maestro.exec.ExecProcess;
import io.maestro.exec.ExecResult;
import io.maestro.wire.internal.JsonLimits;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** How far a run is: its current turn, and whether and why it is to end. */
final class Progress {
    /** Bounds for what is kept of one who may say anything. */
    private static final int MOST_KEPT = 1_000;

    private static final int LONGEST_TEXT = 64 * 1024;

    private final String sessionId;
    private final ReentrantLock lock = new ReentrantLock();
    /** The newest ones. */
    private final Set<String> answeredTools = new LinkedHashSet<>();

    /** The newest uses of tools that have no result yet, by their ids. */
    private final Map<String, ClaudeEvent.ToolUse> openTools = new LinkedHashMap<>();

    private final Condition called = lock.newCondition();

    private final Set<String> lastTools = new HashSet<>();
    private CompletableFuture<ClaudeResult> turn = new CompletableFuture<>();
    private @Nullable Stop stop;
    private boolean over;
    private ClaudeEvent.@Nullable Result lastResult;
    private String lastText = "";
    private String apiError = "";

    /**
     * Why a run is to end.
     *
     * @param since nanoseconds of {@link System#nanoTime}
     */
    record Stop(Ending ending, String text, long since) {}

    Progress(String sessionId) {
        this.sessionId = sessionId;
    }

    /** The current turn; never completed with a failure. */
    CompletableFuture<ClaudeResult> turn() {
        lock.lock();
        try {
            return turn;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Begins the next turn.
     *
     * @throws MaestroException when there cannot be one
     */
    void nextTurn() {
        lock.lock();
        try {
            if (stop != null || over || (turn.isDone() && turn.join().ending() != Ending.COMPLETED)) {
                throw new MaestroException("the CLI with session " + sessionId + " has ended; resume the session");
            }
            if (!turn.isDone()) {
                throw new MaestroException("session " + sessionId + " is in the middle of a turn; await its end first");
            }
            turn = new CompletableFuture<>();
            apiError = "";
        } finally {
            lock.unlock();
        }
    }

    /** Notes why the run is to end; false when there was a reason already, which counts. */
    boolean stop(Ending ending, String text) {
        lock.lock();
        try {
            // That a gate was passed by counts even if the run was to end.
            boolean counts = stop == null || ending == Ending.GATE_BYPASSED && stop.ending() != ending;
            if (!counts) {
                return false;
            }
            stop = new Stop(ending, text, System.nanoTime());
            return true;
        } finally {
            lock.unlock();
        }
    }

    Optional<Stop> stopped() {
        lock.lock();
        try {
            return Optional.ofNullable(stop);
        } finally {
            lock.unlock();
        }
    }

    /** The run is to end after this call; true when that has been answered already. */
    boolean isLast(String toolUseId) {
        lock.lock();
        try {
            lastTools.add(toolUseId);
            return answeredTools.contains(toolUseId);
        } finally {
            lock.unlock();
        }
    }

    /** A call has been answered; true when the run is to end after it. */
    boolean answered(String toolUseId) {
        lock.lock();
        try {
            openTools.remove(toolUseId);
            answeredTools.add(toolUseId);
            trim(answeredTools);
            return lastTools.contains(toolUseId);
        } finally {
            lock.unlock();
        }
    }

    /** The model calls a tool. */
    void called(ClaudeEvent.ToolUse use) {
        lock.lock();
        try {
            openTools.put(use.id(), use);
            trim(openTools.keySet());
            called.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private static void trim(Set<String> kept) {
        if (kept.size() > MOST_KEPT) {
            kept.remove(kept.iterator().next());
        }
    }

    /** See {@link ClaudeRun#mainUse}. */
    Optional<String> mainUse(String id, String tool, Duration atMost) throws InterruptedException {
        String name = "mcp__" + McpLink.SERVER + "__" + tool;
        lock.lock();
        try {
            long left = atMost.toNanos();
            while (stop == null || stop.ending() != Ending.GATE_BYPASSED) {
                ClaudeEvent.ToolUse own = openTools.get(id);
                if (own != null) {
                    return own.parent().isEmpty() && own.name().equals(name) ? Optional.of(id) : Optional.empty();
                }
                List<String> uses = openTools.values().stream()
                        .filter(use -> use.parent().isEmpty() && use.name().equals(name))
                        .map(ClaudeEvent.ToolUse::id)
                        .toList();
                if (isNumber(id) && uses.size() == 1) {
                    return Optional.of(uses.get(0));
                }
                if (left <= 0) {
                    return Optional.empty();
                }
                left = called.awaitNanos(left);
            }
            return Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    /** The CLI leaves the id out of calls in an answer that was not streamed; it is that of the JSON-RPC request then. */
    private static boolean isNumber(String id) {
        return id.chars().allMatch(Character::isDigit);
    }

    /** The API has given no answer. */
    void failed(ClaudeEvent.ApiError error) {
        lock.lock();
        try {
            apiError = error.parent().isEmpty() ? error.kind() : apiError;
        } finally {
            lock.unlock();
        }
    }

    /** The model has said something. */
    void said(ClaudeEvent.Said said) {
        String text = said.parent().isEmpty() ? text(said.block()) : "";
        if (!text.isEmpty()) {
            lock.lock();
            try {
                lastText = text;
            } finally {
                lock.unlock();
            }
        }
    }

    private static String text(String block) {
        JsonNode content = JsonLimits.tree(block);
        if (content == null || !content.path("type").asText().equals("text")) {
            return "";
        }
        String text = content.path("text").asText();
        return text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT);
    }

    /**
     * The CLI says that the turn has ended.
     *
     * @return how, when the run cannot go on
     */
    Optional<Ending> ended(ClaudeEvent.Result result) {
        Ending ending = EndingReader.of(result);
        lock.lock();
        try {
            lastResult = result;
            if (stop != null) {
                return Optional.empty(); // the reason is known, and this only follows from it
            }
            if (ending != Ending.COMPLETED) {
                return Optional.of(ending);
            }
            turn.complete(result(ending, result.text(), OptionalInt.empty()));
            return Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    /** The CLI has ended; empty when that could not be made sure of. */
    void over(Optional<ExecProcess.End> end, String errors) {
        OptionalInt exitCode = end.map(ExecProcess.End::exitCode).orElse(OptionalInt.empty());
        lock.lock();
        try {
            over = true;
            Stop reason = stop;
            String printed = errors.isEmpty() ? "" : "; it has printed: " + errors;
            if (reason != null && reason.ending() == Ending.ENDED) {
                turn.complete(result(Ending.ENDED, lastText, exitCode));
            } else if (reason != null) {
                turn.complete(result(reason.ending(), reason.text() + printed, exitCode));
            } else {
                boolean late = end.map(ExecProcess.End::ending).orElse(null) == ExecResult.Ending.TIMED_OUT;
                String how = exitCode.isPresent() ? "ended with exit code " + exitCode.getAsInt() : "was killed";
                turn.complete(result(
                        late ? Ending.TIMED_OUT : EndingReader.withoutResult(errors),
                        "the CLI " + how + ", without a result" + printed,
                        exitCode));
            }
        } finally {
            lock.unlock();
        }
    }

    private ClaudeResult result(Ending ending, String text, OptionalInt exitCode) {
        ClaudeEvent.Result last = lastResult;
        return last == null
                ? new ClaudeResult(ending, text, 0, BigDecimal.ZERO, exitCode, 0, apiError)
                : new ClaudeResult(ending, text, last.turns(), last.cost(), exitCode, last.apiStatus(), apiError);
    }
}
