package io.maestro.docker;

import io.maestro.docker.internal.Container;
import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.sandbox.ContainerViews;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The executors that were given out, by the container that they are closed with. Safe for use by several threads. */
final class OpenExecutors {
    private final Map<String, Set<DockerExecutor>> byContainer = new ConcurrentHashMap<>();

    /** Views whose executors are closed together. */
    static ContainerViews views() {
        OpenExecutors executors = new OpenExecutors();
        return new ContainerViews() {
            @Override
            public RunningContainer of(Engine engine, Container container) {
                return new RunningContainer(engine, container, executors);
            }

            @Override
            public void close() {
                executors.closeAll();
            }
        };
    }

    /** Makes an executor; one that its user closes is forgotten. */
    DockerExecutor open(String containerId, DockerExecutor.Builder builder) {
        DockerExecutor executor =
                builder.onClose(closed -> forget(containerId, closed)).build();
        byContainer.compute(containerId, (id, known) -> {
            Set<DockerExecutor> all = known == null ? ConcurrentHashMap.newKeySet() : known;
            all.add(executor);
            return all;
        });
        return executor;
    }

    private void forget(String containerId, DockerExecutor executor) {
        byContainer.computeIfPresent(containerId, (id, known) -> {
            known.remove(executor);
            return known.isEmpty() ? null : known;
        });
    }

    /** Closes those of a container. */
    void close(String containerId) {
        Set<DockerExecutor> open = byContainer.remove(containerId);
        if (open != null) {
            open.forEach(DockerExecutor::close);
        }
    }

    /** Closes all. */
    void closeAll() {
        List.copyOf(byContainer.keySet()).forEach(this::close);
    }
}
