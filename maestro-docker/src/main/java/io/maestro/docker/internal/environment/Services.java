package io.maestro.docker.internal.environment;

import io.maestro.docker.internal.Container;
import io.maestro.docker.internal.compose.ComposeStack;

/** What there is around the containers of an attempt. */
interface Services {
    /** The services of compose files that the agent has brought up, or will. */
    ComposeStack stack();

    /** Lets a new container reach the services that the agent has brought up. */
    void join(Container container);

    /** Ends them. The containers are still there. */
    void end();

    /** Gives back what carried the workspace and the place on the engine; the last step. */
    void close();
}
