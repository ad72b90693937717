package io.maestro.git.hosted.internal;

import java.util.Optional;

/** Where the token comes from. Safe for use by several threads. */
@FunctionalInterface
public interface TokenSource {
    /**
     * The token for a server.
     *
     * @param host the server's name, as in {@code github.com}
     * @return empty when there is none
     */
    Optional<String> token(String host);
}
