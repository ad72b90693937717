package io.maestro.exec.local;

import io.maestro.exec.ExecException;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.ExecResult.Ending;
import io.maestro.exec.internal.RunningProcess;
import io.maestro.exec.internal.ShutdownHook;
import io.maestro.internal.Threads;
import io.maestro.internal.Uninterrupted;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.zeroturnaround.exec.MessageLoggers;
import org.zeroturnaround.exec.ProcessExecutor;
import org.zeroturnaround.exec.StartedProcess;

/** One run of one command, from its start until nothing of it is left. */
final class LocalCommand {
    private static final Logger LOG = LoggerFactory.getLogger(LocalCommand.class);

    /** How long to wait for the rest of the output, which is in the pipe, once the command has ended. A busy machine needs long. */
    private static final Duration DRAIN_LIMIT = Duration.ofSeconds(10);

    private final ExecRequest request;
    private final Path directory;
    private final String cookie;
    private final Streams streams;
    private final long startTicks = Proc.now();

    /** Null until it has been started. */
    private volatile @Nullable Process process;

    LocalCommand(ExecRequest request, Path directory, String cookie) {
        this.request = request;
        this.directory = directory;
        this.cookie = cookie;
        this.streams = new Streams(request.stdin(), request.outputLimit());
    }

    ExecResult run(List<String> arguments, Map<String, @Nullable String> environment) {
        // The hook comes first: a JVM may be shut down while the process is being started.
        ShutdownHook hook = new ShutdownHook(() -> end(tree(), new Uninterrupted()));
        try (Uninterrupted uninterrupted = new Uninterrupted()) {
            long start = System.nanoTime();
            StartedProcess started = start(arguments, environment);
            process = started.getProcess();
            Ending ending;
            try {
                ending = await(started.getProcess(), uninterrupted);
            } finally {
                end(tree(), uninterrupted);
                drain(started.getFuture(), uninterrupted);
            }
            return result(ending, started.getProcess(), Duration.ofNanos(System.nanoTime() - start));
        } finally {
            hook.remove();
        }
    }

    private StartedProcess start(List<String> arguments, Map<String, @Nullable String> environment) {
        try {
            // Its messages would show arguments, which may hold secrets.
            return new DaemonProcessExecutor()
                    .command(arguments)
                    .directory(directory.toFile())
                    .environment(environment)
                    .redirectErrorStream(false)
                    .streams(streams)
                    .exitValueAny()
                    .setMessageLogger(MessageLoggers.NOP)
                    .start();
        } catch (IOException e) {
            // Its own message lists the whole environment; the JDK's, below it, does not.
            throw notStarted(request, directory, e.getCause() == null ? e : e.getCause());
        }
    }

    static ExecException notStarted(ExecRequest request, Path directory, Throwable cause) {
        String what = "the system refused to start it (" + cause.getMessage() + "); check the program and the length of"
                + " its arguments, and pass what is long on standard input";
        return Programs.failure(request.command().get(0), directory, what, cause);
    }

    private ProcessTree tree() {
        return tree(process, cookie, startTicks, new HashMap<>());
    }

    /** All that belongs to a command; its process is null when it has not been started yet. Processes are known by id and start. */
    static ProcessTree tree(@Nullable Process started, String cookie, long startTicks, Map<Long, Long> known) {
        if (Proc.isAvailable()) {
            long session = started == null || !Launcher.opensSession() ? ProcTree.NO_SESSION : started.pid();
            return new ProcTree(session, cookie, startTicks, known);
        }
        return started == null ? List::of : new DescendantTree(started.toHandle());
    }

    private Ending await(Process process, Uninterrupted uninterrupted) {
        try {
            return process.waitFor(RunningProcess.nanos(request.timeLimit()), TimeUnit.NANOSECONDS)
                    ? Ending.EXITED
                    : Ending.TIMED_OUT;
        } catch (InterruptedException e) {
            uninterrupted.interrupted();
            return Ending.CANCELLED;
        }
    }

    /** Ends what is left of the command: after a normal exit too. */
    private void end(ProcessTree tree, Uninterrupted uninterrupted) {
        end(request, tree, uninterrupted);
    }

    static void end(ExecRequest request, ProcessTree tree, Uninterrupted uninterrupted) {
        List<Long> left = TreeKiller.kill(tree, uninterrupted);
        if (!left.isEmpty()) {
            LOG.warn(
                    "processes {} of '{}' could not be ended",
                    left,
                    request.command().get(0));
        }
    }

    /** Takes the rest of the output. */
    private void drain(Future<?> closed, Uninterrupted uninterrupted) {
        streams.end();
        if (!uninterrupted.await(closed, DRAIN_LIMIT)) {
            LOG.warn(
                    "the output of '{}' is not whole: it could not be read in time",
                    request.command().get(0));
            closed.cancel(true);
        }
    }

    private ExecResult result(Ending ending, Process process, Duration duration) {
        OptionalInt exitCode = ending == Ending.EXITED ? OptionalInt.of(process.exitValue()) : OptionalInt.empty();
        return new ExecResult(ending, exitCode, streams.stdout(), streams.stderr(), duration);
    }

    /** zt-exec waits on a thread of its own; it must not keep the JVM alive. */
    private static final class DaemonProcessExecutor extends ProcessExecutor {
        @Override
        protected ExecutorService newExecutor(String processName) {
            return Executors.newSingleThreadExecutor(Threads.platformFactory("maestro-exec-wait"));
        }
    }
}
