package io.maestro.docker.internal.environment;

import io.maestro.docker.DockerExecutor;
import io.maestro.docker.internal.Container;
import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.exec.VariablesExecutor;
import io.maestro.docker.internal.workspace.BoundWorkspace;
import io.maestro.docker.internal.workspace.WorkspaceTransport;
import io.maestro.environment.Phase;
import io.maestro.exec.Executor;
import java.util.Map;
import java.util.function.Function;

/** Makes executors in the containers of one attempt. Variables of the host are for commands while coding, and for no other. */
final class AttemptExecutors implements ContainerExecutors {
    private final Engine engine;
    private final WorkspaceTransport transport;
    private final Map<String, String> variables;
    private final Function<Phase, Map<String, String>> changing;

    /**
     * Makes none yet.
     *
     * @param variables those of the host
     * @param changing what commands of a phase are told beside them, asked before each command
     */
    AttemptExecutors(
            Engine engine,
            WorkspaceTransport transport,
            Map<String, String> variables,
            Function<Phase, Map<String, String>> changing) {
        this.engine = engine;
        this.transport = transport;
        this.variables = variables;
        this.changing = changing;
    }

    @Override
    public Room open(Container container, Phase phase) {
        DockerExecutor.Builder builder = DockerExecutor.builder(engine.cli().host(), container.id())
                .workingDirectory(BoundWorkspace.TARGET)
                .exclusive(true);
        if (phase == Phase.CODING) {
            variables.forEach(builder::variable);
        }
        DockerExecutor bare = builder.build();
        Executor told = new VariablesExecutor(bare, () -> changing.apply(phase));
        return new Room(transport.around(told, phase != Phase.CODING), bare, bare::close);
    }
}
