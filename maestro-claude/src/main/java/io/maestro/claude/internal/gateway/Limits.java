package io.maestro.claude.internal.gateway;

import java.time.Duration;

/**
 * How much a client, or the API, may keep the gateway waiting and holding.
 *
 * @param connect for a connection to the API
 * @param idle for the next byte of the API, or for the client to take it
 * @param head for the head of a request, from the beginning of its connection
 * @param request for the whole of a request, from the beginning of its connection
 * @param linger for a client to close its side of an answered connection
 * @param bodyBytes the largest request
 * @param allBodyBytes all requests that are held at once
 * @param connections how many are served at once; more wait
 */
public record Limits(
        Duration connect,
        Duration idle,
        Duration head,
        Duration request,
        Duration linger,
        long bodyBytes,
        long allBodyBytes,
        int connections) {
    private static final long MIB = 1024 * 1024;

    /** What fits the real API: it takes 32 MB, and is silent for minutes. */
    public static final Limits USUAL = new Limits(
            Duration.ofSeconds(30),
            Duration.ofMinutes(10),
            Duration.ofSeconds(30),
            Duration.ofMinutes(2),
            Duration.ofSeconds(2),
            64 * MIB,
            128 * MIB,
            64);

    /** With other limits for the API. */
    public Limits withUpstream(Duration connectLimit, Duration idleLimit) {
        return new Limits(connectLimit, idleLimit, head, request, linger, bodyBytes, allBodyBytes, connections);
    }
}
