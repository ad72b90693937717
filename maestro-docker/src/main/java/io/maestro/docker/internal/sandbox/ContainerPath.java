package io.maestro.docker.internal.sandbox;

import io.maestro.internal.RawName;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * An absolute path in a container, as a caller gave it. Immutable.
 *
 * @param names its parts, none of them empty, {@code .} or {@code ..}; at least one
 * @param directory whether it ended with a slash, which only a directory's does
 */
record ContainerPath(List<String> names, boolean directory) {
    /** What Linux takes. */
    private static final int LONGEST_NAME = 255;

    private static final int LONGEST = 4095;

    /** There the kernel's own files are, not anybody's. */
    private static final Set<String> KERNEL = Set.of("proc", "sys", "dev");

    ContainerPath {
        names = List.copyOf(names);
    }

    /**
     * Reads a path.
     *
     * @throws IllegalArgumentException when it is not absolute, is the root, has a {@code ..}, a control character, a character that is
     *     none in UTF-8 or a name that is too long, or lies below {@code /proc}, {@code /sys} or {@code /dev}
     */
    static ContainerPath of(String path) {
        if (!path.startsWith("/")) {
            throw refused(path, "must be absolute");
        }
        if (path.chars().anyMatch(Character::isISOControl)) {
            throw refused(path, "must not have control characters");
        }
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(path)) {
            throw refused(path, "must be text that UTF-8 can hold");
        }
        List<String> names = new ArrayList<>();
        for (String name : path.split("/", -1)) {
            if (name.equals("..")) {
                throw refused(path, "must not have '..'");
            }
            if (RawName.ofText(name).length() > LONGEST_NAME) {
                throw refused(path, "must have no name of more than " + LONGEST_NAME + " bytes");
            }
            if (!name.isEmpty() && !name.equals(".")) {
                names.add(name);
            }
        }
        if (names.isEmpty()) {
            throw refused(path, "must not be the root");
        }
        if (KERNEL.contains(names.get(0))) {
            throw refused(path, "must not be in /proc, /sys or /dev");
        }
        if (RawName.ofText(path).length() > LONGEST) {
            throw refused(path, "must have at most " + LONGEST + " bytes");
        }
        return new ContainerPath(names, path.endsWith("/"));
    }

    private static IllegalArgumentException refused(String path, String why) {
        return new IllegalArgumentException(
                "a path in a container " + why + ", is '" + RawName.shown(RawName.ofText(path)) + "'");
    }

    /** The last name. */
    String name() {
        return names.get(names.size() - 1);
    }

    /** The first names of it as an absolute path; the root for none. */
    String first(int count) {
        return "/" + String.join("/", names.subList(0, count));
    }

    /** Where it is; the root for one name. */
    String parent() {
        return first(names.size() - 1);
    }

    /** Whether it is a directory, or lies in it. */
    boolean isIn(String other) {
        return (this + "/").startsWith(other.endsWith("/") ? other : other + "/");
    }

    /** Without a slash at its end. */
    @Override
    public String toString() {
        return first(names.size());
    }
}
