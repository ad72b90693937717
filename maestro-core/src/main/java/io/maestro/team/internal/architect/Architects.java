package io.maestro.team.internal.architect;

import io.maestro.agent.Architect;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who decides on what: people on some kinds of requests, the model on the others. People answer by the inbox, and by the host's
 * architect where it is asked as well.
 *
 * @param replacement the host's architect; null where there is none
 * @param kinds what it is asked about
 * @param people what people are asked about by the inbox alone
 * @param fourEyes what two people must approve
 */
public record Architects(
        @Nullable Architect replacement,
        Set<Architect.Kind> kinds,
        Set<Architect.Kind> people,
        Set<Architect.Kind> fourEyes) {
    /** The model alone. */
    public static final Architects MODEL = new Architects(null, Set.of(), Set.of(), Set.of());

    /** Copies the kinds. */
    public Architects {
        kinds = Set.copyOf(kinds);
        people = Set.copyOf(people);
        fourEyes = Set.copyOf(fourEyes);
    }

    /** The host's architect on some kinds, and the model on the others. */
    public Architects(Architect replacement, Set<Architect.Kind> kinds) {
        this(replacement, kinds, Set.of(), Set.of());
    }

    /** Whether something is left for the model; for calls of tools alone none is needed. */
    public boolean needsModel() {
        Set<Architect.Kind> left = EnumSet.complementOf(EnumSet.of(Architect.Kind.TOOL_CALL));
        left.removeAll(kinds);
        left.removeAll(people);
        return !left.isEmpty();
    }

    /** Whether people decide on a kind of requests. */
    public boolean isHost(Architect.Kind kind) {
        return kinds.contains(kind) || people.contains(kind) || !needsModel();
    }

    /** The host's architect where it is asked; null where people answer by the inbox alone, or the model does. */
    public @Nullable Architect host(Architect.Kind kind) {
        boolean asked = kinds.contains(kind) && !people.contains(kind);
        return asked || people.isEmpty() && isHost(kind) ? replacement : null;
    }

    /** What people decide on. */
    public Set<Architect.Kind> all() {
        Set<Architect.Kind> all = EnumSet.allOf(Architect.Kind.class);
        all.removeIf(kind -> !isHost(kind));
        return all;
    }

    /** How many people must approve. */
    public int approvals(Architect.Kind kind) {
        return fourEyes.contains(kind) ? 2 : 1;
    }
}
