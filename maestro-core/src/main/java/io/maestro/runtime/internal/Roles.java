package io.maestro.runtime.internal;

import io.maestro.tools.ToolAudience;
import java.util.Optional;

/** Which role works in which state: each role has one state in which its model is asked. */
public final class Roles {
    private Roles() {}

    /**
     * The state of a role.
     *
     * @param role who
     * @return for example {@code CODING}
     */
    public static String state(ToolAudience role) {
        return switch (role) {
            case CODER_PLANNING -> "PLANNING";
            case CODER_CODING -> "CODING";
            case ARCHITECT -> "ANSWERING";
            case ARCHITECT_SCOPING -> "SCOPING";
            case ARCHITECT_EDITING -> "EDITING";
        };
    }

    /**
     * Who works in a state.
     *
     * @param state its name
     * @return empty for one in which no model is asked
     */
    static Optional<ToolAudience> in(String state) {
        for (ToolAudience role : ToolAudience.values()) {
            if (state(role).equals(state) || role.name().equals(state)) {
                return Optional.of(role);
            }
        }
        return Optional.empty();
    }
}
