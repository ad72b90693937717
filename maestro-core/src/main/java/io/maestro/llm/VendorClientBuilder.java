package io.maestro.llm;

import io.maestro.internal.ApiKey;
import io.maestro.llm.internal.CallLimits;
import io.maestro.llm.internal.Credentials;
import io.maestro.llm.internal.Protocol;
import io.maestro.llm.internal.RetryClock;
import io.maestro.llm.internal.Target;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The settings that the clients of all vendors have.
 *
 * @param <B> the builder itself
 */
abstract class VendorClientBuilder<B extends VendorClientBuilder<B>> {
    private static final Pattern HEADER_NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
    private static final Pattern LOOPBACK = Pattern.compile("localhost|127\\.[0-9.]+|\\[::1\\]");

    /** Those of the client, and those that the JDK's HTTP client keeps for itself. */
    private static final Set<String> OWN_HEADERS = Set.of(
            "accept",
            "anthropic-version",
            "authorization",
            "connection",
            "content-length",
            "content-type",
            "expect",
            "host",
            "transfer-encoding",
            "upgrade",
            "x-api-key");

    final String model;
    private final Protocol names;
    private URI baseUrl;
    private @Nullable ApiKey key;
    private @Nullable Supplier<String> token;
    private final Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    private boolean streaming = true;
    private Duration requestTimeLimit = Duration.ofMinutes(10);
    private Duration idleTimeLimit = Duration.ofMinutes(5);
    private Duration totalTimeLimit = Duration.ofMinutes(15);
    private int maxRetries = 4;
    private int maxBodyBytes = 32 * 1024 * 1024;
    private @Nullable HttpClient httpClient;
    private RetryClock clock = RetryClock.SYSTEM;

    /** With a protocol that knows the names of the variables. */
    VendorClientBuilder(String model, String example, URI baseUrl, Protocol names) {
        if (model.isBlank()) {
            throw new IllegalArgumentException("the model's name is blank: give one, for example " + example);
        }
        this.model = model.strip();
        this.baseUrl = baseUrl;
        this.names = names;
    }

    abstract B self();

    abstract LlmClient build();

    /**
     * Takes the key, and the base URL when that is set, from variables as {@code fromEnvironment()} does from those of the
     * process.
     *
     * @param environment values by the variables' names
     * @return this
     * @throws LlmException when a variable cannot be used
     */
    public B fromEnvironment(Map<String, String> environment) {
        String secret = environment.getOrDefault(names.keyVariable(), "");
        if (!secret.isBlank()) {
            try {
                apiKey(secret);
            } catch (IllegalArgumentException e) {
                throw new LlmException(names.keyVariable() + " cannot be used: " + e.getMessage(), null);
            }
        }
        String url = environment.getOrDefault(names.urlVariable(), "");
        if (!url.isBlank()) {
            try {
                baseUrl(new URI(url.strip()));
            } catch (URISyntaxException e) {
                throw new LlmException(names.urlVariable() + " is not a URL: " + e.getReason(), null);
            } catch (IllegalArgumentException e) {
                throw new LlmException(names.urlVariable() + " cannot be used: " + e.getMessage(), null);
            }
        }
        return self();
    }

    /**
     * Sets the key.
     *
     * @param secret the key; sent in a header and shown nowhere
     * @return this
     * @throws IllegalArgumentException when it is blank or has characters that no key has
     */
    public B apiKey(String secret) {
        this.key = new ApiKey(secret);
        return self();
    }

    /**
     * Sets a token that is sent as {@code Authorization: Bearer} in the place of the key, as many gateways want it.
     *
     * @param secret the token; shown nowhere
     * @return this
     * @throws IllegalArgumentException when it is blank or has characters that no token has
     */
    public B bearerToken(String secret) {
        String checked = new ApiKey(secret).secret();
        return bearerToken(() -> checked);
    }

    /**
     * Sets who gives the token, as {@link #bearerToken(String)} does for one that does not change.
     *
     * @param supplier asked before each request, by several threads; it keeps a token for as long as that is valid. Where it
     *     throws, the request has failed
     * @return this
     */
    public B bearerToken(Supplier<String> supplier) {
        this.token = Objects.requireNonNull(supplier, "supplier");
        return self();
    }

    /**
     * Adds a header to every request, for a gateway. A second value for the same name takes the place of the first.
     *
     * @param name none that the client or the connection sets itself, such as {@code content-type} or {@code authorization}
     * @param value visible ASCII characters and blanks; treated as a secret
     * @return this
     * @throws IllegalArgumentException when it cannot be sent; the message does not show the value
     */
    public B header(String name, String value) {
        if (!HEADER_NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("a header cannot have the name '" + name + "'");
        }
        if (OWN_HEADERS.contains(name.toLowerCase(Locale.ROOT))) {
            throw new IllegalArgumentException(
                    "the header '" + name
                            + "' is set by the client: use apiKey(…) or bearerToken(…) for credentials, and leave out the rest");
        }
        if (value.isBlank() || !value.chars().allMatch(c -> c >= ' ' && c < 0x7f)) {
            throw new IllegalArgumentException("the value of the header '" + name
                    + "' is blank or has characters that cannot be sent, such as line ends");
        }
        headers.put(name, value.strip());
        return self();
    }

