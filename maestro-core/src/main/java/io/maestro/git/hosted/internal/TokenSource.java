package io.maestro.git.hosted.internal;

import java.util.Optional;
import java.util.function.Function;

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

    /**
     * The source for one repository.
     *
     * @param repository which
     * @param apis speaks to the server with the tokens of another source
     * @return this one, where the repository makes no difference
     */
    default TokenSource of(RepositoryName repository, Function<TokenSource, ForgeApi> apis) {
        return this;
    }
}
