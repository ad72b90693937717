package io.maestro.claude;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.Maestro;
import io.maestro.MaestroRecord;
import io.maestro.agent.Agent;
import io.maestro.agent.AgentResult;
import io.maestro.agent.AgentTask;
import io.maestro.claude.testing.RealClaude;
import io.maestro.claude.testing.RequiresClaude;
import io.maestro.runtime.ToolDecision;
import io.maestro.runtime.ToolPolicy;
import io.maestro.runtime.ToolRule;
import io.maestro.testing.Full;
import io.maestro.testkit.api.ApiReply;
import io.maestro.testkit.api.ApiScript;
import io.maestro.testkit.api.StubApi;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A policy decides on the tools of the real CLI's own. */
@RequiresClaude
@Full("a start of the real CLI; ToolHookTest has the cases without it")
class OwnToolsPolicyTest {
    @TempDir
    Path directory;

    @Test
    void aRuleRefusesAnotherAsksAndAThirdTakesAToolAway() throws IOException {
        Path workspace = Files.createDirectory(directory.resolve("workspace"));
        List<String> asked = new CopyOnWriteArrayList<>();
        ApiScript model = ApiScript.turns(
                ApiReply.use("Bash", "command", "touch refused"),
                ApiReply.use("Bash", "command", "touch asked"),
                ApiReply.use("Bash", "command", "touch free"),
                ApiReply.use("mcp__maestro__done", "summary", "made it"));
        try (StubApi api = StubApi.start(model);
                MaestroRecord record = MaestroRecord.sqlite(directory.resolve("record.db"), text -> text);
                Agent agent = Maestro.agent()
                        .directory(workspace)
                        .record(directory.resolve("record.db"))
                        .program(ClaudeCodeMode.builder()
                                .model("claude-sonnet-4-5")
                                .program(RealClaude.program().toString())
                                .apiKey("sk-ant-fake-planted-2b9e44")
                                .baseUrl(URI.create(api.baseUrl()))
                                .build())
                        .tools(tools -> tools.policy(ToolPolicy.byRules(List.of(
                                ToolRule.of("claude__Bash")
                                        .argument("command", "refused")
                                        .deny("planted no"),
                                ToolRule.of("claude__Bash")
                                        .argument("command", "asked")
                                        .ask("sure?"),
                                ToolRule.of("claude__Grep").deny("")))))
                        .toolApprover((invocation, tool, arguments, question) -> {
                            asked.add(tool.name() + arguments.string("command") + question);
                            return ToolDecision.allow();
                        })
                        .build()) {
            assertThat(agent.run(AgentTask.of("make it")).ending()).isEqualTo(AgentResult.Ending.COMPLETED);

            assertThat(workspace.resolve("refused")).doesNotExist();
            assertThat(workspace.resolve("asked")).exists();
            assertThat(workspace.resolve("free")).exists();
            assertThat(asked).containsExactly("claude__Bashtouch askedsure?");
            assertThat(api.conversations().get(0).tools())
                    .contains("Bash", "Read")
                    .doesNotContain("Grep");
            assertThat(api.conversations().get(1).answers().get(0).text()).contains("planted no");
            assertThat(record.auditLog().toolExecutions(agent.id()))
                    .filteredOn(row -> row.tool().equals("claude__Bash"))
                    .singleElement()
                    .satisfies(row -> assertThat(row.error()).contains("planted no"));
        }
    }
}
