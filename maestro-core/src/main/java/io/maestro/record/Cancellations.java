package io.maestro.record;

import io.maestro.record.internal.Store;
import java.util.List;
import java.util.Optional;

/**
 * Cancels what somebody works on, in whatever process: it is ended within about two seconds, as
 * {@link io.maestro.Submission#cancel} ends it. What nobody works on ends as soon as somebody goes on with it, before anything is
 * done or a model is asked. A cancellation lasts until what was meant has ended, also where a lost workspace makes another attempt of it, and
 * holds for nothing that is begun anew after that. Safe for use by several threads and processes.
 *
 * <pre>{@code
 * try (MaestroRecord record = MaestroRecord.sqlite(directory.resolve(".maestro/maestro.db"), redactor)) {
 *     record.cancellations().ask("042", "alice", "The customer wants something else.");
 * }
 * }</pre>
 */
public final class Cancellations {
    /** The longest message, in characters. */
    public static final int MOST_CHARACTERS = 1_000;

    private final Store store;

    /**
     * For Maestro.
     *
     * @param store the record
     */
    @SuppressWarnings("exports") // Hosts get one, and make none.
    public Cancellations(Store store) {
        this.store = store;
    }

    /**
     * Asks for the end of a story, or of a specification with all its stories. It is in the record when this returns.
     *
     * @param id of a story or a specification
     * @param person who asks, for the record; 1 to 100 characters, none of them a control character
     * @param message why; may be empty; at most {@value #MOST_CHARACTERS} characters
     * @return what has come of it
     * @throws IllegalArgumentException when the record has neither a story nor a specification with that id, and for a name or a
     *     message that cannot be taken
     * @throws StoreException when it cannot be written
     */
    public Status ask(String id, String person, String message) {
        return store.cancel(id, person, message);
    }

    /** {@return the cancellations of what has not ended yet, in the order in which they were written} */
    public List<Cancellation> open() {
        return store.openCancellations();
    }

    /**
     * Looks for the cancellation of what has not ended.
     *
     * @param id of a story or a specification
     * @return empty when nobody has asked for it, and when that has ended of which it was asked
     */
    public Optional<Cancellation> open(String id) {
        return store.openCancellation(id);
    }

    /**
     * All that was ever asked of a story or a specification, but for what was pruned.
     *
     * @param id of a story or a specification
     * @return oldest first
     */
    public List<Cancellation> of(String id) {
        return store.cancellationsOf(id);
    }

    /** What comes of a cancellation. */
    public enum Status {
        /** It is in the record. */
        ASKED,
        /** Somebody has asked for the same before, and it has not ended yet: nothing is written. */
        ASKED_BEFORE,
        /** It has ended: nothing is written. */
        ENDED
    }
}
