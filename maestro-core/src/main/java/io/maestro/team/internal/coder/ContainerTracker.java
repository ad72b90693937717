package io.maestro.team.internal.coder;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Store;
import io.maestro.runtime.ToolInvocation;
import io.maestro.runtime.ToolTracker;
import io.maestro.team.internal.story.ImageChoice;
import io.maestro.tools.ToolResult;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes note of the image that a coder's commands run in, and of the one that it has chosen for the project, or has not
 * after all. What counts are the recorded answers of {@code container_switch} and {@code container_update}, so that a life
 * that was killed between such a row and the story's own loses nothing. Safe for use by several threads.
 */
public final class ContainerTracker implements ToolTracker {
    private static final Logger LOG = LoggerFactory.getLogger(ContainerTracker.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String SWITCH = "container_switch";
    private static final String UPDATE = "container_update";
    private static final String IMAGE = "image";
    private static final String ROLLED_BACK = "rolled_back";

    private final Store store;
    /** By story; of those that are worked on here. */
    private final Map<String, StoryAttempt> runs;

    public ContainerTracker(Store store, Map<String, StoryAttempt> runs) {
        this.store = store;
        this.runs = runs;
    }

    @Override
    public void onAnswer(ToolInvocation invocation, ToolResult answer) {
        ToolInvocation.Caller caller = invocation.caller();
        StoryAttempt run = isChange(invocation.tool()) ? runs.get(caller.storyId()) : null;
        if (run == null || run.attempt() != caller.attempt() || !run.agentId().equals(caller.agentId())) {
            return;
        }
        run.save(store, () -> {
            run.images().changed();
            note(
                    run.images(),
                    invocation.tool(),
                    answer.isError(),
                    Boolean.TRUE.equals(answer.data().get(ROLLED_BACK)),
                    answer.data().get(IMAGE) instanceof String image ? image : null);
        });
    }

    private static boolean isChange(String tool) {
        return tool.equals(SWITCH) || tool.equals(UPDATE);
    }

    /** Takes note of the last calls, if an earlier life could not do that any more. */
    static void catchUp(Store store, StoryAttempt run) {
        List<AuditLog.ToolExecution> calls = store.toolExecutions(run.story().id()).stream()
                .filter(call -> isChange(call.tool())
                        && call.attempt() == run.attempt()
                        && run.agentId().equals(call.agentId()))
                .toList();
        while (run.images().changes() < calls.size()) {
            AuditLog.ToolExecution call = calls.get(run.images().changes());
            run.images().changed();
            JsonNode data = data(call.result());
            note(
                    run.images(),
                    call.tool(),
                    call.result() == null,
                    data.path(ROLLED_BACK).asBoolean(),
                    data.path(IMAGE).textValue());
        }
    }

    private static JsonNode data(@Nullable String result) {
        try {
            return JSON.readTree(result == null ? "{}" : result).path("data");
        } catch (JsonProcessingException e) {
            return JSON.createObjectNode();
        }
    }

    private static void note(
            ImageChoice images, String tool, boolean error, boolean rolledBack, @Nullable String image) {
        if (tool.equals(SWITCH)) {
            // A switch that fails names what runs instead, unless it has changed nothing.
            images.switched(image);
            return;
        }
        boolean failed = error || rolledBack;
        if (!failed && image == null) {
            LOG.warn(
                    "the tool {} is faulty: it says that it succeeded, but names no image; nothing is changed", UPDATE);
        }
        images.update(failed ? null : image);
    }
}
