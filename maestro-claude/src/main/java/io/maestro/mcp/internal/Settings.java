package io.maestro.mcp.internal;

import io.maestro.config.internal.Setting;
import io.maestro.config.internal.SettingGroup;
import io.maestro.config.internal.SettingValues;
import io.maestro.mcp.McpServer;
import io.maestro.mcp.McpTools;
import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;

/** The settings of a server, and what it offers. Immutable. */
public final class Settings {
    private static final int LARGEST_MESSAGE = 16 * 1024 * 1024;
    private static final SettingGroup GROUP = new SettingGroup();

    /** The server's own name, told to clients. */
    public static final Setting<String> NAME = GROUP.inCode("maestro").checked(notBlank("name"));

    /** The server's own version, told to clients. */
    public static final Setting<String> VERSION = GROUP.inCode("1").checked(notBlank("version"));

    /** The text that clients tell their model; empty for none. */
    public static final Setting<String> INSTRUCTIONS = GROUP.inCode("");

    /** How long a message of a client may be. */
    public static final Setting<Integer> MAX_MESSAGE_BYTES = GROUP.inCode(McpServer.Builder.DEFAULT_MAX_MESSAGE_BYTES)
            .checked(between("maxMessageBytes", 1024, LARGEST_MESSAGE));

    /** How often a client hears that its call still runs. */
    public static final Setting<Duration> PROGRESS_INTERVAL =
            GROUP.inCode(Duration.ofSeconds(20)).checked(positive("progressInterval"));

    /** How long a client may take to show its token, and an HTTP client to send one request. */
    public static final Setting<Duration> LOGIN_LIMIT =
            GROUP.inCode(Duration.ofSeconds(10)).checked(positive("loginLimit"));

    /** How long an HTTP connection may do nothing. */
    public static final Setting<Duration> IDLE_LIMIT =
            GROUP.inCode(Duration.ofMinutes(5)).checked(positive("idleLimit"));

    /** How many clients may be connected, on each endpoint. */
    public static final Setting<Integer> MAX_CONNECTIONS =
            GROUP.inCode(64).checked(between("maxConnections", 1, Integer.MAX_VALUE));

    /** How many calls may run. */
    public static final Setting<Integer> MAX_CALLS =
            GROUP.inCode(64).checked(between("maxCalls", 1, Integer.MAX_VALUE));

    /** Further names by which HTTP clients may call this machine. */
    public static final Setting<Set<String>> HOSTS =
            GROUP.<Set<String>>inCode(Set.of()).checked(hosts -> hosts.forEach(notBlank("host")));

    private final McpTools tools;
    private final SettingValues values;

    /** The settings where nothing is set. */
    public Settings(McpTools tools) {
        this(tools, GROUP.none());
    }

    private Settings(McpTools tools, SettingValues values) {
        this.tools = tools;
        this.values = values;
    }

    private static Consumer<String> notBlank(String name) {
        return text -> {
            if (text.isBlank()) {
                throw new IllegalArgumentException("the " + name + " of an MCP server must not be blank");
            }
        };
    }

    private static Consumer<Integer> between(String name, int least, int most) {
        return value -> {
            if (value < least || value > most) {
                throw new IllegalArgumentException(name + " must be " + least + " to " + most + ", is " + value);
            }
        };
    }

    private static Consumer<Duration> positive(String name) {
        return value -> {
            if (value.isZero() || value.isNegative()) {
                throw new IllegalArgumentException(name + " must be more than zero, is " + value);
            }
        };
    }

    /**
     * Changes one setting.
     *
     * @throws IllegalArgumentException when the setting refuses the value
     */
    public <T> Settings with(Setting<T> setting, T value) {
        return new Settings(tools, values.with(setting, value));
    }

    /** The value, or the default. */
    public <T> T get(Setting<T> setting) {
        return values.get(setting);
    }

    McpTools tools() {
        return tools;
    }
}
