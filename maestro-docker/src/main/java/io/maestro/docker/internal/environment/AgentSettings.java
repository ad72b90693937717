package io.maestro.docker.internal.environment;

import io.maestro.docker.internal.workspace.BoundWorkspace;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the host adds to the containers of agents.
 *
 * @param variables of all commands, by their names; no secrets
 * @param caches paths in coders' containers by names, where files outlast containers
 * @param ports of coders' containers that are published
 */
public record AgentSettings(Map<String, String> variables, Map<String, String> caches, List<Integer> ports) {
    static final String HOME = "/tmp";

    private static final int MOST = 32;

    /** What is not a cache's, with all below it. */
    private static final List<String> TAKEN =
            List.of(BoundWorkspace.TARGET, ContainerExtras.STATE, "/proc", "/sys", "/dev", "/run", "/var/run", "/etc");

    /** Copies. */
    public AgentSettings {
        variables = Map.copyOf(variables);
        caches = Map.copyOf(caches);
        ports = List.copyOf(ports);
    }

    /**
     * Reads them.
     *
     * @param coding what coders reach
     */
    static AgentSettings of(Section root, PhaseSettings coding) {
        Map<String, String> variables = root.textsByName("variables", MOST * 4, "[A-Za-z_][A-Za-z0-9_]*");
        variables.forEach((name, value) -> {
            if (name.equals("HOME") || name.startsWith("MAESTRO_")) {
                throw root.wrong("variables", "cannot have " + name + ", which Maestro sets itself");
            }
            if (value.length() > 16_000 || value.chars().anyMatch(Character::isISOControl)) {
                throw root.wrong(
                        "variables",
                        "has a value of " + name + " with a control character or more than 16000 characters, which no"
                                + " container can be given");
            }
        });
        Map<String, String> caches = new LinkedHashMap<>();
        root.textsByName("caches", MOST, "[a-z0-9][a-z0-9-]{0,31}")
                .forEach((name, path) -> caches.put(name, cache(root, name, path)));
        requireApart(root, caches);
        List<Integer> ports = root.wholes("ports", 1, 65_535);
        if (!ports.isEmpty() && coding.isConfined()) {
            throw root.wrong(
                    "ports",
                    "cannot be published where coding has no network or a list of names: set coding.network to open,"
                            + " or leave them out");
        }
        if (ports.size() > MOST || ports.stream().distinct().count() < ports.size()) {
            throw root.wrong("ports", "must be at most " + MOST + " ports that differ, are " + ports);
        }
        return new AgentSettings(variables, caches, ports);
    }

    private static String cache(Section root, String name, String written) {
        String path = written.startsWith("~/") ? HOME + written.substring(1) : written;
        boolean taken = TAKEN.stream().anyMatch(one -> isWithin(path, one) || isWithin(one, path));
        if (!path.matches("(/[A-Za-z0-9_.+-]+)+") || path.matches(".*/\\.\\.?(/.*)?") || taken || path.equals(HOME)) {
            throw root.wrong(
                    "caches",
                    "must have absolute paths, or such that begin with ~/, beside the workspace and the system's"
                            + " directories; " + name + " is '" + written + "'");
        }
        return path;
    }

    private static void requireApart(Section root, Map<String, String> caches) {
        caches.forEach((name, path) -> caches.forEach((other, below) -> {
            if (!name.equals(other) && isWithin(below, path)) {
                throw root.wrong("caches", "must be apart, but " + below + " is in " + path);
            }
        }));
    }

    private static boolean isWithin(String path, String directory) {
        return path.equals(directory) || path.startsWith(directory + "/");
    }
}
