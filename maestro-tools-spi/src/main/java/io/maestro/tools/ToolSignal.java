package io.maestro.tools;

import java.util.Map;
import java.util.Objects;

/**
 * Tells the agent's state machine that something is complete, for example that a plan was submitted. Only a
 * {@linkplain ToolDefinition#terminal() terminal} tool's signal is looked at, and only these are understood; any other is a
 * fault of the tool, and the agent's turn goes on:
 * <ul>
 *   <li>while planning: {@code submit_plan} with the text {@code plan}, {@code story_complete} with {@code reason}
 *   <li>while coding: {@code done} with {@code summary}
 *   <li>in both: {@code ask_question} with {@code question}, {@code report_blocked} with {@code reason}
 *   <li>of the architect: {@code review_complete} with {@code decision} (APPROVED, NEEDS_CHANGES or REJECTED) and
 *       {@code feedback}, which may be missing only with APPROVED; {@code submit_reply} with {@code message}
 *   <li>of the architect while scoping: {@code submit_stories} with the array {@code requirements}
 *   <li>of the architect while editing: {@code story_edit} with {@code description}, {@code acceptance_criteria} and perhaps
 *       {@code title}, {@code story_give_up} with {@code reason}
 * </ul>
 *
 * @param name what happened, for example {@code submit_plan}
 * @param data what belongs to it; an unmodifiable tree of JSON types, null among them
 */
public record ToolSignal(String name, Map<String, Object> data) {
    /**
     * Copies the data.
     *
     * @param name what happened
     * @param data what belongs to it
     * @throws IllegalArgumentException when the data holds what is no JSON type
     */
    public ToolSignal {
        Objects.requireNonNull(name, "name");
        // Not Map.copyOf: the arguments of a call may hold JSON null, and their order is that in which they came.
        data = Frozen.map(data);
    }
}
