package io.maestro.docker.internal.disk;

/**
 * What attempts may write to disks.
 *
 * @param quota how many bytes an attempt holds at most, and a build writes at most
 * @param reserve how many bytes stay free on the disk of the project, and of an engine on this machine
 */
public record DiskLimits(long quota, long reserve) {}
