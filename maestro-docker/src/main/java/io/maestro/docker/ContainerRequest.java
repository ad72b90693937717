package io.maestro.docker;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What {@link Containers#create} makes: a container with a name and a purpose, in which an identity, variables, repositories and
 * files are provided. Immutable.
 */
public final class ContainerRequest {
    /** Where commands run unless a request says otherwise. */
    public static final String WORKSPACE = "/workspace";

    /** The kernel's, and what is kept in memory. */
    private static final List<Path> KERNEL = List.of(
            Path.of("/proc"), Path.of("/sys"), Path.of("/dev"), Path.of("/run"), Path.of("/var/run"), Path.of("/etc"));

    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,40}");

    private final @Nullable String name;
    private final @Nullable String purpose;
    private final @Nullable String image;
    private final @Nullable String snapshot;
    private final String workingDirectory;
    private final List<Mount> mounts;
    private final Map<Integer, Integer> ports;
    private final Map<String, String> environment;
    private final @Nullable EnvironmentPassthrough passthrough;
    private final @Nullable ContainerLimits limits;
    private final @Nullable String network;
    private final @Nullable String user;
    private final boolean persistent;
    private final boolean privileged;
    private final boolean gpu;
    private final boolean freshImage;
    private final boolean caches;
    private final boolean imageProgram;
    private final Map<String, String> hosts;
    private final @Nullable Boolean git;
    private final @Nullable Boolean gitHub;
    private final boolean ssh;
    private final @Nullable String dotfilesRepository;
    private final Map<String, String> dotfiles;
    private final List<ClonedRepository> repositories;
    private final Map<String, String> files;
    private final List<String> setUp;
    private final @Nullable String tryRepository;
    private final @Nullable String composeContent;
    private final @Nullable Path composeFile;

    private ContainerRequest(Builder builder) {
        this.name = builder.name;
        this.purpose = builder.purpose;
        this.image = builder.image;
        this.snapshot = builder.snapshot;
        this.workingDirectory = builder.workingDirectory;
        this.mounts = List.copyOf(builder.mounts);
        this.ports = Map.copyOf(builder.ports);
        this.environment = Map.copyOf(builder.environment);
        this.passthrough = builder.passthrough;
        this.limits = builder.limits;
        this.network = builder.network;
        this.user = builder.user;
        this.persistent = builder.persistent;
        this.privileged = builder.privileged;
        this.gpu = builder.gpu;
        this.freshImage = builder.freshImage;
        this.caches = builder.caches;
        this.imageProgram = builder.imageProgram;
        this.hosts = Map.copyOf(builder.hosts);
        this.git = builder.git;
        this.gitHub = builder.gitHub;
        this.ssh = builder.ssh;
        this.dotfilesRepository = builder.dotfilesRepository;
        this.dotfiles = new LinkedHashMap<>(builder.dotfiles);
        this.repositories = List.copyOf(builder.repositories);
        this.files = new LinkedHashMap<>(builder.files);
        this.setUp = List.copyOf(builder.setUp);
        this.tryRepository = builder.tryRepository;
        this.composeContent = builder.composeContent;
        this.composeFile = builder.composeFile;
        if (image != null && snapshot != null) {
            throw new IllegalArgumentException("a container is made from an image or from a snapshot, not both");
        }
        if (persistent
                && (ssh || network != null && !List.of("none", "bridge", "host").contains(network))) {
            throw new IllegalArgumentException(
                    "a persistent container has neither the SSH agent nor a network that was created:"
                            + " both end with their Containers");
        }
        if (composeContent != null && composeFile != null) {
            throw new IllegalArgumentException(
                    "a container has the services of compose_content or of compose_file, not both");
        }
        if (persistent && (composeContent != null || composeFile != null)) {
            throw new IllegalArgumentException("a persistent container has no services, which end with its Containers");
        }
        if (tryRepository != null && !Purpose.TRY_REPO.equals(purpose)) {
            throw new IllegalArgumentException("a repository to be tried needs the purpose " + Purpose.TRY_REPO);
        }
        if (tryRepository == null && Purpose.TRY_REPO.equals(purpose)) {
            throw new IllegalArgumentException("the purpose " + Purpose.TRY_REPO + " needs a repository: set repo_url");
        }
    }

    /**
     * Starts to describe a container.
     *
     * @return a builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * The name by which it is found and, in a network of its own, reached.
     *
     * @return empty when one is to be chosen
     */
    public Optional<String> name() {
        return Optional.ofNullable(name);
    }

    /**
     * What it is for.
     *
     * @return the name of a {@link Purpose}; empty for none
     */
    public Optional<String> purpose() {
        return Optional.ofNullable(purpose);
    }

    /**
     * What it is made from, whatever its purpose.
     *
     * @return empty for the image of the purpose
     */
    public Optional<String> image() {
        return Optional.ofNullable(image);
    }

    /**
     * What it is made from, whatever its purpose.
     *
     * @return the name of a snapshot; empty for an image
     */
    public Optional<String> snapshot() {
        return Optional.ofNullable(snapshot);
    }

    /**
     * Whether files of the host can be changed in it.
     *
     * @return true when a directory is mounted that is not read-only
     */
    public boolean mountsWritable() {
        return mounts.stream().anyMatch(mount -> mount.kind() == Mount.Kind.BIND && !mount.readOnly());
    }

    /**
     * Where its commands run.
     *
     * @return an absolute path
     */
    public String workingDirectory() {
        return workingDirectory;
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
     * What is published on the loopback address of the engine's machine.
     *
     * @return the ports there by those of the container; 0 for one that the engine chooses
     */
    public Map<Integer, Integer> ports() {
        return ports;
    }

    /**
     * Variables of its commands. They may be secrets: the engine is not told.
     *
     * @return an unmodifiable map
     */
    public Map<String, String> environment() {
        return environment;
    }

    /**
     * Which variables of the host its commands get, too.
     *
     * @return empty for {@code auto}, or {@code none} where the purpose is not trusted
     */
    public Optional<EnvironmentPassthrough> passthrough() {
        return Optional.ofNullable(passthrough);
    }

    /**
     * How much of the machine it may take.
     *
     * @return empty for the most that the rules allow
     */
    public Optional<ContainerLimits> limits() {
        return Optional.ofNullable(limits);
    }

    /**
     * Its network.
     *
     * @return {@code none}, {@code bridge}, {@code host} or the name of a network that was created; empty for {@code bridge}
     */
    public Optional<String> network() {
        return Optional.ofNullable(network);
    }

    /**
     * As whom commands run.
     *
     * @return {@code uid:gid} or {@code root}; empty for the owner of what is mounted
     */
    public Optional<String> user() {
        return Optional.ofNullable(user);
    }

    /**
     * Whether it outlives its {@link Containers}.
     *
     * @return true when only {@link ProvisionedContainer#destroy} removes it
     */
    public boolean persistent() {
        return persistent;
    }

    /**
     * Whether it has all rights on its machine.
     *
     * @return true when asked for, which the rules must allow
     */
    public boolean privileged() {
        return privileged;
    }

    /**
     * Whether it gets the machine's GPUs.
     *
     * @return true when asked for, which the rules must allow
     */
    public boolean gpu() {
        return gpu;
    }

    /**
     * Whether the image of its purpose is built again although it is there.
     *
     * @return true when asked for
     */
    public boolean freshImage() {
        return freshImage;
    }

    /**
     * Whether it has the caches of its purpose.
     *
     * @return false when asked for none
     */
    public boolean caches() {
        return caches;
    }

    /**
     * Whether it runs the program of its image, as a database.
     *
     * @return false for one that only waits for commands
     */
    public boolean imageProgram() {
        return imageProgram;
    }

    /**
     * Names that it resolves.
     *
     * @return addresses by names
     */
    public Map<String, String> hosts() {
        return hosts;
    }

    /**
     * Whether it gets name and address of the host's git, and the keys of servers that the host knows.
     *
     * @return empty for true, or false where the purpose is not trusted
     */
    public Optional<Boolean> git() {
        return Optional.ofNullable(git);
    }

    /**
     * Whether its commands get a token for GitHub.
     *
     * @return empty for true where one is there, or false where the purpose is not trusted
     */
    public Optional<Boolean> gitHub() {
        return Optional.ofNullable(gitHub);
    }

    /**
     * Whether it reaches the host's SSH agent. Keys are never copied.
     *
     * @return true when asked for
     */
    public boolean ssh() {
        return ssh;
    }

    /**
     * A repository of dotfiles.
     *
     * @return a URL
     */
    public Optional<String> dotfilesRepository() {
        return Optional.ofNullable(dotfilesRepository);
    }

    /**
     * Files below the home directory.
     *
     * @return texts by paths
     */
    public Map<String, String> dotfiles() {
        return Collections.unmodifiableMap(dotfiles);
    }

    /**
     * What is cloned.
     *
     * @return an unmodifiable list
     */
    public List<ClonedRepository> repositories() {
        return repositories;
    }

    /**
     * Files anywhere.
     *
     * @return texts by absolute paths
     */
    public Map<String, String> files() {
        return Collections.unmodifiableMap(files);
    }

    /**
     * What is run at the end, as root.
     *
     * @return lines for the shell
     */
    public List<String> setUp() {
        return setUp;
    }

    /**
     * The repository that is tried.
     *
     * @return a URL; empty for another purpose
     */
    public Optional<String> tryRepository() {
        return Optional.ofNullable(tryRepository);
    }

    /**
     * Services beside it.
     *
     * @return a compose file's text
     */
    public Optional<String> composeContent() {
        return Optional.ofNullable(composeContent);
    }

    /**
     * Services beside it.
     *
     * @return a compose file; what it mounts is below its directory
     */
    public Optional<Path> composeFile() {
        return Optional.ofNullable(composeFile);
    }

    /** Name and purpose; variables and files are nobody's business in a log. */
    @Override
    public String toString() {
        return "ContainerRequest[" + name + ", " + purpose + ", " + image + "]";
    }

    static void requirePath(String what, String path) {
        if (!path.startsWith("/")
                || path.chars().anyMatch(Character::isISOControl)
                || List.of(path.split("/")).contains("..")) {
            throw new IllegalArgumentException(
                    what + " is an absolute path in the container without '..', is '" + path + "'");
        }
    }

    /**
     * Whether a text can name a container, a network or a snapshot.
     *
     * @param text for example {@code my-db}
     * @return false for what could be taken for something else, such as a path or an option
     */
    public static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    /** Collects the parts of a {@link ContainerRequest}. Not safe for use by several threads. */
    public static final class Builder {
        private @Nullable String name;
        private @Nullable String purpose;
        private @Nullable String image;
        private @Nullable String snapshot;
        private String workingDirectory = WORKSPACE;
        private final List<Mount> mounts = new ArrayList<>();
        private final Map<Integer, Integer> ports = new LinkedHashMap<>();
        private final Map<String, String> environment = new LinkedHashMap<>();
        private @Nullable EnvironmentPassthrough passthrough;
        private @Nullable ContainerLimits limits;
        private @Nullable String network;
        private @Nullable String user;
        private boolean persistent;
        private boolean privileged;
        private boolean gpu;
        private boolean freshImage;
        private boolean caches = true;
        private boolean imageProgram;
        private final Map<String, String> hosts = new LinkedHashMap<>();
        private @Nullable Boolean git;
        private @Nullable Boolean gitHub;
        private boolean ssh;
        private @Nullable String dotfilesRepository;
        private final Map<String, String> dotfiles = new LinkedHashMap<>();
        private final List<ClonedRepository> repositories = new ArrayList<>();
        private final Map<String, String> files = new LinkedHashMap<>();
        private final List<String> setUp = new ArrayList<>();
        private @Nullable String tryRepository;
        private @Nullable String composeContent;
        private @Nullable Path composeFile;

        private Builder() {}

        /**
         * Sets the name.
         *
         * @param text lower-case letters, digits and dashes, at most 41; by default one that is not taken
         * @return this
         * @throws IllegalArgumentException when it has others
         */
        public Builder name(String text) {
            if (!isName(text)) {
                throw new IllegalArgumentException(
                        "a container's name has lower-case letters, digits and dashes, at most 41, is '" + text + "'");
            }
            this.name = text;
            return this;
        }

        /**
         * Sets what it is for.
         *
         * @param text the name of a {@link Purpose}
         * @return this
         */
        public Builder purpose(String text) {
            this.purpose = text;
            return this;
        }

        /**
         * Sets what it is made from; what its purpose installs is installed over it.
         *
         * @param text a name, an id or a digest
         * @return this
         * @throws IllegalArgumentException when it is none
         */
        public Builder image(String text) {
            if (!ContainerSpec.isImageName(text)) {
                throw new IllegalArgumentException("'" + text + "' is no image");
            }
            this.image = text;
            return this;
        }

        /**
         * Sets the snapshot that it is made from.
         *
         * @param text what {@link ProvisionedContainer#snapshot} was given
         * @return this
         * @throws IllegalArgumentException when it is no such name
         */
        public Builder snapshot(String text) {
            if (!isName(text)) {
                throw new IllegalArgumentException("'" + text + "' is no name of a snapshot");
            }
            this.snapshot = text;
            return this;
        }

        /**
         * Sets where commands run.
         *
         * @param path absolute; by default {@value #WORKSPACE}
         * @return this
         * @throws IllegalArgumentException when it is not absolute
         */
        public Builder workingDirectory(String path) {
            requirePath("a working directory", path);
            this.workingDirectory = path;
            return this;
        }

        /**
         * Mounts a directory of the host where commands run; they run as its owner.
         *
         * @param directory of the engine's machine
         * @return this
         * @throws IllegalArgumentException when it gives the machine away
         */
        public Builder workspace(Path directory) {
            return mount(Mount.bind(directory.toAbsolutePath().normalize(), workingDirectory));
        }

        /**
         * Adds a mount.
         *
         * @param mount what and where; not at the root, nor below {@code /etc}, {@code /run}, {@code /proc}, {@code /sys} and {@code /dev}
         * @return this
         * @throws IllegalArgumentException when the container has its own there
         */
        public Builder mount(Mount mount) {
            Path target = Path.of(mount.target()).normalize();
            if (KERNEL.stream().anyMatch(target::startsWith) || target.getNameCount() == 0) {
                throw new IllegalArgumentException(
                        "nothing is mounted at " + target + ", where the container has its own");
            }
            mounts.add(mount);
            return this;
        }

        /**
         * Publishes a port on the loopback address of the engine's machine.
         *
         * @param container the port in the container
         * @param host the port there; 0 for one that the engine chooses
         * @return this
         * @throws IllegalArgumentException when one of them is no port
         */
        public Builder port(int container, int host) {
            if (container < 1 || container > 65_535 || host < 0 || host > 65_535) {
                throw new IllegalArgumentException(
                        "no ports: " + container + " in the container, " + host + " outside");
            }
            ports.put(container, host);
            return this;
        }

        /**
         * Adds a variable of its commands. It may be a secret.
         *
         * @param variable letters, digits and underscores
         * @param value without NUL, at most 100,000 characters
         * @return this
         * @throws IllegalArgumentException when a shell can't be given it
         */
        public Builder environment(String variable, String value) {
            if (!variable.matches("[A-Za-z_][A-Za-z0-9_]*") || value.indexOf('\0') >= 0 || value.length() > 100_000) {
                throw new IllegalArgumentException("no variable that a command can be given: '" + variable + "'");
            }
            environment.put(variable, value);
            return this;
        }

        /**
         * Sets which variables of the host commands get.
         *
         * @param which by default {@link EnvironmentPassthrough#auto}, and none where the purpose is not trusted
         * @return this
         */
        public Builder passthrough(EnvironmentPassthrough which) {
            this.passthrough = which;
            return this;
        }

        /**
         * Sets how much of the machine it may take.
         *
         * @param bounds at most those of the rules; these by default
         * @return this
         */
        public Builder limits(ContainerLimits bounds) {
            this.limits = bounds;
            return this;
        }

        /**
         * Sets its network.
         *
         * @param text {@code none}, {@code bridge}, the name of a network that was created, or {@code host}, which the rules
         *     must allow; by default {@code bridge}
         * @return this
         * @throws IllegalArgumentException when it is none of these
         */
        public Builder network(String text) {
            if (!isName(text)) {
                throw new IllegalArgumentException(
                        "'" + text + "' is no network: none, bridge, or one that was created");
            }
            this.network = text;
            return this;
        }

        /**
         * Sets as whom commands run.
         *
         * @param text {@code uid:gid} in numbers, or {@code root}; by default the owner of what is mounted, or else the host's user
         * @return this
         * @throws IllegalArgumentException when it is neither
         */
        public Builder user(String text) {
            if (!text.matches("root|[0-9]{1,9}:[0-9]{1,9}")) {
                throw new IllegalArgumentException("a user is uid:gid in numbers, or root, is '" + text + "'");
            }
            String[] ids = text.split(":", 2);
            this.user = text.equals("root") ? "0:0" : Integer.parseInt(ids[0]) + ":" + Integer.parseInt(ids[1]);
            return this;
        }

        /**
         * Sets whether it stays when its {@link Containers} are closed, and is found by the next that are opened.
         *
         * @param stays true to keep it; by default false
         * @return this
         */
        public Builder persistent(boolean stays) {
            this.persistent = stays;
            return this;
        }

        /**
         * Sets whether it has all rights on its machine.
         *
         * @param all true for that, where the rules allow it; by default false
         * @return this
         */
        public Builder privileged(boolean all) {
            this.privileged = all;
            return this;
        }

        /**
         * Sets whether it gets the machine's GPUs.
         *
         * @param all true for all of them, where the rules allow it; by default false
         * @return this
         */
        public Builder gpu(boolean all) {
            this.gpu = all;
            return this;
        }

        /**
         * Sets whether the image of its purpose is built again although it is there.
         *
         * @param again true to build it; by default false
         * @return this
         */
        public Builder freshImage(boolean again) {
            this.freshImage = again;
            return this;
        }

        /**
         * Sets whether it has the caches of its purpose, which it shares with others of the same purpose.
         *
         * @param shared false for none; by default true
         * @return this
         */
        public Builder caches(boolean shared) {
            this.caches = shared;
            return this;
        }

        /**
         * Sets whether it runs the program of its image, as a database. That program gets the variables of
         * {@link #environment}, too, so that whoever may ask the engine sees these.
         *
         * @param run true to run it; by default false, and the container only waits for commands
         * @return this
         */
        public Builder imageProgram(boolean run) {
            this.imageProgram = run;
            return this;
        }

        /**
         * Adds a name that it resolves.
         *
         * @param host a host's name
         * @param address an address, or {@code host-gateway} for the engine's machine, where {@link ContainerRules#allowHostNetwork}
         *     allows it
         * @return this
         * @throws IllegalArgumentException when one of them is none
         */
        public Builder host(String host, String address) {
            if (!host.matches("[A-Za-z0-9]([A-Za-z0-9.-]{0,250}[A-Za-z0-9])?")
                    || !address.matches("host-gateway|[0-9a-fA-F:.]{2,45}")) {
                throw new IllegalArgumentException("no host with an address: '" + host + "', '" + address + "'");
            }
            hosts.put(host, address);
            return this;
        }

        /**
         * Sets whether it gets the identity of the host's git.
         *
         * @param forward true for that; by default true where the purpose is trusted
         * @return this
         */
        public Builder forwardGit(boolean forward) {
            this.git = forward;
            return this;
        }

        /**
         * Sets whether its commands get the host's token for GitHub.
         *
         * @param forward true for that; by default true where the purpose is trusted and {@code GH_TOKEN} is one of the
         *     {@linkplain ContainerRules.Builder#passPatterns variables that are handed over}
         * @return this
         */
        public Builder forwardGitHub(boolean forward) {
            this.gitHub = forward;
            return this;
        }

        /**
         * Sets whether it reaches the host's SSH agent.
         *
         * @param forward true for that; by default false
         * @return this
         */
        public Builder forwardSsh(boolean forward) {
            this.ssh = forward;
            return this;
        }

        /**
         * Sets a repository of dotfiles: its {@code install.sh}, {@code setup.sh} or {@code bootstrap.sh} is run as the
         * container's user, or else the files that begin with a dot are linked into the home directory.
         *
         * @param url what {@code git clone} takes
         * @return this
         * @throws IllegalArgumentException when it is no such URL
         */
        public Builder dotfilesRepository(String url) {
            ClonedRepository.requireUrl(url);
            this.dotfilesRepository = url;
            return this;
        }

        /**
         * Adds a file below the home directory.
         *
         * @param path for example {@code .config/tool.ini}
         * @param text its contents
         * @return this
         * @throws IllegalArgumentException when the path leaves the home directory
         */
        public Builder dotfile(String path, String text) {
            if (path.startsWith("/")) {
                throw new IllegalArgumentException("a dotfile's path is below the home directory, is '" + path + "'");
            }
            requirePath("a dotfile", "/" + path);
            dotfiles.put(path, text);
            return this;
        }

        /**
         * Adds a repository that is cloned.
         *
         * @param repository which and where to
         * @return this
         */
        public Builder repository(ClonedRepository repository) {
            repositories.add(repository);
            return this;
        }

        /**
         * Adds a file anywhere.
         *
         * @param path absolute
         * @param text its contents
         * @return this
         * @throws IllegalArgumentException when it is no absolute path
         */
        public Builder file(String path, String text) {
            requirePath("a file", path);
            files.put(path, text);
            return this;
        }

        /**
         * Adds a line that is run at the end, as root, in the working directory.
         *
         * @param line for the shell
         * @return this
         */
        public Builder setUp(String line) {
            setUp.add(line);
            return this;
        }

        /**
         * Sets the repository that is tried.
         *
         * @param url https, ssh or git
         * @return this
         * @throws IllegalArgumentException when it has another protocol
         */
        public Builder tryRepository(String url) {
            ClonedRepository.requireUrl(url);
            this.tryRepository = url;
            this.purpose = Purpose.TRY_REPO;
            return this;
        }

        /**
         * Sets the services that are started beside it and reached by their names; they end with it. A service gets no more
         * than an agent's services do: no privileges, nothing of the host but what is below the file's directory, no ports.
         *
         * @param yaml a compose file's text
         * @return this
         */
        public Builder composeContent(String yaml) {
            this.composeContent = yaml;
            return this;
        }

        /**
         * The same of a file.
         *
         * @param file on the host
         * @return this
         */
        public Builder composeFile(Path file) {
            this.composeFile = file.toAbsolutePath().normalize();
            return this;
        }

        /**
         * Makes the request.
         *
         * @return the request
         * @throws IllegalArgumentException when parts of it do not go together
         */
        public ContainerRequest build() {
            return new ContainerRequest(this);
        }
    }
}
