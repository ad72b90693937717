package io.maestro.claude.internal.gateway;

import java.time.Duration;

/**
 * How much a client, or the API, may keep the gateway waiting and holding.
 *
 * @param connect for a connection to the API
 * @param idle for the next byte of the API, or for the client to take it
 * @param head for the head of a request
 * @param request for its body
 * @param linger for a client to close its side of an answered connection
 * @param drain for the end of an answer whose client has gone: it is read on, to be counted
 * @param queue for a place among those that are open
 * @param bodyBytes the largest request
 * @param allBodyBytes all requests that are held at once
 * @param connections how many there may be on one way in
 * @param open how many requests are forwarded at once
 */
public record Limits(
        Duration connect,
        Duration idle,
        Duration head,
        Duration request,
        Duration linger,
        Duration drain,
        Duration queue,
        long bodyBytes,
        long allBodyBytes,
        int connections,
        int open) {
    private static final long MIB = 1024 * 1024;

    /** What fits the real API: it takes 32 MB, and is silent for minutes. */
    public static final Limits USUAL = new Limits(
            Duration.ofSeconds(30),
            Duration.ofMinutes(10),
            Duration.ofSeconds(10),
            Duration.ofMinutes(1),
            Duration.ofSeconds(2),
            Duration.ofSeconds(30),
            Duration.ofMinutes(2),
            32 * MIB,
            48 * MIB,
            32,
            4);

    /** With other limits for the API. */
    public Limits withUpstream(Duration connectLimit, Duration idleLimit) {
        return new Limits(
                connectLimit,
                idleLimit,
                head,
                request,
                linger,
                drain,
                queue,
                bodyBytes,
                allBodyBytes,
                connections,
                open);
    }
}
