package io.maestro.replay.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import io.maestro.internal.Directories;
import io.maestro.record.AuditLog;
import io.maestro.story.CoderState;
import io.maestro.team.internal.story.StoryProgress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Compares the calls of two runs up to the merge: which tool with which parameters in which state, and whether it failed. Answers
 * may tell times.
 */
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
    public record Pair(int number, AuditLog.@Nullable ToolExecution then, AuditLog.@Nullable ToolExecution now) {}

    /**
     * The first call that is not as it was.
     *
     * @param replayed the record of the replay
     */
    public static Optional<Pair> first(Recording recording, AuditLog replayed) {
        String id = recording.story().id();
        List<AuditLog.ToolExecution> now = replayed.toolExecutions(id);
        Set<String> here = replayed.story(id)
                .map(story -> StoryProgress.fromJson(story.data()).checkout().workingDirectories())
                .orElse(Set.of());
        List<AuditLog.ToolExecution> left = new ArrayList<>(now.stream()
                .filter(call -> call.parentCallId() == null && !isBeforeMerge(call))
                .toList());
        int number = 0;
        for (AuditLog.ToolExecution then : recording.calls()) {
            number++;
            if (isBeforeMerge(then)) {
                continue;
            }
            AuditLog.ToolExecution same = left.stream()
                    .filter(call -> recording.isModels(then)
                            ? call.callId().equals(then.callId())
                            : call.tool().equals(then.tool()) && !recording.isModels(call))
                    .findFirst()
                    .orElse(null);
            if (same == null || !alike(then, recording.workingDirectories(), same, here)) {
                return Optional.of(new Pair(number, then, same));
            }
            left.remove(same);
        }
        return left.isEmpty() ? Optional.empty() : Optional.of(new Pair(number + 1, null, left.get(0)));
    }

    /** Which tests run then depends on who else is merged when, and on who is tested ahead. */
    private static boolean isBeforeMerge(AuditLog.ToolExecution call) {
        return call.state().equals(CoderState.PREPARE_MERGE.name())
                || call.state().equals(CoderState.AWAIT_MERGE.name());
    }

    private static boolean alike(
            AuditLog.ToolExecution then, Set<String> there, AuditLog.ToolExecution now, Set<String> here) {
        return then.tool().equals(now.tool())
                && then.state().equals(now.state())
                && (then.error() == null) == (now.error() == null)
                && Objects.equals(then.exitCode(), now.exitCode())
                && json(then.parameters(), there).equals(json(now.parameters(), here));
    }

    private static JsonNode json(String text, Set<String> directories) {
        JsonNode json;
        try {
            json = JSON.readTree(text);
        } catch (JsonProcessingException e) {
            json = TextNode.valueOf(text);
        }
        return Directories.moved(json, directories, "/here");
    }
}
