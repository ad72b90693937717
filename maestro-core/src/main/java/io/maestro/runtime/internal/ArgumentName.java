package io.maestro.runtime.internal;

import java.util.LinkedHashMap;
import java.util.Map;

/** The name of an argument, {@code outer.inner} in an object. A dot may be a part of a key, too: each reading of a name counts. */
final class ArgumentName {
    private ArgumentName() {}

    /**
     * Reads the beginning of a name.
     *
     * @param map where it is looked for
     * @param name not empty
     * @return the keys by which it can begin, each with the rest of the name, which is empty where the argument is found
     */
    static Map<String, String> keys(Map<?, ?> map, String name) {
        Map<String, String> keys = new LinkedHashMap<>();
        for (int end = name.indexOf('.'); end >= 0; end = name.indexOf('.', end + 1)) {
            if (map.containsKey(name.substring(0, end))) {
                keys.put(name.substring(0, end), name.substring(end + 1));
            }
        }
        if (map.containsKey(name)) {
            keys.put(name, "");
        }
        return keys;
    }
}
