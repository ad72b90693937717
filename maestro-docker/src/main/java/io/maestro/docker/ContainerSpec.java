package io.maestro.docker;

import io.maestro.docker.internal.Image;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Describes a container completely: whatever container Maestro makes, it is made from one of these, so that none lacks a limit
 * or a mount that another has. Immutable.
 *
 * <p>Always so: an init process as pid 1, no new privileges, all capabilities dropped, never privileged, never the host's
 * network, pid or ipc namespace, never the engine's socket.
 */
public final class ContainerSpec {
    /**
     * Ends at once on TERM, and runs no program but the shell: one that a command puts on the path would be a child of this
     * process, which nobody ends. So it waits for a part of itself that has stopped.
     */
    static final List<String> KEEP_ALIVE = List.of(
            Image.SHELL,
            "-c",
            "trap 'exit 0' TERM INT; while :; do ( read -r p x </proc/self/stat; while :; do kill -STOP $p; done ) & wait $!;"
                    + " done");

    // No option, no blank; a digest or an id may be meant.
    private static final Pattern IMAGE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:/@-]{0,511}");
    private static final Pattern LABEL = Pattern.compile("[a-z0-9][a-z0-9._/-]{0,127}");
    private static final Pattern NETWORK = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,127}");
    private static final Pattern USER = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]*(:[A-Za-z0-9_][A-Za-z0-9_.-]*)?");

    private final String image;
    private final String role;
    private final Map<String, String> labels;
    private final List<Mount> mounts;
    private final Map<String, String> tmpfs;
    private final ContainerLimits limits;
    private final String network;
    private final Map<String, String> environment;
    private final @Nullable String user;
    private final String workingDirectory;
    private final boolean readOnlyRoot;
    private final List<String> addedHosts;
    private final List<Integer> ports;
    private final List<String> command;

    private ContainerSpec(Builder builder) {
        this.image = builder.image;
        this.role = builder.role;
        this.labels = Map.copyOf(builder.labels);
        this.mounts = List.copyOf(builder.mounts);
        this.tmpfs = Map.copyOf(builder.tmpfs);
        this.limits = builder.limits;
        this.network = builder.network;
        this.environment = Map.copyOf(builder.environment);
        this.user = builder.user;
        this.workingDirectory = builder.workingDirectory;
        this.readOnlyRoot = builder.readOnlyRoot;
        this.addedHosts = List.copyOf(builder.addedHosts);
        this.ports = List.copyOf(builder.ports);
        this.command = builder.command;
    }

    /**
     * Starts to describe a container: limits of {@link ContainerLimits#PLANNING}, no network, no mounts, the image's own
     * user, a command that keeps it alive.
     *
     * @param image a name, an id or a digest
     * @param role what it is for, for example {@code coding}; a part of its name and a label
     * @return a builder
     * @throws IllegalArgumentException when the image's name is none; one that looks like an option is none
     */
    public static Builder builder(String image, String role) {
        return new Builder(image, role);
    }

    /**
     * Whether a text can name an image.
     *
     * @param text for example {@code maestro-bootstrap:latest} or {@code sha256:…}
     * @return false for what an engine could take for something else, such as an option
     */
    public static boolean isImageName(String text) {
        return IMAGE.matcher(text).matches();
    }

    static void requireLabel(String name, String value) {
        if (!LABEL.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "the name of a label has lower-case letters, digits and ._/- and is '" + name + "'");
        }
        if (value.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("the label " + name + " holds a control character");
        }
    }

    /**
     * The image.
     *
     * @return a name, an id or a digest
     */
    public String image() {
        return image;
    }

    /**
     * What the container is for.
     *
     * @return for example {@code coding}
     */
    public String role() {
        return role;
    }

    /**
     * Labels beside those that say whose it is.
     *
     * @return an unmodifiable map
     */
    public Map<String, String> labels() {
        return labels;
    }

    /**
     * What is mounted.
     *
     * @return an unmodifiable list
     */
    public List<Mount> mounts() {
        return mounts;
    }

    /**
     * File systems in memory.
     *
     * @return an unmodifiable map, options by the path in the container
     */
    public Map<String, String> tmpfs() {
        return tmpfs;
    }

    /**
     * How much of the machine it may take.
     *
     * @return the limits
     */
    public ContainerLimits limits() {
        return limits;
    }

    /**
     * The network.
     *
     * @return {@code none}, {@code bridge} or a network's name
     */
    public String network() {
        return network;
    }

    /**
     * Variables of all its processes, given by file. Whoever may ask the engine sees them: no secrets belong here; they are
     * given to the executor instead.
     *
     * @return an unmodifiable map
     */
    public Map<String, String> environment() {
        return environment;
    }

    /**
     * As whom it runs.
     *
     * @return a user or {@code user:group}; empty for the image's own
     */
    public Optional<String> user() {
        return Optional.ofNullable(user);
    }

    /**
     * Where its processes start.
     *
     * @return an absolute path in the container
     */
    public String workingDirectory() {
        return workingDirectory;
    }

    /**
     * Whether nothing but mounts and file systems in memory can be written.
     *
     * @return true when the root is read-only
     */
    public boolean readOnlyRoot() {
        return readOnlyRoot;
    }

    /**
     * Names that it resolves beside those of its network.
     *
     * @return an unmodifiable list of {@code name:address}; the address may be {@code host-gateway}
     */
    public List<String> addedHosts() {
        return addedHosts;
    }

    /**
     * Ports that are published on the loopback address of the engine's machine, each on a port that the engine chooses.
     *
     * @return an unmodifiable list; they need a network
     */
    public List<Integer> ports() {
        return ports;
    }

    /**
     * What it runs.
     *
     * @return a program and its arguments; the image's entry point is not used
     */
    public List<String> command() {
        return command;
    }

    /**
     * The same with changes.
     *
     * @return a builder that has all of this
     */
    public Builder toBuilder() {
        Builder builder = new Builder(image, role);
        builder.labels.putAll(labels);
        builder.mounts.addAll(mounts);
        builder.tmpfs.putAll(tmpfs);
        builder.limits = limits;
        builder.network = network;
        builder.environment.putAll(environment);
        builder.user = user;
        builder.workingDirectory = workingDirectory;
        builder.readOnlyRoot = readOnlyRoot;
        builder.addedHosts.addAll(addedHosts);
        builder.ports.addAll(ports);
        builder.command = command;
        return builder;
    }

    /** Image and role; environment and mounts are nobody's business in a log. */
    @Override
    public String toString() {
        return "ContainerSpec[" + role + " on " + image + "]";
    }

    /** Collects the parts of a {@link ContainerSpec}. Not safe for use by several threads. */
    public static final class Builder {
        private String image;
        private String role;
        private final Map<String, String> labels = new LinkedHashMap<>();
        private final List<Mount> mounts = new ArrayList<>();
        private final Map<String, String> tmpfs = new LinkedHashMap<>();
        private ContainerLimits limits = ContainerLimits.PLANNING;
        private String network = "none";
        private final Map<String, String> environment = new LinkedHashMap<>();
        private @Nullable String user;
        private String workingDirectory = "/";
        private boolean readOnlyRoot;
        private final List<String> addedHosts = new ArrayList<>();
        private final List<Integer> ports = new ArrayList<>();
        private List<String> command = KEEP_ALIVE;

        private Builder(String image, String role) {
            this.image = checkedImage(image);
            this.role = checkedRole(role);
        }

        private static String checkedImage(String text) {
            if (!isImageName(text)) {
                throw new IllegalArgumentException(
                        "'" + text + "' is no image: a name with an optional tag, a digest or an id is one");
            }
            return text;
        }

        private static String checkedRole(String text) {
            if (!text.matches("[a-z][a-z0-9-]{0,30}")) {
                throw new IllegalArgumentException(
                        "a role has lower-case letters, digits and dashes, is '" + text + "'");
            }
            return text;
        }

        /**
         * Sets another image.
         *
         * @param name a name, an id or a digest
         * @return this
         * @throws IllegalArgumentException when it is none
         */
        public Builder image(String name) {
            this.image = checkedImage(name);
            return this;
        }

        /**
         * Sets what it is for.
         *
         * @param name begins with a lower-case letter, has these, digits and dashes, and at most 31 characters
         * @return this
         * @throws IllegalArgumentException when it has others
         */
        public Builder role(String name) {
            this.role = checkedRole(name);
            return this;
        }

        /**
         * Adds a label.
         *
         * @param name lower-case letters, digits and {@code ._/-}
         * @param value its value, without control characters
         * @return this
         * @throws IllegalArgumentException when one of them holds something else
         */
        public Builder label(String name, String value) {
            requireLabel(name, value);
            labels.put(name, value);
            return this;
        }

        /**
         * Adds a mount.
         *
         * @param mount what and where
         * @return this
         */
        public Builder mount(Mount mount) {
            mounts.add(mount);
            return this;
        }

        /**
         * Adds a file system in memory.
         *
         * @param target an absolute path in the container
         * @param options for example {@code exec,nosuid,nodev,size=512m}; may be empty
         * @return this
         * @throws IllegalArgumentException when the path is not absolute, or one of them holds what belongs to neither
         */
        public Builder tmpfs(String target, String options) {
            if (!target.matches("/[A-Za-z0-9_./-]*") || !options.matches("[A-Za-z0-9_=,]*")) {
                throw new IllegalArgumentException("not a tmpfs: '" + target + ":" + options + "'");
            }
            tmpfs.put(target, options);
            return this;
        }

        /**
         * Sets how much of the machine it may take.
         *
         * @param bounds the limits; by default {@link ContainerLimits#PLANNING}
         * @return this
         */
        public Builder limits(ContainerLimits bounds) {
            this.limits = bounds;
            return this;
        }

        /**
         * Sets the network.
         *
         * @param name {@code none}, {@code bridge} or the name of a network; not {@code host}, nor another container's; by
         *     default {@code none}
         * @return this
         * @throws IllegalArgumentException when it is another
         */
        public Builder network(String name) {
            if (!NETWORK.matcher(name).matches() || name.equals("host")) {
                throw new IllegalArgumentException(
                        "a container's network is none, bridge or the name of one, and never the host's; it is '" + name
                                + "'");
            }
            this.network = name;
            return this;
        }

        /**
         * Adds a variable of all its processes, for what is no secret.
         *
         * @param name letters, digits and underscores
         * @param value its value, without line breaks, which engines cannot take; at most 16,000 characters
         * @return this
         * @throws IllegalArgumentException when a container cannot be given it
         */
        public Builder environment(String name, String value) {
            if (!name.matches("[A-Za-z_][A-Za-z0-9_]*")) {
                throw new IllegalArgumentException("not the name of an environment variable: '" + name + "'");
            }
            if (value.chars().anyMatch(c -> c == '\n' || c == '\r' || c == 0)) {
                throw new IllegalArgumentException(
                        "the environment variable " + name + " holds a line break or NUL, which no container can be"
                                + " given; give it to the executor instead");
            }
            if (value.length() > 16_000) {
                throw new IllegalArgumentException("the environment variable " + name + " is longer than the 16000"
                        + " characters that every engine's client reads; give it to the executor instead");
            }
            environment.put(name, value);
            return this;
        }

        /**
         * Sets as whom it runs.
         *
         * @param name a user or {@code user:group}, by name or number; by default the image's own
         * @return this
         * @throws IllegalArgumentException when it is none
         */
        public Builder user(String name) {
            if (!USER.matcher(name).matches()) {
                throw new IllegalArgumentException("not a user or user:group: '" + name + "'");
            }
            this.user = name;
            return this;
        }

        /**
         * Sets where its processes start; its executors run commands there too.
         *
         * @param path absolute, in the container; by default {@code /}
         * @return this
         * @throws IllegalArgumentException when it is not absolute or holds a control character
         */
        public Builder workingDirectory(String path) {
            if (!path.startsWith("/") || path.chars().anyMatch(Character::isISOControl)) {
                throw new IllegalArgumentException("a working directory in a container is absolute, is '" + path + "'");
            }
            this.workingDirectory = path;
            return this;
        }

        /**
         * Sets whether its root can only be read.
         *
         * @param only true for a read-only root; by default false
         * @return this
         */
        public Builder readOnlyRoot(boolean only) {
            this.readOnlyRoot = only;
            return this;
        }

        /**
         * Adds a name that it resolves.
         *
         * @param name a host's name
         * @param address an IP address, or {@code host-gateway} for the engine's machine
         * @return this
         * @throws IllegalArgumentException when one of them is none
         */
        public Builder addHost(String name, String address) {
            if (!name.matches("[A-Za-z0-9][A-Za-z0-9.-]*") || !address.matches("host-gateway|[0-9A-Fa-f.:]+")) {
                throw new IllegalArgumentException("not a host and its address: '" + name + ":" + address + "'");
            }
            addedHosts.add(name + ":" + address);
            return this;
        }

        /**
         * Publishes a port on 127.0.0.1 of the engine's machine, where the engine chooses a free one. It needs a network.
         *
         * @param port in the container, from 1 to 65535
         * @return this
         * @throws IllegalArgumentException when it is none
         */
        public Builder publish(int port) {
            if (port < 1 || port > 65_535) {
                throw new IllegalArgumentException("a port is from 1 to 65535, is " + port);
            }
            ports.add(port);
            return this;
        }

        /**
         * Sets what it runs, in the place of what keeps it alive.
         *
         * @param words a program and its arguments; at least one
         * @return this
         * @throws IllegalArgumentException when no program is named
         */
        public Builder command(List<String> words) {
            if (words.isEmpty() || words.get(0).isEmpty()) {
                throw new IllegalArgumentException("a container's command must name a program, is " + words);
            }
            this.command = List.copyOf(words);
            return this;
        }

        /**
         * Makes the description.
         *
         * @return the description
         */
        public ContainerSpec build() {
            return new ContainerSpec(this);
        }
    }
}
