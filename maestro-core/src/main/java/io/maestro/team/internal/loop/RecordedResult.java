package io.maestro.team.internal.loop;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.record.AuditLog;
import io.maestro.tools.ToolResult;

/** What the model is told of a call that an earlier process began. */
final class RecordedResult {
    private static final ObjectMapper JSON = new ObjectMapper();

    private RecordedResult() {}

    /** The result that is in the record. */
    static ToolResult result(AuditLog.ToolExecution execution) {
        if (execution.result() == null) {
            return ToolResult.error(String.valueOf(execution.error()));
        }
        try {
            return ToolResult.ok(JSON.readTree(execution.result()).path("text").asText(execution.result()));
        } catch (JsonProcessingException e) {
            return ToolResult.ok(execution.result());
        }
    }

    /** Nothing is in the record: it may have been run in part, and running it again might do harm. */
    static ToolResult interrupted() {
        return ToolResult.error(
                "Maestro was stopped while this call was about to run or ran. Whether it has had an effect is"
                        + " not known: look, then call it again if it is needed.");
    }
}
