package io.maestro.claude.internal.gateway;

import io.maestro.config.internal.Setting;
import io.maestro.config.internal.SettingGroup;
import io.maestro.config.internal.SettingValues;
import java.time.Duration;

/** How much a client, or the API, may keep the gateway waiting and holding. Immutable. */
public final class Limits {
    private static final long MIB = 1024 * 1024;
    private static final SettingGroup GROUP = new SettingGroup();

    /** For a connection to the API. */
    public static final Setting<Duration> CONNECT =
            GROUP.inCode(Duration.ofSeconds(30)).checked(Limits::require);

    /** For the next byte of the API, which is silent for minutes, or for the client to take it. */
    public static final Setting<Duration> IDLE =
            GROUP.inCode(Duration.ofMinutes(10)).checked(Limits::require);

    /** For the head of a request. */
    public static final Setting<Duration> HEAD = GROUP.inCode(Duration.ofSeconds(10));

    /** For its body. */
    public static final Setting<Duration> REQUEST = GROUP.inCode(Duration.ofMinutes(1));

    /** For a client to close its side of an answered connection. */
    public static final Setting<Duration> LINGER = GROUP.inCode(Duration.ofSeconds(2));

    /** For the end of an answer whose client has gone: it is read on, to be counted. */
    public static final Setting<Duration> DRAIN = GROUP.inCode(Duration.ofSeconds(30));

    /** For a place among the requests that are open. */
    public static final Setting<Duration> QUEUE = GROUP.inCode(Duration.ofMinutes(2));

    /** The largest request; the API takes 32 MB. */
    public static final Setting<Long> BODY_BYTES = GROUP.inCode(32 * MIB);

    /** All requests that are held at once. */
    public static final Setting<Long> ALL_BODY_BYTES = GROUP.inCode(48 * MIB);

    /** How many connections there may be on one way in. */
    public static final Setting<Integer> CONNECTIONS = GROUP.inCode(32);

    /** How many requests are forwarded at once. */
    public static final Setting<Integer> OPEN = GROUP.inCode(4);

    /** The limits that fit the real API. */
    public static final Limits USUAL = new Limits(GROUP.none());

    private final SettingValues values;

    private Limits(SettingValues values) {
        this.values = values;
    }

    private static void require(Duration limit) {
        if (limit.isZero() || limit.isNegative() || limit.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException("a limit must be more than zero and at most a day, is " + limit);
        }
    }

    /**
     * Changes one limit.
     *
     * @throws IllegalArgumentException when the limit refuses the value
     */
    public <T> Limits with(Setting<T> limit, T value) {
        return new Limits(values.with(limit, value));
    }

    <T> T get(Setting<T> limit) {
        return values.get(limit);
    }
}