    /**
     * Sets where the API is; the vendor's own address unless set.
     *
     * @param url http or https, with a host, without user, query and fragment; the path of the API is added to it. With
     *     http the key travels in clear text: only for a proxy on this machine
     * @return this
     * @throws IllegalArgumentException when it is not of that form
     */
    public B baseUrl(URI url) {
        boolean web = "https".equals(url.getScheme()) || "http".equals(url.getScheme());
        if (!web || url.getHost() == null) {
            throw new IllegalArgumentException("a base URL begins with https:// and a host");
        }
        // A user or a token in the URL would show in messages.
        if (url.getRawUserInfo() != null || url.getRawQuery() != null || url.getRawFragment() != null) {
            throw new IllegalArgumentException("a base URL has no user, query or fragment; the key is set apart");
        }
        this.baseUrl = url;
        return self();
    }

    /**
     * Sets whether answers are asked for piece by piece, which keeps connections alive while a model writes for long, and
     * lets a listener follow; true unless set. Off, the text is told to a listener when all of it is there.
     *
     * @param on whether to stream
     * @return this
     */
    public B streaming(boolean on) {
        this.streaming = on;
        return self();
    }

    /**
     * Sets how long one attempt may take, from the connection to the last byte of the answer; 10 minutes unless set.
     *
     * @param limit more than zero, at most a day
     * @return this
     */
    public B requestTimeLimit(Duration limit) {
        this.requestTimeLimit = checked(limit, "request time limit");
        return self();
    }

    /**
     * Sets how long nothing may come once an answer has begun; 5 minutes unless set. A model that reasons may be silent for
     * minutes.
     *
     * @param limit more than zero, at most a day
     * @return this
     */
    public B idleTimeLimit(Duration limit) {
        this.idleTimeLimit = checked(limit, "idle time limit");
        return self();
    }

    /**
     * Sets how long all attempts and the waits between them may take; 15 minutes unless set. A wait that would go beyond it
     * is not begun.
     *
     * @param limit more than zero, at most a day
     * @return this
     */
    public B totalTimeLimit(Duration limit) {
        this.totalTimeLimit = checked(limit, "total time limit");
        return self();
    }

    /**
     * Sets how often an attempt is repeated; 4 times unless set.
     *
     * @param retries 0 or more
     * @return this
     */
    public B maxRetries(int retries) {
        if (retries < 0) {
            throw new IllegalArgumentException("retries must be 0 or more, is " + retries);
        }
        this.maxRetries = retries;
        return self();
    }

    /**
     * Sets the HTTP client, for example one with a proxy; without it, the model gets one of its own.
     *
     * @param client must not follow redirects: it would send the API key along
     * @return this
     * @throws IllegalArgumentException when it follows redirects
     */
    public B httpClient(HttpClient client) {
        if (client.followRedirects() != HttpClient.Redirect.NEVER) {
            throw new IllegalArgumentException("the HTTP client follows redirects (" + client.followRedirects()
                    + ") and would send the API key along: build it with Redirect.NEVER");
        }
        this.httpClient = client;
        return self();
    }

    /** For tests. */
    B clock(RetryClock timeAndChance) {
        this.clock = Objects.requireNonNull(timeAndChance, "timeAndChance");
        return self();
    }

    /** For tests. */
    B maxBodyBytes(int bytes) {
        this.maxBodyBytes = bytes;
        return self();
    }

    URI baseUrl() {
        return baseUrl;
    }

    /**
     * All that the client needs.
     *
     * @throws LlmException when there is no key
     */
    Target target(URI endpoint) {
        if (key == null && token == null && headers.isEmpty() && !isOnThisMachine(baseUrl)) {
            throw noKey();
        }
        return new Target(
                model,
                endpoint,
                new Credentials(token == null ? key : null, token, headers),
                streaming,
                new CallLimits(requestTimeLimit, idleTimeLimit, totalTimeLimit, maxRetries, maxBodyBytes),
                httpClient != null ? httpClient : newHttpClient(),
                clock);
    }

    /** The base URL without a slash at its end, and a path. */
    static URI endpoint(URI baseUrl, String path) {
        String base = baseUrl.toString();
        return URI.create((base.endsWith("/") ? base.substring(0, base.length() - 1) : base) + path);
    }

    private static HttpClient newHttpClient() {
        return HttpClient.newBuilder()
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(Duration.ofSeconds(30))
                .build();
    }

    /** A server such as Ollama or a proxy of this machine, which often wants no key. */
    private static boolean isOnThisMachine(URI url) {
        return LOOPBACK.matcher(url.getHost()).matches();
    }

    private LlmException noKey() {
        return new LlmException(
                "no API key for " + model + ": set " + names.keyVariable()
                        + " in the environment, or call apiKey(…); a gateway may want bearerToken(…) or header(…) instead",
                null);
    }

    private static Duration checked(Duration limit, String what) {
        if (limit.isZero() || limit.isNegative() || limit.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException(
                    "the " + what + " must be more than zero and at most a day, is " + limit);
        }
        return limit;
    }

    /** The kind of client and the model; not the key. */
    @Override
    public String toString() {
        return getClass().getEnclosingClass().getSimpleName() + ".Builder " + model;
    }
}
