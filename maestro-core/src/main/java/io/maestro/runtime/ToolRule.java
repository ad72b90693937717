package io.maestro.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A rule of {@link ToolPolicy#byRules}: for which calls, and what becomes of them. Each condition that is not set holds for every
 * call. Immutable.
 *
 * <pre>{@code
 * ToolRule.of("shell", "container_*").roles("coder_*").argument("cmd", "\\bcurl\\b").deny("no downloads; ask for the file")
 * }</pre>
 *
 * @param tools names of tools, with {@code *} for any characters; at least one
 * @param roles roles in small letters, such as {@code coder_coding}, with {@code *} for any characters; empty for all
 * @param states states in which a model is asked, such as {@code CODING}, with {@code *} for any characters; empty for all
 * @param argument what an argument must be; empty when arguments make no difference
 * @param effect what becomes of the calls
 * @param reason why, for the model, or for whoever is asked
 */
public record ToolRule(
        List<String> tools,
        List<String> roles,
        List<String> states,
        Optional<Argument> argument,
        Effect effect,
        String reason) {
    /** What becomes of a call. */
    public enum Effect {
        /** It runs, unless another policy refuses it. */
        ALLOW,
        /** It is refused. */
        DENY,
        /** Somebody is asked; see {@link ToolApprover}. */
        ASK
    }

    /**
     * What an argument must be. An array matches a rule that allows when each of its elements does, arrays in it included, and
     * there is one; a rule that denies or asks when one element does. Numbers and truth values are compared as text, 22.0 as 22; one
     * that was not given, or is an object, is nothing. {@linkplain io.maestro.tools.ToolDefinition#pathArguments() Paths} come in
     * their canonical form; for them a glob {@code src/**} of a rule that denies or asks matches {@code src}, too, and on macOS and
     * Windows such a rule ignores their case and their form of Unicode.
     *
     * @param path its name; in an object in an argument {@code outer.inner}; the key {@code outer.inner} is meant, too
     * @param pattern a regular expression of the JDK that is found anywhere in the text, where {@code .} is a line break,
     *     too; or a glob that the whole text matches, as in {@code .gitignore} ({@code src/**}); at most 4,096 characters
     * @param glob which of the two
     */
    public record Argument(String path, String pattern, boolean glob) {
        /**
         * Refuses null.
         *
         * @param path see the record
         * @param pattern see the record
         * @param glob see the record
         */
        public Argument {
            Objects.requireNonNull(path, "path");
            Objects.requireNonNull(pattern, "pattern");
        }
    }

    /**
     * Copies the lists; what they say is checked where the rule is used.
     *
     * @param tools see the record
     * @param roles see the record
     * @param states see the record
     * @param argument see the record
     * @param effect see the record
     * @param reason see the record
     */
    public ToolRule {
        tools = List.copyOf(tools);
        roles = List.copyOf(roles);
        states = List.copyOf(states);
        Objects.requireNonNull(effect, "effect");
        Objects.requireNonNull(reason, "reason");
    }

    /**
     * Begins a rule.
     *
     * @param tool a name, with {@code *} for any characters
     * @param more further names
     * @return the conditions, to which others can be added
     */
    public static Conditions of(String tool, String... more) {
        List<String> tools = new ArrayList<>(List.of(tool));
        tools.addAll(List.of(more));
        return new Conditions(tools, List.of(), List.of(), Optional.empty());
    }

    /**
     * For which calls a rule is. Immutable.
     *
     * @param tools as in the rule
     * @param roles as in the rule
     * @param states as in the rule
     * @param argument as in the rule
     */
    public record Conditions(List<String> tools, List<String> roles, List<String> states, Optional<Argument> argument) {
        /**
         * For calls of these roles.
         *
         * @param names such as {@code coder_planning} or {@code architect*}
         * @return the conditions with this one
         */
        public Conditions roles(String... names) {
            return new Conditions(tools, List.of(names), states, argument);
        }

        /**
         * For calls in these states.
         *
         * @param names such as {@code CODING}
         * @return the conditions with this one
         */
        public Conditions states(String... names) {
            return new Conditions(tools, roles, List.of(names), argument);
        }

        /**
         * For calls with an argument in which a regular expression is found.
         *
         * @param path see {@link Argument}
         * @param regex see {@link Argument}
         * @return the conditions with this one
         */
        public Conditions argument(String path, String regex) {
            return new Conditions(tools, roles, states, Optional.of(new Argument(path, regex, false)));
        }

        /**
         * For calls with an argument that matches a glob.
         *
         * @param path see {@link Argument}
         * @param glob see {@link Argument}
         * @return the conditions with this one
         */
        public Conditions argumentGlob(String path, String glob) {
            return new Conditions(tools, roles, states, Optional.of(new Argument(path, glob, true)));
        }

        /**
         * These calls may run.
         *
         * @return the rule
         */
        public ToolRule allow() {
            return rule(Effect.ALLOW, "");
        }

        /**
         * These calls are refused.
         *
         * @param reason why, for the model
         * @return the rule
         */
        public ToolRule deny(String reason) {
            return rule(Effect.DENY, reason);
        }

        /**
         * About these calls somebody is asked.
         *
         * @param question why, for whoever is asked
         * @return the rule
         */
        public ToolRule ask(String question) {
            return rule(Effect.ASK, question);
        }

        private ToolRule rule(Effect effect, String reason) {
            return new ToolRule(tools, roles, states, argument, effect, reason);
        }
    }
}
