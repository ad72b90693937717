package io.maestro.docker;

import static io.maestro.docker.internal.sandbox.tool.ToolAccess.Grant.ALL_VARIABLES;
import static io.maestro.docker.internal.sandbox.tool.ToolAccess.Grant.ROOT_BESIDE_MOUNTS;
import static io.maestro.docker.internal.sandbox.tool.ToolAccess.Grant.SSH;

import io.maestro.docker.internal.sandbox.tool.ContainersToolFactory;
import io.maestro.docker.internal.sandbox.tool.ToolAccess;
import io.maestro.docker.internal.sandbox.tool.ToolAccess.Grant;
import io.maestro.tools.ToolFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Makes the tool {@code containers}, by which agents and, over MCP, other programs make and use containers:
 *
 * <pre>{@code
 * Containers containers = Containers.on(DockerHost.local())
 *         .projectDirectory(Path.of("boxes"))
 *         .rules(ContainerRules.builder().maxContainers(4).allowRoot(false).build())
 *         .open();
 * Maestro maestro = Maestro.builder().tool(ContainersTool.of(containers).build())…
 * }</pre>
 *
 * <p>Each agent sees the containers that it has made and no others; they are removed when it ends, unless they are persistent. What
 * it may ask for is decided by the {@link ContainerRules} of the {@link Containers}; of the host's files it gets at none but those
 * of {@link #directory}. Values of variables that the host hands over are in no answer. A container that an agent makes has the
 * network that it asks for: where agents must not reach one, leave the tool away. Not safe for use by several threads.
 */
public final class ContainersTool {
    private final Containers containers;
    private final List<Path> directories = new ArrayList<>();
    private final Set<Grant> grants = EnumSet.complementOf(EnumSet.of(ROOT_BESIDE_MOUNTS, SSH, ALL_VARIABLES));

    private ContainersTool(Containers containers) {
        this.containers = containers;
    }

    /**
     * Starts to describe the tool.
     *
     * @param containers what makes the containers; it is closed by whoever has opened it
     * @return a builder
     */
    public static ContainersTool of(Containers containers) {
        return new ContainersTool(Objects.requireNonNull(containers, "containers"));
    }

    /**
     * Lets agents mount and copy what is below a directory of the host; while planning they change nothing there.
     *
     * @param directory the first is what {@code mount_cwd} mounts, and paths are relative to
     * @return this
     */
    public ContainersTool directory(Path directory) {
        directories.add(directory.toAbsolutePath().normalize());
        return this;
    }

    /**
     * Sets whether anything in a container may run as root where files of the host are mounted that can be changed: set-up
     * commands, {@code as_root}, an image's own program. It could leave a program there that makes whoever runs it on the host
     * root.
     *
     * @param allowed by default false
     * @return this
     */
    public ContainersTool allowRootBesideMounts(boolean allowed) {
        return set(ROOT_BESIDE_MOUNTS, allowed);
    }

    /**
     * Sets whether containers may reach the host's SSH agent.
     *
     * @param allowed by default false
     * @return this
     */
    public ContainersTool allowSsh(boolean allowed) {
        return set(SSH, allowed);
    }

    /**
     * Sets whether all variables of the host may be handed over, and not only those of {@link ContainerRules#passPatterns}.
     *
     * @param allowed by default false
     * @return this
     */
    public ContainersTool allowAllVariables(boolean allowed) {
        return set(ALL_VARIABLES, allowed);
    }

    private ContainersTool set(Grant grant, boolean allowed) {
        if (allowed) {
            grants.add(grant);
        } else {
            grants.remove(grant);
        }
        return this;
    }

    /**
     * Makes the tool.
     *
     * @return for {@code Maestro.builder().tool(…)} or a tool registry
     */
    public ToolFactory build() {
        return new ContainersToolFactory(
                containers.sandboxes(), new ToolAccess(directories, grants, containers.sandboxes()::imageOfStrangers));
    }
}
