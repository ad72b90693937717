package io.maestro.git.internal.sync;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.attribute.FileTime;

/**
 * Receives files of a workspace and takes them to its remote copy. Paths are {@linkplain io.maestro.internal.RawName raw},
 * relative to the workspace, with slashes; directories come before what is in them.
 */
public interface FileSink {
    /**
     * Takes a directory.
     *
     * @param path its raw path
     * @param mode its permission bits
     * @param modified when it was changed
     * @throws IOException when it cannot be taken there
     */
    void directory(String path, int mode, FileTime modified) throws IOException;

    /**
     * Takes a symbolic link.
     *
     * @param path its raw path
     * @param target its raw target, which is not followed
     * @param modified when it was changed
     * @throws IOException when it cannot be taken there
     */
    void link(String path, String target, FileTime modified) throws IOException;

    /**
     * Takes a file.
     *
     * @param path its raw path
     * @param mode its permission bits
     * @param modified when it was changed
     * @param size how many bytes follow
     * @return where exactly that many bytes are written to before it is closed
     * @throws IOException when it cannot be taken there
     */
    OutputStream file(String path, int mode, FileTime modified, long size) throws IOException;
}
