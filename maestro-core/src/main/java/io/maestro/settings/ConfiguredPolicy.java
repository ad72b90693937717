package io.maestro.settings;

import io.maestro.config.internal.Config;
import io.maestro.error.MaestroException;
import io.maestro.runtime.ToolPolicy;
import io.maestro.runtime.ToolRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What a configuration says of calls of tools. */
final class ConfiguredPolicy {
    private ConfiguredPolicy() {}

    /**
     * The policies: a call must be allowed by each.
     *
     * @param config the whole configuration
     * @return the lists and the rules of the file
     * @throws MaestroException when a rule is wrong; the message begins with where
     */
    static List<ToolPolicy> of(Config config) {
        List<ToolPolicy> policies = new ArrayList<>();
        List<String> allow = config.texts("tools.policy.allow");
        List<String> deny = config.texts("tools.policy.deny");
        if (!allow.isEmpty() || !deny.isEmpty()) {
            policies.add(ToolPolicy.byName(allow, deny));
        }
        List<Config> rules = config.objects("tools.policy.rules");
        try {
            if (!rules.isEmpty()) {
                policies.add(ToolPolicy.byRules(
                        rules.stream().map(ConfiguredPolicy::rule).toList()));
            }
        } catch (IllegalArgumentException e) {
            throw new MaestroException("$.tools.policy.rules: " + e.getMessage(), e);
        }
        return List.copyOf(policies);
    }

    private static ToolRule rule(Config rule) {
        Optional<String> regex = rule.text("matches");
        Optional<String> pattern = regex.or(() -> rule.text("glob"));
        return new ToolRule(
                rule.texts("tools"),
                rule.texts("roles"),
                rule.texts("states"),
                rule.text("argument")
                        .flatMap(path -> pattern.map(text -> new ToolRule.Argument(path, text, regex.isEmpty()))),
                ToolRule.Effect.valueOf(rule.text("effect").orElseThrow().toUpperCase(Locale.ROOT)),
                rule.text("reason").orElse(""));
    }
}
