package io.maestro.docker;

import io.maestro.docker.internal.Container;
import io.maestro.docker.internal.Engine;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A container of a {@link Containers}. Equal when the container is the same. Safe for use by several threads; once it is
 * removed, what needs it fails with a {@link DockerException}.
 */
public final class RunningContainer {
    private final Engine engine;
    private final Container container;
    private final OpenExecutors executors;

    RunningContainer(Engine engine, Container container, OpenExecutors executors) {
        this.engine = engine;
        this.container = container;
        this.executors = executors;
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
     * Runs commands in it, where its own process was started and as the user that it runs as. Each call gives another
     * executor; several commands at a time can be run by one. It is closed at the latest when the container is stopped or
     * removed here, or its {@link Containers} are closed.
     *
     * <pre>{@code
     * ExecResult result = container.executor().run(ExecRequest.shell("make test").build());
     * }</pre>
     *
     * @return an executor; nothing is started in the container yet
     */
    public DockerExecutor executor() {
        return executor(settings -> {});
    }

    /**
     * The same with other settings.
     *
     * <pre>{@code
     * DockerExecutor root = container.executor(settings -> settings.workingDirectory("/src").user("root"));
     * }</pre>
     *
     * @param settings is given the builder of {@link #executor()}, and calls what is to be set
     * @return an executor; nothing is started in the container yet
     */
    public DockerExecutor executor(Consumer<DockerExecutor.Builder> settings) {
        DockerExecutor.Builder builder = DockerExecutor.builder(engine.cli().host(), container.id())
                .workingDirectory(container.workingDirectory());
        settings.accept(builder);
        return executors.open(container.id(), builder);
    }

    /**
     * What its own process printed, on both streams.
     *
     * @param lines how many lines of each stream's end; 1 or more
     * @return the lines; not those of commands that were run in it
     * @throws IllegalArgumentException when lines are less than 1
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
     * Closes its executors and ends its processes: by TERM, and two seconds later by KILL. Fine when they have ended.
     *
     * @throws DockerException when it runs all the same
     * @throws DockerUnavailableException when the engine does not answer
     */
    public void stop() {
        executors.close(container.id());
        engine.stop(container);
    }

    /**
     * Closes its executors, ends it and removes it with its anonymous volumes. Fine when it is gone already.
     *
     * @throws DockerException when it is there all the same
     * @throws DockerUnavailableException when the engine does not answer
     */
    public void remove() {
        executors.close(container.id());
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
