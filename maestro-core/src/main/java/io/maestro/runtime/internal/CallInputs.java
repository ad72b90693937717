package io.maestro.runtime.internal;

import io.maestro.runtime.internal.InputReader.BadInput;
import io.maestro.tools.ToolArguments;
import io.maestro.tools.ToolDefinition;
import java.util.List;
import java.util.Map;

/** Reads the arguments of calls and checks them against the tool's schema. Safe for use by several threads. */
public final class CallInputs {
    private final InputReader reader = new InputReader();
    private final InputValidator validator = new InputValidator();
    private final Cleaner cleaner;

    /**
     * Has read nothing yet.
     *
     * @param cleaner takes secrets out of what is quoted
     */
    public CallInputs(Cleaner cleaner) {
        this.cleaner = cleaner;
    }

    /**
     * Reads the arguments of a tool whose schema is not known.
     *
     * @param input JSON text
     * @return the arguments
     * @throws BadInput when they are no object
     */
    public ToolArguments read(String input) throws BadInput {
        return ToolArguments.of(reader.read(input));
    }

    /**
     * Reads arguments.
     *
     * @param tool the tool
     * @param input JSON text; blank for no arguments
     * @return the valid arguments
     * @throws BadInput when they are not valid; the message is for the model
     * @throws IllegalArgumentException when the schema itself can't be used
     */
    public ToolArguments read(ToolDefinition tool, String input) throws BadInput {
        String text = input.isBlank() ? "{}" : input;
        String about = "The arguments of '" + tool.name() + "' are not valid, nothing was run";
        Map<String, Object> values;
        try {
            values = reader.read(text);
        } catch (BadInput e) {
            throw new BadInput(about + ": " + e.getMessage());
        }
        List<String> faults = validator.faults(tool, text, values, cleaner::text);
        if (!faults.isEmpty()) {
            throw new BadInput(about + ". Correct them and call it again:\n- " + String.join("\n- ", faults));
        }
        return ToolArguments.of(values);
    }
}
