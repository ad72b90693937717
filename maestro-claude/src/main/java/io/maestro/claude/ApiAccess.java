package io.maestro.claude;

import java.util.Optional;

/**
 * How the CLI reaches the API.
 *
 * @param baseUrl the value of {@code ANTHROPIC_BASE_URL}
 * @param key the value of {@code ANTHROPIC_API_KEY}: the gateway's placeholder, or a real key if the host insists
 * @param socket the value of {@code ANTHROPIC_UNIX_SOCKET}, a path where the CLI runs; empty for the network
 */
public record ApiAccess(String baseUrl, String key, Optional<String> socket) {
    /**
     * The same where the socket has another path, as in a container.
     *
     * @param path of the socket where the CLI runs
     * @return a copy
     */
    public ApiAccess withSocket(String path) {
        return new ApiAccess(baseUrl, key, Optional.of(path));
    }

    /** Without the key. */
    @Override
    public String toString() {
        return "ApiAccess[" + baseUrl + socket.map(path -> " over " + path).orElse("") + "]";
    }
}
