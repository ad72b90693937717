package io.maestro.runtime.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.maestro.files.internal.CanonicalPath;
import io.maestro.runtime.ToolInvocation;
import io.maestro.schema.internal.InputReader;
import io.maestro.schema.internal.InputReader.BadInput;
import io.maestro.schema.internal.InputValidator;
import io.maestro.tools.AgentTools;
import io.maestro.tools.ToolArguments;
import io.maestro.tools.ToolDefinition;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the arguments of calls and checks them against the tool's schema. Safe for use by several threads. */
public final class CallInputs {
    private static final Logger LOG = LoggerFactory.getLogger(CallInputs.class);
    private static final JsonMapper JSON = new JsonMapper();

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
     * A call as policies, the tool, listeners and the record see it: with the one spelling of its paths.
     *
     * @param tools the tools that the caller may use; one that fails changes nothing
     * @param asked the call as it came in
     * @return the call
     */
    public ToolInvocation canonical(AgentTools tools, ToolInvocation asked) {
        String input = asked.input();
        try {
            for (ToolDefinition definition : tools.list()) {
                input = definition.name().equals(asked.tool()) ? canonical(definition, input) : input;
            }
        } catch (RuntimeException | LinkageError | StackOverflowError e) { // who looks for the tool says so
            LOG.debug("the tools of {} cannot be listed", asked.caller().agentId());
        }
        return new ToolInvocation(
                asked.callId(), asked.tool(), input, asked.caller(), asked.parentCallId(), asked.callers());
    }

    /** Gives paths their canonical form; gives the same text where nothing changes, or it cannot be read. */
    private String canonical(ToolDefinition tool, String input) {
        if (tool.pathArguments().isEmpty() || input.isBlank()) {
            return input;
        }
        try {
            Map<String, Object> values = reader.read(input);
            Object canonical = values;
            for (String argument : tool.pathArguments()) {
                canonical = canonical(canonical, argument);
            }
            return values.equals(canonical) ? input : JSON.writeValueAsString(canonical);
        } catch (BadInput | JsonProcessingException e) { // who reads the arguments says so
            return input;
        }
    }

    private static @Nullable Object canonical(@Nullable Object value, String name) {
        if (value instanceof List<?> list) {
            List<@Nullable Object> elements = new ArrayList<>();
            list.forEach(element -> elements.add(canonical(element, name)));
            return elements;
        }
        if (name.isEmpty()) {
            return value instanceof String path ? CanonicalPath.of(path) : value;
        }
        if (!(value instanceof Map<?, ?> map)) {
            return value;
        }
        Map<Object, @Nullable Object> fields = new LinkedHashMap<>(map);
        ArgumentName.keys(map, name).forEach((key, rest) -> fields.put(key, canonical(map.get(key), rest)));
        return fields;
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
     * Reads arguments, {@linkplain ToolDefinition#pathArguments() paths} in their canonical form.
     *
     * @param tool the tool
     * @param input JSON text; blank for no arguments
     * @return the valid arguments
     * @throws BadInput when they are not valid; the message is for the model
     * @throws IllegalArgumentException when the schema itself can't be used
     */
    public ToolArguments read(ToolDefinition tool, String input) throws BadInput {
        String text = input.isBlank() ? "{}" : canonical(tool, input);
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
