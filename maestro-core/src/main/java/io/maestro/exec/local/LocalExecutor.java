package io.maestro.exec.local;

import io.maestro.exec.ExecException;
import io.maestro.exec.ExecOutput;
import io.maestro.exec.ExecProcess;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import io.maestro.internal.Uninterrupted;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs commands on this machine, on Linux and macOS.
 *
 * <p><strong>This is no sandbox.</strong> A command runs as the user of the host program and can read, change and delete
 * whatever that user can, inside and outside the working directory, and use the network. Run only what you would run
 * yourself; give what an agent decides to run to an executor on a container.
 *
 * <h2>Environment</h2>
 * Of the host's environment a command sees only these variables:
 * {@code PATH HOME USER LOGNAME SHELL TZ TMPDIR LANG LANGUAGE LC_ALL LC_COLLATE LC_CTYPE LC_MESSAGES LC_MONETARY LC_NUMERIC
 * LC_TIME JAVA_HOME MAVEN_HOME M2_HOME GRADLE_HOME GRADLE_USER_HOME XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME
 * XDG_STATE_HOME}, so no key, token or password, no {@code GIT_} variable, no proxy (its URL may hold a password) and no
 * {@code MAVEN_OPTS}. {@link Builder#environment} passes on others. {@link Builder#variable} and then
 * {@link ExecRequest#environment()} add to them and win. {@code MAESTRO_EXEC_ID} and {@code MAESTRO_EXEC_ROOT} are always
 * set; they mark the processes of a command, and of all commands of the executors of a directory.
 *
 * <h2>Processes</h2>
 * Nothing that a command started lives longer than the call: after a normal exit too, processes left in the background
 * ({@code server &}) are ended; to keep one, run it in the foreground of a call of its own. Ending means TERM, half a
 * second later KILL. On Linux processes are found that were detached by {@code nohup}, {@code setsid} or a double fork. One
 * that does all of these, opens its own session, loses its parent <em>and</em> clears its environment, escapes. On macOS
 * only processes are found whose parents live when the command ends. When the JVM is shut down, the commands that run then are
 * ended too. When it is killed ({@code kill -9}), they go on, until {@link #endLeftovers()} of an executor of the same
 * directory ends them.
 *
 * <p>A JVM that is process 1 of a container inherits what a command leaves behind, and Java cannot take away processes that
 * have ended and are not its own children: they stay in the table of processes until the container ends. Start such a
 * container with an init process ({@code docker run --init}).
 *
 * <p>On Linux a command has no controlling terminal: a program that wants to ask for a password there fails instead.
 *
 * <p>Immutable and safe for use by several threads; there is nothing to close.
 */
public final class LocalExecutor implements Executor {
    private static final Logger LOG = LoggerFactory.getLogger(LocalExecutor.class);

    private final Path directory;
    private final HostEnvironment environment;
    private final Map<String, String> variables;

    private LocalExecutor(Builder builder) {
        this.directory = builder.directory;
        this.environment = new HostEnvironment(System.getenv(), Set.copyOf(builder.passedOn));
        this.variables = Map.copyOf(builder.variables);
    }

    /**
     * Starts to describe an executor.
     *
     * @param workingDirectory where commands run; made absolute; it must exist when a command is run, not yet now
     * @return a builder
     */
    public static Builder builder(Path workingDirectory) {
        return new Builder(workingDirectory);
    }

    @Override
    public String workingDirectory() {
        return directory.toString();
    }

    /**
     * {@inheritDoc}
     *
     * <p>A program without a slash in its name is searched on the command's own {@code PATH}, one with a slash starts from
     * the working directory. A command that is killed by a signal has the exit code 128 + the signal's number. When the
     * thread is already interrupted, nothing is started and the result is {@link ExecResult.Ending#CANCELLED}.
     *
     * @throws ExecException when the program or the directory does not exist or cannot be used, when the arguments are
     *     too long for the system, or when the request names another user than the one of this JVM
     */
    @Override
    public ExecResult run(ExecRequest request) {
        Prepared prepared = prepare(request);
        if (Thread.currentThread().isInterrupted()) {
            ExecOutput nothing = ExecOutput.of("");
            return new ExecResult(ExecResult.Ending.CANCELLED, OptionalInt.empty(), nothing, nothing, Duration.ZERO);
        }
        return new LocalCommand(request, prepared.directory(), prepared.cookie())
                .run(prepared.arguments(), prepared.environment());
    }

    /**
     * {@inheritDoc}
     *
     * <p>What holds for {@link #run} holds here too, but for the interruption of a thread, which ends nothing.
     *
     * @throws ExecException as {@link #run} does
     */
    @Override
    public ExecProcess start(ExecRequest request) {
        Prepared prepared = prepare(request);
        return LocalProcess.start(
                request, prepared.directory(), prepared.cookie(), prepared.arguments(), prepared.environment());
    }

    /** What the system is asked to start. */
    private record Prepared(
            Path directory, String cookie, List<String> arguments, Map<String, @Nullable String> environment) {}

    private Prepared prepare(ExecRequest request) {
        OwnUser.require(request);
        Path runDirectory = resolve(request);
        Map<String, String> added = new LinkedHashMap<>(variables);
        added.putAll(request.environment());
        requireNoNul(request, added);
        String searchPath = environment.value("PATH", added);
        List<String> command = request.command();
        Path program = Programs.find(command.get(0), runDirectory, searchPath);
        if (!AsciiScript.isNotNeeded(command, added)) {
            command = AsciiScript.command(command, added);
            program = Programs.find(command.get(0), runDirectory, searchPath);
        }
        String cookie = Cookie.newToken();
        added.put(Cookie.VARIABLE, Cookie.value(cookie));
        added.put(RootMark.VARIABLE, RootMark.value(RootMark.of(directory)));
        return new Prepared(runDirectory, cookie, Launcher.arguments(command, program), environment.changes(added));
    }

    /**
     * {@inheritDoc}
     *
     * <p>Ended is whatever was started by a command of an executor with this working directory, whoever made the executor,
     * and belongs to no command that this JVM, or one that runs this JVM, is running now. The directory is the same when
     * it has the same name in the same parent directory, symbolic links in the parent's path resolved; an executor of a
     * directory below or above it is another one's. On Linux processes are found as after a command, see above; <strong>on
     * other systems nothing is done</strong>. Takes at most about six seconds, even when the thread is interrupted.
     */
    @Override
    public void endLeftovers() {
        if (!Proc.isAvailable()) {
            return;
        }
        Leftovers leftovers = new Leftovers(RootMark.of(directory));
        List<Long> alive;
        try (Uninterrupted uninterrupted = new Uninterrupted()) {
            alive = TreeKiller.kill(leftovers, uninterrupted);
        }
        requireNone(alive, directory);
        if (!leftovers.found().isEmpty()) {
            LOG.info("ended processes {}, left by earlier commands in {}", leftovers.found(), directory);
        }
    }

    static void requireNone(List<Long> alive, Path directory) {
        if (!alive.isEmpty()) {
            throw new ExecException(
                    "processes " + alive + ", left by earlier commands in " + directory
                            + ", could not be ended; end them, as their user or as root, and try again",
                    null);
        }
    }

    /** The JDK would refuse such a variable too, but show its value. */
    private static void requireNoNul(ExecRequest request, Map<String, String> variables) {
        variables.forEach((name, value) -> {
            if (name.indexOf('\0') >= 0 || value.indexOf('\0') >= 0) {
                String variable = name.replace('\0', '?');
                throw new ExecException(
                        "cannot run '" + request.command().get(0) + "': the environment variable " + variable
                                + " holds a NUL character; remove it",
                        null);
            }
        });
    }

    private Path resolve(ExecRequest request) {
        String name = request.command().get(0);
        Path resolved;
        try {
            resolved = request.workingDirectory()
                    .map(directory::resolve)
                    .orElse(directory)
                    .normalize();
        } catch (InvalidPathException e) {
            throw new ExecException("cannot run '" + name + "': its working directory is no valid path; correct it", e);
        }
        if (!Files.exists(resolved)) {
            throw Programs.failure(name, resolved, "the working directory does not exist; create it first", null);
        }
        if (!Files.isDirectory(resolved)) {
            throw Programs.failure(name, resolved, "the working directory is not a directory; name one", null);
        }
        return resolved;
    }

    /** Where it runs commands. */
    @Override
    public String toString() {
        return "LocalExecutor[" + directory + "]";
    }

    /** Collects the settings of a {@link LocalExecutor}. Not safe for use by several threads. */
    public static final class Builder {
        private final Path directory;
        private final Set<String> passedOn = new HashSet<>();
        private final Map<String, String> variables = new LinkedHashMap<>();

        private Builder(Path directory) {
            this.directory = directory.toAbsolutePath().normalize();
        }

        /**
         * Passes variables of the host's environment on to commands, as far as the host has them. What is named here is
         * passed on even if it holds a secret.
         *
         * @param names their names, in addition to those that are passed on anyway
         * @return this
         */
        public Builder environment(String... names) {
            passedOn.addAll(List.of(names));
            return this;
        }

        /**
         * Sets a variable for all commands.
         *
         * @param name its name; not blank, no {@code =}
         * @param value its value
         * @return this
         */
        public Builder variable(String name, String value) {
            if (name.isBlank() || name.indexOf('=') >= 0) {
                throw new IllegalArgumentException("not a name of an environment variable: '" + name + "'");
            }
            variables.put(name, Objects.requireNonNull(value, "value"));
            return this;
        }

        /**
         * Makes the executor.
         *
         * @return the executor
         */
        public LocalExecutor build() {
            return new LocalExecutor(this);
        }
    }
}
