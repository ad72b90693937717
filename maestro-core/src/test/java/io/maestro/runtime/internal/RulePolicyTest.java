package io.maestro.runtime.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.runtime.ToolDecision;
import io.maestro.runtime.ToolInvocation;
import io.maestro.runtime.ToolRule;
import io.maestro.schema.internal.InputReader;
import io.maestro.tools.InputSchema;
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

    @Test
    void whereTheDiskIgnoresCaseFormsOfUnicodeAreTheSame() {
        for (String rule : List.of("cl\u00e9s/**", "cle\u0301s/**")) {
            for (String path : List.of("cl\u00e9s/a", "cle\u0301s/a", "CLE\u0301S/a", "CL\u00c9S/a")) {
                for (ToolRule deny : List.of(
                        ToolRule.of("t").argumentGlob("path", rule).deny(""),
                        ToolRule.of("t")
                                .argument("path", "^" + rule.replace("**", ""))
                                .ask(""))) {
                    assertThat(allowed(true, deny, Map.of("path", path))).isFalse();
                    assertThat(allowed(false, deny, Map.of("path", path)))
                            .isEqualTo(!rule.startsWith(path.substring(0, 5)));
                }
            }
        }
    }

    /** The tool reads the same integer. */
    @Test
    void aNumberIsMatchedByItsDigits() throws InputReader.BadInput {
        ToolRule deny = ToolRule.of("t")
                .argument("n", "^(22|0|10000000000000000000000)$")
                .deny("");
        for (String number : List.of("22", "22.0", "2.2e1", "2200e-2", "0", "-0.0", "0e5", "1e22")) {
            assertThat(allowed(false, deny, new InputReader().read("{\"n\":[" + number + "]}")))
                    .as(number)
                    .isFalse();
        }
        for (String number : List.of("22.5", "-22", "220", "2.2")) {
            assertThat(allowed(false, deny, new InputReader().read("{\"n\":" + number + "}")))
                    .as(number)
                    .isTrue();
        }
        ToolRule fraction = ToolRule.of("t").argument("n", "^0\\.5$").deny("");
        assertThat(allowed(false, fraction, new InputReader().read("{\"n\":0.50}")))
                .isFalse();
    }

    @Test
    void aDotMayBeAPartOfAName() throws InputReader.BadInput {
        ToolRule deny = ToolRule.of("t").argument("a.b.c", "^bad$").deny("");
        ToolRule allow = ToolRule.of("t").argument("a.b.c", "^ok$").allow();
        for (String form : List.of("{'a.b.c':%s}", "{'a':{'b':{'c':%s}}}", "{'a.b':{'c':%s}}", "{'a':[{'b.c':%s}]}")) {
            String input = form.replace('\'', '"');
            assertThat(allowed(false, deny, new InputReader().read(input.formatted("\"bad\""))))
                    .as(input)
                    .isFalse();
            assertThat(allowed(false, deny, new InputReader().read(input.formatted("\"ok\""))))
                    .as(input)
                    .isTrue();
            assertThat(allowed(false, allow, new InputReader().read(input.formatted("\"ok\""))))
                    .as(input)
                    .isTrue();
        }
        Map<String, Object> both = Map.of("a.b.c", "ok", "a", Map.of("b", Map.of("c", "bad")));
        assertThat(allowed(false, deny, both)).isFalse();
        assertThat(allowed(false, allow, both)).isFalse();
    }

    @Test
    void pathsWithADotInTheirNameComeInTheirCanonicalForm() throws InputReader.BadInput {
        CallInputs inputs = new CallInputs(new Cleaner(text -> text));
        ToolDefinition tool = TOOL.toBuilder()
                .input(InputSchema.ofMap(Map.of("type", "object")))
                .build();
        for (String input : List.of("{\"o.path\":\"./x/../s/\"}", "{\"o\":{\"path\":\"./x/../s/\"}}")) {
            assertThat(inputs.read(tool, input).asMap().toString()).contains("path=s");
        }
    }

    /** Tools that search take the directory itself. */
    @Test
    void aGlobForAllInADirectoryIsForTheDirectoryToo() {
        for (String glob : List.of("secrets/**", "s?crets/**", "**/secrets/**", "secrets/**/**")) {
            ToolRule deny = ToolRule.of("t").argumentGlob("path", glob).deny("");
            ToolRule ask = ToolRule.of("t").argumentGlob("path", glob).ask("");
            ToolRule allow = ToolRule.of("t").argumentGlob("path", glob).allow();
            for (boolean diskIgnoresCase : new boolean[] {false, true}) {
                assertThat(allowed(diskIgnoresCase, deny, Map.of("path", "secrets")))
                        .isFalse();
                assertThat(allowed(diskIgnoresCase, ask, Map.of("path", List.of("x", "secrets"))))
                        .isFalse();
                assertThat(allowed(diskIgnoresCase, allow, Map.of("path", "secrets")))
                        .as("a file of that name may not be meant")
                        .isFalse();
                assertThat(allowed(diskIgnoresCase, deny, Map.of("path", "secrets2")))
                        .isTrue();
                assertThat(allowed(diskIgnoresCase, deny, Map.of("path", "."))).isTrue();
            }
            assertThat(allowed(true, deny, Map.of("path", "SECRETS"))).isFalse();
        }
        ToolRule names = ToolRule.of("t").argumentGlob("path", "secrets/*").deny("");
        assertThat(allowed(false, names, Map.of("path", "secrets"))).isTrue();
        ToolRule other = ToolRule.of("t").argumentGlob("url", "secrets/**").deny("");
        assertThat(allowed(false, other, Map.of("url", "secrets")))
                .as("no path")
                .isTrue();
    }
}
