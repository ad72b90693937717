package io.maestro.docker.internal.sandbox.tool;

import io.maestro.docker.Preflight;
import io.maestro.docker.internal.sandbox.Sandboxes;
import io.maestro.docker.internal.sandbox.tool.ToolAccess.Grant;
import io.maestro.secrets.Redactor;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;

/** {@code containers}: makes and uses containers, for each agent its own. Immutable. */
public final class ContainersToolFactory implements ToolFactory {
    private final Sandboxes sandboxes;
    private final ToolAccess access;
    private final ToolDefinition definition;

    /**
     * Makes it.
     *
     * @param sandboxes makes containers
     * @param access what agents get at of the host
     */
    public ContainersToolFactory(Sandboxes sandboxes, ToolAccess access) {
        this.sandboxes = sandboxes;
        this.access = access;
        this.definition = ContainersDefinition.of(sandboxes.rules());
    }

    @Override
    public ToolDefinition definition() {
        return definition;
    }

    @Override
    public Tool create(ToolContext context) {
        return new OperationCalls(
                sandboxes.of(context.agentId(), access.grants().contains(Grant.ROOT_BESIDE_MOUNTS)),
                context.readOnly() ? access.without(Grant.CHANGES) : access,
                () -> Preflight.of(sandboxes.engine().cli().host()),
                context.service(Redactor.class).orElse(same -> same));
    }
}
