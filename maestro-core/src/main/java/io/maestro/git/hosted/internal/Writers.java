package io.maestro.git.hosted.internal;

import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whose words count: those of people who may write to the repository. The server is asked for that right itself. An
 * association with the repository, a membership, or that issues can be given to somebody says nothing about it. An answer that is
 * an error is about one person and ends nothing. Safe for use by several threads.
 */
final class Writers {
    /** How long somebody without the right is not asked about again. */
    static final Duration KEPT = Duration.ofMinutes(5);

    /** About how many people the server is asked in one list, beside those who had the right before. */
    static final int QUESTIONS = 25;

    private static final int MOST = 10_000;
    private static final Logger LOG = LoggerFactory.getLogger(Writers.class);

    private final Predicate<String> server;
    private final Duration kept;
    private final Map<String, Long> strangers = newest();
    private final Map<String, Long> writers = newest();
    /** Since when questions fail, by person. */
    private final Map<String, Long> failing = newest();

    private volatile long answered;

    /**
     * @param server see {@link Server#mayWriteNow}
     * @param kept how long an answer is believed that is no
     */
    Writers(Predicate<String> server, Duration kept) {
        this.server = server;
        this.kept = kept;
        this.answered = System.nanoTime();
    }

    private static Map<String, Long> newest() {
        return Collections.synchronizedMap(new LinkedHashMap<>() {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
                return size() > MOST;
            }
        });
    }

    /** Begins a look at what people have written, in which the server is asked once about each of them. */
    WriterLookup look() {
        return new WriterLookup();
    }

    /** Tells in one look who may write. Used by one thread. */
    final class WriterLookup implements Predicate<String> {
        private final Map<String, Boolean> asked = new HashMap<>();
        private int left = QUESTIONS;
        private boolean whole = true;

        /** Begins another list, whose newest words are to be asked about first. */
        WriterLookup list() {
            left = QUESTIONS;
            return this;
        }

        /** Whether everybody's right is known who was asked about. A person whose right is not known has none in this look. */
        boolean isWhole() {
            return whole;
        }

        @Override
        public boolean test(String person) {
            return asked.computeIfAbsent(person, this::ask);
        }

        private boolean ask(String person) {
            if (isStranger(person)) {
                return false;
            }
            if (!writers.containsKey(person) && left-- <= 0) {
                whole = false;
                return false;
            }
            try {
                return mayWriteNow(person);
            } catch (ApiException e) {
                if (isOutage(e)) {
                    throw e;
                }
                whole = false;
                return false;
            }
        }
    }

    private boolean isStranger(String person) {
        Long since = strangers.get(person);
        return person.isEmpty() || since != null && System.nanoTime() - since < kept.toNanos();
    }

    /** Whether it is about more than one person. */
    private static boolean isOutage(ApiException e) {
        return e.status() == 0 || e.status() == 401 || e.kind() == ApiException.ApiFault.LIMITED;
    }

    /**
     * Whether somebody may write to the repository at this moment.
     *
     * @throws ApiException when that is not known
     */
    boolean mayWriteNow(String person) {
        if (isStranger(person)) {
            return false;
        }
        boolean may;
        try {
            may = server.test(person);
        } catch (ApiException e) {
            if (isOutage(e) || !isStrangersAlone(person, e)) {
                throw e;
            }
            return false;
        }
        answered = System.nanoTime();
        failing.remove(person);
        writers.remove(person);
        (may ? writers : strangers).put(person, answered);
        return may;
    }

    /**
     * Whether an error says that somebody has no right. A server that fails says so only when it has failed for long and told
     * others' rights since. Whoever had the right before keeps it until the server says otherwise.
     */
    private boolean isStrangersAlone(String person, ApiException e) {
        Long before = failing.putIfAbsent(person, System.nanoTime());
        if (before == null) {
            LOG.debug("whether {} may write to the repository cannot be read: {}", person, e.getMessage());
        }
        return !writers.containsKey(person)
                && (e.kind() != ApiException.ApiFault.LOST
                        || before != null && answered - before > 0 && System.nanoTime() - before >= kept.toNanos());
    }
}
