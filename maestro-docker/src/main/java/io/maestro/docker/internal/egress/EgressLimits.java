package io.maestro.docker.internal.egress;

import java.time.Duration;

/**
 * What one container's way out may take of the host. Immutable.
 *
 * @param connections how many at once; each takes two threads
 * @param head how long a client has for what it asks for, until the first message of TLS is complete
 * @param connect how long a server has to answer
 * @param idle how long nothing may move
 * @param total how long a connection may last
 * @param sent how many bytes a connection may carry out
 * @param received how many bytes it may carry in
 */
record EgressLimits(
        int connections, Duration head, Duration connect, Duration idle, Duration total, long sent, long received) {
    static final EgressLimits STANDARD = new EgressLimits(
            64,
            Duration.ofSeconds(15),
            Duration.ofSeconds(15),
            Duration.ofMinutes(2),
            Duration.ofHours(1),
            256L << 20,
            8L << 30);
}
