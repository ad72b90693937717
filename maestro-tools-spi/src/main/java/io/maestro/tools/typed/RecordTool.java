package io.maestro.tools.typed;

import io.maestro.tools.Tool;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import io.maestro.tools.typed.ArgumentType.BadArgumentException;

/**
 * A tool that takes a record.
 *
 * @param definition with the schema of the record
 * @param origin the record
 * @param type reads it
 * @param body what is done
 */
record RecordTool<T extends Record>(
        ToolDefinition definition, Class<?> origin, RecordType<T> type, TypedTool<? super T> body)
        implements ToolFactory {
    /** How a fault reads that no schema could tell; in the words of the runtime. */
    static ToolResult invalid(BadArgumentException fault) {
        return ToolResult.error("The arguments are not valid, nothing was run. Correct them and call it again:\n- "
                + fault.getMessage());
    }

    @Override
    public Tool create(ToolContext context) {
        return call -> {
            T arguments;
            try {
                arguments = type.read("$", call.arguments().asMap());
            } catch (BadArgumentException e) {
                return invalid(e);
            }
            return body.execute(context, arguments);
        };
    }
}
