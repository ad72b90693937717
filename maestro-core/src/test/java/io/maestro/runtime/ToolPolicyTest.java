package io.maestro.runtime;

import static io.maestro.runtime.TestTools.tool;
import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.tools.AgentTools;
import io.maestro.tools.ToolArguments;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import io.maestro.tools.ToolSignal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What runs is what all policies have allowed, with exactly these arguments. */
class ToolPolicyTest {
    private final RecordedCalls record = new RecordedCalls();
    private final List<Object> ran = new CopyOnWriteArrayList<>();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final List<ToolRuntime> open = new ArrayList<>();
    private ToolApprover approver = ToolApprover.NOBODY;

    private final ToolFactory shell =
            tool("shell", d -> d.input(schema -> schema.requiredString("cmd", "what")), call -> {
                ran.add(call.arguments().asMap());
                return ToolResult.builder("did it").data("n", 1).exitCode(0).build();
            });
    private final ToolFactory done = tool(
            "done",
            d -> d.terminal().offeredTo(ToolAudience.CODER_CODING),
            call -> ToolResult.builder("over")
                    .signal(new ToolSignal("done", Map.of()))
                    .build());

    @AfterEach
    void close() {
        open.forEach(ToolRuntime::close);
    }

    private ToolResult call(String cmd, ToolPolicy... policies) {
        return call("shell", "{\"cmd\":\"" + cmd + "\"}", "CODING", policies);
    }

    private ToolResult call(String tool, String input, String state, ToolPolicy... policies) {
        ToolRuntime.Builder builder =
                ToolRuntime.builder().record(record).redactor(text -> text).approver(approver);
        List.of(policies).forEach(builder::policy);
        ToolRuntime runtime = builder.build();
        open.add(runtime);
        AgentTools tools =
                ToolRegistry.builder().builtIn(List.of(shell, done)).build().agentTools(TestTools.CODING);
        return runtime.call(
                tools, new ToolInvocation("1", tool, input, new ToolInvocation.Caller("s", "c", "042", 1, state)));
    }

    private static ToolPolicy rules(ToolRule... rules) {
        return ToolPolicy.byRules(List.of(rules));
    }

    @Test
    void theFirstRuleThatMatchesDecides() {
        ToolPolicy policy = rules(
                ToolRule.of("sh*").argument("cmd", "^git (log|diff)\\b").allow(),
                ToolRule.of("shell").argument("cmd", "^git\\b").deny("git is not for you"),
                ToolRule.of("shell").argumentGlob("cmd", "rm *").deny(""));
        assertThat(call("git log", policy).text()).isEqualTo("did it");
        assertThat(call("git push", policy).text())
                .isEqualTo("The call was refused, nothing was run: git is not for you");
        assertThat(record.last().error()).contains("git is not for you");
        assertThat(call("rm x", policy).text()).contains("refused", "'shell' is not to be used so");
        assertThat(call("rm x y/z", policy).isError())
                .as("a star stops at a slash")
                .isFalse();
        assertThat(call("ls\\ngit push", policy).isError())
                .as("^ is the beginning of the text")
                .isFalse();
        assertThat(ran).hasSize(3);
    }

    @ParameterizedTest
    @CsvSource({
        "PLANNING, coder_planning, true",
        "CODING, coder_planning, false",
        "CODING, coder_*, true",
        "ANSWERING, architect, true",
        "SCOPING, architect, false",
        "SCOPING, architect*, true",
        "TESTING, *, false"
    })
    void aRuleMayBeForARoleOrItsState(String state, String role, boolean refused) {
        assertThat(call(
                                "shell",
                                "{\"cmd\":\"x\"}",
                                state,
                                rules(ToolRule.of("*").roles(role).deny("no")))
                        .isError())
                .isEqualTo(refused);
        assertThat(call(
                                "shell",
                                "{\"cmd\":\"x\"}",
                                state,
                                rules(ToolRule.of("*").states("CODING").deny("no")))
                        .isError())
                .isEqualTo(state.equals("CODING"));
    }

    @Test
    void valuesOfEveryKindAreLookedAt() {
        ToolArguments arguments = ToolArguments.of(Map.of(
                "n",
                17,
                "on",
                true,
                "list",
                List.of("a", "bc"),
                "o",
                Map.of("in", "deep"),
                "e",
                List.of(Map.of("p", "x"))));
        Map<String, String> matching = Map.of("n", "^17$", "on", "true", "list", "^bc$", "o.in", "deep", "e.p", "x");
        matching.forEach(
                (path, regex) -> assertThat(decide(path, regex, arguments)).isInstanceOf(ToolDecision.Deny.class));
        Map<String, String> others =
                Map.of("n", "^1$", "gone", "", "o", "deep", "o.in.x", "deep", "e", "x", "list.a", "a");
        others.forEach((path, regex) -> assertThat(decide(path, regex.isEmpty() ? ".*" : regex, arguments))
                .isInstanceOf(ToolDecision.Allow.class));
    }

