package io.maestro.team.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.audit.Store;
import io.maestro.runtime.ToolInvocation;
import io.maestro.runtime.ToolTracker;
import io.maestro.tools.ToolResult;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes note that a coder has chosen another image for the project, or has not after all. What counts are the recorded
 * answers of {@code container_update}, so that a life that was killed between such a row and the story's own loses nothing.
 * Safe for use by several threads.
 */
final class ContainerTracker implements ToolTracker {
    private static final Logger LOG = LoggerFactory.getLogger(ContainerTracker.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String TOOL = "container_update";
    private static final String IMAGE = "image";
    private static final String ROLLED_BACK = "rolled_back";

    private final Store store;
    /** By story; of those that are worked on here. */
    private final Map<String, StoryRun> runs;

    private final ReentrantLock lock = new ReentrantLock();

    ContainerTracker(Store store, Map<String, StoryRun> runs) {
        this.store = store;
        this.runs = runs;
    }

    @Override
    public void onAnswer(ToolInvocation invocation, ToolResult answer) {
        ToolInvocation.Caller caller = invocation.caller();
        StoryRun run = invocation.tool().equals(TOOL) ? runs.get(caller.storyId()) : null;
        if (run == null || run.attempt != caller.attempt() || !run.agentId.equals(caller.agentId())) {
            return;
        }
        lock.lock();
        try {
            run.progress.containerUpdates++;
            note(
                    run,
                    answer.isError() || Boolean.TRUE.equals(answer.data().get(ROLLED_BACK)),
                    answer.data().get(IMAGE) instanceof String image ? image : null);
            store.saveStory(run.toRecord(run.state));
        } finally {
            lock.unlock();
        }
    }

    /** Takes note of the last call, if an earlier life could not do that any more. */
    static void catchUp(Store store, StoryRun run) {
        List<Store.ToolExecution> calls = store.toolExecutions(run.story.id()).stream()
                .filter(call ->
                        call.tool().equals(TOOL) && call.attempt() == run.attempt && run.agentId.equals(call.agentId()))
                .toList();
        if (calls.size() > run.progress.containerUpdates) {
            run.progress.containerUpdates = calls.size();
            String result = calls.get(calls.size() - 1).result();
            JsonNode data = data(result);
            note(
                    run,
                    result == null || data.path(ROLLED_BACK).asBoolean(),
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

    private static void note(StoryRun run, boolean failed, @Nullable String image) {
        if (!failed && image == null) {
            LOG.warn("the tool {} is faulty: it says that it succeeded, but names no image; nothing is changed", TOOL);
        }
        run.progress.containerModified = !failed && image != null;
        run.progress.newContainerImage = failed ? null : image;
    }
}
