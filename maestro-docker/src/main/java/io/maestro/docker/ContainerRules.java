package io.maestro.docker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What may be asked for in a {@link ContainerRequest}, and what stands where it says nothing. Immutable.
 */
public final class ContainerRules {
    /** What a container may take unless a host says otherwise: 2 processors, 4 GiB, 1024 processes. */
    public static final ContainerLimits LIMITS = new ContainerLimits(2, 4L << 30, 1024);

    /** How long what is kept is used unless a host says otherwise: 30 days. */
    public static final Duration CACHE_AGE = Duration.ofDays(30);

    /** How much a container may write beside what is mounted unless a host says otherwise: 20 GiB. */
    public static final long DISK_BYTES = 20L << 30;

    /** How much a cache may hold unless a host says otherwise: 10 GiB. */
    public static final long CACHE_BYTES = 10L << 30;

    /** What a container is made from where neither its request nor its purpose names an image. */
    public static final String IMAGE = "ubuntu:24.04";

    /**
     * From where images are fetched that a model, a compose file or a tried repository names, unless a host says otherwise:
     * registries whose images anybody may see, and whose owners nobody can pay to send an engine elsewhere.
     */
    public static final List<String> REGISTRIES = List.of(
            "docker.io",
            "gcr.io",
            "ghcr.io",
            "mcr.microsoft.com",
            "public.ecr.aws",
            "quay.io",
            "registry.gitlab.com",
            "registry.k8s.io");

    private final int maxContainers;
    private final String image;
    private final ContainerLimits limits;
    private final boolean allowRoot;
    private final boolean allowPrivileged;
    private final boolean allowHostNetwork;
    private final boolean allowGpu;
    private final boolean allowPull;
    private final Duration cacheAge;
    private final long cacheBytes;
    private final long diskBytes;
    private final List<String> registries;
    private final List<String> passPatterns;
    private final Map<String, Purpose> purposes;

    private ContainerRules(Builder builder) {
        this.maxContainers = builder.maxContainers;
        this.image = builder.image;
        this.limits = builder.limits;
        this.allowRoot = builder.allowRoot;
        this.allowPrivileged = builder.allowPrivileged;
        this.allowHostNetwork = builder.allowHostNetwork;
        this.allowGpu = builder.allowGpu;
        this.allowPull = builder.allowPull;
        this.cacheAge = builder.cacheAge;
        this.cacheBytes = builder.cacheBytes;
        this.diskBytes = builder.diskBytes;
        this.registries = List.copyOf(builder.registries);
        this.passPatterns = List.copyOf(builder.passPatterns);
        this.purposes = Map.copyOf(builder.purposes);
    }

    /**
     * Starts to describe rules.
     *
     * @return a builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * How long the image of a purpose and its caches are used.
     *
     * @return more than zero
     */
    public Duration cacheAge() {
        return cacheAge;
    }

    /**
     * How much a container may write beside what is mounted.
     *
     * @return bytes, 1048576 or more
     */
    public long diskBytes() {
        return diskBytes;
    }

    /**
     * How much a cache may hold when its next user comes.
     *
     * @return bytes, 1024 or more
     */
    public long cacheBytes() {
        return cacheBytes;
    }

    /**
     * How many containers there may be at a time.
     *
     * @return 1 or more
     */
    public int maxContainers() {
        return maxContainers;
    }

    /**
     * What a container is made from where neither its request nor its purpose names an image.
     *
     * @return a name of an image
     */
    public String image() {
        return image;
    }

    /**
     * What a container may take at most, and takes where nothing else is asked for.
     *
     * @return the limits
     */
    public ContainerLimits limits() {
        return limits;
    }

    /**
     * Whether commands may run as root once a container is made.
     *
     * @return true when they may
     */
    public boolean allowRoot() {
        return allowRoot;
    }

    /**
     * Whether a container may have all rights on its machine.
     *
     * @return true when it may
     */
    public boolean allowPrivileged() {
        return allowPrivileged;
    }

