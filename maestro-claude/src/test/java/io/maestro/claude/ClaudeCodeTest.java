package io.maestro.claude;

import static io.maestro.claude.CliBench.await;
import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.claude.ClaudeResult.Ending;
import io.maestro.claude.testing.Fact;
import io.maestro.claude.testing.RequiresClaude;
import io.maestro.error.MaestroException;
import io.maestro.testing.Full;
import io.maestro.testkit.api.ApiReply;
import io.maestro.testkit.api.ApiRequest;
import io.maestro.testkit.api.ApiScript;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Good runs of the real CLI. */
@RequiresClaude
class ClaudeCodeTest {
    @TempDir
    Path directory;

    @Test
    void aTurnAndAnotherOneInTheSameProcess() throws IOException {
        ApiScript script = ApiScript.turns(ApiReply.text("one"), ApiReply.text("two"));
        try (CliBench bench = new CliBench(directory, script)) {
            ClaudeCode claude =
                    bench.claude().systemPrompt("planted in the prompt").build();
            try (ClaudeRun run = claude.start(bench.session, "first")) {
                ClaudeResult first = await(run);
                assertThat(first.ending()).as("%s", first).isEqualTo(Ending.COMPLETED);
                assertThat(first.text()).isEqualTo("one");
                assertThat(first.turns()).isEqualTo(1);
                assertThat(first.cost()).isPositive();
                assertThat(first.exitCode()).isEmpty();

                run.say("second");
                ClaudeResult second = await(run);
                assertThat(second.text()).isEqualTo("two");
                assertThat(await(run)).isEqualTo(second);

                run.end();
                assertThat(await(run)).isEqualTo(second);
                assertThatThrownBy(() -> run.say("third"))
                        .isInstanceOf(MaestroException.class)
                        .hasMessageContaining("has ended");
            }
            List<ApiRequest> requests = bench.api.conversations();
            assertThat(requests).hasSize(2);
            assertThat(requests.get(0).sessionId()).isEqualTo(bench.session);
            assertThat(requests.get(0).system()).contains("planted in the prompt");
            assertThat(requests.get(0).model()).isEqualTo("claude-sonnet-4-5");
            assertThat(requests.get(1).heard("first")).isTrue();
            assertThat(requests.get(1).modelTexts()).contains("one");
            assertThat(bench.isQuiet()).isTrue();
            try (Stream<Path> files = Files.list(bench.state())) {
                assertThat(files.filter(file -> file.getFileName().toString().startsWith("maestro-")))
                        .isEmpty();
            }
        }
    }

    @Test
    @Fact("sessions: the end after a result of a tool")
    void aToolIsCalledOverTheControlChannelAndTheRunEndsAfterIt() {
        ApiScript script =
                request -> request.turns() == 0 ? ApiReply.use("mcp__maestro__done", "summary", "s") : ApiReply.hang();
        try (CliBench bench = new CliBench(directory, script)) {
            CompletableFuture<ClaudeRun> started = new CompletableFuture<>();
            ClaudeCode claude = bench.claude()
                    .builtInTools(List.of("Read"))
                    .mcp(CliBench.server("done", id -> {
                        started.join().endAfter(id);
                        return "taken";
                    }))
                    .build();
            try (ClaudeRun run = claude.start(bench.session, "go")) {
                started.complete(run);
                ClaudeResult result = await(run);
                assertThat(result.ending()).as("%s", result).isEqualTo(Ending.ENDED);
                assertThat(result.exitCode()).isPresent();
            }
            assertThat(bench.api.conversations().get(0).tools())
                    .contains("Read", "mcp__maestro__done")
                    .doesNotContain("Bash");
            assertThat(bench.events(ClaudeEvent.ToolResult.class))
                    .singleElement()
                    .satisfies(result -> assertThat(result.text()).contains("taken"));
            assertThat(bench.isQuiet()).isTrue();
        }
        goesOn(script);
    }

    /** The answer of the last call is in the session. */
    private void goesOn(ApiScript unused) {
        try (CliBench bench = new CliBench(directory, ApiScript.always(ApiReply.text("again")))) {
            String session = sessionOnDisk(bench);
            try (ClaudeRun run = bench.claude().build().resume(session, "go on")) {
                assertThat(await(run).text()).isEqualTo("again");
                assertThat(run.sessionId()).isEqualTo(session);
            }
            ApiRequest request = bench.api.conversations().get(0);
            assertThat(request.heard("go")).isTrue();
            assertThat(request.answers()).extracting(ApiRequest.Answer::text).contains("taken");
        }
    }

    private static String sessionOnDisk(CliBench bench) {
        try (Stream<Path> files = Files.walk(bench.state().resolve("projects"))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".jsonl"))
                    .findFirst()
                    .orElseThrow()
                    .replace(".jsonl", "");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    @Fact("line: --append-system-prompt-file")
    @Full("ScriptedRunTest has the same with a script in place of the CLI")
    void aLongSystemPromptAndALongMessageArrive() {
        try (CliBench bench = new CliBench(directory, ApiScript.always(ApiReply.text("ok")))) {
            String prompt = "p".repeat(200_000) + " end of the prompt äöü";
            String message = "m".repeat(200_000) + " end of the message \u2028 äöü";
            try (ClaudeRun run = bench.claude().systemPrompt(prompt).build().start(bench.session, message)) {
                assertThat(await(run).ending()).isEqualTo(Ending.COMPLETED);
            }
            ApiRequest request = bench.api.conversations().get(0);
            assertThat(request.system()).contains("end of the prompt äöü");
            assertThat(request.heard("end of the message \u2028 äöü")).isTrue();
        }
    }

