package io.maestro.docker.internal.tools;

import io.maestro.docker.ContainerRules;
import io.maestro.docker.DockerException;
import io.maestro.docker.Preflight;
import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.environment.StoryEnvironment;
import io.maestro.docker.internal.sandbox.ContainerViews;
import io.maestro.docker.internal.sandbox.HostUser;
import io.maestro.docker.internal.sandbox.Sandboxes;
import io.maestro.docker.internal.sandbox.tool.ContainersDefinition;
import io.maestro.docker.internal.sandbox.tool.OperationCalls;
import io.maestro.docker.internal.sandbox.tool.ToolAccess;
import io.maestro.docker.internal.sandbox.tool.ToolAccess.Grant;
import io.maestro.secrets.Redactor;
import io.maestro.tools.NetworkAccess;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code containers} for agents that work in containers: what they make is on their engine, has no more of the network, the
 * host's variables and the images than their own commands, and goes with their attempt. Immutable.
 */
public final class AgentContainersTool implements ToolFactory {
    private static final Logger LOG = LoggerFactory.getLogger(AgentContainersTool.class);

    private final ContainerRules rules;
    private final HostUser host;
    private final Supplier<ContainerViews> views;
    private final ToolDefinition definition;

    /**
     * Makes it.
     *
     * @param variables what the host passes on to agents' commands
     * @param views makes what makes the views of one agent's containers
     */
    public AgentContainersTool(ContainerRules rules, Map<String, String> variables, Supplier<ContainerViews> views) {
        this.rules = rules;
        this.host = new HostUser(variables, null);
        this.views = views;
        this.definition = ContainersDefinition.ofAgents(rules);
    }

    @Override
    public ToolDefinition definition() {
        return definition;
    }

    @Override
    public Tool create(ToolContext context) {
        StoryEnvironment environment = ContainerArguments.environment(context);
        Engine engine = environment.engine();
        environment.watchDisks();
        if (environment.bindsWorkspace()) {
            letContainersIn(environment.place().directory());
        }
        ContainerViews own = views.get();
        AgentNetwork network = new AgentNetwork(engine, context.agentId());
        Sandboxes sandboxes =
                new Sandboxes(engine, context.agentId(), rules, host, container -> own.of(engine, container), network);
        ToolAccess access = new ToolAccess(
                List.of(environment.place().directory()),
                grants(context, environment),
                name -> ContainerArguments.image(environment, name));
        OperationCalls calls = new OperationCalls(
                sandboxes,
                access,
                () -> Preflight.of(engine.cli().host()),
                context.service(Redactor.class).orElse(same -> same));
        return new Tool() {
            @Override
            public ToolResult execute(ToolCall call) throws InterruptedException {
                try {
                    environment.requireRoom();
                } catch (DockerException e) {
                    return ToolResult.error(String.valueOf(e.getMessage()));
                }
                return calls.execute(call);
            }

            @Override
            public void close() {
                try (own;
                        network) {
                    calls.close();
                }
            }
        };
    }

    /** They look at the workspace, which is Maestro's own, as users of theirs. */
    private static void letContainersIn(Path workspace) {
        try {
            Set<PosixFilePermission> mode = Files.getPosixFilePermissions(workspace, LinkOption.NOFOLLOW_LINKS);
            mode.addAll(PosixFilePermissions.fromString("r-xr-xr-x"));
            Files.setPosixFilePermissions(workspace, mode);
        } catch (IOException | UnsupportedOperationException e) {
            LOG.warn("containers of agents may not be able to read {}: {}", workspace, e.toString());
        }
    }

    private static Set<Grant> grants(ToolContext context, StoryEnvironment environment) {
        Set<Grant> grants = EnumSet.noneOf(Grant.class);
        // What runs on while the work is looked at must not change it, so that nothing is mounted writable.
        if (environment.bindsWorkspace()) {
            grants.add(Grant.MOUNTS);
        }
        if (!context.readOnly()) {
            grants.add(Grant.CHANGES);
        }
        // What a network that the settings name leads to is not known here, and others there may trust its names.
        if (context.network() == NetworkAccess.OPEN
                && environment.hasOwnNetwork()
                && environment.engine().isolates()) {
            grants.add(Grant.NETWORK);
        }
        return grants;
    }
}
