package io.maestro.runtime.internal;

import io.maestro.files.internal.CanonicalPath;
import io.maestro.runtime.ToolDecision;
import io.maestro.runtime.ToolInvocation;
import io.maestro.runtime.ToolRule;
import io.maestro.runtime.ToolRule.Effect;
import io.maestro.tools.ToolArguments;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolDefinition;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The first rule that matches a call decides on it. A rule that cannot be decided on refuses the call: it throws. Immutable. */
public final class RulePolicy implements CheckedPolicy {
    private static final List<String> ROLES = Arrays.stream(ToolAudience.values())
            .map(role -> role.name().toLowerCase(Locale.ROOT))
            .toList();
    private static final List<String> STATES =
            Arrays.stream(ToolAudience.values()).map(Roles::state).toList();

    private final List<CompiledRule> rules;

    /** A rule whose patterns are read. */
    private record CompiledRule(
            int number,
            ToolRule rule,
            ToolNames tools,
            @Nullable ArgumentPattern argument,
            @Nullable ArgumentPattern ignoringCase) {
        boolean matches(ToolDefinition tool, ToolArguments arguments) {
            if (argument == null) {
                return true;
            }
            boolean isPath = tool.pathArguments().contains(argument.argument());
            return argument.matches(arguments.asMap(), isPath)
                    || isPath && ignoringCase != null && ignoringCase.matches(arguments.asMap(), true);
        }

        boolean concerns(Optional<ToolAudience> role, String state, String tool) {
            return tools.match(tool)
                    && covers(rule.states(), state)
                    && (rule.roles().isEmpty()
                            || role.filter(one ->
                                            covers(rule.roles(), one.name().toLowerCase(Locale.ROOT)))
                                    .isPresent());
        }

        /** As names are looked for when the rule is made: one that was taken there has an effect here. */
        private static boolean covers(List<String> patterns, String name) {
            return patterns.isEmpty() || patterns.stream().anyMatch(pattern -> ToolNames.matches(pattern, name));
        }

        String reason(String tool) {
            return rule.reason().isBlank()
                    ? "the tool '" + tool + "' is not to be used so; go on without it"
                    : rule.reason();
        }

        @Override
        public String toString() {
            return "rule " + number + " (" + rule.effect().name().toLowerCase(Locale.ROOT) + " "
                    + String.join(", ", tools.patterns()) + ")";
        }
    }

    /**
     * Takes rules.
     *
     * @param rules in their order
     * @throws IllegalArgumentException when one is wrong; the message says which
     */
    public RulePolicy(List<ToolRule> rules) {
        this(rules, CanonicalPath.IGNORES_CASE);
    }

    RulePolicy(List<ToolRule> rules, boolean diskIgnoresCase) {
        List<CompiledRule> compiled = new ArrayList<>();
        for (ToolRule rule : rules) {
            int number = compiled.size() + 1;
            try {
                compiled.add(compiled(number, rule, diskIgnoresCase));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("rule " + number + ": " + e.getMessage(), e);
            }
        }
        this.rules = List.copyOf(compiled);
    }

    private static CompiledRule compiled(int number, ToolRule rule, boolean diskIgnoresCase) {
        if (rule.tools().isEmpty()) {
            throw new IllegalArgumentException("it names no tool; write * for all of them");
        }
        requireKnown("role", rule.roles(), ROLES);
        requireKnown("state", rule.states(), STATES);
        boolean allows = rule.effect() == Effect.ALLOW;
        return new CompiledRule(
                number,
                rule,
                new ToolNames(rule.tools()),
                rule.argument()
                        .map(one -> new ArgumentPattern(one, allows, false))
                        .orElse(null),
                // The file of another case is the same one: what denies it holds, and what allows it need not.
                rule.argument()
                        .filter(one -> diskIgnoresCase && !allows)
                        .map(one -> new ArgumentPattern(one, false, true))
                        .orElse(null));
    }

    private static void requireKnown(String what, List<String> names, List<String> known) {
        for (String name : names) {
            if (known.stream().noneMatch(one -> ToolNames.matches(name, one))) {
                throw new IllegalArgumentException(
                        "there is no " + what + " '" + name + "' in which a tool is called; there are " + known);
            }
        }
    }

    @Override
    public ToolDecision decide(ToolInvocation invocation, ToolDefinition tool, ToolArguments arguments) {
        String state = invocation.caller().state();
        Optional<ToolAudience> role = Roles.in(state);
        for (CompiledRule one : rules) {
            if (one.concerns(role, state, tool.name()) && one.matches(tool, arguments)) {
                return switch (one.rule().effect()) {
                    case ALLOW -> ToolDecision.allow();
                    case DENY -> ToolDecision.deny(one.reason(tool.name()));
                    case ASK -> ToolDecision.ask(one.rule().reason());
                };
            }
        }
        return ToolDecision.allow();
    }

    /** One that looks at an argument may match or not: it decides here only where it makes no difference. */
    @Override
    public Optional<String> withholds(ToolAudience role, ToolDefinition tool) {
        for (CompiledRule one : rules) {
            if (one.concerns(Optional.of(role), Roles.state(role), tool.name())) {
                if (one.rule().effect() != Effect.DENY) {
                    return Optional.empty();
                }
                if (one.argument() == null) {
                    return Optional.of(one.toString());
                }
            }
        }
        return Optional.empty();
    }

    @Override
    public List<String> unknown(Collection<String> tools) {
        return rules.stream()
                .flatMap(one -> one.tools().unknown(tools).stream().map(text -> "rule " + one.number() + ": " + text))
                .toList();
    }
}
