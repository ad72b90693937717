package io.maestro.team.internal.loop;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one run of the loop: what was called how often and how it went, and the circuit breaker on calls that fail again and
 * again. Used by one thread at a time.
 */
public final class CallLog {
    /** After so many answers of the model a call is tried once more: what it depends on may have changed by itself. */
    static final int REST_TURNS = 5;

    /** How often the very same call may fail before it is not run any more, until something has changed or some turns have passed. */
    static final int MOST_FAILURES = 3;

    /** How often a model may make the very same call in a row, or one that is not run any more: a budget review looks at it then. */
    static final int MOST_REPETITIONS = 5;

    private static final int LAST_CALLS = 8;
    private static final int OUTCOME_CHARACTERS = 160;
    private static final int ERROR_CHARACTERS = 1_000;

    private final Map<CallKey, Integer> counts = new LinkedHashMap<>();
    /** Emptied whenever something has changed. */
    private final Map<CallKey, Failing> failing = new HashMap<>();

    private final Deque<String> last = new ArrayDeque<>();
    private @Nullable CallKey previous;
    private int inARow;
    private int calls;
    private int failures;
    private int refusals;
    private int turn;

    /** A call that has failed since something changed. */
    private static final class Failing {
        private int failures;
        private int refusals;
        private int turn;
        private String error = "";
    }

    /** The model has answered once more. */
    void nextTurn() {
        turn++;
    }

    /** Why a call is not to be run, for the model; empty when it may run. */
    Optional<String> refusal(CallKey key) {
        Failing known = failing.get(key);
        if (known == null || known.failures < MOST_FAILURES || turn - known.turn > REST_TURNS) {
            return Optional.empty();
        }
        return Optional.of("not run: this very call has failed " + known.failures
                + " times, and nothing was changed since. Do something else; read the error again:\n" + known.error);
    }

    /** Notes a call that was not run. */
    void refused(CallKey key) {
        count(key);
        refusals++;
        failing.computeIfAbsent(key, unknown -> new Failing()).refusals++;
        remember(key + ": not run again");
    }

    /**
     * Notes a call that was run.
     *
     * @param readOnly whether the tool changes nothing
     * @param error what went wrong, or null
     */
    public void ran(CallKey key, boolean readOnly, @Nullable String error) {
        count(key);
        calls++;
        if (error != null) {
            failures++;
            Failing known = failing.computeIfAbsent(key, unknown -> new Failing());
            known.failures++;
            known.turn = turn;
            known.error = error.length() <= ERROR_CHARACTERS ? error : error.substring(0, ERROR_CHARACTERS) + "…";
            remember(key + ": failed: " + CallKey.line(error, OUTCOME_CHARACTERS));
            return;
        }
        remember(key + ": ok");
        if (readOnly) {
            failing.remove(key);
        } else {
            failing.clear();
        }
    }

    private void count(CallKey key) {
        counts.merge(key, 1, Integer::sum);
        inARow = key.equals(previous) ? inARow + 1 : 1;
        previous = key;
    }

    private void remember(String line) {
        if (last.size() == LAST_CALLS) {
            last.removeFirst();
        }
        last.addLast(line);
    }

    /** Why the agent goes round in circles, if it does. */
    Optional<String> circling() {
        if (inARow >= MOST_REPETITIONS) {
            return Optional.of("the same call came " + inARow + " times in a row: " + previous);
        }
        return failing.entrySet().stream()
                .filter(entry -> entry.getValue().refusals >= MOST_REPETITIONS)
                .findFirst()
                .map(entry -> "a call that had failed " + entry.getValue().failures + " times came "
                        + entry.getValue().refusals + " times more: " + entry.getKey());
    }

    /** What is to be said when a budget is used up. */
    public LoopFacts facts(String reason, Meter meter) {
        Optional<Map.Entry<CallKey, Integer>> most = Optional.empty();
        for (Map.Entry<CallKey, Integer> entry : counts.entrySet()) {
            if (entry.getValue() > most.map(Map.Entry::getValue).orElse(1)) {
                most = Optional.of(entry);
            }
        }
        LoopFacts.CallSummary summary = new LoopFacts.CallSummary(
                calls,
                failures,
                refusals,
                most.map(entry -> entry.getKey().toString()).orElse(""),
                most.map(Map.Entry::getValue).orElse(1),
                List.copyOf(last));
        return new LoopFacts(reason, summary, meter.usage(), meter.cost(), meter.elapsed());
    }
}
