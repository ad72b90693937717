package io.maestro.llm;

import io.maestro.config.internal.Setting;
import io.maestro.config.internal.SettingGroup;
import io.maestro.config.internal.SettingValues;
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
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** How a vendor's API is reached: address, credentials, time limits and retries. Immutable: each setter returns changed options. */
public final class ConnectionOptions {
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

    private static final SettingGroup GROUP = new SettingGroup();
    private static final Setting<URI> BASE_URL = GROUP.inCode(null);
    private static final Setting<ApiKey> KEY = GROUP.inCode(null);
    private static final Setting<Supplier<String>> TOKEN = GROUP.inCode(null);
    private static final Setting<Map<String, String>> HEADERS = GROUP.inCode(Map.of());
    private static final Setting<Boolean> STREAMING = GROUP.inCode(true);
    private static final Setting<Duration> REQUEST_TIME_LIMIT = limit("request", Duration.ofMinutes(10));
    private static final Setting<Duration> IDLE_TIME_LIMIT = limit("idle", Duration.ofMinutes(5));
    private static final Setting<Duration> TOTAL_TIME_LIMIT = limit("total", Duration.ofMinutes(15));
    private static final Setting<Integer> MAX_RETRIES = GROUP.inCode(4);
    private static final Setting<Integer> MAX_BODY_BYTES = GROUP.inCode(32 * 1024 * 1024);
    private static final Setting<HttpClient> HTTP_CLIENT = GROUP.inCode(null);
    private static final Setting<RetryClock> CLOCK = GROUP.inCode(RetryClock.SYSTEM);

    private final SettingValues values;

    private ConnectionOptions(SettingValues values) {
        this.values = values;
    }

    /** The defaults of a vendor. */
    static ConnectionOptions to(URI baseUrl) {
        return new ConnectionOptions(GROUP.none()).with(BASE_URL, baseUrl);
    }

    private static Setting<Duration> limit(String what, Duration otherwise) {
        return GROUP.inCode(otherwise).checked(limit -> {
            if (limit.isZero() || limit.isNegative() || limit.compareTo(Duration.ofDays(1)) > 0) {
                throw new IllegalArgumentException(
                        "the " + what + " time limit must be more than zero and at most a day, is " + limit);
            }
        });
    }

    private <T> ConnectionOptions with(Setting<T> setting, T value) {
        return new ConnectionOptions(values.with(setting, value));
    }

    /** Takes the key, and the base URL when that is set, from variables that the protocol names. */
    ConnectionOptions fromEnvironment(Map<String, String> environment, Protocol names) {
        ConnectionOptions changed = this;
        String secret = environment.getOrDefault(names.keyVariable(), "");
        if (!secret.isBlank()) {
            try {
                changed = changed.apiKey(secret);
            } catch (IllegalArgumentException e) {
                throw new LlmException(names.keyVariable() + " cannot be used: " + e.getMessage(), null);
            }
        }
        String url = environment.getOrDefault(names.urlVariable(), "");
        if (!url.isBlank()) {
            try {
                changed = changed.baseUrl(new URI(url.strip()));
            } catch (URISyntaxException e) {
                throw new LlmException(names.urlVariable() + " is not a URL: " + e.getReason(), null);
            } catch (IllegalArgumentException e) {
                throw new LlmException(names.urlVariable() + " cannot be used: " + e.getMessage(), null);
            }
        }
        return changed;
    }

    /**
     * Sets the key.
     *
     * @param secret the key; sent in a header and shown nowhere
     * @return changed options
     * @throws IllegalArgumentException when it is blank or has characters that no key has
     */
    public ConnectionOptions apiKey(String secret) {
        return with(KEY, new ApiKey(secret));
    }

    /**
     * Sets a token that is sent as {@code Authorization: Bearer} in the place of the key, as many gateways want it.
     *
     * @param secret the token; shown nowhere
     * @return changed options
     * @throws IllegalArgumentException when it is blank or has characters that no token has
     */
    public ConnectionOptions bearerToken(String secret) {
        String checked = new ApiKey(secret).secret();
        return bearerToken(() -> checked);
    }

    /**
     * Sets who gives the token, as {@link #bearerToken(String)} does for one that does not change.
     *
     * @param supplier asked before each request, by several threads; it keeps a token for as long as that is valid. Where it
     *     throws, the request has failed
     * @return changed options
     */
    public ConnectionOptions bearerToken(Supplier<String> supplier) {
        return with(TOKEN, Objects.requireNonNull(supplier, "supplier"));
    }

    /**
     * Adds a header to every request, for a gateway. A second value for the same name takes the place of the first.
     *
     * @param name none that the client or the connection sets itself, such as {@code content-type} or {@code authorization}
     * @param value visible ASCII characters and blanks; treated as a secret
     * @return changed options
     * @throws IllegalArgumentException when it cannot be sent; the message does not show the value
     */
    public ConnectionOptions header(String name, String value) {
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
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        headers.putAll(values.get(HEADERS));
        headers.put(name, value.strip());
        return with(HEADERS, Collections.unmodifiableMap(headers));
    }

