package io.maestro.settings;

import io.maestro.agent.spi.AgentFactory;
import io.maestro.environment.EnvironmentFactory;
import io.maestro.error.MaestroException;
import io.maestro.secrets.Redactor;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds, by their ids, the factories of one kind that jars announce. One that is broken does not hide the others.
 *
 * @param <F> the factories
 */
final class Discovery<F> {
    /** Where commands run. */
    static final FactoryKind<EnvironmentFactory> ENVIRONMENTS = new FactoryKind<>(
            "environment",
            EnvironmentFactory.class,
            EnvironmentFactory::id,
            "add the module that provides it to the class path, as maestro-docker for 'docker'",
            "environment(…)");

    /** Who works in PLANNING and CODING. */
    static final FactoryKind<AgentFactory> CODER_MODES = new FactoryKind<>(
            "coder mode",
            AgentFactory.class,
            AgentFactory::id,
            "'claude-code' needs the module maestro-claude on the class path; add the module that provides it,"
                    + " or use standard",
            "coderMode(…)");

    private static final Logger LOG = LoggerFactory.getLogger(Discovery.class);

    /** {@link ServiceLoader} promises to go on after an error only as well as it can: do not try for ever. */
    private static final int MOST_FAILURES = 100;

    private static final Pattern ID = Pattern.compile("[a-z0-9][a-z0-9-]*");

    private final List<F> matching = new ArrayList<>();
    private final Set<String> ids = new TreeSet<>();
    private final List<String> broken = new ArrayList<>();
    private final FactoryKind<F> kind;
    private final String wanted;
    private final Redactor redactor;

    private Discovery(FactoryKind<F> kind, String wanted, Redactor redactor) {
        this.kind = kind;
        this.wanted = wanted;
        this.redactor = redactor;
    }

    /**
     * A kind of factories.
     *
     * @param <F> the factories
     * @param what what they make, for messages
     * @param type the service
     * @param id by what a factory is chosen
     * @param help what to do when there is none
     * @param setter how one is given in code
     */
    record FactoryKind<F>(String what, Class<F> type, Function<F, String> id, String help, String setter) {
        /** Refuses what cannot be an id. */
        String checked(String given) {
            if (!ID.matcher(given).matches()) {
                throw new IllegalArgumentException(
                        "the id of the " + what + " has lower-case letters, digits and dashes, is '" + given + "'");
            }
            return given;
        }
    }

    /**
     * Looks for the factory with an id.
     *
     * @param kind of which kind
     * @param id the id
     * @param loader where to look, and in its module layer when it has one
     * @param redactor takes secrets out of what broken ones say
     * @param asked where it is asked for; begins the error
     * @return the only one with that id
     * @throws MaestroException when there is none or more than one
     */
    static <F> F find(FactoryKind<F> kind, String id, ClassLoader loader, Redactor redactor, String asked) {
        Discovery<F> discovery = new Discovery<>(kind, id, redactor);
        discovery.look(ServiceLoader.load(kind.type(), loader).iterator());
        List<F> matching = discovery.matching;
        if (matching.isEmpty()) {
            throw new MaestroException(asked + ": no " + kind.what() + " '" + id + "' is there, found are "
                    + (discovery.ids.isEmpty() ? "none" : discovery.ids) + "; " + kind.help()
                    + (discovery.broken.isEmpty() ? "" : ". These could not be used: " + discovery.broken));
        }
        if (matching.size() > 1) {
            throw new MaestroException(asked + ": the " + kind.what() + " '" + id + "' is provided by "
                    + matching.stream()
                            .map(factory -> factory.getClass().getName())
                            .toList()
                    + "; take all but one off the class path, or give one to " + kind.setter());
        }
        return matching.get(0);
    }

    private void look(Iterator<F> factories) {
        while (broken.size() < MOST_FAILURES) {
            try {
                if (!factories.hasNext()) {
                    return;
                }
                F factory = factories.next();
                String id = kind.id().apply(factory);
                ids.add(String.valueOf(id));
                if (wanted.equals(id)) {
                    matching.add(factory);
                }
            } catch (RuntimeException | ServiceConfigurationError | LinkageError e) {
                String why = redactor.redact(e.getMessage() + (e.getCause() == null ? "" : ": " + e.getCause()));
                LOG.warn(
                        "a provider of the kind '{}' is passed over, because it cannot be loaded: {}",
                        kind.what(),
                        why);
                broken.add(why);
            }
        }
    }
}
