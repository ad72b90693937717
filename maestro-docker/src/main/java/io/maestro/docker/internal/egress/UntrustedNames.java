package io.maestro.docker.internal.egress;

import io.maestro.docker.ContainerSpec;
import java.util.Collection;
import java.util.regex.Pattern;

/**
 * The rule for names that strangers write: a repository that is tried, a compose file, a model. An image is one of a registry that
 * the host allows. A container has no name that another machine could have, and is not told the address of the engine's machine.
 */
public final class UntrustedNames {
    private static final String DEFAULT_REGISTRY = "docker.io";
    private static final Pattern DIRECTORY = Pattern.compile("[a-z0-9_-]+");
    private static final Pattern CONTAINER = Pattern.compile("[A-Za-z0-9_-]{1,63}");

    private UntrustedNames() {}

    /**
     * The full name of an image. An engine that fetches it asks its registry and nobody else; one that it has, but not from
     * there, is not meant.
     *
     * @param registries those that the host allows
     * @throws IllegalArgumentException when it has another registry, or is no name; the message goes on after the image's name
     */
    public static String image(String name, Collection<String> registries) {
        if (!ContainerSpec.isImageName(name)) {
            throw new IllegalArgumentException("is no image: give a name, with a tag or a digest where that is meant");
        }
        boolean named = hasRegistry(name);
        int slash = name.indexOf('/');
        String registry = named ? name.substring(0, slash) : DEFAULT_REGISTRY;
        if (!registries.contains(registry)) {
            throw new IllegalArgumentException(
                    "is of no registry that the host allows by ContainerRules.registries: " + registries);
        }
        return named ? name : registry + "/" + (slash < 0 ? "library/" : "") + name;
    }

    /** Whether a name of an image begins with a registry: its first part has a dot, a colon or a capital letter, or is localhost. */
    public static boolean hasRegistry(String name) {
        int slash = name.indexOf('/');
        String first = name.substring(0, Math.max(0, slash));
        return slash >= 0 && (!DIRECTORY.matcher(first).matches() || first.equals("localhost"));
    }

    /**
     * Requires that a name of a container is one that no other machine has. Programs look up others by names with a dot, and
     * whoever is on the same network would find the container in their place.
     *
     * @throws IllegalArgumentException when it is not; the message is for a model
     */
    public static void requireContainer(String name) {
        if (!CONTAINER.matcher(name).matches()) {
            throw new IllegalArgumentException("'" + name
                    + "' could be the name of another machine; take one of letters, digits, '_' and '-', at most 63");
        }
    }

    /** Whether an address that a name is told is that of the engine's machine, where the host's own services are. */
    public static boolean isMachine(String address) {
        return address.strip().equalsIgnoreCase("host-gateway");
    }
}
