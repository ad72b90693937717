package io.maestro.claude;

import io.maestro.claude.internal.install.ClaudeVersion;
import io.maestro.claude.internal.install.HostBinary;
import io.maestro.claude.internal.install.Installation;
import io.maestro.claude.internal.install.Plan;
import io.maestro.exec.Executor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds the Claude Code CLI that commands are to run, on this machine or in a container. Nothing is copied and nothing is
 * installed there: what lies where an agent can write could be anything. Looked at are, in this order:
 * <ol>
 *   <li>the {@linkplain Builder#program given} program;
 *   <li>a {@linkplain Builder#hostProgram binary of the host}, which is {@linkplain Builder#boundAt bound} into a container
 *       read-only;
 *   <li>{@code claude} on the {@code PATH}, on this machine before the binary of the host.
 * </ol>
 * What is inside a container is believed only where it, and each directory above it, is root's and may be written by nobody else:
 * an image has it so. What was found is run once, as the user who will run it and with a home directory that is thrown away, and
 * must name a version that is new enough; a native program of this machine is run again only when its file has changed. Needs a
 * POSIX shell. Immutable, and safe for use by several threads.
 */
public final class ClaudeFinder {
    /** The oldest version that Maestro is tested with; an older one is not used unless the host says otherwise. */
    public static final String MEASURED_VERSION = ClaudeVersion.MEASURED.toString();

    private final Executor executor;
    private final Plan plan;

    private ClaudeFinder(Executor executor, Plan plan) {
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
     * Finds it. Blocks; each command has a time limit. Interrupting the thread ends it.
     *
     * @return what there is now
     * @throws ClaudeMissingException when there is none; it says what was looked at and what to do
     * @throws io.maestro.error.MaestroException when commands cannot be run there, or the thread was interrupted, whose status is
     *     set again
     */
    public Installed ensure() {
        return new Installation(executor, plan).ensure();
    }

    /**
     * The files of a host's binary that must be bound where it is to run, before it is known what fits there.
     *
     * @param hostProgram as {@link Builder#hostProgram} takes it
     * @return by their names in the directory of {@link Builder#boundAt}; empty when there are none
     */
    public static Map<String, Path> boundFiles(Path hostProgram) {
        return HostBinary.all(hostProgram);
    }

    /**
     * Lines for a Dockerfile that put the CLI into an image, in the newest version that Maestro is tested with: the way for engines that do not see files of this machine.
     * Without Node.js in the image.
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
                """.formatted(ClaudeVersion.NEWEST_TESTED);
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
        /** It lies where commands run. */
        FOUND,
        /** It is the host's binary. */
        HOST
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

    /** Collects the settings of a {@link ClaudeFinder}. Not safe for use by several threads. */
    public static final class Builder {
        private final Executor executor;
        private @Nullable String program;
        private ClaudeVersion minimum = ClaudeVersion.MEASURED;
        private @Nullable Path hostProgram;
        private @Nullable String bound;
        private @Nullable String user;
        private Duration checkLimit = Duration.ofSeconds(30);

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
         * Names a binary of the host.
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
         * Says where the files of {@link #hostProgram} are bound, read-only, each under its name in {@link
         * #boundFiles}. Without it they are used on this machine only.
         *
         * @param directory absolute, in the executor's notation
         * @return this
         */
        public Builder boundAt(String directory) {
            this.bound = absolute(directory);
            return this;
        }

        /**
         * Sets as whom the CLI will run, and so as whom it is checked.
         *
         * @param name as {@link io.maestro.exec.ExecRequest.Builder#user} takes it; the executor's own when nothing is set
         * @return this
         */
        public Builder user(String name) {
            this.user = Objects.requireNonNull(name, "name");
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
         * Makes the finder. Nothing is looked at yet.
         *
         * @return the finder
         */
        public ClaudeFinder build() {
            return new ClaudeFinder(
                    executor,
                    new Plan(
                            Optional.ofNullable(program),
                            minimum,
                            Optional.ofNullable(hostProgram),
                            Optional.ofNullable(bound),
                            Optional.ofNullable(user),
                            checkLimit));
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
