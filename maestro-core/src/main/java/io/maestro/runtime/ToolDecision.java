package io.maestro.runtime;

import java.util.Map;
import java.util.Objects;

/** What a {@link ToolPolicy} decides on a call of a tool. Immutable. */
public sealed interface ToolDecision {
    /** The call may run as it is. */
    record Allow() implements ToolDecision {}

    /**
     * The call must not run.
     *
     * @param reason why, for the model
     */
    record Deny(String reason) implements ToolDecision {
        /**
         * Refuses null.
         *
         * @param reason see the record
         */
        public Deny {
            Objects.requireNonNull(reason, "reason");
        }
    }

    /**
     * The call may run with other arguments, if these are valid and the policies allow them.
     *
     * @param arguments all arguments of the tool, of JSON types
     */
    record Change(Map<String, ?> arguments) implements ToolDecision {
        /**
         * Refuses null; the values are copied where they are checked.
         *
         * @param arguments see the record
         */
        public Change {
            Objects.requireNonNull(arguments, "arguments");
        }
    }

    /**
     * Somebody else decides: see {@link ToolApprover}.
     *
     * @param question why it is asked, for whoever decides
     */
    record Ask(String question) implements ToolDecision {
        /**
         * Refuses null.
         *
         * @param question see the record
         */
        public Ask {
            Objects.requireNonNull(question, "question");
        }
    }

    /**
     * Lets the call run.
     *
     * @return the decision
     */
    static ToolDecision allow() {
        return new Allow();
    }

    /**
     * Refuses the call.
     *
     * @param reason why, for the model
     * @return the decision
     */
    static ToolDecision deny(String reason) {
        return new Deny(reason);
    }

    /**
     * Lets the call run with other arguments. All policies are asked again about these, the one that has changed them too, until
     * none changes them any more; when that takes more than three rounds the call is refused. So a policy may always answer with
     * the arguments as they must be.
     *
     * @param arguments all arguments of the tool, of JSON types; checked against its schema like those of a model
     * @return the decision
     */
    static ToolDecision change(Map<String, ?> arguments) {
        return new Change(arguments);
    }

    /**
     * Lets somebody else decide. Without an answer the call is refused.
     *
     * @param question why it is asked, for whoever decides
     * @return the decision
     */
    static ToolDecision ask(String question) {
        return new Ask(question);
    }
}
