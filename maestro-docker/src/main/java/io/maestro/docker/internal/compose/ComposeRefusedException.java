package io.maestro.docker.internal.compose;

import io.maestro.docker.DockerException;
import java.util.List;
import java.util.stream.Collectors;

/** A compose file asks for what it does not get; nothing was started. The message names all of it, for a model. */
public final class ComposeRefusedException extends DockerException {
    private static final long serialVersionUID = 1L;

    /** A file with thousands of faults need not fill a model's context. */
    private static final int MOST_SHOWN = 30;

    private final transient List<Violation> violations;

    ComposeRefusedException(List<Violation> violations) {
        super(message(violations), null);
        this.violations = List.copyOf(violations);
    }

    ComposeRefusedException(String where, String reason) {
        this(List.of(new Violation(where, reason)));
    }

    /** What is refused; at least one. */
    public List<Violation> violations() {
        return violations;
    }

    private static String message(List<Violation> violations) {
        String shown =
                violations.stream().limit(MOST_SHOWN).map(Violation::toString).collect(Collectors.joining("\n- "));
        int more = violations.size() - MOST_SHOWN;
        return "the compose file is refused, nothing was started:\n- " + shown
                + (more > 0 ? "\n- and " + more + " more" : "");
    }

    /**
     * One thing that is refused.
     *
     * @param where the file, or the service and its field, for example {@code services.db.volumes}
     * @param reason why, and what to do instead
     */
    public record Violation(String where, String reason) {
        private static final int LONGEST = 600;

        /** Cuts what is too long: part of it is the file's own text. */
        public Violation {
            where = shortened(where);
            reason = shortened(reason);
        }

        private static String shortened(String text) {
            String line = text.replaceAll("\\p{Cntrl}+", " ");
            return line.length() <= LONGEST ? line : line.substring(0, LONGEST) + "…";
        }

        @Override
        public String toString() {
            return where + ": " + reason;
        }
    }
}
