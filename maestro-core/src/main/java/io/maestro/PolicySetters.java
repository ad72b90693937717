package io.maestro;

import io.maestro.runtime.ToolApprover;
import io.maestro.runtime.ToolPolicy;
import java.util.List;
import java.util.Objects;

/**
 * The setters for the policy of an agent that works alone. Hosts see them as the builder's own.
 *
 * @param <B> the builder
 */
abstract class PolicySetters<B> extends ToolSetters<B> {
    List<ToolPolicy> policies = List.of();
    ToolApprover approver = ToolApprover.NOBODY;

    PolicySetters() {}

    /**
     * Sets the policy that decides on every call of a tool, and where a program that is the agent has such a way (Claude Code has),
     * on the calls of its own tools, too.
     *
     * @param toolPolicy everything passes unless set
     * @return this
     */
    public B toolPolicy(ToolPolicy toolPolicy) {
        policies = List.of(Objects.requireNonNull(toolPolicy, "toolPolicy"));
        return self();
    }

    /**
     * Sets who decides on a call about which the policy asks. The agent waits for as long as {@code Limits.replyTime} of {@code
     * TOOL_CALL} says, which counts as no work; without an answer the call is refused.
     *
     * @param decider nobody unless set: all such calls are refused
     * @return this
     */
    public B toolApprover(ToolApprover decider) {
        approver = Objects.requireNonNull(decider, "decider");
        return self();
    }
}
