package io.maestro.git.hosted.internal;

import java.net.URI;
import java.util.Map;

/** What a forge's server is: where its API is, and how it is spoken to. */
public interface Product {
    /**
     * For configurations and the record.
     *
     * @return in small letters
     */
    String id();

    /**
     * For messages.
     *
     * @return as its makers write it
     */
    String name();

    /**
     * What the server calls a request.
     *
     * @return two words
     */
    String noun();

    /**
     * Where it is unless somebody has one of their own.
     *
     * @return a host's name
     */
    String host();

    /**
     * Whether groups of repositories can be in groups.
     *
     * @return then a name has more than two parts
     */
    boolean nests();

    /**
     * Where the API of a server is.
     *
     * @param host the server's name
     * @return without a slash at its end
     */
    URI api(String host);

    /**
     * Whose server it is by where the API is.
     *
     * @param api where the API is
     * @return the server's name, for tokens
     */
    default String host(URI api) {
        return api.getHost();
    }

    /**
     * What each request to the API has in its head.
     *
     * @return beside the token
     */
    Map<String, String> headers();

    /**
     * How many items a page of a list has.
     *
     * @return the query's name for it
     */
    String pageSize();

    /**
     * What a token has to be able to do.
     *
     * @return for a message, behind "it needs"
     */
    String rights();

    /**
     * What to do where there is no token.
     *
     * @return for a message
     */
    String tokenAdvice();

    /**
     * The tokens that this machine has.
     *
     * @param environment the variables of the process
     * @return asked whenever one is needed
     */
    TokenSource tokens(Map<String, String> environment);

    /**
     * Opens a repository.
     *
     * @param api speaks to the server
     * @param repository which
     * @return asks nothing yet
     */
    Server open(ForgeApi api, RepositoryName repository);
}
