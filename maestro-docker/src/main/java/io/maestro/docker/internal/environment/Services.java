package io.maestro.docker.internal.environment;

import io.maestro.docker.internal.Container;
import io.maestro.docker.internal.compose.ComposeStack;
import io.maestro.docker.internal.workspace.WorkspaceTransport;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What there is around the containers of an attempt. */
interface Services {
    /** The services of compose files that the agent has brought up, or will. */
    ComposeStack stack();

    /** Lets a new container reach the services that the agent has brought up. */
    void join(Container container);

    /** What the agent has brought up; empty when there is nothing. */
    Optional<ComposeStack.Start> start();

    /**
     * Starts what the agent has brought up once more for what is judged, from the files of a checkout and with nothing of the
     * agent's. Whoever calls it brings it down.
     *
     * @param files carries the checkout
     * @return null where the agent has brought up nothing, or from a file that the checkout does not have
     * @throws io.maestro.exec.ExecException when they do not come up, with the reason
     */
    @Nullable
    ComposeStack startForTests(Path checkout, WorkspaceTransport files);

    /** Is told when the engine does not answer. */
    void failed();

    /** Ends them. The containers are still there. */
    void end();

    /** Gives back what carried the workspace and the place on the engine; the last step. */
    void close();
}
