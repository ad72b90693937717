package io.maestro.agent;

import java.util.List;

/**
 * What an agent is told: a task, or what has come of an earlier one. Immutable.
 *
 * @param messages in the order in which the agent reads them, Markdown. Empty where it only goes on, as after more of a budget
 *     was granted
 */
public record AgentTask(List<String> messages) {
    /**
     * Copies the messages.
     *
     * @param messages what the agent is told
     */
    public AgentTask {
        messages = List.copyOf(messages);
    }

    /**
     * A task in words.
     *
     * @param text Markdown
     * @return the task
     * @throws IllegalArgumentException when the text is blank
     */
    public static AgentTask of(String text) {
        if (text.isBlank()) {
            throw new IllegalArgumentException("a task needs a text; say what is to be done");
        }
        return new AgentTask(List.of(text));
    }

    /**
     * Goes on with what was begun, without a word.
     *
     * @return the task
     */
    public static AgentTask goOn() {
        return new AgentTask(List.of());
    }
}
