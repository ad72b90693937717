package io.maestro.docker.internal.environment;

import io.maestro.docker.internal.Container;
import io.maestro.environment.Phase;
import io.maestro.exec.ExecException;
import io.maestro.exec.ExecOutput;
import io.maestro.exec.ExecProcess;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A container that an agent works in, and how. Once it is {@linkplain #retire retired}, what still runs in it ends as
 * cancelled, and nothing begins in it any more. Safe for use by several threads.
 */
final class AgentContainer {
    private final Container container;
    private final Phase phase;
    private final ProjectImage image;
    private final Executor executor;
    private final Runnable closing;
    private final Set<ExecProcess> processes = ConcurrentHashMap.newKeySet();
    private volatile boolean retired;

    /**
     * A container that runs.
     *
     * @param executor runs commands in it
     * @param closing ends the executor
     */
    AgentContainer(Container container, Phase phase, ProjectImage image, Executor executor, Runnable closing) {
        this.container = container;
        this.phase = phase;
        this.image = image;
        this.executor = executor;
        this.closing = closing;
    }

    Container container() {
        return container;
    }

    Phase phase() {
        return phase;
    }

    ProjectImage image() {
        return image;
    }

    Executor executor() {
        return executor;
    }

    /**
     * Runs a command here.
     *
     * @return null when it was retired before it began
     */
    @Nullable
    ExecResult run(ExecRequest request) {
        if (retired) {
            return null;
        }
        long begin = System.nanoTime();
        try {
            ExecResult result = executor.run(request);
            return retired && !result.succeeded() ? cancelled(result) : result;
        } catch (ExecException e) {
            if (retired) {
                return cancelled(new ExecResult(
                        ExecResult.Ending.CANCELLED,
                        OptionalInt.empty(),
                        ExecOutput.of(""),
                        ExecOutput.of(""),
                        Duration.ofNanos(System.nanoTime() - begin)));
            }
            throw e;
        }
    }

    /** Whatever the executor makes of a container that is taken away from it. */
    private static ExecResult cancelled(ExecResult result) {
        return new ExecResult(
                ExecResult.Ending.CANCELLED, OptionalInt.empty(), result.stdout(), result.stderr(), result.duration());
    }

    /**
     * Starts a command here.
     *
     * @return null when it was retired meanwhile
     */
    @Nullable
    ExecProcess start(ExecRequest request) {
        if (retired) {
            return null;
        }
        ExecProcess process = executor.start(request);
        processes.removeIf(known -> !known.isAlive());
        processes.add(process);
        if (retired) {
            process.close();
            return null;
        }
        return process;
    }

    /** Ends what runs here. The container is still there. */
    void retire() {
        retired = true;
        processes.forEach(ExecProcess::kill);
        closing.run();
    }

    boolean isRetired() {
        return retired;
    }
}
