package io.maestro.runtime.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.runtime.ToolDecision;
import io.maestro.runtime.ToolInvocation;
import io.maestro.runtime.ToolRule;
import io.maestro.tools.ToolArguments;
import io.maestro.tools.ToolDefinition;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RulePolicyTest {
    private static final ToolDefinition TOOL = ToolDefinition.builder("t")
            .description("d")
            .pathArguments("path", "o.path")
            .build();

    private static boolean allowed(boolean diskIgnoresCase, ToolRule rule, Map<String, ?> arguments) {
        List<ToolRule> rules = rule.effect() == ToolRule.Effect.ALLOW
                ? List.of(rule, ToolRule.of("*").deny(""))
                : List.of(rule);
        return new RulePolicy(rules, diskIgnoresCase)
                        .decide(
                                new ToolInvocation(
                                        "1", "t", "{}", new ToolInvocation.Caller("s", "c", "042", 1, "CODING")),
                                TOOL,
                                ToolArguments.of(arguments))
                instanceof ToolDecision.Allow;
    }

    /** One good element takes no other one along, and one bad element is enough. */
    @Test
    void aListIsAllowedByAllOfItsElementsAndDeniedByOne() {
        ToolRule allow = ToolRule.of("t").argument("x", "^ok").allow();
        ToolRule inObjects = ToolRule.of("t").argument("x.y", "^ok").allow();
        ToolRule deny = ToolRule.of("t").argument("x", "^bad").deny("");
        ToolRule ask = ToolRule.of("t").argument("x", "^bad").ask("");

        assertThat(allowed(false, allow, Map.of("x", List.of("ok1", "ok2")))).isTrue();
        assertThat(allowed(false, allow, Map.of("x", List.of("ok", "bad")))).isFalse();
        assertThat(allowed(false, allow, Map.of("x", List.of(List.of("ok"), List.of("ok", "bad")))))
                .isFalse();
        assertThat(allowed(false, allow, Map.of("x", List.of(List.of("ok"), List.of("ok")))))
                .isTrue();
        assertThat(allowed(false, allow, Map.of("x", List.of("ok", Map.of("a", "ok")))))
                .isFalse();
        assertThat(allowed(false, allow, Map.of("x", List.of()))).isFalse();
        assertThat(allowed(false, allow, Map.of("x", List.of("ok", List.of())))).isFalse();
        assertThat(allowed(false, inObjects, Map.of("x", List.of(Map.of("y", "ok"), Map.of("y", List.of("ok"))))))
                .isTrue();
        assertThat(allowed(false, inObjects, Map.of("x", List.of(Map.of("y", "ok"), Map.of("z", "ok")))))
                .isFalse();
        for (ToolRule rule : List.of(deny, ask)) {
            assertThat(allowed(false, rule, Map.of("x", List.of("ok", "bad")))).isFalse();
            assertThat(allowed(false, rule, Map.of("x", List.of("ok", List.of("ok", List.of("bad"))))))
                    .isFalse();
            assertThat(allowed(false, rule, Map.of("x", List.of("ok", List.of()))))
                    .isTrue();
        }
    }

    @Test
    void whereTheDiskIgnoresCaseARuleThatDeniesAPathDoesToo() {
        for (ToolRule deny : List.of(
                ToolRule.of("t").argumentGlob("path", ".GitHub/**").deny(""),
                ToolRule.of("t").argumentGlob("path", ".[a-h]ithub/**").deny(""),
                ToolRule.of("t").argument("path", "^\\.github/").ask(""))) {
            assertThat(allowed(true, deny, Map.of("path", ".GITHUB/x"))).isFalse();
            assertThat(allowed(false, deny, Map.of("path", ".GITHUB/x"))).isTrue();
        }
        assertThat(allowed(true, ToolRule.of("t").argument("o.path", "^a$").deny(""), Map.of("o", Map.of("path", "A"))))
                .isFalse();
        assertThat(allowed(true, ToolRule.of("t").argumentGlob("path", "src/**").allow(), Map.of("path", "SRC/x")))
                .as("what allows a path allows no other spelling")
                .isFalse();
        assertThat(allowed(true, ToolRule.of("t").argument("cmd", "^rm$").deny(""), Map.of("cmd", "RM")))
                .as("no path")
                .isTrue();
    }
}
