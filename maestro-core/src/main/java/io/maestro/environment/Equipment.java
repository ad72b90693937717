package io.maestro.environment;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What a program that works in an environment needs beside the workspace.
 *
 * @param keepsState whether it keeps files that must outlast the containers of an attempt, and a restart of the host: see
 *     {@link Environment#stateDirectory}
 * @param sockets a directory of this machine with unix sockets that the program talks to; absolute. It is there before the
 *     environment is opened, and the user that commands run as, who may be another than this JVM's, may search it and write
 *     to the sockets
 * @param reachesHost whether it talks to servers of this machine over the network, in phases that have one
 * @param programs files of this machine that are run there, by their names in {@link Environment#programDirectory}; absolute,
 *     without symbolic links, and nothing that commands do can change them
 * @param maskedDirectories directories in which a sandbox shows an empty one that nobody can write to, whatever its image has
 *     there; absolute. An environment that runs commands on this machine itself leaves them as they are: they are its owner's
 */
public record Equipment(
        boolean keepsState,
        Optional<Path> sockets,
        boolean reachesHost,
        Map<String, Path> programs,
        Set<String> maskedDirectories) {
    /** Nothing. */
    public static final Equipment NONE = new Equipment(false, Optional.empty(), false);

    /**
     * Copies the map and the set.
     *
     * @param keepsState whether it keeps files
     * @param sockets a directory with unix sockets
     * @param reachesHost whether it talks to servers of this machine
     * @param programs files of this machine by their names
     * @param maskedDirectories directories that a sandbox hides
     */
    public Equipment {
        programs = Map.copyOf(programs);
        maskedDirectories = Set.copyOf(maskedDirectories);
    }

    /**
     * Without programs and masked directories.
     *
     * @param keepsState whether it keeps files
     * @param sockets a directory with unix sockets
     * @param reachesHost whether it talks to servers of this machine
     */
    public Equipment(boolean keepsState, Optional<Path> sockets, boolean reachesHost) {
        this(keepsState, sockets, reachesHost, Map.of(), Set.of());
    }
}
