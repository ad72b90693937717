package io.maestro.claude.internal.coder;

import io.maestro.claude.ClaudeResult;
import io.maestro.claude.ClaudeResult.Ending;
import io.maestro.claude.ClaudeRun;
import io.maestro.error.MaestroException;
import io.maestro.mcp.McpCall;
import io.maestro.tools.ToolResult;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Plays the CLI: each start, and each message to a process that lives, takes the next act of a play. */
final class FakeCli implements Cli {
    private static final String SUB_AGENT = "toolu_sub_";

    final List<String> said = new CopyOnWriteArrayList<>();
    final List<Throwable> failures = new CopyOnWriteArrayList<>();
    private final Parts parts;
    private final Deque<Act> acts;

    volatile @Nullable String refused;
    volatile @Nullable Duration retryAfter;
    int moves;
    boolean closed;

    FakeCli(Parts parts, List<Act> acts) {
        this.parts = parts;
        this.acts = new ArrayDeque<>(acts);
    }

    @Override
    public ClaudeRun start(String sessionId, String message) {
        said.add("start: " + message);
        return new Run(sessionId).act();
    }

    @Override
    public ClaudeRun resume(String sessionId, String message) {
        said.add("resume: " + message);
        return new Run(sessionId).act();
    }

    @Override
    public void moved() {
        moves++;
    }

    @Override
    public Optional<String> refusedBudget() {
        return Optional.ofNullable(refused);
    }

    @Override
    public Optional<Duration> retryAfter() {
        return Optional.ofNullable(retryAfter);
    }

    @Override
    public void close() {
        closed = true;
    }

    /** What the model does in one turn. */
    interface Act {
        void play(Run run);
    }

    /** One process. */
    final class Run implements ClaudeRun {
        private final String sessionId;
        private final BlockingQueue<ClaudeResult> results = new LinkedBlockingQueue<>();
        private final List<String> endAfter = new CopyOnWriteArrayList<>();
        volatile boolean closed;
        /** It has ended after its turn, which nobody has noticed. */
        volatile boolean gone;

        /** What was asked of its limits. */
        final List<String> limits = new CopyOnWriteArrayList<>();

        private int calls;

        Run(String sessionId) {
            this.sessionId = sessionId;
        }

        private Run act() {
            Act act = acts.removeFirst();
            Thread thread = new Thread(() -> {
                try {
                    act.play(this);
                } catch (Throwable e) {
                    failures.add(e);
                }
            });
            thread.setDaemon(true);
            thread.start();
            return this;
        }

        /** The calls after which it is to end. */
        List<String> endsAfter() {
            return endAfter;
        }

        /** The use of a tool without a result, for calls that do not name theirs. */
        volatile Optional<String> onlyUse = Optional.empty();

        @Override
        public Optional<String> mainUse(String id, String tool, Duration atMost) {
            return id.matches("[0-9]+") ? onlyUse : Optional.of(id).filter(use -> !use.startsWith(SUB_AGENT));
        }

        /** The model calls a tool; the process ends if it was told to end after that. */
        ToolResult call(String tool, String input) {
            String id = "toolu_" + ++calls;
            ToolResult result = parts.tools().call(new McpCall(id, tool, input));
            if (endAfter.contains(id)) {
                ends(Ending.ENDED, "");
            }
            return result;
        }

        void ends(Ending ending, String text) {
            ends(ending, text, 0, "");
        }

        void ends(Ending ending, String text, int apiStatus, String apiError) {
            results.add(new ClaudeResult(ending, text, 1, BigDecimal.ZERO, OptionalInt.empty(), apiStatus, apiError));
        }

        /** A sub-agent calls a tool. */
        ToolResult callOfSubAgent(String tool, String input) {
            return parts.tools().call(new McpCall(SUB_AGENT + ++calls, tool, input));
        }

        @Override
        public String sessionId() {
            return sessionId;
        }

        @Override
        public Optional<ClaudeResult> await(Duration atMost) {
            try {
                return Optional.ofNullable(results.poll(atMost.toMillis(), TimeUnit.MILLISECONDS));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return Optional.empty();
            }
        }

        @Override
        public void say(String message) {
            if (gone) {
                throw new MaestroException("the CLI has ended");
            }
            said.add("say: " + message);
            act();
        }

        @Override
        public void endAfter(String toolUseId) {
            endAfter.add(toolUseId);
        }

        @Override
        public void suspendLimits() {
            limits.add("suspended");
        }

        @Override
        public void resumeLimits() {
            limits.add("resumed");
        }

        @Override
        public void end() {
            closed = true;
            ends(Ending.ENDED, "");
        }

        @Override
        public void close() {
            end();
        }
    }
}