    /**
     * Sets where the API is; the vendor's own address unless set.
     *
     * @param url http or https, with a host, without user, query and fragment; the path of the API is added to it. With
     *     http the key travels in clear text: only for a proxy on this machine
     * @return changed options
     * @throws IllegalArgumentException when it is not of that form
     */
    public ConnectionOptions baseUrl(URI url) {
        boolean web = "https".equals(url.getScheme()) || "http".equals(url.getScheme());
        if (!web || url.getHost() == null) {
            throw new IllegalArgumentException("a base URL begins with https:// and a host");
        }
        // A user or a token in the URL would show in messages.
        if (url.getRawUserInfo() != null || url.getRawQuery() != null || url.getRawFragment() != null) {
            throw new IllegalArgumentException("a base URL has no user, query or fragment; the key is set apart");
        }
        return with(BASE_URL, url);
    }

    /**
     * Sets whether answers are asked for piece by piece, which keeps connections alive while a model writes for long, and
     * lets a listener follow; true unless set. Off, the text is told to a listener when all of it is there.
     *
     * @param on whether to stream
     * @return changed options
     */
    public ConnectionOptions streaming(boolean on) {
        return with(STREAMING, on);
    }

    /**
     * Sets how long one attempt may take, from the connection to the last byte of the answer; 10 minutes unless set.
     *
     * @param limit more than zero, at most a day
     * @return changed options
     */
    public ConnectionOptions requestTimeLimit(Duration limit) {
        return with(REQUEST_TIME_LIMIT, limit);
    }

    /**
     * Sets how long nothing may come once an answer has begun; 5 minutes unless set. A model that reasons may be silent for
     * minutes.
     *
     * @param limit more than zero, at most a day
     * @return changed options
     */
    public ConnectionOptions idleTimeLimit(Duration limit) {
        return with(IDLE_TIME_LIMIT, limit);
    }

    /**
     * Sets how long all attempts and the waits between them may take; 15 minutes unless set. A wait that would go beyond it
     * is not begun.
     *
     * @param limit more than zero, at most a day
     * @return changed options
     */
    public ConnectionOptions totalTimeLimit(Duration limit) {
        return with(TOTAL_TIME_LIMIT, limit);
    }

    /**
     * Sets how often an attempt is repeated; 4 times unless set.
     *
     * @param retries 0 or more
     * @return changed options
     */
    public ConnectionOptions maxRetries(int retries) {
        if (retries < 0) {
            throw new IllegalArgumentException("retries must be 0 or more, is " + retries);
        }
        return with(MAX_RETRIES, retries);
    }

    /**
     * Sets the HTTP client, for example one with a proxy; without it, the model gets one of its own.
     *
     * @param client must not follow redirects: it would send the API key along
     * @return changed options
     * @throws IllegalArgumentException when it follows redirects
     */
    public ConnectionOptions httpClient(HttpClient client) {
        if (client.followRedirects() != HttpClient.Redirect.NEVER) {
            throw new IllegalArgumentException("the HTTP client follows redirects (" + client.followRedirects()
                    + ") and would send the API key along: build it with Redirect.NEVER");
        }
        return with(HTTP_CLIENT, client);
    }

    /** For tests. */
    ConnectionOptions clock(RetryClock timeAndChance) {
        return with(CLOCK, Objects.requireNonNull(timeAndChance, "timeAndChance"));
    }

    /** For tests. */
    ConnectionOptions maxBodyBytes(int bytes) {
        return with(MAX_BODY_BYTES, bytes);
    }

    URI baseUrl() {
        return values.get(BASE_URL);
    }

    /**
     * All that a client needs.
     *
     * @param path under the base URL
     * @throws LlmException when there is no key
     */
    Target target(String model, String path, Protocol names) {
        URI baseUrl = baseUrl();
        Supplier<String> token = values.find(TOKEN).orElse(null);
        ApiKey key = values.find(KEY).orElse(null);
        Map<String, String> headers = values.get(HEADERS);
        if (key == null && token == null && headers.isEmpty() && !isOnThisMachine(baseUrl)) {
            throw noKey(model, names);
        }
        String base = baseUrl.toString();
        return new Target(
                model,
                URI.create((base.endsWith("/") ? base.substring(0, base.length() - 1) : base) + path),
                new Credentials(token == null ? key : null, token, headers),
                values.get(STREAMING),
                new CallLimits(
                        values.get(REQUEST_TIME_LIMIT),
                        values.get(IDLE_TIME_LIMIT),
                        values.get(TOTAL_TIME_LIMIT),
                        values.get(MAX_RETRIES),
                        values.get(MAX_BODY_BYTES)),
                values.find(HTTP_CLIENT).orElseGet(ConnectionOptions::newHttpClient),
                values.get(CLOCK));
    }

    /** The name of a model, without blanks around it. */
    static String modelName(String model, String example) {
        if (model.isBlank()) {
            throw new IllegalArgumentException("the model's name is blank: give one, for example " + example);
        }
        return model.strip();
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

    private static LlmException noKey(String model, Protocol names) {
        return new LlmException(
                "no API key for " + model + ": set " + names.keyVariable()
                        + " in the environment, or call apiKey(…); a gateway may want bearerToken(…) or header(…) of connection(…) instead",
                null);
    }
}
