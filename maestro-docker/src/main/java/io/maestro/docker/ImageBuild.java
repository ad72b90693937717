package io.maestro.docker;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Describes how an image is built from files of a directory. Immutable.
 *
 * <p>Neither the host's environment nor secrets reach a build; what is passed as an argument can be read in the image's
 * history. Images that a Dockerfile starts {@code FROM} and the engine does not have are fetched by the engine itself, with
 * the registries and the credentials that its user has set up. BuildKit and the classic builder leave nothing of a build that is
 * ended at its time limit; podman leaves the container that it worked in, which {@code podman ps --external} shows.
 */
public final class ImageBuild {
    /** The time limit when none is set: 10 minutes. */
    public static final Duration DEFAULT_TIME_LIMIT = Duration.ofMinutes(10);

    private final Path root;
    private final Path context;
    private final Path dockerfile;
    private final @Nullable String tag;
    private final @Nullable String target;
    private final Map<String, String> labels;
    private final Map<String, String> arguments;
    private final boolean network;
    private final Duration timeLimit;

    private ImageBuild(Builder builder) {
        this.root = builder.root;
        this.context = builder.context;
        this.dockerfile = builder.dockerfile == null ? context.resolve("Dockerfile") : builder.dockerfile;
        this.tag = builder.tag;
        this.target = builder.target;
        this.labels = Map.copyOf(builder.labels);
        this.arguments = Map.copyOf(builder.arguments);
        this.network = builder.network;
        this.timeLimit = builder.timeLimit;
    }

    /**
     * Starts to describe a build of the file {@code Dockerfile} in a directory, with all of the directory as its context.
     *
     * @param root nothing outside this directory is read, not by symbolic links either
     * @return a builder
     */
    public static Builder builder(Path root) {
        return new Builder(root);
    }

    /**
     * The directory that nothing outside is read of.
     *
     * @return an absolute path
     */
    public Path root() {
        return root;
    }

    /**
     * The directory whose files the build can use.
     *
     * @return an absolute path
     */
    public Path context() {
        return context;
    }

    /**
     * The Dockerfile.
     *
     * @return an absolute path
     */
    public Path dockerfile() {
        return dockerfile;
    }

    /**
     * The name that the image gets.
     *
     * @return empty for none
     */
    public Optional<String> tag() {
        return Optional.ofNullable(tag);
    }

    /**
     * The stage of the Dockerfile at which the build ends.
     *
     * @return empty for the last one
     */
    public Optional<String> target() {
        return Optional.ofNullable(target);
    }

    /**
     * Labels beside those that say who built it.
     *
     * @return an unmodifiable map
     */
    public Map<String, String> labels() {
        return labels;
    }

    /**
     * Values for the {@code ARG}s of the Dockerfile.
     *
     * @return an unmodifiable map
     */
    public Map<String, String> arguments() {
        return arguments;
    }

    /**
     * Whether commands of the build can use the network.
     *
     * @return true for the engine's default network, which is never the host's
     */
    public boolean network() {
        return network;
    }

    /**
     * After how long the build is ended.
     *
     * @return more than zero
     */
    public Duration timeLimit() {
        return timeLimit;
    }

    /** Collects the parts of an {@link ImageBuild}. Not safe for use by several threads. */
    public static final class Builder {
        private final Path root;
        private Path context;
        private @Nullable Path dockerfile;
        private @Nullable String tag;
        private @Nullable String target;
        private final Map<String, String> labels = new LinkedHashMap<>();
        private final Map<String, String> arguments = new LinkedHashMap<>();
        private boolean network = true;
        private Duration timeLimit = DEFAULT_TIME_LIMIT;

        private Builder(Path root) {
            this.root = root.toAbsolutePath().normalize();
            this.context = this.root;
        }

        /**
         * Sets the directory whose files the build can use.
         *
         * @param directory below the root; relative paths start there
         * @return this
         */
        public Builder context(Path directory) {
            this.context = root.resolve(directory).normalize();
            return this;
        }

        /**
         * Sets the Dockerfile.
         *
         * @param file below the root; relative paths start there
         * @return this
         */
        public Builder dockerfile(Path file) {
            this.dockerfile = root.resolve(file).normalize();
            return this;
        }

        /**
         * Sets the name that the image gets when it is built. A name that somebody else's image has is refused.
         *
         * @param name a name with an optional tag
         * @return this
         * @throws IllegalArgumentException when it is none
         */
        public Builder tag(String name) {
            if (!name.matches("[a-z0-9][a-z0-9._/-]{0,200}(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?")) {
                throw new IllegalArgumentException("not a name for an image: '" + name
                        + "'; it has lower-case letters, digits and ._/- with an optional :tag");
            }
            this.tag = name;
            return this;
        }

        /**
         * Sets the stage of the Dockerfile at which the build ends; by default the last one.
         *
         * @param stage its name or number
         * @return this
         * @throws IllegalArgumentException when it is neither
         */
        public Builder target(String stage) {
            if (!stage.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,127}")) {
                throw new IllegalArgumentException("not a stage of a Dockerfile: '" + stage + "'");
            }
            this.target = stage;
            return this;
        }

        /**
         * Adds a label.
         *
         * @param name lower-case letters, digits and {@code ._/-}
         * @param value its value, without control characters
         * @return this
         */
        public Builder label(String name, String value) {
            ContainerSpec.requireLabel(name, value);
            labels.put(name, value);
            return this;
        }

        /**
         * Sets a value for an {@code ARG} of the Dockerfile; no secrets, the image's history shows it.
         *
         * @param name letters, digits and underscores; not one of the builder's own ({@code BUILDKIT_…}, {@code DOCKER_…})
         * @param value its value, without control characters
         * @return this
         */
        public Builder argument(String name, String value) {
            if (!name.matches("[A-Za-z_][A-Za-z0-9_]{0,127}")
                    || name.startsWith("BUILDKIT_")
                    || name.startsWith("DOCKER_")) {
                throw new IllegalArgumentException("not the name of a build argument: '" + name
                        + "'; it has letters, digits and underscores, and does not steer the builder");
            }
            if (value.chars().anyMatch(Character::isISOControl)) {
                throw new IllegalArgumentException("the build argument " + name + " holds a control character");
            }
            arguments.put(name, value);
            return this;
        }

        /**
         * Sets whether commands of the build can use the network; by default they can.
         *
         * @param on false for none
         * @return this
         */
        public Builder network(boolean on) {
            this.network = on;
            return this;
        }

        /**
         * Sets after how long the build is ended.
         *
         * @param limit more than zero; by default {@link #DEFAULT_TIME_LIMIT}
         * @return this
         * @throws IllegalArgumentException when it is not more than zero
         */
        public Builder timeLimit(Duration limit) {
            if (limit.isZero() || limit.isNegative()) {
                throw new IllegalArgumentException("the time limit must be more than zero, is " + limit);
            }
            this.timeLimit = limit;
            return this;
        }

        /**
         * Makes the description.
         *
         * @return the description; whether its files are there is seen when it is built
         */
        public ImageBuild build() {
            return new ImageBuild(this);
        }
    }
}
