package io.maestro.docker.internal;

import io.maestro.docker.ContainerSpec;
import io.maestro.docker.DockerException;
import io.maestro.exec.ExecResult;
import java.util.List;
import java.util.Optional;

/**
 * What one instance does on one engine. The only place where containers, images, volumes and networks are made: each gets
 * the instance's labels. Safe for use by several threads.
 */
public final class Engine {
    private final DockerCli cli;
    private final Instance instance;

    /** The engine that a client reaches. */
    public Engine(DockerCli cli, Instance instance) {
        this.cli = cli;
        this.instance = instance;
    }

    /** Its client. */
    public DockerCli cli() {
        return cli;
    }

    /** Whose work it does. */
    public Instance instance() {
        return instance;
    }

    /**
     * Makes and starts a container under a unique name, and checks that it runs and a shell in it answers.
     *
     * @param agentId whom it is for
     * @return the container, running
     * @throws DockerException when it cannot be made, ends at once or has no shell, with what it logged; nothing of it is left
     *     then
     */
    public Container start(String agentId, ContainerSpec spec) {
        throw new UnsupportedOperationException(); // TODO part/containers
    }

    /** Removes a container with its anonymous volumes; fine when it is gone already, refused when it is not this instance's. */
    public void remove(Container container) {
        throw new UnsupportedOperationException(); // TODO part/containers
    }

    /** Whether it runs. */
    public boolean isRunning(Container container) {
        ExecResult result = cli.run("inspect", "--type", "container", "--format", "{{.State.Running}}", container.id());
        return result.succeeded() && result.stdout().text().strip().equals("true");
    }

    /**
     * Looks an image up on the engine; nothing is pulled.
     *
     * @return empty when it is not there
     */
    public Optional<Image> image(String name) {
        throw new UnsupportedOperationException(); // TODO part/containers
    }

    /** Attaches a container to a network, or does nothing when it is. */
    public void connect(Container container, String network) {
        throw new UnsupportedOperationException(); // TODO part/containers
    }

    /** All containers of this instance, of all its lives, running or not. */
    public List<Container> containers() {
        throw new UnsupportedOperationException(); // TODO part/containers
    }
}
