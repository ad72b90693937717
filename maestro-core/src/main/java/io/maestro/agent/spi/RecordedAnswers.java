package io.maestro.agent.spi;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the model of a program has answered while a story was recorded: see {@link AgentFactory#replaying}. Immutable.
 *
 * @param byState the answers by the name of the state, in order; each is a JSON array of content blocks in the form of the Anthropic
 *     Messages API. An answer that used several tools may be in parts, one for each
 * @param workingDirectories the names of the directory in which the commands of then ran, which answers may have; at least one
 */
public record RecordedAnswers(Map<String, List<String>> byState, Set<String> workingDirectories) {
    /**
     * Copies the collections.
     *
     * @param byState see the record
     * @param workingDirectories see the record
     */
    public RecordedAnswers {
        byState = Map.copyOf(byState);
        workingDirectories = Set.copyOf(workingDirectories);
    }

    /** How many there are: the answers may be long. */
    @Override
    public String toString() {
        return "RecordedAnswers["
                + byState.values().stream().mapToInt(List::size).sum() + " in " + byState.keySet() + "]";
    }
}
