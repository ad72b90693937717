package io.maestro.docker.internal.environment;

import io.maestro.docker.internal.workspace.BoundWorkspace;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The directories in containers of agents: which a cache may have. */
public final class AgentDirectories {
    /** Of commands. */
    static final String HOME = "/tmp";

    /** What is not a cache's, with all below it. */
    private static final List<String> TAKEN =
            List.of(BoundWorkspace.TARGET, ContainerExtras.STATE, "/proc", "/sys", "/dev", "/run", "/var/run", "/etc");

    private AgentDirectories() {}

    /** The paths of caches, of which some begin with {@code ~/}, as absolute ones. */
    public static Map<String, String> absolute(Map<String, String> caches) {
        Map<String, String> paths = new LinkedHashMap<>();
        caches.forEach((name, path) -> paths.put(name, path.startsWith("~/") ? HOME + path.substring(1) : path));
        return Map.copyOf(paths);
    }

    /**
     * Checks the paths of caches.
     *
     * @return the same
     * @throws IllegalArgumentException when one is not a cache's, or is in another one
     */
    public static Map<String, String> requireCaches(Map<String, String> caches) {
        Map<String, String> paths = absolute(caches);
        paths.forEach((name, path) -> {
            boolean taken = TAKEN.stream().anyMatch(one -> isWithin(path, one) || isWithin(one, path));
            if (!path.matches("(/[A-Za-z0-9_.+-]+)+")
                    || path.matches(".*/\\.\\.?(/.*)?")
                    || taken
                    || path.equals(HOME)) {
                throw new IllegalArgumentException(
                        "must have absolute paths, or such that begin with ~/, beside the workspace and the system's"
                                + " directories; " + name + " is '" + caches.get(name) + "'");
            }
        });
        paths.forEach((name, path) -> paths.forEach((other, below) -> {
            if (!name.equals(other) && isWithin(below, path)) {
                throw new IllegalArgumentException("must be apart, but " + below + " is in " + path);
            }
        }));
        return caches;
    }

    private static boolean isWithin(String path, String directory) {
        return path.equals(directory) || path.startsWith(directory + "/");
    }
}
