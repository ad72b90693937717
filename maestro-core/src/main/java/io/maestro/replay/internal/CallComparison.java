package io.maestro.replay.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.audit.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Compares the calls of two runs: which tool with which parameters in which state, and whether it failed. Answers may tell times. */
public final class CallComparison {
    private static final ObjectMapper JSON = new ObjectMapper();

    private CallComparison() {}

    /**
     * Two that should be alike.
     *
     * @param number their place; from 1
     * @param then null when there is one more now
     * @param now null when it is missing
     */
    public record Pair(int number, Store.@Nullable ToolExecution then, Store.@Nullable ToolExecution now) {}

    /** The first call that is not as it was. */
    public static Optional<Pair> first(Recording recording, List<Store.ToolExecution> now) {
        List<Store.ToolExecution> left = new ArrayList<>(
                now.stream().filter(call -> call.parentCallId() == null).toList());
        int number = 0;
        for (Store.ToolExecution then : recording.calls()) {
            number++;
            Store.ToolExecution same = left.stream()
                    .filter(call -> recording.isModels(then)
                            ? call.callId().equals(then.callId())
                            : call.tool().equals(then.tool()) && !recording.isModels(call))
                    .findFirst()
                    .orElse(null);
            if (same == null || !alike(then, same)) {
                return Optional.of(new Pair(number, then, same));
            }
            left.remove(same);
        }
        return left.isEmpty() ? Optional.empty() : Optional.of(new Pair(number + 1, null, left.get(0)));
    }

    private static boolean alike(Store.ToolExecution then, Store.ToolExecution now) {
        return then.tool().equals(now.tool())
                && then.state().equals(now.state())
                && (then.error() == null) == (now.error() == null)
                && Objects.equals(then.exitCode(), now.exitCode())
                && Objects.equals(json(then.parameters()), json(now.parameters()));
    }

    private static @Nullable Object json(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            return text;
        }
    }
}