    private static ToolDecision decide(String path, String regex, ToolArguments arguments) {
        return rules(ToolRule.of("t").argument(path, regex).deny("no"))
                .decide(
                        new ToolInvocation("1", "t", "{}", new ToolInvocation.Caller("s", "c", "042", 1, "CODING")),
                        ToolDefinition.builder("t").description("d").build(),
                        arguments);
    }

    /** An agent writes what is matched. */
    @ParameterizedTest
    @ValueSource(strings = {"(a+)+$", "(a|aa)+$", "(.*a){20}b"})
    @Timeout(10)
    void aPatternThatTakesTooLongRefuses(String regex) {
        ToolPolicy policy = rules(ToolRule.of("shell").argument("cmd", regex).allow());
        assertThat(call("a".repeat(5000) + "!", policy).text()).contains("refused", "takes too long");
        assertThat(ran).isEmpty();
    }

    @Test
    void rulesThatAreWrongAreNamed() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> rules(
                        ToolRule.of("a").allow(),
                        ToolRule.of("b").argument("x", "(").allow()))
                .withMessage(
                        "rule 2: the pattern for the argument 'x' is no regular expression: Unclosed group near index 1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> rules(ToolRule.of("a").roles("coder").allow()))
                .withMessageContaining("no role 'coder'")
                .withMessageContaining("coder_coding");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> rules(ToolRule.of("a").states("TESTING").allow()))
                .withMessageContaining("no state 'TESTING'");
        for (String bad : List.of("", ".", "a..b")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> rules(ToolRule.of("a").argument(bad, "x").allow()));
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        rules(ToolRule.of("a").argument("x", "y".repeat(4097)).allow()));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> rules(ToolRule.of("a b").allow()));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> rules(
                        new ToolRule(List.of(), List.of(), List.of(), Optional.empty(), ToolRule.Effect.DENY, "")));
    }

    @Test
    void changedArgumentsAreCheckedRunAndRecordedBesideTheFirstOnes() {
        ToolPolicy quiet = (invocation, tool, arguments) -> ToolDecision.change(Map.of("cmd", "quiet"));
        ToolResult result = call("loud", quiet);
        assertThat(ran).containsExactly(Map.of("cmd", "quiet"));
        assertThat(result.text())
                .isEqualTo("A policy has changed the arguments of this call. It was asked for with: {\"cmd\":\"loud\"}"
                        + "\n\ndid it");
        assertThat(result.data()).containsEntry("n", 1);
        assertThat(result.exitCode()).hasValue(0);
        assertThat(record.last().parameters()).isEqualTo("{\"cmd\":\"quiet\"}");
        assertThat(record.last().result()).contains("loud");
        assertThat(call("quiet", quiet).text()).as("nothing was changed").isEqualTo("did it");
        assertThat(call("x", (i, t, a) -> ToolDecision.change(Map.of("cmd", 7))).text())
                .contains("refused", "a policy has changed the arguments", "$.cmd");
        assertThat(call("x", (i, t, a) -> ToolDecision.change(Map.of("cmd", new Object())))
                        .text())
                .contains("refused", "no JSON types");
        assertThat(ran).hasSize(2);
    }

    /** No order of policies lets a change slip by one of them. */
    @Test
    void everyPolicyIsAskedAboutWhatAnotherHasMade() {
        ToolPolicy evil = (i, t, a) -> ToolDecision.change(Map.of("cmd", "rm all"));
        ToolPolicy guard = rules(ToolRule.of("*").argument("cmd", "rm").deny("no rm"));
        ToolPolicy asks = rules(ToolRule.of("*").argument("cmd", "rm").ask("sure?"));
        assertThat(call("ls", guard, evil).text()).contains("no rm");
        assertThat(call("ls", evil, guard).text()).contains("no rm");
        assertThat(call("ls", asks, evil).text()).contains("nobody to ask");
        assertThat(call("ls", evil, asks).text()).contains("nobody to ask");
        ToolPolicy longer = (i, t, a) -> ToolDecision.change(Map.of("cmd", a.string("cmd") + "!"));
        assertThat(call("ls", longer).text()).contains("refused", "change its arguments again each time");
        assertThat(ran).isEmpty();
    }

    @Test
    void whoIsAskedSeesWhatWouldRunAndDecides() {
        ToolPolicy change = (i, t, a) -> ToolDecision.change(Map.of("cmd", "changed"));
        approver = (invocation, tool, arguments, question) -> {
            asked.add(tool.name() + arguments.asMap() + question);
            return ToolDecision.allow();
        };
        assertThat(call("x", rules(ToolRule.of("shell").ask("sure?")), change).isError())
                .isFalse();
        assertThat(asked).containsExactly("shell{cmd=changed}sure?");
        assertThat(ran).containsExactly(Map.of("cmd", "changed"));
        List<ToolApprover> unwilling = List.of(
                ToolApprover.NOBODY,
                (i, t, a, q) -> ToolDecision.deny("no"),
                (i, t, a, q) -> ToolDecision.ask("and you?"),
                (i, t, a, q) -> ToolDecision.change(Map.of("cmd", "mine")),
                (i, t, a, q) -> null,
                (i, t, a, q) -> {
                    throw new IllegalStateException("gone");
                });
        for (ToolApprover one : unwilling) {
            approver = one;
            assertThat(call("x", rules(ToolRule.of("shell").ask("sure?"))).text())
                    .contains("refused, nothing was run");
        }
        assertThat(call("x", (i, t, a) -> null).text()).contains("refused", "null");
        assertThat(ran).hasSize(1);
    }

    /** The tool's limit of time is for the tool. */
    @Test
    void theToolsTimeBeginsWhenItWasAllowed() {
        approver = (invocation, tool, arguments, question) -> {
            long until = System.nanoTime() + Duration.ofMillis(550).toNanos();
            while (System.nanoTime() < until) {
                Thread.onSpinWait();
            }
            return ToolDecision.allow();
        };
        ToolRuntime runtime = ToolRuntime.builder()
                .record(record)
                .redactor(text -> text)
                .approver(approver)
                .policy(rules(ToolRule.of("*").ask("")))
                .build();
        open.add(runtime);
        ToolFactory quick = tool("quick", d -> d.timeLimit(Duration.ofMillis(500)), call -> ToolResult.ok("ran"));
        assertThat(runtime.call(
                                ToolRegistry.builder()
                                        .builtIn(List.of(quick))
                                        .build()
                                        .agentTools(TestTools.CODING),
                                new ToolInvocation(
                                        "1", "quick", "{}", new ToolInvocation.Caller("s", "c", "042", 1, "CODING")))
                        .text())
                .isEqualTo("ran");
    }

    @Test
    void whatIsRefusedWhateverItsArgumentsIsNotOffered() {
        assertThat(offered(ToolPolicy.byName(List.of(), List.of("shell")))).containsExactly("done");
        assertThat(offered(ToolPolicy.byName(List.of("x*"), List.of()))).containsExactly("done");
        assertThat(offered(rules(ToolRule.of("sh*").roles("coder_coding").deny(""))))
                .containsExactly("done");
        assertThat(offered(rules(
                        ToolRule.of("shell").argument("cmd", "rm").deny(""),
                        ToolRule.of("shell").deny(""))))
                .containsExactly("done");
        assertThat(offered(rules(ToolRule.of("shell").argument("cmd", "rm").deny(""))))
                .contains("shell");
        assertThat(offered(rules(
                        ToolRule.of("shell").argument("cmd", "ls").allow(),
                        ToolRule.of("shell").deny(""))))
                .contains("shell");
        assertThat(offered(rules(ToolRule.of("shell").ask(""), ToolRule.of("*").deny(""))))
                .containsExactly("shell");
        assertThat(offered(rules(ToolRule.of("shell").states("PLANNING").deny(""))))
                .contains("shell");
        assertThat(offered(rules(ToolRule.of("shell").states("COD*").deny("")))).containsExactly("done");
        assertThat(offered(ToolPolicy.ALLOW_ALL)).containsExactly("done", "shell");
    }

    private List<String> offered(ToolPolicy policy) {
        ToolRegistry registry =
                ToolRegistry.builder().builtIn(List.of(shell, done)).build();
        registry.policies(List.of(policy));
        AgentTools tools = registry.agentTools(TestTools.CODING);
        assertThat(tools.documentation()).contains(tools.list().get(0).name());
        assertThat(tools.documentation().contains("### shell"))
                .isEqualTo(tools.list().stream().anyMatch(one -> one.name().equals("shell")));
        return tools.list().stream().map(ToolDefinition::name).toList();
    }

    @Test
    void aToolThatRunsElsewhereIsDecidedOnByItsName() {
        ToolRuntime runtime = ToolRuntime.builder()
                .record(record)
                .redactor(text -> text)
                .policy(rules(
                        ToolRule.of("claude__Bash").argument("command", "rm").deny("no rm")))
                .policy((i, t, a) ->
                        a.asMap().containsKey("odd") ? ToolDecision.change(Map.of()) : ToolDecision.allow())
                .build();
        open.add(runtime);
        assertThat(decide(runtime, "{\"command\":\"ls\"}")).isEmpty();
        assertThat(decide(runtime, "{\"command\":\"rm x\"}").orElseThrow().text())
                .contains("no rm");
        assertThat(record.last().tool()).isEqualTo("Bash");
        assertThat(record.last().error()).contains("no rm");
        assertThat(decide(runtime, "{\"odd\":1}").orElseThrow().text()).contains("cannot be changed");
        assertThat(decide(runtime, "[]").orElseThrow().text()).contains("could not be decided on");
        assertThatThrownBy(() ->
                        ToolRegistry.builder().build().register(tool("claude__x", d -> d, call -> ToolResult.ok(""))))
                .hasMessageContaining("reserved");
    }

    private static Optional<ToolResult> decide(ToolRuntime runtime, String input) {
        return runtime.decide(
                ToolDefinition.builder("claude__Bash").description("d").build(),
                new ToolInvocation("1", "Bash", input, new ToolInvocation.Caller("s", "c", "042", 1, "CODING")));
    }
}
