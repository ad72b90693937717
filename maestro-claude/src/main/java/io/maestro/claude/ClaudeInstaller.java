package io.maestro.claude;

import io.maestro.claude.internal.install.ClaudeVersion;
import io.maestro.claude.internal.install.Installation;
import io.maestro.claude.internal.install.Plan;
import io.maestro.exec.Executor;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Makes sure that there is a Claude Code CLI where commands run, on this machine or in a container. Tried are, in this order:
 * <ol>
 *   <li>what is there: the {@linkplain Builder#program given} program, {@code claude} on the {@code PATH}, what was installed
 *       before;
 *   <li>a {@linkplain Builder#hostProgram binary of the host}, which is copied (245 MB), or used in place when commands run on the
 *       host itself;
 *   <li>the network, from inside: the native package from a {@linkplain Builder#registry registry} with curl or wget, and so
 *       without Node.js; otherwise npm. What these need is installed with apt, apk, dnf or yum first, where an administrator may
 *       be had.
 * </ol>
 * What was found or brought is run once, as the user who will run it and with a home directory that is thrown away, and must
 * name a version that is new enough. Needs a POSIX shell. Immutable, and safe for use by several threads as long as no two
 * install into the same directory at once.
 */
public final class ClaudeInstaller {
    /** The version that Maestro was measured on; an older one is not used, and this one installed, unless the host says otherwise. */
    public static final String MEASURED_VERSION = ClaudeVersion.MEASURED.toString();

    private final Executor executor;
    private final Plan plan;

    private ClaudeInstaller(Executor executor, Plan plan) {
        this.executor = executor;
        this.plan = plan;
    }

    /**
     * Begins to describe what is wanted.
     *
     * @param executor runs commands where the CLI is to run
     * @return a builder
     */
    public static Builder on(Executor executor) {
        return new Builder(executor);
    }

    /**
     * Finds it, or brings it there. Blocks; each command has a time limit. Interrupting the thread ends it.
     *
     * @return what there is now
     * @throws ClaudeInstallException when nothing has helped; it says what was tried and what to do
     * @throws io.maestro.error.MaestroException when commands cannot be run there, or the thread was interrupted, whose status is
     *     set again
     */
    public Installed ensure() {
        return new Installation(executor, plan).ensure();
    }

    /**
     * Lines for a Dockerfile that put the CLI into an image: the safest way, and the only one for containers without a network
     * when the host has no binary either. Without Node.js in the image.
     *
     * @return a part of a Dockerfile; {@code YOUR_BASE_IMAGE} is to be replaced
     */
    public static String dockerfile() {
        return """
                # Claude Code is one native program; Node.js is needed to fetch it and not to run it.
                # For a base image with musl (Alpine) take node:22-alpine.
                FROM node:22-slim AS claude
                RUN npm install --global @anthropic-ai/claude-code@%s

                FROM YOUR_BASE_IMAGE
                COPY --from=claude --chmod=755 \\
                    /usr/local/lib/node_modules/@anthropic-ai/claude-code/bin/claude.exe /usr/local/bin/claude
                """.formatted(MEASURED_VERSION);
    }

    /**
     * What there is now.
     *
     * @param program its absolute path, in the executor's notation
     * @param version for example {@code 2.1.197}
     * @param source how it came there
     * @param steps what was tried, the last one with success
     */
    public record Installed(String program, String version, Source source, List<Step> steps) {
        /**
         * Copies the list.
         *
         * @param program its path
         * @param version its version
         * @param source how it came there
         * @param steps what was tried
         */
        public Installed {
            steps = List.copyOf(steps);
        }

        /**
         * All of it for people.
         *
         * @return a line for each step
         */
        public String report() {
            return "Claude Code " + version + " at " + program + "\n"
                    + steps.stream().map(step -> "- " + step).collect(Collectors.joining("\n"));
        }
    }

    /** How a CLI came there. */
    public enum Source {
        /** It was there. */
        FOUND,
        /** It is the host's binary, copied now or before. */
        COPIED,
        /** From a registry, without npm. */
        DOWNLOADED,
        /** By npm. */
        NPM
    }

    /** What became of a step. */
    public enum Outcome {
        /** It has done what it should. */
        DONE,
        /** It was not tried. */
        SKIPPED,
        /** It was tried in vain. */
        FAILED
    }

    /**
     * Something that was tried, or why it was not.
     *
     * @param name what
     * @param outcome what became of it
     * @param detail what was found, or why it failed, with the end of what commands have printed
     * @param duration how long it took
     */
    public record Step(String name, Outcome outcome, String detail, Duration duration) {
        /** One line, unless commands have printed more. */
        @Override
        public String toString() {
            return switch (outcome) {
                case DONE -> name + ": " + detail + " (" + duration.toMillis() + " ms)";
                case SKIPPED -> name + ": not tried, " + detail;
                case FAILED -> name + ": failed, " + detail + " (" + duration.toMillis() + " ms)";
            };
        }
    }

    /** Collects the settings of a {@link ClaudeInstaller}. Not safe for use by several threads. */
    public static final class Builder {
        private final Executor executor;
        private @Nullable String program;
        private ClaudeVersion minimum = ClaudeVersion.MEASURED;
        private ClaudeVersion wanted = ClaudeVersion.MEASURED;
        private @Nullable Path hostProgram;
        private @Nullable String directory;
        private @Nullable String user;
        private @Nullable String administrator;
        private @Nullable URI registry;
        private boolean network = true;
        private Duration checkLimit = Duration.ofSeconds(30);
        private Duration installLimit = Duration.ofMinutes(10);

        private Builder(Executor executor) {
            this.executor = Objects.requireNonNull(executor, "executor");
        }

        /**
         * Says where it should be. Looked at before the {@code PATH}.
         *
         * @param path absolute, in the executor's notation
         * @return this
         */
        public Builder program(String path) {
            this.program = absolute(path);
            return this;
        }

        /**
         * Sets the oldest version that will do. Older ones than {@link #MEASURED_VERSION} may lack what Maestro uses.
         *
         * @param version three numbers, for example {@code 2.1.197}
         * @return this
         */
        public Builder minimumVersion(String version) {
            this.minimum = version(version);
            return this;
        }

        /**
         * Sets the version that is installed over the network.
         *
         * @param version three numbers; {@link #MEASURED_VERSION} when nothing is set
         * @return this
         */
        public Builder installVersion(String version) {
            this.wanted = version(version);
            return this;
        }

        /**
         * Names a binary of the host that may be copied.
         *
         * @param path the native program, a directory of npm such as {@code node_modules/@anthropic-ai/claude-code}, or a whole
         *     {@code node_modules}: there the one for the sandbox's processor and C library is taken
         * @return this
         */
        public Builder hostProgram(Path path) {
            this.hostProgram = path.toAbsolutePath();
            return this;
        }

        /**
         * Names a directory where it may be put; the program is {@code bin/claude} there. Without one, nothing is installed.
         *
         * @param path absolute, in the executor's notation; the run's user can write there, and programs there may be run
         * @return this
         */
        public Builder directory(String path) {
            this.directory = absolute(path).replaceAll("(?<=.)/+$", "");
            return this;
        }

        /**
         * Sets as whom the CLI will run, and so as whom it is checked and installed.
         *
         * @param name as {@link io.maestro.exec.ExecRequest.Builder#user} takes it; the executor's own when nothing is set
         * @return this
         */
        public Builder user(String name) {
            this.user = Objects.requireNonNull(name, "name");
            return this;
        }

        /**
         * Sets as whom packages of the system may be installed. When nothing is set, they are if commands run as root anyway.
         *
         * @param name as {@link io.maestro.exec.ExecRequest.Builder#user} takes it, for example {@code root}
         * @return this
         */
        public Builder administrator(String name) {
            this.administrator = Objects.requireNonNull(name, "name");
            return this;
        }

        /**
         * Names the npm registry. Without one there is no download without npm, and npm uses the one that it is configured for.
         *
         * @param address http or https, without a user or password: it is seen in arguments of commands
         * @return this
         */
        public Builder registry(URI address) {
            String scheme = String.valueOf(address.getScheme());
            if (!scheme.equals("https") && !scheme.equals("http")
                    || address.getHost() == null
                    || address.getRawUserInfo() != null) {
                throw new IllegalArgumentException(
                        "the registry must be an http or https address without user and password");
            }
            this.registry = address;
            return this;
        }

        /**
         * Says whether it may be installed over the network.
         *
         * @param allowed true when nothing is set
         * @return this
         */
        public Builder network(boolean allowed) {
            this.network = allowed;
            return this;
        }

        /**
         * Sets how long a short command may take, such as {@code claude --version}.
         *
         * @param limit more than zero; 30 seconds when nothing is set
         * @return this
         */
        public Builder checkTimeLimit(Duration limit) {
            this.checkLimit = positive(limit);
            return this;
        }

        /**
         * Sets how long each copy, download or installation may take.
         *
         * @param limit more than zero; 10 minutes when nothing is set
         * @return this
         */
        public Builder installTimeLimit(Duration limit) {
            this.installLimit = positive(limit);
            return this;
        }

        /**
         * Makes the installer. Nothing is looked at yet.
         *
         * @return the installer
         */
        public ClaudeInstaller build() {
            return new ClaudeInstaller(
                    executor,
                    new Plan(
                            Optional.ofNullable(program),
                            minimum,
                            wanted,
                            Optional.ofNullable(hostProgram),
                            Optional.ofNullable(directory),
                            Optional.ofNullable(user),
                            Optional.ofNullable(administrator),
                            Optional.ofNullable(registry),
                            network,
                            checkLimit,
                            installLimit));
        }

        private static String absolute(String path) {
            if (!path.startsWith("/")) {
                throw new IllegalArgumentException("not an absolute path: '" + path + "'");
            }
            return path;
        }

        private static ClaudeVersion version(String text) {
            return ClaudeVersion.parse(text)
                    .orElseThrow(() -> new IllegalArgumentException(
                            "a version has three numbers, for example " + MEASURED_VERSION + "; is '" + text + "'"));
        }

        private static Duration positive(Duration limit) {
            if (limit.isZero() || limit.isNegative()) {
                throw new IllegalArgumentException("the time limit must be more than zero, is " + limit);
            }
            return limit;
        }
    }
}
