package io.maestro;

import io.maestro.audit.Redactor;
import io.maestro.environment.EnvironmentFactory;
import io.maestro.error.MaestroException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds the factories of environments that jars announce. One that is broken does not hide the others. */
final class EnvironmentDiscovery {
    private static final Logger LOG = LoggerFactory.getLogger(EnvironmentDiscovery.class);

    /** {@link ServiceLoader} promises to go on after an error only as well as it can: do not try for ever. */
    private static final int MOST_FAILURES = 100;

    private final List<EnvironmentFactory> matching = new ArrayList<>();
    private final Set<String> ids = new TreeSet<>();
    private final List<String> broken = new ArrayList<>();
    private final String wanted;
    private final Redactor redactor;

    private EnvironmentDiscovery(String wanted, Redactor redactor) {
        this.wanted = wanted;
        this.redactor = redactor;
    }

    /**
     * Looks for the factory with an id.
     *
     * @param id the id
     * @param loader where to look, and in its module layer when it has one
     * @param redactor takes secrets out of what broken ones say
     * @param asked where it is asked for; begins the error
     * @return the only one with that id
     * @throws MaestroException when there is none or more than one
     */
    static EnvironmentFactory find(String id, ClassLoader loader, Redactor redactor, String asked) {
        EnvironmentDiscovery discovery = new EnvironmentDiscovery(id, redactor);
        discovery.look(ServiceLoader.load(EnvironmentFactory.class, loader).iterator());
        List<EnvironmentFactory> matching = discovery.matching;
        if (matching.isEmpty()) {
            throw new MaestroException(asked + ": no environment '" + id + "' is there, found are " + discovery.ids
                    + "; add the module that provides it to the class path, as maestro-docker for 'docker'"
                    + (discovery.broken.isEmpty() ? "" : ". These could not be used: " + discovery.broken));
        }
        if (matching.size() > 1) {
            throw new MaestroException(asked + ": the environment '" + id + "' is provided by "
                    + matching.stream()
                            .map(factory -> factory.getClass().getName())
                            .toList()
                    + "; take all but one off the class path, or give one to environment(…)");
        }
        return matching.get(0);
    }

    private void look(Iterator<EnvironmentFactory> factories) {
        while (broken.size() < MOST_FAILURES) {
            try {
                if (!factories.hasNext()) {
                    return;
                }
                EnvironmentFactory factory = factories.next();
                String id = factory.id();
                ids.add(String.valueOf(id));
                if (wanted.equals(id)) {
                    matching.add(factory);
                }
            } catch (RuntimeException | ServiceConfigurationError | LinkageError e) {
                String why = redactor.redact(e.getMessage() + (e.getCause() == null ? "" : ": " + e.getCause()));
                LOG.warn("a provider of environments is passed over, because it cannot be loaded: {}", why);
                broken.add(why);
            }
        }
    }
}
