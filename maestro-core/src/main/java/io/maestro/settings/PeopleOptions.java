package io.maestro.settings;

import io.maestro.agent.Architect;
import io.maestro.config.internal.Config;
import io.maestro.config.internal.Setting;
import io.maestro.config.internal.SettingGroup;
import io.maestro.config.internal.SettingValues;
import io.maestro.error.MaestroException;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Who decides on which requests of coders: people on some kinds, the architect's model on the others. People answer by the inbox,
 * and by the host's architect where it is asked as well. Immutable: each setter returns changed options.
 */
public final class PeopleOptions {
    private static final SettingGroup GROUP = new SettingGroup();
    private static final Setting<Architect> ARCHITECT = GROUP.inCode(null);
    private static final Setting<Set<Architect.Kind>> ASKED = GROUP.inCode(Set.of());
    private static final Setting<Set<Architect.Kind>> DECIDE = kinds("people.decide");
    private static final Setting<Set<Architect.Kind>> FOUR_EYES = kinds("people.four_eyes");

    private static final PeopleOptions DEFAULTS = new PeopleOptions(GROUP.none());

    private final SettingValues values;

    private PeopleOptions(SettingValues values) {
        this.values = values;
    }

    private static Setting<Set<Architect.Kind>> kinds(String path) {
        return GROUP.value(path, Set.of(), (file, key) -> {
            List<String> names = file.texts(key);
            return names.isEmpty()
                    ? Optional.empty()
                    : Optional.of(names.stream()
                            .map(name -> Architect.Kind.valueOf(name.toUpperCase(Locale.ROOT)))
                            .collect(Collectors.toUnmodifiableSet()));
        });
    }

    /**
     * The options where nothing is set: the architect's model decides on everything.
     *
     * @return see each method
     */
    public static PeopleOptions defaults() {
        return DEFAULTS;
    }

    PeopleOptions under(Config file) {
        PeopleOptions all = new PeopleOptions(values.under(file));
        for (Architect.Kind kind : all.values.get(FOUR_EYES)) {
            if (!all.decides(kind)) {
                throw new MaestroException(
                        "two people are to approve each " + kind + " (fourEyes, people.four_eyes), but the"
                                + " architect's model decides on it; let people decide (people, people.decide)");
            }
        }
        return all;
    }

    /**
     * Puts a person or a rule in the place of the architect's model. What it is asked lies in the inbox, too, where somebody else
     * may answer first: then its thread is interrupted.
     *
     * @param decider who answers the coders
     * @return changed options
     */
    public PeopleOptions architect(Architect decider) {
        return architect(decider, EnumSet.allOf(Architect.Kind.class));
    }

    /**
     * Lets a person or a rule decide on some kinds of requests, such as the merge and more budget, and the architect's model on
     * the others.
     *
     * @param decider who decides
     * @param kind on what
     * @param more on what else
     * @return changed options
     */
    public PeopleOptions architect(Architect decider, Architect.Kind kind, Architect.Kind... more) {
        return architect(decider, EnumSet.of(kind, more));
    }

    private PeopleOptions architect(Architect decider, Set<Architect.Kind> kinds) {
        return new PeopleOptions(values.with(ARCHITECT, Objects.requireNonNull(decider, "decider"))
                .with(ASKED, Set.copyOf(kinds)));
    }

    /**
     * Lets people decide on some kinds of requests, by the inbox alone. A story that waits for them holds no coder, thread or
     * container; only for a {@code TOOL_CALL} the coder waits. Wins over {@link #architect} for these kinds.
     *
     * @param kind on what
     * @param more on what else
     * @return changed options
     */
    public PeopleOptions decide(Architect.Kind kind, Architect.Kind... more) {
        return new PeopleOptions(values.with(DECIDE, Set.copyOf(EnumSet.of(kind, more))));
    }

    /**
     * Demands that two people approve some kinds of requests. Names that differ in letter case and blanks alone are one
     * person's; whoever gives them to the inbox sees to it that they are true.
     *
     * @param kind what; people must decide on it
     * @param more what else
     * @return changed options
     */
    public PeopleOptions fourEyes(Architect.Kind kind, Architect.Kind... more) {
        return new PeopleOptions(values.with(FOUR_EYES, Set.copyOf(EnumSet.of(kind, more))));
    }

    /**
     * Whether something is left for the architect's model; for calls of tools alone none is needed.
     *
     * @return whether it is
     */
    public boolean needModel() {
        Set<Architect.Kind> left = EnumSet.complementOf(EnumSet.of(Architect.Kind.TOOL_CALL));
        left.removeAll(values.get(ASKED));
        left.removeAll(values.get(DECIDE));
        return !left.isEmpty();
    }

    /**
     * Whether people, or the host's architect, decide on a kind of requests.
     *
     * @param kind the kind
     * @return false where the model does
     */
    public boolean decides(Architect.Kind kind) {
        return values.get(ASKED).contains(kind) || values.get(DECIDE).contains(kind) || !needModel();
    }

    /**
     * The kinds of requests on which people, or the host's architect, decide.
     *
     * @return a new set
     */
    public Set<Architect.Kind> decided() {
        Set<Architect.Kind> all = EnumSet.allOf(Architect.Kind.class);
        all.removeIf(kind -> !decides(kind));
        return all;
    }

    /**
     * The host's architect for a kind of requests.
     *
     * @param kind the kind
     * @return empty where people answer by the inbox alone, or the model does
     */
    public Optional<Architect> architectFor(Architect.Kind kind) {
        Set<Architect.Kind> people = values.get(DECIDE);
        boolean asked = values.get(ASKED).contains(kind) && !people.contains(kind);
        return values.find(ARCHITECT).filter(architect -> asked || people.isEmpty() && decides(kind));
    }

    /**
     * How many people must approve a request.
     *
     * @param kind its kind
     * @return 1 or 2
     */
    public int approvals(Architect.Kind kind) {
        return values.get(FOUR_EYES).contains(kind) ? 2 : 1;
    }
}
