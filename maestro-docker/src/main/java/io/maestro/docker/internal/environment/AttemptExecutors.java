package io.maestro.docker.internal.environment;

import io.maestro.docker.DockerExecutor;
import io.maestro.docker.internal.Container;
import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.exec.VariablesExecutor;
import io.maestro.docker.internal.workspace.BoundWorkspace;
import io.maestro.docker.internal.workspace.WorkspaceTransport;
import io.maestro.environment.Phase;
import io.maestro.exec.Executor;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/** Makes executors in the containers of one attempt. Variables of the host are for commands while coding, and for no other. */
final class AttemptExecutors implements ContainerExecutors {
    private final Engine engine;
    private final WorkspaceTransport transport;
    private final Map<String, String> variables;
    private final BiFunction<Phase, List<String>, Map<String, String>> changing;
    private final Supplier<List<String>> services;

    /**
     * Makes none yet.
     *
     * @param variables those of the host
     * @param changing what commands of a phase, which reach services of such names, are told beside them; asked before each command
     * @param services the names of the agent's services
     */
    AttemptExecutors(
            Engine engine,
            WorkspaceTransport transport,
            Map<String, String> variables,
            BiFunction<Phase, List<String>, Map<String, String>> changing,
            Supplier<List<String>> services) {
        this.engine = engine;
        this.transport = transport;
        this.variables = variables;
        this.changing = changing;
        this.services = services;
    }

    @Override
    public ClosableExecutor open(Container container, Phase phase) {
        DockerExecutor.Builder builder = DockerExecutor.builder(engine.cli().host(), container.id())
                .workingDirectory(BoundWorkspace.TARGET)
                .exclusive(true);
        if (phase == Phase.CODING) {
            variables.forEach(builder::variable);
        }
        DockerExecutor bare = builder.build();
        Executor told = new VariablesExecutor(bare, () -> changing.apply(phase, services.get()));
        return new ClosableExecutor(transport.around(told, phase != Phase.CODING), bare, bare::close);
    }

    @Override
    public Executor plain(Container container, List<String> names) {
        return new VariablesExecutor(
                new PlainExecutor(engine, container, variables), () -> changing.apply(Phase.CODING, names));
    }
}
