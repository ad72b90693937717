package io.maestro.docker.internal.environment;

import io.maestro.docker.internal.Container;
import io.maestro.docker.internal.Engine;

/** Says what became of a container that does not run any more. */
final class ContainerEnd {
    private ContainerEnd() {}

    /** The beginning of a message: who it was and how it ended. */
    static String of(Engine engine, Container container) {
        String name = container.name();
        String state = engine.cli()
                .run(
                        "inspect",
                        "--type",
                        "container",
                        "--format",
                        "{{.State.OOMKilled}} {{.State.ExitCode}}",
                        container.id())
                .stdout()
                .text()
                .strip();
        if (state.isEmpty()) {
            return "the container " + name + " was removed by somebody";
        }
        return state.startsWith("true")
                ? "the container " + name + " ran out of memory"
                : "the container " + name + " has ended with exit code " + state.substring(state.indexOf(' ') + 1);
    }
}
