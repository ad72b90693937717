package io.maestro.docker.internal.egress;

import java.time.Duration;

/**
 * What became of one connection.
 *
 * @param target what was asked for, as far as it could be read; a name and a port
 * @param address where the connection went; empty when none was made
 * @param sent bytes of the container's
 * @param received bytes for the container
 * @param duration how long it took
 * @param refused why it was refused or cut; empty when it was not
 */
public record Egress(String target, String address, long sent, long received, Duration duration, String refused) {}
