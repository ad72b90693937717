package io.maestro.mcpclient.internal;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How many parts a schema has for a validator, which follows every reference each time that it stands somewhere: 30 definitions that
 * each refer twice to the next are a thousand million. A reference to what is being unfolded counts once: a value ends some day.
 */
final class SchemaSize {
    private static final long ENOUGH = 1_000_000;

    /** Sizes of what references lead to; 1 while it is being counted. */
    private final Map<String, Long> known = new HashMap<>();

    private final Map<String, ?> root;

    private SchemaSize(Map<String, ?> root) {
        this.root = root;
    }

    static long of(Map<String, ?> schema) {
        return new SchemaSize(schema).size(schema);
    }

    private long size(@Nullable Object node) {
        long size = 1;
        if (node instanceof Map<?, ?> map) {
            for (Object value : map.values()) {
                size += size(value);
            }
            if (map.get("$ref") instanceof String reference && reference.startsWith("#")) {
                size += target(reference);
            }
        } else if (node instanceof List<?> list) {
            for (Object value : list) {
                size += size(value);
            }
        }
        return Math.min(size, ENOUGH);
    }

    private long target(String reference) {
        Long before = known.get(reference);
        if (before != null) {
            return before;
        }
        known.put(reference, 1L);
        Object node = root;
        for (String step : reference.substring(1).split("/", -1)) {
            String name = step.replace("~1", "/").replace("~0", "~");
            node = name.isEmpty() ? node : node instanceof Map<?, ?> map ? map.get(name) : null;
        }
        long size = size(node);
        known.put(reference, size);
        return size;
    }
}
