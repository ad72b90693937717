package io.maestro.environment;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who works where.
 *
 * @param agentId the agent, for example {@code coder-001}
 * @param storyId the story; null for the architect
 * @param attempt the attempt at the story; 0 for the architect
 * @param directory the agent's workspace on this machine, absolute
 * @param readable further directories of this machine that the agent may read, absolute; those of the architect
 * @param equipment what the program that works there needs
 */
public record Workplace(
        String agentId,
        @Nullable String storyId,
        int attempt,
        Path directory,
        List<Path> readable,
        Equipment equipment) {
    /**
     * Copies the list.
     *
     * @param agentId the agent
     * @param storyId the story
     * @param attempt the attempt at the story
     * @param directory the agent's workspace
     * @param readable further directories
     * @param equipment what the program needs
     */
    public Workplace {
        readable = List.copyOf(readable);
    }

    /**
     * A workplace for commands alone.
     *
     * @param agentId the agent
     * @param storyId the story
     * @param attempt the attempt at the story
     * @param directory the agent's workspace
     * @param readable further directories
     */
    public Workplace(String agentId, @Nullable String storyId, int attempt, Path directory, List<Path> readable) {
        this(agentId, storyId, attempt, directory, readable, Equipment.NONE);
    }
}