    /**
     * Whether a container may share the network of its machine, or be told the machine's address by {@code host-gateway}.
     *
     * @return true when it may
     */
    public boolean allowHostNetwork() {
        return allowHostNetwork;
    }

    /**
     * Whether a container may be given GPUs.
     *
     * @return true when it may
     */
    public boolean allowGpu() {
        return allowGpu;
    }

    /**
     * Whether an image that is not there is fetched.
     *
     * @return true when it is
     */
    public boolean allowPull() {
        return allowPull;
    }

    /**
     * From where images are fetched that a model, a compose file or a tried repository names.
     *
     * @return names of registries, each with a port or without
     */
    public List<String> registries() {
        return registries;
    }

    /**
     * Which variables of the host are handed over by {@link EnvironmentPassthrough#auto}.
     *
     * @return names with {@code *} for any characters
     */
    public List<String> passPatterns() {
        return passPatterns;
    }

    /**
     * What containers can be made for.
     *
     * @return purposes by their names
     */
    public Map<String, Purpose> purposes() {
        return purposes;
    }

    /**
     * Looks a purpose up.
     *
     * @param name its name
     * @return the purpose
     * @throws IllegalArgumentException when there is none of that name; the message names those that there are
     */
    public Purpose purpose(String name) {
        Purpose purpose = purposes.get(name);
        if (purpose == null) {
            throw new IllegalArgumentException("there is no purpose '" + name + "'; there are "
                    + String.join(", ", purposes.keySet().stream().sorted().toList()));
        }
        return purpose;
    }

    /** Collects the parts of {@link ContainerRules}. Not safe for use by several threads. */
    public static final class Builder {
        private int maxContainers = 10;
        private String image = IMAGE;
        private ContainerLimits limits = LIMITS;
        private boolean allowRoot = true;
        private boolean allowPrivileged;
        private boolean allowHostNetwork;
        private boolean allowGpu;
        private boolean allowPull = true;
        private Duration cacheAge = CACHE_AGE;
        private long cacheBytes = CACHE_BYTES;
        private long diskBytes = DISK_BYTES;
        private List<String> registries = REGISTRIES;
        private List<String> passPatterns = new ArrayList<>(EnvironmentPassthrough.PATTERNS);
        private final Map<String, Purpose> purposes = new LinkedHashMap<>();

        private Builder() {
            Purpose.STANDARD.forEach(this::purpose);
        }

        /**
         * Sets how many containers there may be at a time.
         *
         * @param most 1 or more; by default 10
         * @return this
         * @throws IllegalArgumentException when it is less
         */
        public Builder maxContainers(int most) {
            if (most < 1) {
                throw new IllegalArgumentException("there must be 1 container or more, not " + most);
            }
            this.maxContainers = most;
            return this;
        }

        /**
         * Sets what a container is made from where neither its request nor its purpose names an image.
         *
         * @param name a name of an image; by default {@value ContainerRules#IMAGE}
         * @return this
         * @throws IllegalArgumentException when it is none
         */
        public Builder image(String name) {
            if (!ContainerSpec.isImageName(name)) {
                throw new IllegalArgumentException("'" + name + "' is no image");
            }
            this.image = name;
            return this;
        }

        /**
         * Sets what a container may take at most.
         *
         * @param bounds by default {@link #LIMITS}
         * @return this
         */
        public Builder limits(ContainerLimits bounds) {
            this.limits = bounds;
            return this;
        }

        /**
         * Sets whether commands may run as root once a container is made.
         *
         * @param allowed by default true
         * @return this
         */
        public Builder allowRoot(boolean allowed) {
            this.allowRoot = allowed;
            return this;
        }

        /**
         * Sets whether a container may have all rights on its machine. What runs in it then owns that machine.
         *
         * @param allowed by default false
         * @return this
         */
        public Builder allowPrivileged(boolean allowed) {
            this.allowPrivileged = allowed;
            return this;
        }

        /**
         * Sets whether a container may share the network of its machine, or be told the machine's address by {@code
         * host-gateway}.
         *
         * @param allowed by default false
         * @return this
         */
        public Builder allowHostNetwork(boolean allowed) {
            this.allowHostNetwork = allowed;
            return this;
        }

