package io.maestro.mcpclient.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.maestro.internal.HiddenCharacters;
import io.maestro.internal.Texts;
import io.maestro.mcpclient.McpSource;
import io.maestro.tools.InputSchema;
import io.maestro.tools.ToolDefinition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads what a server says about its tools, of which nothing is trusted. */
final class Offers {
    private static final int LONGEST_DESCRIPTION = 8 * 1024;
    private static final int LONGEST_SCHEMA = 64 * 1024;
    private static final int LARGEST_SCHEMA = 10_000;
    private static final JsonMapper JSON = new JsonMapper();

    private final McpSource source;
    private final List<ToolListing> good = new ArrayList<>();
    private final Map<String, String> faults = new LinkedHashMap<>();

    private Offers(McpSource source) {
        this.source = source;
    }

    /**
     * Reads a list of tools.
     *
     * @param source whose allow-list holds
     * @param tools as they were sent
     * @return what can be offered, and what is wrong with the rest
     */
    static Offers of(McpSource source, List<Map<?, ?>> tools) {
        Offers offers = new Offers(source);
        for (Map<?, ?> tool : tools) {
            String name = String.valueOf(tool.get("name"));
            if (source.tools().isEmpty() || source.tools().contains(name)) {
                offers.read(name, tool);
            }
        }
        offers.refuseShadows();
        source.tools().stream()
                .filter(name -> tools.stream().noneMatch(tool -> name.equals(tool.get("name"))))
                .forEach(name -> offers.faults.put(name, "the server has no tool of that name"));
        return offers;
    }

    /** What can be offered. */
    List<ToolListing> good() {
        return good;
    }

    /** What is wrong with others, by the server's names for them. */
    Map<String, String> faults() {
        return faults;
    }

    private void read(String tool, Map<?, ?> sent) {
        String shown = HiddenCharacters.shown(Texts.clip(tool, 100));
        String name = source.name() + "_" + tool.replaceAll("[./: ]", "_");
        if (!ToolDefinition.isValidName(name)) {
            faults.put(
                    shown,
                    "'" + HiddenCharacters.shown(Texts.clip(name, 100))
                            + "' is no name for a tool: it needs 1 to 64 letters, digits, '_' and '-'");
            return;
        }
        try {
            String said = sent.get("description") instanceof String text
                    ? HiddenCharacters.shown(text).strip()
                    : "";
            String description = said.isEmpty() ? tool + " of the MCP server " + source.name() : said;
            if (description.length() > LONGEST_DESCRIPTION) {
                throw new IllegalArgumentException("its description has " + description.length()
                        + " characters, at most " + LONGEST_DESCRIPTION + " are allowed");
            }
            InputSchema input = schema(sent.get("inputSchema"));
            good.add(new ToolListing(tool, name, description, input, Pin.of(description, input.asMap())));
        } catch (IllegalArgumentException e) {
            faults.put(shown, String.valueOf(e.getMessage()));
        }
    }

    @SuppressWarnings("unchecked") // names in JSON are strings
    private static InputSchema schema(@Nullable Object sent) {
        if (!(sent instanceof Map<?, ?> map)) {
            throw new IllegalArgumentException("it has no input schema");
        }
        Map<String, Object> schema = (Map<String, Object>) Objects.requireNonNull(HiddenCharacters.shownIn(map));
        int length;
        try {
            length = JSON.writeValueAsString(schema).length();
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("its input schema can't be written as JSON", e);
        }
        if (length > LONGEST_SCHEMA) {
            throw new IllegalArgumentException("its input schema has " + length + " characters of JSON, at most "
                    + LONGEST_SCHEMA + " are allowed");
        }
        if (SchemaSize.of(schema) > LARGEST_SCHEMA) {
            throw new IllegalArgumentException("its input schema unfolds to more than " + LARGEST_SCHEMA
                    + " parts: references to references take a validator too long");
        }
        return InputSchema.ofMap(schema);
    }

    /** Of two tools with one name neither is offered: which of them would be called is the server's to choose. */
    private void refuseShadows() {
        Map<String, Integer> count = new HashMap<>();
        good.forEach(offer -> count.merge(key(offer), 1, Integer::sum));
        good.removeIf(offer -> {
            boolean shadowed = count.getOrDefault(key(offer), 0) > 1;
            if (shadowed) {
                faults.put(offer.tool(), "the server has several tools that would be named " + offer.name());
            }
            return shadowed;
        });
    }

    private static String key(ToolListing offer) {
        return offer.name().toLowerCase(Locale.ROOT);
    }
}
