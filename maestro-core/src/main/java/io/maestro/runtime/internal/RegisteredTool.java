package io.maestro.runtime.internal;

import io.maestro.runtime.ToolPolicy;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import java.util.List;

/**
 * A tool that a registry has accepted.
 *
 * @param factory makes it
 * @param definition what the factory said about it, asked once
 * @param origin its class and jar, for messages
 * @param builtIn whether it is a part of Maestro
 */
public record RegisteredTool(ToolFactory factory, ToolDefinition definition, String origin, boolean builtIn) {
    /**
     * Whether no policy withholds it.
     *
     * @param role who would be offered it
     * @param policies the policies
     * @return true when it is not withheld
     */
    public boolean isOfferedTo(ToolAudience role, List<ToolPolicy> policies) {
        return policies.stream()
                .noneMatch(policy -> policy.withholds(role, definition).isPresent());
    }

    /**
     * The name by which it is called.
     *
     * @return the definition's name
     */
    public String name() {
        return definition.name();
    }
}