        /**
         * Sets whether a container may be given GPUs.
         *
         * @param allowed by default false
         * @return this
         */
        public Builder allowGpu(boolean allowed) {
            this.allowGpu = allowed;
            return this;
        }

        /**
         * Sets how long the image of a purpose and its caches are used. An older image is built again, so that it gets what has
         * been mended meanwhile; an older cache begins anew, so that it does not grow for ever.
         *
         * @param age from when it was made; by default 30 days; more than zero
         * @return this
         * @throws IllegalArgumentException when it is not
         */
        public Builder cacheAge(Duration age) {
            if (age.isZero() || age.isNegative()) {
                throw new IllegalArgumentException("what is kept is used for more than no time, not " + age);
            }
            this.cacheAge = age;
            return this;
        }

        /**
         * Sets how much a container may write beside what is mounted. One that has written more is ended; its files are there
         * until it is destroyed. It is looked at each minute, and at once where the disk of an engine on this machine fills. Of
         * coders in containers, the quota of their attempt counts in its place.
         *
         * @param most bytes, 1048576 or more; by default {@link #DISK_BYTES}
         * @return this
         * @throws IllegalArgumentException when it is less
         */
        public Builder diskBytes(long most) {
            if (most < 1 << 20) {
                throw new IllegalArgumentException("a container may write 1048576 bytes or more, not " + most);
            }
            this.diskBytes = most;
            return this;
        }

        /**
         * Sets how much a cache of a purpose may hold. One that holds more when a container is made begins anew, unless another
         * container has it, or it takes more than 20 seconds to count.
         *
         * @param most bytes, 1024 or more; by default {@link #CACHE_BYTES}
         * @return this
         * @throws IllegalArgumentException when it is less
         */
        public Builder cacheBytes(long most) {
            if (most < 1024) {
                throw new IllegalArgumentException("a cache holds 1024 bytes or more, not " + most);
            }
            this.cacheBytes = most;
            return this;
        }

        /**
         * Sets whether an image that is not there is fetched.
         *
         * @param allowed by default true
         * @return this
         */
        public Builder allowPull(boolean allowed) {
            this.allowPull = allowed;
            return this;
        }

        /**
         * Sets from where images are fetched that a model, a compose file or a tried repository names. They are fetched without
         * the logins of the engine's user, also where the engine has them, so that they are what anybody can have. A private
         * image is allowed by {@link #image} or {@link #purpose}. Name none that strangers run: it can send the engine to any
         * address.
         *
         * @param names of registries, each with a port where it needs one; by default {@link #REGISTRIES}; none forbids all
         * @return this
         * @throws IllegalArgumentException when one is no name of a registry
         */
        public Builder registries(List<String> names) {
            for (String name : names) {
                if (!name.matches("[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(:[0-9]{1,5})?")) {
                    throw new IllegalArgumentException(
                            "'" + name
                                    + "' is no registry; give its name with a port or without, for example registry.example.org");
                }
            }
            this.registries = List.copyOf(names);
            return this;
        }

        /**
         * Sets which variables of the host are handed over by {@link EnvironmentPassthrough#auto}, and may be named by agents. Where
         * {@code GH_TOKEN} does not match, a container gets no token for GitHub either, unless the program's own request asks
         * for it by {@link ContainerRequest.Builder#forwardGitHub}.
         *
         * @param patterns names with {@code *} for any characters; by default {@link EnvironmentPassthrough#PATTERNS}
         * @return this
         */
        public Builder passPatterns(List<String> patterns) {
            this.passPatterns = List.copyOf(patterns);
            return this;
        }

        /**
         * Adds a purpose, or replaces the one of its name.
         *
         * @param purpose what containers are made for
         * @return this
         */
        public Builder purpose(Purpose purpose) {
            purposes.put(purpose.name(), purpose);
            return this;
        }

        /**
         * Makes the rules.
         *
         * @return the rules
         */
        public ContainerRules build() {
            return new ContainerRules(this);
        }
    }
}
