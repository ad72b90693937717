package io.maestro.agent;

import io.maestro.llm.Usage;
import io.maestro.tools.ToolSignal;
import java.math.BigDecimal;
import java.util.Objects;
import java.util.Optional;

/**
 * How an agent's work on a task ended. A task that fails is a result, not an exception. Immutable.
 *
 * @param ending how it ended
 * @param signal what the terminal tool has sent that ended it; there is one exactly if the ending is {@link Ending#COMPLETED}
 * @param text for a reader: what the agent says at the end, else why it ended
 * @param usage the tokens of all its requests to models for this task
 * @param cost what they cost in US dollars; empty when the price of a model is not known
 * @param calls how many calls of Maestro's tools were run or refused for this task; those by other tools, and those of a
 *     program's own, such as Bash of Claude Code, are not among them
 */
public record AgentResult(
        Ending ending, Optional<ToolSignal> signal, String text, Usage usage, Optional<BigDecimal> cost, int calls) {
    /** How work ends. */
    public enum Ending {
        /** A call of a terminal tool was accepted. */
        COMPLETED,
        /** A budget is used up: turns, tokens, time, cost, or calls that repeat themselves. More of it may help. */
        OVER_BUDGET,
        /** The agent does not come to an end; more of the same will not help. */
        STUCK,
        /** The thread was interrupted, or the agent was closed. */
        CANCELLED
    }

    /**
     * A result.
     *
     * @param ending how it ended
     * @param signal what ended it
     * @param text for a reader
     * @param usage the tokens
     * @param cost in US dollars
     * @param calls of tools
     * @throws IllegalArgumentException when ending and signal do not agree
     */
    public AgentResult {
        Objects.requireNonNull(text, "text");
        Objects.requireNonNull(usage, "usage");
        Objects.requireNonNull(cost, "cost");
        if (signal.isPresent() != (ending == Ending.COMPLETED)) {
            throw new IllegalArgumentException("work that ended with " + ending + " has "
                    + (signal.isPresent() ? "the signal " + signal.get().name() : "no signal"));
        }
    }

    /**
     * The end by a terminal tool, for those who implement an agent; what was used is counted by Maestro.
     *
     * @param signal of the call that was accepted
     * @return the result
     */
    public static AgentResult completed(ToolSignal signal) {
        return new AgentResult(Ending.COMPLETED, Optional.of(signal), text(signal), Usage.NONE, Optional.empty(), 0);
    }

    /**
     * The end by a budget, for those who implement an agent.
     *
     * @param reason which budget; the first line names it
     * @return the result
     */
    public static AgentResult overBudget(String reason) {
        return new AgentResult(Ending.OVER_BUDGET, Optional.empty(), reason, Usage.NONE, Optional.empty(), 0);
    }

    /**
     * The end of an agent that does not come to one, for those who implement an agent.
     *
     * @param reason why, and what to do
     * @return the result
     */
    public static AgentResult stuck(String reason) {
        return new AgentResult(Ending.STUCK, Optional.empty(), reason, Usage.NONE, Optional.empty(), 0);
    }

    /**
     * The end of an agent whose thread was interrupted, for those who implement an agent.
     *
     * @return the result
     */
    public static AgentResult cancelled() {
        return new AgentResult(Ending.CANCELLED, Optional.empty(), "cancelled", Usage.NONE, Optional.empty(), 0);
    }

    /**
     * The same with what was counted.
     *
     * @param used the tokens
     * @param dollars what they cost
     * @param count how many calls of tools
     * @return the result
     */
    public AgentResult counted(Usage used, Optional<BigDecimal> dollars, int count) {
        return new AgentResult(ending, signal, text, used, dollars, count);
    }

    /** The texts of the signal, which are what the agent has to say at the end. */
    private static String text(ToolSignal signal) {
        return signal.data().values().stream()
                .filter(String.class::isInstance)
                .map(String.class::cast)
                .findFirst()
                .orElse(signal.name());
    }
}
