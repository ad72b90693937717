package io.maestro.docker;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A directory of the machine or a named volume at a place in a container. Immutable.
 *
 * @param kind what the source is
 * @param source an absolute path on the engine's machine, or a volume's name
 * @param target an absolute path in the container
 * @param readOnly whether the container can only read it
 */
public record Mount(Kind kind, String source, String target, boolean readOnly) {
    private static final Pattern VOLUME = Pattern.compile("[a-zA-Z0-9][a-zA-Z0-9_.-]{0,254}");

    private static final Pattern SOCKET = Pattern.compile("(docker|podman|containerd|crio|buildkitd)\\.sock");

    /** The kernel's own, the devices, and where programs that run listen. */
    private static final List<Path> KERNEL =
            List.of(Path.of("/proc"), Path.of("/sys"), Path.of("/dev"), Path.of("/run"), Path.of("/var/run"));

    /** Whatever holds one of these, such as the root of the machine. */
    private static final List<Path> GIVEN_AWAY = List.of(
            Path.of("/proc"),
            Path.of("/sys"),
            Path.of("/dev"),
            Path.of("/run"),
            Path.of("/var/run"),
            Path.of("/etc"),
            Path.of("/boot"),
            Path.of("/var/lib/docker"),
            Path.of("/var/lib/containers"));

    /** What is mounted. */
    public enum Kind {
        /** A directory or file of the engine's machine. */
        BIND,
        /** A named volume of the engine's. */
        VOLUME
    }

    /**
     * Checks the places.
     *
     * @param kind what the source is
     * @param source where it comes from
     * @param target where it goes
     * @param readOnly whether the container can only read it
     * @throws IllegalArgumentException when a path is not absolute or holds a control character, when it is
     *     or holds an engine's socket, the root of the machine or a directory of the system's, by a symbolic link too, or
     *     a volume's name is none
     */
    public Mount {
        requirePath(target);
        if (kind == Kind.VOLUME && !VOLUME.matcher(source).matches()) {
            throw new IllegalArgumentException("not the name of a volume: '" + source + "'");
        }
        if (kind == Kind.BIND) {
            requirePath(source);
            requireHarmless(source, Path.of(source).normalize());
            requireHarmless(source, real(Path.of(source)));
        }
    }

    /**
     * A directory of the machine.
     *
     * @param source on the engine's machine, absolute
     * @param target in the container, absolute
     * @return writable; see {@link #asReadOnly}
     */
    public static Mount bind(Path source, String target) {
        return new Mount(Kind.BIND, source.toString(), target, false);
    }

    /**
     * A named volume.
     *
     * @param name its name
     * @param target in the container, absolute
     * @return writable; see {@link #asReadOnly}
     */
    public static Mount volume(String name, String target) {
        return new Mount(Kind.VOLUME, name, target, false);
    }

    /**
     * The same, only to be read.
     *
     * @return a mount
     */
    public Mount asReadOnly() {
        return new Mount(kind, source, target, true);
    }

    /** The root, what the kernel shows as files, and the engines' sockets, with all directories that hold one of them. */
    private static void requireHarmless(String source, Path path) {
        String name = String.valueOf(path.getFileName());
        boolean holdsAll = GIVEN_AWAY.stream().anyMatch(place -> place.startsWith(path));
        boolean isKernels = KERNEL.stream().anyMatch(path::startsWith);
        if (holdsAll || isKernels || SOCKET.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "'" + source + "' gives the machine away and is never mounted; mount a directory of the project");
        }
    }

    /** Where links lead; a path of an engine elsewhere is as it is. */
    private static Path real(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException e) {
            return path.normalize();
        }
    }

    private static void requirePath(String path) {
        if (!path.startsWith("/") || path.chars().anyMatch(c -> c < 0x20 || c == '"' || c == 0x7f)) {
            throw new IllegalArgumentException(
                    "a mount needs an absolute path without quotes and control characters, is '" + path + "'");
        }
    }
}
