package io.maestro.agent.spi;

import java.util.List;
import java.util.Optional;

/**
 * The service provider interface of a program that works in PLANNING and CODING in the place of Maestro's own loop. Listed in
 * {@code META-INF/services/io.maestro.agent.spi.AgentFactory}, or given to the builder of {@code Maestro}.
 */
public interface AgentFactory {
    /**
     * Identifies the mode in the configuration, as the value of {@code agents.coder_mode}.
     *
     * @return for example {@code claude-code}; lower-case letters, digits and dashes, not {@code standard}
     */
    String id();

    /**
     * What the factory was given in code and nobody may see, such as a key. Taken out of the record, of answers and of logs, as
     * are the secrets of the host's environment.
     *
     * @return values; one with less than 6 characters is left alone
     */
    default List<String> secrets() {
        return List.of();
    }

    /**
     * Makes the mode of one Maestro. Nothing is started yet.
     *
     * @param project what it is for
     * @return closed by Maestro
     * @throws io.maestro.error.MaestroException when a setting is wrong, such as a model that the program does not know; the
     *     message says what to do
     */
    AgentProvider open(AgentProject project);

    /**
     * The same program with recorded answers in the place of its model, for {@code Replay}: its own tools run, and no model is
     * asked.
     *
     * @param answers what the model has answered
     * @return empty when the program cannot be replayed, as always unless overridden
     * @throws io.maestro.error.MaestroException when these answers cannot; the message says why
     */
    default Optional<AgentFactory> replaying(RecordedAnswers answers) {
        return Optional.empty();
    }
}
