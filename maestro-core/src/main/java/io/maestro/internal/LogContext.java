package io.maestro.internal;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/** What the log lines of a thread are about, in SLF4J's MDC, until it is closed. What the host has put there stays. */
public final class LogContext implements AutoCloseable {
    /** The id of the story or specification. */
    public static final String STORY = "maestro.story";

    /** Who works. */
    public static final String AGENT = "maestro.agent";

    /** The state of whoever works. */
    public static final String STATE = "maestro.state";

    /** The tool that is called. */
    public static final String TOOL = "maestro.tool";

    private final Map<String, @Nullable String> before = new HashMap<>();

    /** Begins with nothing. */
    public LogContext() {}

    /** Sets a key for the calling thread. */
    public LogContext with(String key, String value) {
        before.putIfAbsent(key, MDC.get(key));
        MDC.put(key, value);
        return this;
    }

    /** Puts back what was there before; in the same thread. */
    @Override
    public void close() {
        before.forEach((key, value) -> {
            if (value == null) {
                MDC.remove(key);
            } else {
                MDC.put(key, value);
            }
        });
    }
}
