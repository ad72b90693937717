package io.maestro.docker;

/**
 * How much of its machine a container may take. Immutable.
 *
 * @param cpus processors; at least 0.01, the least that kernels hold anybody to, and at most 10000; fractions count
 * @param memoryBytes memory, swap included; at least 6 MiB, the least that engines take
 * @param pids processes and threads at the same time; at least 1
 */
public record ContainerLimits(double cpus, long memoryBytes, int pids) {
    private static final long MIB = 1L << 20;

    /** While planning, and for a command that checks an image: 1 processor, 512 MiB, 256 processes. */
    public static final ContainerLimits PLANNING = new ContainerLimits(1, 512 * MIB, 256);

    /** While coding: 2 processors, 2 GiB, 1024 processes. */
    public static final ContainerLimits CODING = new ContainerLimits(2, 2048 * MIB, 1024);

    /** Of the architect: 2 processors, 2 GiB, 256 processes. */
    public static final ContainerLimits ARCHITECT = new ContainerLimits(2, 2048 * MIB, 256);

    /**
     * Checks the ranges.
     *
     * @param cpus processors
     * @param memoryBytes memory
     * @param pids processes
     * @throws IllegalArgumentException when one is out of its range
     */
    public ContainerLimits {
        // A kernel counts microseconds of 100 ms and takes 1000 or more; a fraction of one would be sent as no limit at
        // all.
        if (!(cpus >= 0.01 && cpus <= 10_000)) {
            throw new IllegalArgumentException("cpus must be from 0.01 to 10000, is " + cpus);
        }
        if (memoryBytes < 6 * MIB) {
            throw new IllegalArgumentException("memory must be 6 MiB or more, is " + memoryBytes + " bytes");
        }
        if (pids < 1) {
            throw new IllegalArgumentException("pids must be 1 or more, is " + pids);
        }
    }
}
