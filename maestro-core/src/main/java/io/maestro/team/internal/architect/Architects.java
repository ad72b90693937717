package io.maestro.team.internal.architect;

import io.maestro.agent.Architect;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who decides on what: the host's architect on some kinds of requests, the model on the others.
 *
 * @param replacement the host's; null for the model alone
 * @param kinds what the host's decides on
 */
public record Architects(@Nullable Architect replacement, Set<Architect.Kind> kinds) {
    /** The model alone. */
    public static final Architects MODEL = new Architects(null, EnumSet.noneOf(Architect.Kind.class));

    /** Copies the kinds. */
    public Architects {
        kinds = Set.copyOf(kinds);
    }

    /** Whether something is left for the model; for calls of tools alone none is needed. */
    public boolean needsModel() {
        Set<Architect.Kind> left = EnumSet.complementOf(EnumSet.of(Architect.Kind.TOOL_CALL));
        left.removeAll(kinds);
        return !left.isEmpty();
    }

    /** Who decides on a kind of requests. */
    public Architect of(Architect.Kind kind, @Nullable Architect model) {
        return Objects.requireNonNull(isHost(kind) ? replacement : model, "an architect");
    }

    /** Whether the host's architect decides on a kind of requests. */
    public boolean isHost(Architect.Kind kind) {
        return kinds.contains(kind) || !needsModel();
    }
}
