package io.maestro.mcpclient;

import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolDefinition;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An MCP server whose tools agents may call: a program of this machine that is talked with over its standard input and output, or
 * a Streamable HTTP endpoint. Its tools get the name of the source as a prefix: {@code read_file} of {@code files} is {@code
 * files_read_file}. Immutable.
 *
 * <p>A program runs as the user of the host and <strong>in no sandbox</strong>, whatever the agents run in, and all agents of a
 * Maestro share it. What it answers is given to models as data of a third party.
 */
public final class McpSource {
    /** How long a server may take to start and to list its tools, unless set. */
    public static final Duration DEFAULT_START_LIMIT = Duration.ofSeconds(30);

    /** No underscore: the first one of a tool's name ends the source's. */
    private static final Pattern NAME = Pattern.compile("[a-zA-Z][a-zA-Z0-9-]{0,30}");

    /** A name and a value as HTTP has them, without what would begin another header. */
    private static final Pattern HEADER = Pattern.compile("[a-zA-Z0-9-]{1,100}");

    private final Builder set;

    private McpSource(Builder builder) {
        this.set = builder;
    }

    /**
     * Starts to describe a program.
     *
     * @param name letters, digits and dashes, a letter first, at most 31
     * @param command the program and its arguments; no shell looks at them
     * @return a builder
     */
    public static Builder stdio(String name, String... command) {
        if (command.length == 0 || command[0].isBlank()) {
            throw new IllegalArgumentException("the MCP source '" + name + "' must name a program");
        }
        return new Builder(name, List.of(command), null);
    }

    /**
     * Starts to describe an endpoint.
     *
     * @param name letters, digits and dashes, a letter first, at most 31
     * @param endpoint {@code https://host/path}, or {@code http} where nobody listens in between
     * @return a builder
     */
    public static Builder http(String name, URI endpoint) {
        boolean http = "http".equals(endpoint.getScheme()) || "https".equals(endpoint.getScheme());
        if (!http || endpoint.getHost() == null || endpoint.getUserInfo() != null) {
            throw new IllegalArgumentException(
                    "the endpoint of the MCP source '" + name
                            + "' must be an http or https URL with a host and without a user; credentials belong into a header");
        }
        return new Builder(name, List.of(), endpoint);
    }

    /**
     * The name.
     *
     * @return begins the names of its tools
     */
    public String name() {
        return set.name;
    }

    /**
     * The program.
     *
     * @return it and its arguments; empty for an endpoint
     */
    public List<String> command() {
        return set.command;
    }

    /**
     * The endpoint.
     *
     * @return empty for a program
     */
    public Optional<URI> endpoint() {
        return Optional.ofNullable(set.endpoint);
    }

    /**
     * Which variables of the host the program sees.
     *
     * @return their names
     */
    public Set<String> passedOn() {
        return Collections.unmodifiableSet(set.passedOn);
    }

    /**
     * What is sent with each request. Secret.
     *
     * @return values by the names of headers
     */
    public Map<String, String> headers() {
        return Collections.unmodifiableMap(set.headers);
    }

    /**
     * The allow-list.
     *
     * @return names as the server says them; empty for all
     */
    public Set<String> tools() {
        return Collections.unmodifiableSet(set.tools);
    }

    /**
     * Who is offered the tools.
     *
     * @return not empty
     */
    public Set<ToolAudience> audiences() {
        return Collections.unmodifiableSet(set.audiences);
    }

    /**
     * How long a call may take.
     *
     * @return more than zero
     */
    public Duration timeLimit() {
        return set.timeLimit;
    }

    /**
     * How long the server may take to start and to list its tools.
     *
     * @return more than zero
     */
    public Duration startLimit() {
        return set.startLimit;
    }

    /**
     * Who agrees to changes.
     *
     * @return the host's say
     */
    public McpConsent consent() {
        return set.consent;
    }

    /**
     * Where it is kept what the host has agreed to.
     *
     * @return empty for the default
     */
    public Optional<Path> pins() {
        return Optional.ofNullable(set.pins);
    }

    /** The name; headers are secret. */
    @Override
    public String toString() {
        return "MCP source " + name();
    }

