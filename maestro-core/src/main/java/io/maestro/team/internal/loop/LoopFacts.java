package io.maestro.team.internal.loop;

import io.maestro.budget.internal.CostControl;
import io.maestro.llm.Usage;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;

/**
 * What one must know to decide whether an agent whose budget is used up may go on.
 *
 * @param reason which budget; one line
 * @param calls the calls of tools in this run of the loop
 * @param usage the tokens that the story has used
 * @param cost what is known of the story's cost, in US dollars
 * @param time how long the story has taken
 */
public record LoopFacts(String reason, CallSummary calls, Usage usage, BigDecimal cost, Duration time) {
    /**
     * The calls of tools in one run of a loop.
     *
     * @param ran how many ran
     * @param failures how many of them failed
     * @param refused how many were not run, because they had failed too often
     * @param repeated the call that came most often, or empty when none came twice
     * @param repetitions how often it came
     * @param last the last calls with their outcome, one line each, oldest first
     */
    public record CallSummary(int ran, int failures, int refused, String repeated, int repetitions, List<String> last) {
        /** How many of the calls failed; 0 to 100. */
        int failureRate() {
            return ran == 0 ? 0 : Math.round(100f * failures / ran);
        }
    }

    /** For the architect and the record; the first line says which budget is used up. */
    public String toText() {
        StringBuilder text = new StringBuilder(reason)
                .append("\ncalls of tools: ")
                .append(calls.ran())
                .append(", of which failed: ")
                .append(calls.failures())
                .append(" (")
                .append(calls.failureRate())
                .append(" %)");
        if (calls.refused() > 0) {
            text.append("\ncalls that were not run, as they had failed before: ")
                    .append(calls.refused());
        }
        if (!calls.repeated().isEmpty()) {
            text.append("\nmost repeated call: ")
                    .append(calls.repeated())
                    .append(", ")
                    .append(calls.repetitions())
                    .append(" times");
        }
        text.append("\ntokens used for the story: ")
                .append(usage.totalTokens())
                .append(" (read ")
                .append(usage.inputTokens())
                .append(", written ")
                .append(usage.outputTokens())
                .append(", read from a cache ")
                .append(usage.cacheReadTokens())
                .append(", written to a cache ")
                .append(usage.cacheWriteTokens())
                .append(')');
        if (cost.signum() > 0) {
            text.append("\ncost of the story: ").append(CostControl.dollars(cost));
        }
        text.append("\ntime used for the story: ").append(time.toSeconds()).append(" s");
        if (!calls.last().isEmpty()) {
            text.append("\nlast calls:");
            calls.last().forEach(call -> text.append("\n- ").append(call));
        }
        return text.toString();
    }
}
