package io.maestro.docker.internal.disk;

import io.maestro.docker.internal.DiskUse;
import java.nio.file.FileStore;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Where an attempt writes.
 *
 * @param limits how much
 * @param measure how much it holds; empty when that could not be measured in time
 * @param stores the disks whose free space this machine sees
 */
public record Disks(DiskLimits limits, Supplier<Optional<DiskUse.Use>> measure, List<FileStore> stores) {}
