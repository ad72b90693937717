package io.maestro.mcp.internal;

import java.util.List;

/** The versions of the protocol. Their names are dates, so their order is that of the strings. */
final class Versions {
    /** Without annotations of tools, and without a message in notifications of progress. */
    static final String FIRST = "2024-11-05";

    /** The one with batches; also what an HTTP client speaks that does not say. */
    static final String BATCHES = "2025-03-26";

    /** The first one with structured content. */
    static final String STRUCTURED = "2025-06-18";

    /** The newest one that begins with a handshake. */
    static final String LATEST_HANDSHAKE = "2025-11-25";

    /** The one without handshake and session: every request says what it needs. */
    static final String STATELESS = "2026-07-28";

    private static final List<String> HANDSHAKE = List.of(FIRST, BATCHES, STRUCTURED, LATEST_HANDSHAKE);

    private Versions() {}

    static boolean hasHandshake(String version) {
        return HANDSHAKE.contains(version);
    }

    /** What a server answers to a client that begins with a handshake. */
    static String negotiate(String asked) {
        return hasHandshake(asked) ? asked : LATEST_HANDSHAKE;
    }

    static boolean atLeast(String version, String least) {
        return version.compareTo(least) >= 0;
    }
}
