package io.maestro.docker;

import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A container engine and the client program that reaches it. Immutable; equal when all settings are.
 *
 * <p>Without a context and a URL the client's own settings count: {@code DOCKER_HOST}, {@code DOCKER_CONTEXT} and the current
 * context of docker, {@code CONTAINER_HOST} and the default connection of podman.
 */
public final class DockerHost {
    // Neither an option nor a path, whatever the client makes of it.
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.+-]{0,127}");
    private static final Pattern URL = Pattern.compile("(unix|tcp|ssh|npipe)://[^\\s\\p{Cntrl}]{1,1000}");

    private final String name;
    private final String program;
    private final @Nullable String context;
    private final @Nullable String url;
    private final @Nullable Path tlsDirectory;

    private DockerHost(Builder builder) {
        this.program = builder.program;
        this.context = builder.context;
        this.url = builder.url;
        this.tlsDirectory = builder.tlsDirectory;
        String own = context != null ? context : url != null ? url : program;
        this.name = builder.name == null ? own : builder.name;
    }

    /**
     * The engine that the program {@code docker} reaches by itself.
     *
     * @return the host
     */
    public static DockerHost local() {
        return builder().build();
    }

    /**
     * Starts to describe a host.
     *
     * @return a builder of {@link #local()}
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * What the host is called in messages and settings.
     *
     * @return the name that was set; else its context, URL or program
     */
    public String name() {
        return name;
    }

    /**
     * The client program.
     *
     * @return {@code docker}, {@code podman}, or a path of one of them
     */
    public String program() {
        return program;
    }

    /**
     * Whether the client is podman.
     *
     * @return true when the program's name begins with {@code podman}
     */
    public boolean isPodman() {
        return program.substring(program.lastIndexOf('/') + 1).startsWith("podman");
    }

    /**
     * The context of docker, or the connection of podman.
     *
     * @return empty for the current one
     */
    public Optional<String> context() {
        return Optional.ofNullable(context);
    }

    /**
     * Where the engine listens.
     *
     * @return empty where the context says it
     */
    public Optional<String> url() {
        return Optional.ofNullable(url);
    }

    /**
     * Where {@code ca.pem}, {@code cert.pem} and {@code key.pem} are.
     *
     * @return empty when no TLS is used, or the context knows its own
     */
    public Optional<Path> tlsDirectory() {
        return Optional.ofNullable(tlsDirectory);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof DockerHost host
                && name.equals(host.name)
                && program.equals(host.program)
                && Objects.equals(context, host.context)
                && Objects.equals(url, host.url)
                && Objects.equals(tlsDirectory, host.tlsDirectory);
    }

    @Override
    public int hashCode() {
        return Objects.hash(name, program, context, url, tlsDirectory);
    }

    @Override
    public String toString() {
        return "DockerHost[" + name + "]";
    }

    /** Collects the settings of a {@link DockerHost}. Not safe for use by several threads. */
    public static final class Builder {
        private @Nullable String name;
        private String program = "docker";
        private @Nullable String context;
        private @Nullable String url;
        private @Nullable Path tlsDirectory;

        private Builder() {}

        /**
         * Sets what the host is called.
         *
         * @param label begins with a letter or digit, has these and {@code _.+-}, and at most 128 characters
         * @return this
         * @throws IllegalArgumentException when it has others
         */
        public Builder name(String label) {
            this.name = checked(label, "name of a host");
            return this;
        }

        /**
         * Sets the client program.
         *
         * @param client {@code docker}, {@code podman}, or an absolute path of one of them; the default is {@code docker}
         * @return this
         * @throws IllegalArgumentException when it is a relative path or holds what no program's name does
         */
        public Builder program(String client) {
            String base = client.substring(client.lastIndexOf('/') + 1);
            if (!NAME.matcher(base).matches() || (client.contains("/") && !client.startsWith("/"))) {
                throw new IllegalArgumentException(
                        "the client must be a program's name or an absolute path, is '" + client + "'");
            }
            this.program = client;
            return this;
        }

        /**
         * Sets the context of docker, or the connection of podman.
         *
         * @param contextName as {@code docker context ls} shows it
         * @return this
         * @throws IllegalArgumentException when it is no name
         */
        public Builder context(String contextName) {
            this.context = checked(contextName, "name of a context");
            return this;
        }

        /**
         * Sets where the engine listens, as {@code DOCKER_HOST} does.
         *
         * @param address {@code unix://…}, {@code tcp://…}, {@code ssh://…} or {@code npipe://…}
         * @return this
         * @throws IllegalArgumentException when it is none of these
         */
        public Builder url(String address) {
            if (!URL.matcher(address).matches()) {
                throw new IllegalArgumentException(
                        "an engine's address must begin with unix://, tcp://, ssh:// or npipe://, is '" + address
                                + "'");
            }
            this.url = address;
            return this;
        }

        /**
         * Sets where the keys for TLS are; the engine's certificate is verified by them.
         *
         * @param directory has {@code ca.pem}, {@code cert.pem} and {@code key.pem}
         * @return this
         */
        public Builder tlsDirectory(Path directory) {
            this.tlsDirectory = directory.toAbsolutePath().normalize();
            return this;
        }

        private static String checked(String text, String what) {
            if (!NAME.matcher(text).matches()) {
                throw new IllegalArgumentException("not a " + what + ": '" + text + "'");
            }
            return text;
        }

        /**
         * Makes the host.
         *
         * @return the host
         * @throws IllegalStateException when both a context and a URL are set, or TLS without a URL
         */
        public DockerHost build() {
            if (context != null && url != null) {
                throw new IllegalStateException("set a context or a URL, not both: " + context + ", " + url);
            }
            if (tlsDirectory != null && url == null) {
                throw new IllegalStateException("keys for TLS in " + tlsDirectory + " need a URL to go with");
            }
            return new DockerHost(this);
        }
    }
}
