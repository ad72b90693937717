package io.maestro;

import io.maestro.agent.Architect;
import io.maestro.config.internal.Config;
import io.maestro.error.MaestroException;
import io.maestro.team.internal.architect.Architects;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/** The setters for who decides. Hosts see them as {@link MaestroBuilder}'s own. */
abstract class ArchitectSetters extends SettingsBuilder {
    ArchitectSetters() {}

    /**
     * Puts a person or a rule in the place of the architect's model. What it is asked lies in the {@linkplain Maestro#inbox inbox},
     * too, where somebody else may answer first: then its thread is interrupted.
     *
     * @param decider who answers the coders
     * @return this
     */
    public MaestroBuilder architect(Architect decider) {
        own.architect = Objects.requireNonNull(decider, "decider");
        own.architectKinds = EnumSet.allOf(Architect.Kind.class);
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
        own.architect = Objects.requireNonNull(decider, "decider");
        own.architectKinds = EnumSet.of(kind, more);
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
        own.people = EnumSet.of(kind, more);
        return self();
    }

    /**
     * Demands that two people approve some kinds of requests. Names that differ in letter case and blanks alone are one
     * person's; whoever gives them to the inbox sees to it that they are true.
     *
     * @param kind what; people must decide on it
     * @param more what else
     * @return this
     */
    public MaestroBuilder fourEyes(Architect.Kind kind, Architect.Kind... more) {
        own.fourEyes = EnumSet.of(kind, more);
        return self();
    }

    /** Who decides on what, by all that is set in code and in the file. */
    static Architects architects(HostSettings own, Config config) {
        Architects all = new Architects(
                own.architect,
                own.architectKinds,
                own.people.isEmpty() ? kinds(config.texts("people.decide")) : own.people,
                own.fourEyes.isEmpty() ? kinds(config.texts("people.four_eyes")) : own.fourEyes);
        for (Architect.Kind kind : all.fourEyes()) {
            if (!all.isHost(kind)) {
                throw new MaestroException(
                        "two people are to approve each " + kind + " (fourEyes, people.four_eyes), but the"
                                + " architect's model decides on it; let people decide (people, people.decide)");
            }
        }
        return all;
    }

    private static Set<Architect.Kind> kinds(List<String> names) {
        return names.stream()
                .map(name -> Architect.Kind.valueOf(name.toUpperCase(Locale.ROOT)))
                .collect(Collectors.toSet());
    }
}
