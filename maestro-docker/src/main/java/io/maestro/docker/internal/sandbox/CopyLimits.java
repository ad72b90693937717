package io.maestro.docker.internal.sandbox;

/**
 * How much one copy may hold.
 *
 * @param bytes of all files together, at least 1
 * @param entries files, links and directories, at least 1
 */
record CopyLimits(long bytes, int entries) {
    /** 1 GiB and 100,000 entries. */
    static final CopyLimits DEFAULT = new CopyLimits(1L << 30, 100_000);

    /** How many directories may lie in each other; each holds one open. */
    static final int DEPTH = 200;

    CopyLimits {
        if (bytes < 1 || entries < 1) {
            throw new IllegalArgumentException(
                    "a copy must be allowed at least 1 byte and 1 entry, not " + bytes + " and " + entries);
        }
    }
}
