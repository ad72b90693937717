package io.maestro.docker.internal.disk;

import io.maestro.docker.internal.DiskUse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileStore;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Where an attempt writes.
 *
 * @param limits how much
 * @param measure how much it holds; empty when that could not be measured in time
 * @param free how many bytes are free on the disks that this machine sees
 * @param pause stops all that runs in its containers for a while
 * @param resume lets it go on
 */
public record Disks(
        DiskLimits limits,
        Supplier<Optional<DiskUse.Usage>> measure,
        LongSupplier free,
        Runnable pause,
        Runnable resume) {
    /**
     * How many bytes are free on the disk that has least; {@link Long#MAX_VALUE} without a disk.
     *
     * @throws UncheckedIOException when a disk cannot be asked
     */
    public static long free(List<FileStore> stores) {
        long free = Long.MAX_VALUE;
        for (FileStore store : stores) {
            try {
                free = Math.min(free, store.getUsableSpace());
            } catch (IOException e) {
                throw new UncheckedIOException("how much is free on " + store + " is not known: " + e, e);
            }
        }
        return free;
    }
}
