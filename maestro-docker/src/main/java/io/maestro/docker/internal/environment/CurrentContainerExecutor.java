package io.maestro.docker.internal.environment;

import io.maestro.docker.CommandLostException;
import io.maestro.docker.internal.disk.DiskGuard;
import io.maestro.docker.internal.workspace.BoundWorkspace;
import io.maestro.exec.ExecException;
import io.maestro.exec.ExecOutput;
import io.maestro.exec.ExecProcess;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Runs commands in the container that an environment has at the moment. When that was lost - somebody has removed it, or it
 * ran out of memory - a new one is made, and the answer says so. Safe for use by several threads.
 */
final class CurrentContainerExecutor implements Executor {
    /** With these and more a shell or an engine says that a program was killed or never ran. */
    private static final int LEAST_OF_ENGINES = 125;

    private final DiskGuard disks;
    private final Current current;

    /** Has the container. */
    interface Current {
        /** The current one. */
        AgentContainer container();

        /**
         * Makes a new one if this one is lost.
         *
         * @return what happened; empty when the container runs
         */
        Optional<String> replaceIfLost(AgentContainer agentContainer);
    }

    CurrentContainerExecutor(DiskGuard disks, Current current) {
        this.disks = disks;
        this.current = current;
    }

    @Override
    public ExecResult run(ExecRequest request) {
        disks.begin();
        try {
            return noted(moving(request), disks.takeNews());
        } finally {
            disks.ended();
        }
    }

    private ExecResult moving(ExecRequest request) {
        @Nullable String before = null;
        while (true) {
            AgentContainer agentContainer = current.container();
            try {
                ExecResult result = agentContainer.run(request);
                if (result != null) {
                    return noted(
                            result,
                            before == null && isSuspicious(agentContainer, result) ? lost(agentContainer) : before);
                }
            } catch (CommandLostException e) {
                // It may have done its work: a second time could do harm, and would be a lie about the first.
                String lost = lost(agentContainer);
                throw lost == null ? e : new CommandLostException(e.getMessage() + "; " + lost, e);
            } catch (ExecException e) {
                String lost = lost(agentContainer);
                if (lost == null || before != null) {
                    throw lost == null ? e : new ExecException(e.getMessage() + "; " + lost, e);
                }
                // It has not begun.
                before = lost;
            }
        }
    }

    private static boolean isSuspicious(AgentContainer agentContainer, ExecResult result) {
        return !agentContainer.isRetired()
                && (result.ending() != ExecResult.Ending.EXITED
                        || result.exitCode().orElse(0) >= LEAST_OF_ENGINES);
    }

    private @Nullable String lost(AgentContainer agentContainer) {
        return current.replaceIfLost(agentContainer).orElse(null);
    }

    private static ExecResult noted(ExecResult result, @Nullable String note) {
        if (note == null) {
            return result;
        }
        String old = result.stderr().text();
        return new ExecResult(
                result.ending(),
                result.exitCode(),
                result.stdout(),
                ExecOutput.of(old + (old.isEmpty() ? "" : "\n") + "[maestro: " + note + "]\n"),
                result.duration());
    }

    @Override
    public ExecProcess start(ExecRequest request) {
        disks.begin();
        boolean again = false;
        while (true) {
            AgentContainer agentContainer = current.container();
            try {
                ExecProcess process = agentContainer.start(request);
                if (process != null) {
                    return process;
                }
            } catch (ExecException e) {
                String lost = lost(agentContainer);
                if (lost == null || again) {
                    throw lost == null ? e : new ExecException(e.getMessage() + "; " + lost, e);
                }
                again = true;
            }
        }
    }

    @Override
    public void endLeftovers() {
        current.container().executor().endLeftovers();
    }

    @Override
    public String workingDirectory() {
        return BoundWorkspace.TARGET;
    }
}