    /** Collects the settings of a {@link McpSource}. Not safe for use by several threads. */
    public static final class Builder {
        private final String name;
        private final List<String> command;
        private final @Nullable URI endpoint;
        private final Set<String> passedOn = new LinkedHashSet<>();
        private final Map<String, String> headers = new LinkedHashMap<>();
        private final Set<String> tools = new LinkedHashSet<>();
        private EnumSet<ToolAudience> audiences = EnumSet.of(ToolAudience.CODER_CODING);
        private Duration timeLimit = ToolDefinition.DEFAULT_TIME_LIMIT;
        private Duration startLimit = DEFAULT_START_LIMIT;
        private McpConsent consent = McpConsent.FIRST_USE;
        private @Nullable Path pins;

        private Builder(String name, List<String> command, @Nullable URI endpoint) {
            if (!NAME.matcher(name).matches()) {
                throw new IllegalArgumentException(
                        "the name of an MCP source is 1 to 31 letters, digits and dashes, a letter" + " first; it is '"
                                + name + "'");
            }
            this.name = name;
            this.command = command;
            this.endpoint = endpoint;
        }

        private Builder(Builder other) {
            this(other.name, other.command, other.endpoint);
            passedOn.addAll(other.passedOn);
            headers.putAll(other.headers);
            tools.addAll(other.tools);
            audiences = EnumSet.copyOf(other.audiences);
            timeLimit = other.timeLimit;
            startLimit = other.startLimit;
            consent = other.consent;
            pins = other.pins;
        }

        /**
         * Lets the program see variables of the host's environment, beside the harmless ones that every command sees ({@code
         * PATH}, {@code HOME} and the like, as in {@link io.maestro.exec.local.LocalExecutor}).
         *
         * @param names the variables' names
         * @return this
         */
        public Builder passEnvironment(String... names) {
            if (endpoint != null) {
                throw new IllegalArgumentException("the MCP source '" + name
                        + "' is no program of this machine: variables cannot be passed on to it");
            }
            passedOn.addAll(List.of(names));
            return this;
        }

        /**
         * Sends a header with each request, such as {@code Authorization}. Its value is a secret of the host's.
         *
         * @param header its name
         * @param value one line
         * @return this
         */
        public Builder header(String header, String value) {
            if (endpoint == null
                    || !HEADER.matcher(header).matches()
                    || value.isBlank()
                    || value.chars().anyMatch(Character::isISOControl)) {
                throw new IllegalArgumentException("the MCP source '" + name + "' cannot send the header '" + header
                        + "': it needs an endpoint, a name of letters, digits and dashes, and a value of one line");
            }
            headers.put(header, value);
            return this;
        }

        /**
         * Offers these tools only. Without it, all are offered that the server has when it is first seen, at most 128.
         *
         * @param names as the server says them, without the prefix
         * @return this
         */
        public Builder tools(String... names) {
            tools.addAll(List.of(names));
            return this;
        }

        /**
         * Sets who is offered the tools.
         *
         * @param first one audience; the coder while coding unless set
         * @param more others
         * @return this
         */
        public Builder offeredTo(ToolAudience first, ToolAudience... more) {
            this.audiences = EnumSet.of(first, more);
            return this;
        }

        /**
         * Sets how long a call may take.
         *
         * @param limit more than zero; 60 seconds unless set
         * @return this
         */
        public Builder timeLimit(Duration limit) {
            this.timeLimit = positive("time", limit);
            return this;
        }

        /**
         * Sets how long the server may take to start and to list its tools.
         *
         * @param limit more than zero; 30 seconds unless set
         * @return this
         */
        public Builder startLimit(Duration limit) {
            this.startLimit = positive("start", limit);
            return this;
        }

        private Duration positive(String what, Duration limit) {
            if (limit.isZero() || limit.isNegative()) {
                throw new IllegalArgumentException(
                        "the " + what + " limit of the MCP source '" + name + "' must be more than zero, is " + limit);
            }
            return limit;
        }

        /**
         * Sets who agrees to new and changed tools.
         *
         * @param say {@link McpConsent#FIRST_USE} unless set
         * @return this
         */
        public Builder consent(McpConsent say) {
            this.consent = Objects.requireNonNull(say, "say");
            return this;
        }

        /**
         * Sets where it is kept what the host has agreed to.
         *
         * @param file made when it is not there; {@code .maestro/mcp-pins.json} in the project directory unless set. An agent
         *     that works alone has no such directory, and forgets it when it is closed
         * @return this
         */
        public Builder pins(Path file) {
            this.pins = Objects.requireNonNull(file, "file");
            return this;
        }

        /**
         * Makes the source.
         *
         * @return the source
         */
        public McpSource build() {
            return new McpSource(new Builder(this));
        }
    }
}
