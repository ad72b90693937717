package io.maestro.tools;

import io.maestro.exec.Executor;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What a tool may know of the agent that it works for, and what it may use. Safe for use by several threads. It hands out
 * no part of Maestro itself. To call other tools is a matter of the {@linkplain ToolCall#tools() call}, not of the context.
 */
public interface ToolContext {
    /**
     * The agent that will call the tool, for example {@code coder-001}.
     *
     * @return its id
     */
    String agentId();

    /**
     * The story that the agent works on.
     *
     * @return its id, or empty when the agent works on none
     */
    Optional<String> storyId();

    /**
     * The role and phase that the tool is made for.
     *
     * @return the audience
     */
    ToolAudience audience();

    /**
     * Whether the workspace must not be changed, as while planning. A tool that would change it refuses.
     *
     * @return true when the workspace is read-only
     */
    boolean readOnly();

    /**
     * Runs commands in the agent's workspace: in its container, or on this machine.
     *
     * @return the executor
     * @throws ToolException when this agent has none, as the architect without a workspace
     */
    Executor executor();

    /**
     * Something the host has put in for its tools ({@code tools(tools -> tools.service(type, instance))} of the builder), such as
     * a client of its issue tracker.
     *
     * @param <T> the type under which it was put in
     * @param type the type under which it was put in
     * @return the instance, or empty when there is none
     */
    <T> Optional<T> service(Class<T> type);

    /**
     * The files of the agent's workspace.
     *
     * @return always the same
     * @throws ToolException when this agent has none, as the architect
     */
    default WorkspaceFiles files() {
        throw new ToolException(
                agentId() + " (" + audience() + ") has no files; call read_file, or offer the tool to coders");
    }

    /**
     * What the agent has changed, uncommitted and new files included: a unified diff against the target branch, as the tool
     * {@code get_diff} gives it. Of more than 10,000 lines or 1 MB it is the beginning, and its last line says so; {@code
     * get_diff} gives the rest.
     *
     * @return the diff; empty when there is no difference
     * @throws ToolException when this agent has no target branch, as one that works alone
     */
    default String diff() {
        throw new ToolException(agentId() + " (" + audience() + ") has no branch to compare its work with");
    }

    /**
     * Writes a message to the chat in the agent's name, for all agents and people, unless the last that it wrote says the same.
     *
     * @param text 1 to 8,000 characters, not blank; secrets are taken out
     * @throws ToolException when there is no chat, as for an agent that works alone, or the message is not posted
     */
    default void post(String text) {
        throw new ToolException("there is no chat for " + agentId() + "; nothing was posted");
    }

    /**
     * Which attempt at the story it is.
     *
     * @return from 1; empty for an agent whose work has no attempts
     */
    default OptionalInt attempt() {
        return OptionalInt.empty();
    }

    /**
     * The state of the agent, for example {@code PLANNING} or {@code CODING}.
     *
     * @return its name; empty for an agent without states
     */
    default Optional<String> state() {
        return Optional.empty();
    }

    /**
     * What the agent's commands reach over the network, in the state that the tool is made for.
     *
     * @return {@link NetworkAccess#UNKNOWN} where nobody knows
     */
    default NetworkAccess network() {
        return NetworkAccess.UNKNOWN;
    }
}
