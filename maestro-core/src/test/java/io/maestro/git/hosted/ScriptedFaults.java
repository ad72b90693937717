package io.maestro.git.hosted;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What goes wrong at a {@link ScriptedServer}, each thing once or so often. Safe for use by several threads. */
final class ScriptedFaults {
    /** How a request goes wrong. */
    enum Kind {
        /** It is done, and then the connection ends. */
        DROPPED_AFTER,
        /** Nothing is done, and the connection ends. */
        DROPPED_BEFORE,
        /** It is done, and nobody ever answers. */
        SILENT_AFTER,
        /** It is done, and a proxy says 502. */
        BAD_GATEWAY_AFTER,
        /** Nothing is done, and a proxy says 503. */
        UNAVAILABLE_BEFORE,
        /** It is done, and half of the answer comes. */
        TRUNCATED_AFTER,
        /** It is done, and the answer ends in the middle of the JSON although it is as long as announced. */
        HALF_JSON_AFTER,
        /** Too many requests, with a time. */
        TOO_MANY,
        /** Too many requests in the other form. */
        LIMIT_USED_UP,
        /** The token is none any more. */
        UNAUTHORIZED,
        /** The token may not. */
        FORBIDDEN,
        /** The repository has another address on this server. */
        MOVED,
        /** The answer is correct and takes its time. */
        SLOW
    }

    private record Fault(String operation, Kind kind, int[] left) {}

    private final List<Fault> faults = new ArrayList<>();

    synchronized void add(String operation, Kind kind, int times) {
        faults.add(new Fault(operation, kind, new int[] {times}));
    }

    /** What happens to the next request of this kind. */
    synchronized @Nullable Kind next(String operation) {
        for (Fault fault : faults) {
            if (fault.left()[0] > 0
                    && (fault.operation().equals(operation) || fault.operation().equals("*"))) {
                fault.left()[0]--;
                return fault.kind();
            }
        }
        return null;
    }

    synchronized void clear() {
        faults.clear();
    }
}
