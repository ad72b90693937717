package io.maestro.git.hosted.internal;

import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Decides whose words count: those of people who may write to the repository. The server is asked for that right itself. An
 * association with the repository, a membership, or that issues can be given to somebody says nothing about it. Safe for use by
 * several threads.
 */
final class Writers {
    /** How long somebody without the right is not asked about again. */
    static final Duration KEPT = Duration.ofMinutes(5);

    private static final int MOST = 10_000;

    private final Predicate<String> server;
    private final Duration kept;
    private final Map<String, Long> strangers = Collections.synchronizedMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > MOST;
        }
    });

    /**
     * @param server see {@link Server#mayWriteNow}
     * @param kept how long an answer is believed that is no
     */
    Writers(Predicate<String> server, Duration kept) {
        this.server = server;
        this.kept = kept;
    }

    /**
     * Begins a look at what people have written, in which the server is asked once about each of them.
     *
     * @return whether somebody may write; used by one thread
     */
    Predicate<String> look() {
        Map<String, Boolean> asked = new HashMap<>();
        return person -> asked.computeIfAbsent(person, this::mayWriteNow);
    }

    /** Whether somebody may write to the repository at this moment. */
    boolean mayWriteNow(String person) {
        Long since = strangers.get(person);
        if (person.isEmpty() || since != null && System.nanoTime() - since < kept.toNanos()) {
            return false;
        }
        boolean may = server.test(person);
        if (!may) {
            strangers.put(person, System.nanoTime());
        }
        return may;
    }
}