    @Test
    @Full("ScriptedRunTest has the same with a script in place of the CLI")
    void aHugeResultOfAToolIsRead() {
        ApiScript script = ApiScript.turns(ApiReply.use("mcp__maestro__big"), ApiReply.text("x".repeat(400_000)));
        try (CliBench bench = new CliBench(directory, script)) {
            ClaudeCode claude = bench.claude()
                    .mcp(CliBench.server("big", id -> "planted ".repeat(6_000)))
                    .build();
            try (ClaudeRun run = claude.start(bench.session, "go")) {
                ClaudeResult result = await(run);
                assertThat(result.ending()).as("%s", result).isEqualTo(Ending.COMPLETED);
                assertThat(result.text()).hasSize(400_000);
            }
            assertThat(bench.events(ClaudeEvent.ToolResult.class)).hasSize(1);
        }
    }

    @Test
    void whatARepositoryBringsIsNotRun() throws IOException {
        try (CliBench bench = new CliBench(
                directory, ApiScript.turns(ApiReply.use("Bash", "command", "echo worked"), ApiReply.text("ok")))) {
            Path trap = directory.resolve("trap");
            String touch = "touch " + trap;
            String hook = "[{\"matcher\":\"*\",\"hooks\":[{\"type\":\"command\",\"command\":\"" + touch + "\"}]}]";
            Path settings = Files.createDirectories(bench.workspace.resolve(".claude"));
            String text =
                    "{\"hooks\":{\"SessionStart\":" + hook + ",\"UserPromptSubmit\":" + hook + ",\"PreToolUse\":" + hook
                            + ",\"Stop\":" + hook + "},\"env\":{\"PLANTED\":\"1\"},\"apiKeyHelper\":\"" + touch
                            + "\",\"statusLine\":{\"type\":\"command\",\"command\":\"" + touch
                            + "\"},\"enableAllProjectMcpServers\":true}";
            Files.writeString(settings.resolve("settings.json"), text);
            Files.writeString(settings.resolve("settings.local.json"), text);
            Files.writeString(
                    bench.workspace.resolve(".mcp.json"),
                    "{\"mcpServers\":{\"evil\":{\"command\":\"touch\",\"args\":[\"" + trap + "\"]}}}");
            try (ClaudeRun run = bench.claude().build().start(bench.session, "go")) {
                assertThat(await(run).ending()).isEqualTo(Ending.COMPLETED);
            }
            assertThat(bench.events(ClaudeEvent.Init.class).get(0).mcpServers()).isEqualTo(Map.of());
            assertThat(trap).doesNotExist();
        }
    }

    @Test
    @Full("the same switch of the CLI as for what a repository brings")
    void whatAnAgentPutsIntoItsOwnSettingsIsNotRun() throws IOException {
        try (CliBench bench = new CliBench(
                directory, ApiScript.turns(ApiReply.use("Bash", "command", "echo worked"), ApiReply.text("ok")))) {
            Path trap = directory.resolve("trap");
            String hook = "[{\"matcher\":\"*\",\"hooks\":[{\"type\":\"command\",\"command\":\"touch " + trap + "\"}]}]";
            String text = "{\"hooks\":{\"SessionStart\":" + hook + ",\"UserPromptSubmit\":" + hook + ",\"PreToolUse\":"
                    + hook + ",\"Stop\":" + hook + "}}";
            for (Path place : List.of(bench.state(), bench.home.resolve(".claude"))) {
                Files.createDirectories(place);
                Files.writeString(place.resolve("settings.json"), text);
                Files.writeString(place.resolve("CLAUDE.md"), "planted memory");
            }
            try (ClaudeRun run = bench.claude().build().start(bench.session, "go")) {
                assertThat(await(run).ending()).isEqualTo(Ending.COMPLETED);
            }
            assertThat(trap).doesNotExist();
            assertThat(bench.api.conversations().get(0).heard("planted memory")).isFalse();
        }
    }

    @Test
    void secretsAreNotShown() {
        try (CliBench bench = new CliBench(directory, ApiScript.turns())) {
            ClaudeCode claude = bench.claude()
                    .mcpByProxy(List.of("proxy.sh"), Map.of("MAESTRO_MCP_TOKEN", "planted-token"))
                    .environment("MY_SECRET", "planted-value")
                    .build();
            assertThat(claude.toString()).doesNotContain("planted").doesNotContain("sk-ant");
        }
    }

    @Test
    @Full("ScriptedRunTest has the same with a script in place of the CLI")
    void aListenerThatFailsDoesNotEndTheRun() {
        try (CliBench bench = new CliBench(directory, ApiScript.always(ApiReply.text("ok")))) {
            ClaudeCode claude = bench.claude()
                    .listener(event -> {
                        throw new IllegalStateException("planted");
                    })
                    .build();
            try (ClaudeRun run = claude.start(bench.session, "go")) {
                assertThat(await(run).ending()).isEqualTo(Ending.COMPLETED);
            }
        }
    }

    @Test
    void aSessionsIdIsChecked() {
        try (CliBench bench = new CliBench(directory, ApiScript.turns())) {
            assertThatThrownBy(() -> bench.claude().build().start("../../x", "go"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("UUID");
        }
    }
}
