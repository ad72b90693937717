package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.maestro.agent.Agent;
import io.maestro.agent.AgentTask;
import io.maestro.error.MaestroException;
import io.maestro.mcpclient.McpSource;
import io.maestro.record.AuditLog;
import io.maestro.runtime.ToolPolicy;
import io.maestro.story.Story;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.testing.Full;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import io.maestro.testkit.contract.PlayedModel;
import io.maestro.testkit.contract.PlayedModel.Said;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tools of MCP servers in the hands of agents, from the builder and the file to the record. */
@Timeout(120)
class BorrowedToolsTest {
    @TempDir
    Path directory;

    /** A server in one file; it has {@code echo}, and answers with its arguments. */
    private Path server() {
        Path server = directory.resolve("server.sh");
        try {
            Files.writeString(server, """
                while IFS= read -r line; do
                  id=${line#*'"id":"'}; id=${id%%'"'*}
                  case $line in
                  *'"method":"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}}}';;
                  *'"method":"tools/list"'*) result='{"tools":[{"name":"echo","description":"Says it again","inputSchema":{"type":"object"}}]}';;
                  *'"method":"tools/call"'*) result='{"content":[{"type":"text","text":"from the server"}]}';;
                  *) continue;;
                  esac
                  printf '{"jsonrpc":"2.0","id":"%s","result":%s}\\n' "$id" "$result"
                done
                """);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return server;
    }

    private MaestroBuilder builder(ScriptedLlm coder) {
        return Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(
                        TestRepository.create(directory, Map.of("t.sh", "true")).url())
                .coderModel(coder)
                .architect(new Approving())
                .testCommand("sh t.sh")
                .tools(tools -> tools.discover(false));
    }

    private static ScriptedLlm coder(String tool, Map<String, Object> input) {
        return ScriptedLlm.builder("coder")
                .story(
                        "1",
                        script -> script.turn(Reply.toolCall(tool, input))
                                .turn(Reply.toolCall("write_file", Map.of("path", "a.txt", "content", "x")))
                                .turn(Reply.toolCall("done", Map.of("summary", "wrote it"))))
                .build();
    }

    private static Story story() {
        return Story.builder("1", "One").content("do it").express().build();
    }

    private static AuditLog.ToolExecution row(Maestro maestro, String tool) {
        return maestro.auditLog().toolExecutions("1").stream()
                .filter(call -> call.tool().equals(tool))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aCoderCallsToolsOfAServerThatTheFileNames() throws IOException {
        try (Maestro maestro = builder(coder("files_echo", Map.of()))
                .config("{\"tools\": {\"mcp\": {\"files\": {\"command\": [\"sh\", \"" + server()
                        + "\"]}}, \"limits\": {\"files_echo\": {\"seconds\": 9}}}}")
                .build()) {
            assertThat(maestro.check().toString()).contains("files_echo of the MCP server 'files'");
            assertThat(maestro.run(story()).outcome()).isEqualTo(Outcome.MERGED);
            assertThat(row(maestro, "files_echo").result()).contains("from the server", "third party");
        }
        assertThat(directory.resolve("project/.maestro/mcp-pins.json"))
                .content()
                .contains("\"echo\"", "sha256:");
    }

    @Test
    void theHostsPolicyIsAskedAboutThemAndCodeWinsOverTheFile() throws IOException {
        try (Maestro maestro = builder(coder("files_echo", Map.of()))
                .config("{\"tools\": {\"mcp\": {\"files\": {\"command\": [\"no-such-program\"]}}}}")
                .tools(tools -> tools.mcp(
                        McpSource.stdio("files", "sh", server().toString()).build()))
                .tools(tools -> tools.policy(ToolPolicy.byName(List.of(), List.of("files_*"))))
                .build()) {
            assertThat(maestro.run(story()).outcome()).isEqualTo(Outcome.MERGED);
            assertThat(row(maestro, "files_echo").error()).contains("there is no tool 'files_echo'");
        }
    }

    @Test
    void aServerThatCannotBeUsedStopsTheBuildAndNothingStaysOpen() throws IOException {
        MaestroBuilder builder = builder(coder("files_echo", Map.of()));
        McpSource.Builder broken = McpSource.stdio("gone", "sh", "-c", "exit 4");
        assertThatThrownBy(
                        () -> builder.tools(tools -> tools.mcp(broken.build())).build())
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("'gone' can't be used")
                .hasMessageContaining("exit code 4");
        assertThatThrownBy(() -> Maestro.agent()
                        .directory(directory)
                        .model(PlayedModel.turns().client("played"))
                        .tools(tools -> tools.mcp(
                                McpSource.stdio("a", "sh", server().toString()).build()))
                        .tools(tools -> tools.mcp(
                                McpSource.stdio("A", "sh", server().toString()).build()))
                        .build())
                .hasMessageContaining("two MCP sources");
    }

    @Test
    void anAgentAloneCallsThem() throws IOException {
        PlayedModel model = asked -> asked.turns() == 0
                ? new Said("", "files_echo", Map.of(), false)
                : new Said("", "done", Map.of("summary", asked.last().text()), false);
        try (Agent agent = Maestro.agent()
                .directory(directory)
                .model(model.client("played"))
                .tools(tools -> tools.discover(false))
                .tools(tools -> tools.mcp(
                        McpSource.stdio("files", "sh", server().toString()).build()))
                .build()) {
            assertThat(agent.run(AgentTask.of("go")).text()).contains("from the server");
        }
    }

    @Full("servers of others, which .ci/mcp-conformance installs, on Node.js")
    @Test
    void realServersServeACoder() throws IOException {
        String cache = System.getenv().getOrDefault("MAESTRO_CI_CACHE", "/var/cache/maestro-ci");
        Path modules = Path.of(cache, "mcp-conformance/node_modules");
        Path servers = modules.resolve("@modelcontextprotocol");
        assumeTrue(
                Files.exists(servers.resolve("server-filesystem"))
                        && Files.exists(servers.resolve("server-everything")),
                "the servers are not there; run .ci/mcp-conformance");
        Path node = modules.resolve(".bin/node");
        Path documents = Files.createDirectory(directory.resolve("documents"));
        Files.writeString(documents.resolve("note.txt"), "the answer is 42\n");
        String[] filesystem = {
            node.toString(), servers.resolve("server-filesystem/dist/index.js").toString(), documents.toString()
        };
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .story(
                        "1",
                        script -> script.turn(Reply.toolCall(
                                        "files_read_text_file",
                                        Map.of(
                                                "path",
                                                documents.resolve("note.txt").toString())))
                                .turn(Reply.toolCall("all_echo", Map.of("message", "hello there")))
                                .turn(Reply.toolCall("write_file", Map.of("path", "a.txt", "content", "x")))
                                .turn(Reply.toolCall("done", Map.of("summary", "wrote it"))))
                .build();
        try (Maestro maestro = builder(coder)
                .tools(tools -> tools.mcp(McpSource.stdio("files", filesystem).build()))
                .tools(tools -> tools.mcp(McpSource.stdio(
                                "all",
                                node.toString(),
                                servers.resolve("server-everything/dist/index.js")
                                        .toString())
                        .timeLimit(Duration.ofSeconds(30))
                        .build()))
                .build()) {
            assertThat(maestro.run(story()).outcome()).isEqualTo(Outcome.MERGED);
            assertThat(row(maestro, "files_read_text_file").result()).contains("the answer is 42");
            assertThat(row(maestro, "all_echo").result()).contains("hello there");
        }
    }
}
