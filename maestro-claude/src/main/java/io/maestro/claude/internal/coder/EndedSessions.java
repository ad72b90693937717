package io.maestro.claude.internal.coder;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The sessions whose last turn was ended by the model itself, in this life. Of all others the model must be told that it was
 * cut off. Safe for use by several threads.
 */
final class EndedSessions {
    private final Set<String> ids = ConcurrentHashMap.newKeySet();

    void add(String id) {
        ids.add(id);
    }

    void remove(String id) {
        ids.remove(id);
    }

    boolean contains(String id) {
        return ids.contains(id);
    }
}
