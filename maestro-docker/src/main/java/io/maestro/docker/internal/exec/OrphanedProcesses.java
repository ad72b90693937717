package io.maestro.docker.internal.exec;

import io.maestro.exec.ExecException;
import org.jspecify.annotations.Nullable;

/** What hosts that were killed have left running in a container. */
public final class OrphanedProcesses {
    private OrphanedProcesses() {}

    /**
     * Ends it.
     *
     * @param target the container
     * @param user as whom; null for the container's own user
     * @throws ExecException when some cannot be ended, or the container does not run
     */
    public static void end(ExecTarget target, @Nullable String user) {
        ExecTarget.Answer answer = Terminator.endLeftovers(target, user);
        String alive = answer.text().strip();
        if (answer.code() == 1 && alive.matches("[0-9 ]+")) {
            throw new ExecException(
                    "processes " + alive + " in " + target
                            + ", left by earlier commands, could not be ended; restart the" + " container",
                    null);
        }
        if (answer.code() != 0) {
            throw target.failure("cannot end what earlier commands have left in " + target, alive);
        }
    }
}
