package io.maestro.claude;

import io.maestro.claude.internal.gateway.AllowedModels;
import io.maestro.claude.internal.gateway.Gateway;
import io.maestro.claude.internal.gateway.Limits;
import io.maestro.internal.ApiKey;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the key of the API on the host: the CLI of one agent sends its requests here with a placeholder, and they go on to the
 * real API with the real key. Nothing but the Messages API is forwarded, and of that nothing whose cost it cannot count. It counts
 * what is used, also when the client does not wait for it, refuses when the host says so, and can be cut at once. Safe for use by several threads.
 *
 * <p>The CLI may come over a unix socket and over HTTP, both at once if need be. Its own errors have the form of the Messages API
 * and the header {@code x-should-retry}, which the CLI obeys: a {@linkplain GatewayClient#refusal refusal} has status 402 and
 * type {@code billing_error}, and ends a run of the CLI at once. A client that ends its side of a connection is taken to be gone;
 * what the API has begun to answer is read on for 30 seconds, and counted with what it may have at most when its end has not come
 * by then. At most 4 requests are forwarded at a time; more wait. Of the connections at one way in, of which there are 32 at most,
 * the oldest that has not shown the key makes place for a new one.
 *
 * <p>The key is in no message, log line or {@code toString}, and is overwritten with asterisks in whatever the API answers.
 */
public final class ApiGateway implements AutoCloseable {
    private final URI upstream;
    private final Gateway gateway;

    private ApiGateway(Builder builder) {
        upstream = builder.upstream;
        gateway = new Gateway(
                builder.upstream, builder.key, builder.httpClient, builder.client, builder.models, builder.limits);
    }

    /**
     * Begins a gateway.
     *
     * @param apiKey the real key; visible ASCII characters
     * @return a builder
     * @throws IllegalArgumentException when the key cannot be sent; the message does not show it
     */
    public static Builder builder(String apiKey) {
        return new Builder(apiKey);
    }

    /**
     * Listens on a unix socket, which every user who can enter its directory may connect to: see {@link SocketDirectory}.
     *
     * @param socketFile where; the directory must be there. A socket of that name that nobody listens on any more is replaced
     * @return what the CLI needs when it runs on this machine; {@link ApiAccess#withSocket} for a container
     * @throws io.maestro.error.MaestroException when it cannot listen there, for example because the path is longer than
     *     about 100 bytes, or the gateway is closed
     */
    public ApiAccess overSocket(Path socketFile) {
        Path file = socketFile.toAbsolutePath();
        gateway.listen(file);
        return new ApiAccess("http://localhost", gateway.placeholder(), Optional.of(file.toString()));
    }

    /**
     * Listens for plain HTTP, on a port of the system's choice.
     *
     * @param address an address of this machine: loopback, or the one of a container network's bridge
     * @return what the CLI needs
     * @throws IllegalArgumentException when it is the wildcard address, which would let other machines in
     * @throws io.maestro.error.MaestroException when it cannot listen there, or the gateway is closed
     */
    public ApiAccess overHttp(InetAddress address) {
        if (address.isAnyLocalAddress()) {
            throw new IllegalArgumentException("the API gateway does not listen on all addresses (" + address
                    + "): give it loopback, or the address of a container network's bridge");
        }
        int port = gateway.listen(address);
        String host = address.getHostAddress();
        String shown = address instanceof Inet6Address ? "[" + host.replace("%", "%25") + "]" : host;
        return new ApiAccess("http://" + shown + ":" + port, gateway.placeholder(), Optional.empty());
    }

    /**
     * Breaks off all requests at once and refuses later ones, so that the CLI ends with an error soon. What was counted until
     * then is still told to the {@link GatewayClient}, perhaps after this returns. A second call does nothing.
     *
     * @param reason one line for the CLI
     */
    public void cut(String reason) {
        gateway.cut(reason);
    }

    /**
     * Cuts, and stops to listen: ports, threads and the socket files are gone, but not their directories. Waits, 5 seconds at
     * most, until the {@link GatewayClient} has been told everything. On Java before 21 one thread of an HTTP client of its own
     * ends only when the JVM collects garbage. A second call does nothing.
     */
    @Override
    public void close() {
        gateway.close();
    }

    /** Where the API is; not the key. */
    @Override
    public String toString() {
        return "ApiGateway to " + upstream;
    }

    /** Collects the settings of a gateway. Not safe for use by several threads. */
    public static final class Builder {
        private final ApiKey key;
        private URI upstream = URI.create("https://api.anthropic.com");
        private GatewayClient client = GatewayClient.NONE;
        private AllowedModels models = new AllowedModels(List.of());
        private @Nullable HttpClient httpClient;
        private Limits limits = Limits.USUAL;

        private Builder(String apiKey) {
            this.key = new ApiKey(apiKey);
        }

        /**
         * Sets where the API is; {@code https://api.anthropic.com} unless set.
         *
         * @param baseUrl http or https, with a host, without user, query and fragment; the path of the API is added to it. With
         *     http the key travels in clear text: only for a proxy on this machine
         * @return this
         * @throws IllegalArgumentException when it is not of that form
         */
        public Builder upstream(URI baseUrl) {
            boolean web = "https".equals(baseUrl.getScheme()) || "http".equals(baseUrl.getScheme());
            if (!web || baseUrl.getHost() == null) {
                throw new IllegalArgumentException("a base URL begins with https:// and a host");
            }
            // A user or a token in the URL would show in messages.
            if (baseUrl.getRawUserInfo() != null || baseUrl.getRawQuery() != null || baseUrl.getRawFragment() != null) {
                throw new IllegalArgumentException("a base URL has no user, query or fragment; the key is set apart");
            }
            this.upstream = baseUrl;
            return this;
        }

        /**
         * Sets who is asked before each request and told what was used; nobody unless set.
         *
         * @param host safe for use by several threads
         * @return this
         */
        public Builder client(GatewayClient host) {
            this.client = Objects.requireNonNull(host, "host");
            return this;
        }

        /**
         * Sets which models may be asked; all unless set. A request for another one is refused.
         *
         * @param names models, each with the snapshots of it that have a date; {@code haiku}, {@code sonnet} or {@code opus} for
         *     all of a family; with {@code [1m]} behind a name the long context may be asked for, too
         * @return this
         */
        public Builder models(List<String> names) {
            this.models = new AllowedModels(names);
            return this;
        }

        /**
         * Sets the HTTP client that asks the API, for example one with a proxy, or one that several gateways share. Unless set,
         * the gateway has one of its own with the proxies of the JVM.
         *
         * @param ownedByCaller must not follow redirects: it would send the key along
         * @return this
         * @throws IllegalArgumentException when it follows redirects
         */
        public Builder httpClient(HttpClient ownedByCaller) {
            if (ownedByCaller.followRedirects() != HttpClient.Redirect.NEVER) {
                throw new IllegalArgumentException("the HTTP client follows redirects ("
                        + ownedByCaller.followRedirects()
                        + ") and would send the API key along: build it with Redirect.NEVER");
            }
            this.httpClient = ownedByCaller;
            return this;
        }

        /**
         * Sets how long a connection to the API may take; 30 seconds unless set. An {@link #httpClient} has its own limit.
         *
         * @param limit more than zero, at most a day
         * @return this
         */
        public Builder connectLimit(Duration limit) {
            limits = limits.with(Limits.CONNECT, limit);
            return this;
        }

        /**
         * Sets how long nothing may come from the API, or the CLI may not take what came; 10 minutes unless set, as long as an
         * answer that is not streamed may take.
         *
         * @param limit more than zero, at most a day
         * @return this
         */
        public Builder idleLimit(Duration limit) {
            limits = limits.with(Limits.IDLE, limit);
            return this;
        }

        /** For tests. */
        Builder limits(Limits all) {
            this.limits = all;
            return this;
        }

        /**
         * Makes the gateway. Nobody can reach it before it is told to listen.
         *
         * @return close it
         * @throws io.maestro.error.MaestroException when this machine does not let it
         */
        public ApiGateway build() {
            return new ApiGateway(this);
        }
    }
}
