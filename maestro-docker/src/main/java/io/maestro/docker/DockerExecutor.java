package io.maestro.docker;

import io.maestro.docker.internal.ClientCommand;
import io.maestro.docker.internal.exec.Channels;
import io.maestro.docker.internal.exec.ContainerCommand;
import io.maestro.docker.internal.exec.ExecTarget;
import io.maestro.docker.internal.exec.OrphanedProcesses;
import io.maestro.docker.internal.exec.StartedCommand;
import io.maestro.exec.ExecException;
import io.maestro.exec.ExecProcess;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import io.maestro.internal.Uninterrupted;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs commands in a running container, through the CLI of its engine. The container needs a POSIX shell ({@code sh}) and
 * {@code /proc}; {@code setsid}, {@code grep} and a {@code sleep} of less than a second are used where they are there.
 *
 * <h2>The fast path</h2>
 * A command goes through a persistent shell in the container, a channel, and costs a process instead of an {@code exec} of
 * the engine. A channel runs one command at a time; there are as many as commands run at once, up to a limit, and beyond it
 * an exec each. Nothing of a command is carried over to the next: not its directory, its variables, its umask, nor what it
 * left running, which is ended. When a channel breaks, by a command that kills its parent or a container that stops, the
 * result of that command is unknown: it is ended, not run again, and a {@link CommandLostException} says so. The next command gets
 * a new channel.
 *
 * <h2>Secrets</h2>
 * Arguments, variables and input travel over the standard input of the CLI: neither the command line of a process on the
 * host shows them, nor {@code docker inspect}.
 *
 * <h2>Processes</h2>
 * Nothing that a command started lives longer than it, see {@link Executor}: what is left is found by its session, its parent,
 * the variable {@code MAESTRO_EXEC_ID} and its hold on the output. A process that escapes all four lives as long as the
 * container, unless the executor {@linkplain Builder#exclusive has the container for itself}. When the host program is killed, commands in channels are ended by the container's side; others go on, until
 * {@link #endLeftovers()} or the end of the container. A command can kill what runs as its own user, the shells of this
 * executor included.
 *
 * <p>Safe for use by several threads. Close it before the container is removed.
 */
public final class DockerExecutor implements Executor, AutoCloseable {
    private final ExecTarget target;
    private final String directory;
    private final @Nullable String user;
    private final Map<String, String> environment;
    private final Channels channels;
    private final Consumer<DockerExecutor> onClose;

    private DockerExecutor(Builder builder) {
        this.target = new ExecTarget(ClientCommand.of(builder.host), builder.container, builder.exclusive);
        this.directory = builder.directory;
        this.user = builder.user;
        this.environment = new LinkedHashMap<>(builder.environment);
        this.channels = new Channels(target, builder.fastPath ? builder.channels : 0);
        this.onClose = builder.onClose;
    }

    /**
     * Starts to describe an executor in a container of the engine that the program {@code docker} reaches by itself.
     *
     * @param container the name or id of a container that runs when a command is run
     * @return a builder
     * @see DockerHost#local()
     */
    public static Builder builder(String container) {
        return new Builder(DockerHost.local(), container);
    }

    /**
     * Starts to describe an executor in a container of any engine. In a container of a {@link Containers},
     * {@link RunningContainer#executor()} is simpler.
     *
     * @param host the engine, and the client that reaches it
     * @param container the name or id of a container that runs when a command is run
     * @return a builder
     */
    public static Builder builder(DockerHost host, String container) {
        return new Builder(host, container);
    }

    @Override
    public String workingDirectory() {
        return directory;
    }

    /**
     * {@inheritDoc}
     *
     * <p>When the thread is already interrupted, nothing is started and the result is {@link ExecResult.Ending#CANCELLED}.
     *
     * @throws ExecException when the program or the directory does not exist or cannot be used, when the container is not
     *     running
     * @throws CommandLostException when the connection broke before the result was known
     * @throws DockerUnavailableException when the engine does not answer
     */
    @Override
    public ExecResult run(ExecRequest request) {
        ContainerCommand command = command(request);
        if (Thread.currentThread().isInterrupted()) {
            return Channels.cancelled();
        }
        try (Uninterrupted uninterrupted = new Uninterrupted()) {
            return channels.run(command, uninterrupted);
        }
    }

    /**
     * {@inheritDoc}
     *
     * <p>Always by an exec of the engine. The command goes on when this executor is closed.
     *
     * @throws ExecException as {@link #run} does
     * @throws DockerUnavailableException when the engine does not answer
     */
    @Override
    public ExecProcess start(ExecRequest request) {
        return StartedCommand.start(target, command(request));
    }

    private ContainerCommand command(ExecRequest request) {
        Map<String, String> variables = new LinkedHashMap<>(environment);
        variables.putAll(request.environment());
        String at = request.workingDirectory()
                .map(path -> path.startsWith("/") ? path : directory + "/" + path)
                .orElse(directory);
        ContainerCommand command = new ContainerCommand(request, request.user().orElse(user), at, variables);
        command.check();
        return command;
    }

    /**
     * {@inheritDoc}
     *
     * <p>Ended is whatever runs in the container as this executor's user and was started by an executor of another JVM.
     */
    @Override
    public void endLeftovers() {
        OrphanedProcesses.end(target, user);
    }

    /** Ends the channels, and the commands that run in them. A second call does nothing. */
    @Override
    public void close() {
        channels.close();
        onClose.accept(this);
    }

    /** Where it runs commands. */
    @Override
    public String toString() {
        return "DockerExecutor[" + target + ":" + directory + "]";
    }

    /** Collects the settings of a {@link DockerExecutor}. Not safe for use by several threads. */
    public static final class Builder {
        private final DockerHost host;
        private final String container;
        private String directory = "/workspace";
        private @Nullable String user;
        private final Map<String, String> environment = new LinkedHashMap<>();
        private boolean fastPath = true;
        private int channels = 4;
        private boolean exclusive;
        private Consumer<DockerExecutor> onClose = closed -> {};

        private Builder(DockerHost host, String container) {
            this.host = Objects.requireNonNull(host, "host");
            this.container = Objects.requireNonNull(container, "container");
        }

        /** Sets who is told when the executor is closed, each time. */
        Builder onClose(Consumer<DockerExecutor> listener) {
            this.onClose = listener;
            return this;
        }

        /**
         * Sets where commands run unless they say otherwise.
         *
         * @param path an absolute path in the container; by default {@code /workspace}, and for
         *     {@link RunningContainer#executor()} the directory of the container itself
         * @return this
         * @throws IllegalArgumentException when it is not absolute
         */
        public Builder workingDirectory(String path) {
            if (!path.startsWith("/")) {
                throw new IllegalArgumentException("the working directory must be an absolute path, is '" + path + "'");
            }
            this.directory = path;
            return this;
        }

        /**
         * Sets as whom commands run unless they say otherwise.
         *
         * @param name a user or {@code user:group}, by name or number; by default the container's own user
         * @return this
         */
        public Builder user(String name) {
            this.user = ExecRequest.command("true").user(name).build().user().orElseThrow();
            return this;
        }

        /**
         * Sets a variable for all commands. It may be a secret.
         *
         * @param name letters, digits and underscores, no digit first
         * @param value its value
         * @return this
         * @throws IllegalArgumentException when no shell can set such a name
         */
        public Builder variable(String name, String value) {
            if (!name.matches("[A-Za-z_][A-Za-z0-9_]*")) {
                throw new IllegalArgumentException("not a name that a shell can set: '" + name + "'");
            }
            environment.put(name, Objects.requireNonNull(value, "value"));
            return this;
        }

        /**
         * Sets whether commands go through channels.
         *
         * @param use false for an exec of the engine per command; by default true
         * @return this
         */
        public Builder fastPath(boolean use) {
            this.fastPath = use;
            return this;
        }

        /**
         * Sets how many channels there may be at once.
         *
         * @param most more than zero; by default 4
         * @return this
         * @throws IllegalArgumentException when it is not more than zero
         */
        public Builder channels(int most) {
            if (most <= 0) {
                throw new IllegalArgumentException("there must be more than zero channels, not " + most);
            }
            this.channels = most;
            return this;
        }

        /**
         * Sets whether nothing but commands runs in the container, beside the process that it was started with, which is not
         * process 1 but its child, as with {@code docker run --init}. Then a command's end takes with it whatever has no parent
         * any more and is of no other command that runs, however it hides; when processes cannot be ended, as those of a fork
         * bomb, the container is killed.
         *
         * @param alone true for a container that is there for commands only; by default false
         * @return this
         */
        public Builder exclusive(boolean alone) {
            this.exclusive = alone;
            return this;
        }

        /**
         * Makes the executor. Nothing is started yet.
         *
         * @return the executor
         * @throws IllegalArgumentException when the container's name or id is none
         */
        public DockerExecutor build() {
            return new DockerExecutor(this);
        }
    }
}
