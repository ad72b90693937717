package io.maestro.exec;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A command to run. Immutable; made by {@link #command(String...)} or {@link #shell(String)} and {@link Builder}.
 *
 * <p>Defaults: the executor's own working directory, no extra environment, empty standard input, a time limit of 60
 * seconds, and 1 MiB of kept output per stream.
 */
public final class ExecRequest {
    /** The time limit when none is set. */
    public static final Duration DEFAULT_TIME_LIMIT = Duration.ofSeconds(60);

    /** How many bytes of each stream are kept when nothing is set: 1 MiB. */
    public static final int DEFAULT_OUTPUT_LIMIT = 1 << 20;

    private static final Pattern USER = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]*(:[A-Za-z0-9_][A-Za-z0-9_.-]*)?");

    private final List<String> command;
    private final @Nullable String workingDirectory;
    private final Map<String, String> environment;
    private final @Nullable String user;
    private final byte[] stdin;
    private final Duration timeLimit;
    private final int outputLimit;

    private ExecRequest(Builder builder) {
        this.command = builder.command;
        this.workingDirectory = builder.workingDirectory;
        this.environment = Map.copyOf(builder.environment);
        this.user = builder.user;
        this.stdin = builder.stdin;
        this.timeLimit = builder.timeLimit;
        this.outputLimit = builder.outputLimit;
    }

    /**
     * A program and its arguments, passed as they are: no shell looks at them.
     *
     * @param command the program and its arguments; at least one element
     * @return a builder
     */
    public static Builder command(String... command) {
        return command(List.of(command));
    }

    /**
     * A program and its arguments, passed as they are: no shell looks at them.
     *
     * @param command the program and its arguments; at least one element
     * @return a builder
     */
    public static Builder command(List<String> command) {
        if (command.isEmpty() || command.get(0).isBlank()) {
            throw new IllegalArgumentException("command must name a program, is " + command);
        }
        return new Builder(List.copyOf(command));
    }

    /**
     * A line for the POSIX shell ({@code sh -c}).
     *
     * @param line the line; not blank
     * @return a builder
     */
    public static Builder shell(String line) {
        if (line.isBlank()) {
            throw new IllegalArgumentException("the shell line must not be blank");
        }
        return new Builder(List.of("sh", "-c", line));
    }

    /**
     * The program and its arguments.
     *
     * @return at least one element
     */
    public List<String> command() {
        return command;
    }

    /**
     * Where to run it, in the executor's notation; relative paths start from {@link Executor#workingDirectory()}.
     *
     * @return empty for the executor's own directory
     */
    public Optional<String> workingDirectory() {
        return Optional.ofNullable(workingDirectory);
    }

    /**
     * Variables added to those that the executor passes by itself.
     *
     * @return an unmodifiable map
     */
    public Map<String, String> environment() {
        return environment;
    }

    /**
     * As whom to run it, in the executor's notation, for example {@code 1000:1000} or {@code node} in a container.
     *
     * @return empty for the executor's own user
     */
    public Optional<String> user() {
        return Optional.ofNullable(user);
    }

    /**
     * The bytes that the command reads on standard input before the end of file.
     *
     * @return a copy; empty when there is nothing to read
     */
    public byte[] stdin() {
        return stdin.clone();
    }

    /**
     * After how long the process tree is killed.
     *
     * @return more than zero
     */
    public Duration timeLimit() {
        return timeLimit;
    }

    /**
     * How many bytes of each stream are kept, half from its beginning and half from its end.
     *
     * @return more than zero
     */
    public int outputLimit() {
        return outputLimit;
    }

    /**
     * Starts a request that differs from this one.
     *
     * @return a builder with all that is set here
     */
    public Builder toBuilder() {
        Builder builder = new Builder(command);
        builder.workingDirectory = workingDirectory;
        builder.environment.putAll(environment);
        builder.user = user;
        builder.stdin = stdin;
        builder.timeLimit = timeLimit;
        builder.outputLimit = outputLimit;
        return builder;
    }

    /** The command line without environment and input, which may hold secrets. */
    @Override
    public String toString() {
        return String.join(" ", command);
    }

    /** Collects the settings of an {@link ExecRequest}. Not safe for use by several threads. */
    public static final class Builder {
        private final List<String> command;
        private @Nullable String workingDirectory;
        private final Map<String, String> environment = new LinkedHashMap<>();
        private @Nullable String user;
        private byte[] stdin = new byte[0];
        private Duration timeLimit = DEFAULT_TIME_LIMIT;
        private int outputLimit = DEFAULT_OUTPUT_LIMIT;

        private Builder(List<String> command) {
            this.command = command;
        }

        /**
         * Sets where to run.
         *
         * @param directory a path in the executor's notation
         * @return this
         */
        public Builder workingDirectory(String directory) {
            this.workingDirectory = Objects.requireNonNull(directory, "directory");
            return this;
        }

        /**
         * Adds a variable.
         *
         * @param name its name; not blank, no {@code =}
         * @param value its value
         * @return this
         */
        public Builder environment(String name, String value) {
            if (name.isBlank() || name.indexOf('=') >= 0) {
                throw new IllegalArgumentException("not a name of an environment variable: '" + name + "'");
            }
            environment.put(name, Objects.requireNonNull(value, "value"));
            return this;
        }

        /**
         * Sets as whom to run it. An executor that cannot do that refuses the request.
         *
         * @param name a user or {@code user:group}, by name or number
         * @return this
         */
        public Builder user(String name) {
            if (!USER.matcher(name).matches()) {
                throw new IllegalArgumentException("not a user or user:group: '" + name + "'");
            }
            this.user = name;
            return this;
        }

        /**
         * Sets what the command reads on standard input.
         *
         * @param bytes the bytes; copied
         * @return this
         */
        public Builder stdin(byte[] bytes) {
            this.stdin = bytes.clone();
            return this;
        }

        /**
         * Sets after how long the process tree is killed.
         *
         * @param limit more than zero
         * @return this
         */
        public Builder timeLimit(Duration limit) {
            if (limit.isZero() || limit.isNegative()) {
                throw new IllegalArgumentException("the time limit must be more than zero, is " + limit);
            }
            this.timeLimit = limit;
            return this;
        }

        /**
         * Sets how many bytes of each stream are kept.
         *
         * @param bytes more than zero
         * @return this
         */
        public Builder outputLimit(int bytes) {
            if (bytes <= 0) {
                throw new IllegalArgumentException("the output limit must be more than zero bytes, is " + bytes);
            }
            this.outputLimit = bytes;
            return this;
        }

        /**
         * Makes the request.
         *
         * @return the request
         */
        public ExecRequest build() {
            return new ExecRequest(this);
        }
    }
}
