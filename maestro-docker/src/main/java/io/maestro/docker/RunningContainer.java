package io.maestro.docker;

import io.maestro.docker.internal.Container;
import io.maestro.docker.internal.Engine;
import org.jspecify.annotations.Nullable;

/**
 * A container of a {@link Containers}. Equal when the container is the same. Safe for use by several threads; once it is
 * removed, what needs it fails with a {@link DockerException}.
 */
public final class RunningContainer {
    private final Engine engine;
    private final Container container;

    RunningContainer(Engine engine, Container container) {
        this.engine = engine;
        this.container = container;
    }

    /**
     * The engine's id.
     *
     * @return 64 hexadecimal digits
     */
    public String id() {
        return container.id();
    }

    /**
     * The name, which no other container has.
     *
     * @return for example {@code maestro-1f2e3d4c-program-build-9a8b7c}
     */
    public String name() {
        return container.name();
    }

    /**
     * What it was made from.
     *
     * @return the image's id, {@code sha256:…}
     */
    public String imageId() {
        return container.imageId();
    }

    /**
     * What it is for.
     *
     * @return the role of its {@link ContainerSpec}
     */
    public String role() {
        return container.role();
    }

    /**
     * Asks whether it runs.
     *
     * @return false when it has ended or is gone
     * @throws DockerUnavailableException when the engine does not answer
     */
    public boolean isRunning() {
        return engine.isRunning(container);
    }

    /**
     * What its own process printed, on both streams.
     *
     * @param lines how many lines of each stream's end; 1 or more
     * @return the lines; not those of commands that were run in it
     * @throws DockerException when it is gone
     * @throws DockerUnavailableException when the engine does not answer
     */
    public String logs(int lines) {
        if (lines < 1) {
            throw new IllegalArgumentException("lines must be 1 or more, is " + lines);
        }
        return engine.logs(container, lines);
    }

    /**
     * Ends its processes: by TERM, and two seconds later by KILL. Fine when they have ended.
     *
     * @throws DockerException when it runs all the same
     * @throws DockerUnavailableException when the engine does not answer
     */
    public void stop() {
        engine.stop(container);
    }

    /**
     * Ends and removes it with its anonymous volumes. Fine when it is gone already.
     *
     * @throws DockerException when it is there all the same
     * @throws DockerUnavailableException when the engine does not answer
     */
    public void remove() {
        engine.remove(container);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RunningContainer that && container.id().equals(that.container.id());
    }

    @Override
    public int hashCode() {
        return container.id().hashCode();
    }

    @Override
    public String toString() {
        return "RunningContainer[" + container.name() + "]";
    }
}
