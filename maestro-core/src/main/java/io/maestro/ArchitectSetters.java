package io.maestro;

import io.maestro.agent.Architect;
import io.maestro.error.MaestroException;
import io.maestro.team.internal.architect.Architects;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The setters for who decides. Hosts see them as {@link MaestroBuilder}'s own. */
abstract class ArchitectSetters extends SettingsBuilder {
    private @Nullable Architect replacement;
    private Set<Architect.Kind> kinds = Set.of();
    private Set<Architect.Kind> people = Set.of();
    private Set<Architect.Kind> fourEyes = Set.of();

    ArchitectSetters() {}

    /**
     * Puts a person or a rule in the place of the architect's model. What it is asked lies in the {@linkplain Maestro#inbox inbox},
     * too, where somebody else may answer first: then its thread is interrupted.
     *
     * @param decider who answers the coders
     * @return this
     */
    public MaestroBuilder architect(Architect decider) {
        this.replacement = Objects.requireNonNull(decider, "decider");
        this.kinds = EnumSet.allOf(Architect.Kind.class);
        return self();
    }

    /**
     * Lets a person or a rule decide on some kinds of requests, such as the merge and more budget, and the architect's model on
     * the others.
     *
     * @param decider who decides
     * @param kind on what
     * @param more on what else
     * @return this
     */
    public MaestroBuilder architect(Architect decider, Architect.Kind kind, Architect.Kind... more) {
        this.replacement = Objects.requireNonNull(decider, "decider");
        this.kinds = EnumSet.of(kind, more);
        return self();
    }

    /**
     * Lets people decide on some kinds of requests, by the {@linkplain Maestro#inbox inbox} alone. A story that waits for them
     * holds no coder, thread or container; only for a {@code TOOL_CALL} the coder waits. Wins over {@link #architect} for these
     * kinds.
     *
     * @param kind on what
     * @param more on what else
     * @return this
     */
    public MaestroBuilder people(Architect.Kind kind, Architect.Kind... more) {
        this.people = EnumSet.of(kind, more);
        return self();
    }

    /**
     * Demands that two people approve some kinds of requests. Names are taken as they come: whoever gives them to the inbox sees
     * to it that they are true.
     *
     * @param kind what; people must decide on it
     * @param more what else
     * @return this
     */
    public MaestroBuilder fourEyes(Architect.Kind kind, Architect.Kind... more) {
        this.fourEyes = EnumSet.of(kind, more);
        return self();
    }

    /** Who decides on what. */
    Architects architects() {
        Architects all = new Architects(replacement, kinds, people, fourEyes);
        for (Architect.Kind kind : fourEyes) {
            if (!all.isHost(kind)) {
                throw new MaestroException(
                        "fourEyes(" + kind + ") wants two people, but the architect's model decides on it; call people("
                                + kind + "), too",
                        null);
            }
        }
        return all;
    }
}
