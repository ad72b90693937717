package io.maestro.runtime;

import io.maestro.runtime.internal.NamePolicy;
import io.maestro.runtime.internal.RulePolicy;
import io.maestro.tools.ToolArguments;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolDefinition;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * A host's say in every call of a tool, asked after the arguments were found valid and before the tool runs. One that throws has
 * refused. Called by several threads.
 */
@FunctionalInterface
public interface ToolPolicy {
    /** Lets everything pass. */
    ToolPolicy ALLOW_ALL = (invocation, tool, arguments) -> ToolDecision.allow();

    /**
     * Refuses tools by their names. The tools that end an agent's turn need not be allowed; without them no story would
     * come to its end. A name that no tool has stops the build of the Maestro.
     *
     * @param allow the only tools that may be called, as names with {@code *} for any characters; empty for all
     * @param deny tools that may not be called, allowed or not; as names with {@code *} for any characters
     * @return a policy
     * @throws IllegalArgumentException when a name has other characters than letters, digits, {@code _}, {@code -} and
     *     {@code *}
     */
    static ToolPolicy byName(Collection<String> allow, Collection<String> deny) {
        return new NamePolicy(allow, deny);
    }

    /**
     * Decides by rules. The first one that matches a call decides on it; a call that none matches is allowed.
     *
     * @param rules in their order
     * @return a policy
     */
    static ToolPolicy byRules(List<ToolRule> rules) {
        return new RulePolicy(rules);
    }

    /**
     * Decides on a call.
     *
     * @param invocation who calls what
     * @param tool the tool
     * @param arguments the valid arguments, {@linkplain ToolDefinition#pathArguments() paths} in their canonical form
     * @return the decision
     */
    ToolDecision decide(ToolInvocation invocation, ToolDefinition tool, ToolArguments arguments);

    /**
     * Whether all calls of a tool are refused, whatever their arguments are. Such a tool is not offered, and where a role cannot
     * do without it the Maestro is not built.
     *
     * @param role who would be offered it
     * @param tool the tool
     * @return what refuses it, as in {@code rule 2}; empty by default, and then each call is decided on
     */
    default Optional<String> withholds(ToolAudience role, ToolDefinition tool) {
        return Optional.empty();
    }
}
