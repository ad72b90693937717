package io.maestro.docker.internal.compose;

import io.maestro.docker.Mount;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Where the stack of an agent belongs.
 *
 * @param workspace the agent's workspace on this machine; its parent is out of the agents' reach
 * @param mount how containers mount the workspace, writable
 * @param owner as whom containers write to it, {@code uid:gid}
 * @param stateDirectory where stacks keep what they run, outside all workspaces and visible to the engine; each has a directory of its
 *     own in it
 * @param rules what compose files may ask for
 * @param storyId the story that the agent works on
 * @param guests the ids of the containers that reach the services, such as the agent's own; asked after each start
 * @param images where images come from
 */
public record StackOwner(
        Path workspace,
        Mount mount,
        String owner,
        Path stateDirectory,
        ComposeRules rules,
        Optional<String> storyId,
        Supplier<List<String>> guests,
        StackImages images) {}
