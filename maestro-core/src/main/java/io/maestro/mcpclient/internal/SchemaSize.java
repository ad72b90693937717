package io.maestro.mcpclient.internal;

import io.maestro.internal.Texts;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How many parts a schema has for a validator, which follows every reference each time that it stands somewhere: 30 definitions that
 * each refer twice to the next are a thousand million. A reference to what is being unfolded counts once: a value ends some day. What
 * cannot be counted is refused: references that are no plain JSON pointers, and what gives parts addresses of their own.
 */
final class SchemaSize {
    private static final long ENOUGH = 1_000_000;

    /** What a regular expression repeats without reading anything counts for nobody. */
    private static final long MOST_REPEATS = 10_000;

    private static final Set<String> DYNAMIC = Set.of("$dynamicRef", "$recursiveRef");
    private static final Set<String> ADDRESSES = Set.of("$id", "$anchor", "$dynamicAnchor", "$schema");

    /** An escape of what is an escape or a step itself. */
    private static final Pattern AMBIGUOUS = Pattern.compile("(?i)%(25|2f|7e)");

    private static final Pattern REPEATS = Pattern.compile("\\{(\\d+)");

    /** Sizes of what references lead to; 1 while it is being counted. */
    private final Map<String, Long> known = new HashMap<>();

    private final Map<String, ?> root;

    /** Whether "id" gives an address, as "$id" does in later drafts. */
    private final boolean old;

    private SchemaSize(Map<String, ?> root) {
        this.root = root;
        this.old = String.valueOf(root.get("$schema")).matches(".*draft-0[1-4].*");
    }

    /**
     * Counts.
     *
     * @throws IllegalArgumentException when it has references or regular expressions whose cost is not known
     */
    static long of(Map<String, ?> schema) {
        return new SchemaSize(schema).size(schema);
    }

    private long size(@Nullable Object node) {
        long size = 1;
        if (node instanceof Map<?, ?> map) {
            requireKnownCost(map);
            for (Object value : map.values()) {
                size += size(value);
            }
            if (map.get("$ref") instanceof String reference) {
                size += target(reference);
            }
        } else if (node instanceof List<?> list) {
            for (Object value : list) {
                size += size(value);
            }
        }
        return Math.min(size, ENOUGH);
    }

    @SuppressWarnings("ReferenceEquality") // the root itself, not what is equal to it
    private void requireKnownCost(Map<?, ?> map) {
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            String name = String.valueOf(entry.getKey());
            boolean address = ADDRESSES.contains(name) || old && name.equals("id");
            if (entry.getValue() instanceof String && (DYNAMIC.contains(name) || address && map != root)) {
                throw new IllegalArgumentException("its input schema has " + name + (address ? " below its root" : "")
                        + ", which is not followed: refer by JSON pointers, as in #/$defs/name");
            }
        }
        if (map.get("pattern") instanceof String regex) {
            requireFewRepeats(regex);
        }
        if (map.get("patternProperties") instanceof Map<?, ?> patterns) {
            patterns.keySet().forEach(regex -> requireFewRepeats(String.valueOf(regex)));
        }
    }

    private static void requireFewRepeats(String regex) {
        Matcher repeats = REPEATS.matcher(regex);
        double product = 1;
        while (repeats.find()) {
            product *= Math.max(1, Double.parseDouble(repeats.group(1)));
        }
        if (product > MOST_REPEATS) {
            throw new IllegalArgumentException(
                    "its input schema has a regular expression that repeats more than " + MOST_REPEATS + " times");
        }
    }

    private long target(String reference) {
        Long before = known.get(reference);
        if (before != null) {
            return before;
        }
        known.put(reference, 1L);
        long size = size(find(reference));
        known.put(reference, size);
        return size;
    }

    private Object find(String reference) {
        Object node = reference.matches("(?s)#(/.*)?")
                        && !AMBIGUOUS.matcher(reference).find()
                ? root
                : null;
        String[] steps = reference.split("/", -1);
        for (int i = 1; i < steps.length && node != null; i++) {
            String name = URLDecoder.decode(steps[i].replace("+", "%2B"), StandardCharsets.UTF_8)
                    .replace("~1", "/")
                    .replace("~0", "~");
            if (node instanceof List<?> list) {
                node = name.matches("0|[1-9]\\d{0,4}") && Integer.parseInt(name) < list.size()
                        ? list.get(Integer.parseInt(name))
                        : null;
            } else {
                node = node instanceof Map<?, ?> map ? map.get(name) : null;
            }
        }
        if (node == null) {
            throw new IllegalArgumentException("its input schema refers to '" + Texts.clip(reference, 100)
                    + "', which is no JSON pointer to a part of it, as #/$defs/name is");
        }
        return node;
    }
}
