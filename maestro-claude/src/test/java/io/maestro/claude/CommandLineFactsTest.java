package io.maestro.claude;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.maestro.claude.testing.Fact;
import io.maestro.claude.testing.RequiresClaude;
import io.maestro.testing.Full;
import io.maestro.testkit.api.ApiReply;
import io.maestro.testkit.api.ApiScript;
import io.maestro.testkit.api.StubApi;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What FACTS.md says about the command line and is not seen elsewhere, on the real CLI. */
@RequiresClaude
@Full("facts about the CLI: about 1 s of CPU for each of its starts")
class CommandLineFactsTest {
    @TempDir
    Path directory;

    private final StubApi api = StubApi.start(ApiScript.always(ApiReply.text("end")));

    private BareClaude run(Map<String, String> environment, String... arguments) {
        return BareClaude.print(directory, api.baseUrl(), environment, arguments)
                .closeStdin();
    }

    @Test
    @Fact("line: --input-format")
    void inputByLinesNeedsOutputByLines() {
        try (api;
                BareClaude cli = BareClaude.start(
                                directory, api.baseUrl(), Map.of(), List.of("-p", "--input-format", "stream-json"))
                        .closeStdin()) {
            assertThat(cli.exitCode()).isEqualTo(1);
            assertThat(cli.stderr()).contains("stream-json");
            assertThat(api.requests()).isEmpty();
        }
    }

    @Test
    @Fact("line: IS_SANDBOX")
    void rootMaySkipPermissionsInASandboxOnly() {
        assumeThat(System.getProperty("user.name")).isEqualTo("root");
        try (api;
                BareClaude cli = run(Map.of("IS_SANDBOX", ""), "go")) {
            assertThat(cli.exitCode()).isEqualTo(1);
            assertThat(cli.stderr()).contains("root");
            assertThat(api.requests()).isEmpty();
        }
    }

    @Test
    @Fact("line: Glob and Grep")
    void searchingIsThereWhenItIsAskedForOnly() {
        try (api;
                BareClaude asIs = run(Map.of(), "go")) {
            assertThat(asIs.exitCode()).isZero();
            assertThat(asIs.await(ClaudeEvent.Init.class).tools())
                    .contains("Bash", "Read")
                    .doesNotContain("Glob", "Grep");
            try (BareClaude asked = run(Map.of(), "go", "--tools", "Glob,Grep,Read")) {
                assertThat(asked.exitCode()).isZero();
                assertThat(asked.await(ClaudeEvent.Init.class).tools())
                        .containsExactlyInAnyOrder("Glob", "Grep", "Read");
            }
        }
    }

    @Test
    @Fact("line: --setting-sources and CLAUDE.md")
    void withoutTheProjectsSettingsItsInstructionsAreNotReadEither() throws IOException {
        Files.writeString(directory.resolve("CLAUDE.md"), "planted instructions");
        try (api;
                BareClaude all = run(Map.of(), "go")) {
            assertThat(all.exitCode()).isZero();
            assertThat(api.conversations().get(0).text()).contains("planted instructions");
            try (BareClaude user = run(Map.of(), "--setting-sources", "user", "go")) {
                assertThat(user.exitCode()).isZero();
                assertThat(api.conversations().get(1).text()).doesNotContain("planted instructions");
            }
        }
    }

    /** CanariesTest has that they are said otherwise. */
    @Test
    @Fact("environment: CLAUDE_CODE_DISABLE_CRON")
    void scheduledPromptsAreNotTouchedWhereThereAreNone() throws IOException {
        Path tasks = Files.createDirectories(directory.resolve(".claude")).resolve("scheduled_tasks.json");
        String planted = "{\"tasks\":[{\"id\":\"5e70b1aa\",\"cron\":\"0 0 1 1 *\",\"createdAt\":1700000000000,"
                + "\"prompt\":\"planted prompt\"}]}";
        Files.writeString(tasks, planted);
        for (String off : List.of("1", "")) {
            try (StubApi model = StubApi.start(ApiScript.always(ApiReply.text("end")));
                    BareClaude cli = BareClaude.print(
                            directory,
                            model.baseUrl(),
                            Map.of("CLAUDE_CODE_DISABLE_CRON", off),
                            "--input-format",
                            "stream-json")) {
                cli.say("go");
                cli.await(ClaudeEvent.Result.class);
                if (off.isEmpty()) {
                    cli.await(
                            "a scheduled prompt",
                            () -> model.conversations().stream().anyMatch(request -> request.heard("planted prompt")));
                } else {
                    assertThat(cli.closeStdin().exitCode()).isZero();
                    assertThat(model.conversations()).hasSize(1);
                    assertThat(Files.readString(tasks)).isEqualTo(planted);
                }
            }
        }
        api.close();
    }

    @Test
    @Fact("environment: CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS")
    void nothingOfARepositorysHistoryIsToldWhereThatIsOff() throws Exception {
        Process git = new ProcessBuilder(
                        "sh",
                        "-c",
                        "git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m planted-subject")
                .directory(directory.toFile())
                .inheritIO()
                .start();
        assertThat(git.waitFor()).isZero();
        try (api;
                BareClaude asIs = run(Map.of(), "go")) {
            assertThat(asIs.exitCode()).isZero();
            assertThat(api.conversations().get(0).text()).contains("planted-subject", "Co-Authored-By");
            try (BareClaude off = run(Map.of("CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS", "1"), "go")) {
                assertThat(off.exitCode()).isZero();
                assertThat(api.conversations().get(1).text()).doesNotContain("planted-subject", "Co-Authored-By");
            }
        }
    }

    /** So a variable of an image takes policies away. */
    @Test
    @Fact("environment: CLAUDE_CODE_SIMPLE switches off hooks of the host")
    void aVariableSwitchesOffHooks() {
        for (String simple : List.of("", "1")) {
            try (StubApi model = StubApi.start(
                            ApiScript.turns(ApiReply.use("Bash", "command", "true"), ApiReply.text("end")));
                    BareClaude cli = BareClaude.print(
                            directory,
                            model.baseUrl(),
                            Map.of("CLAUDE_CODE_SIMPLE", simple),
                            "--input-format",
                            "stream-json")) {
                cli.send(
                        "{\"type\":\"control_request\",\"request_id\":\"r1\",\"request\":{\"subtype\":\"initialize\","
                                + "\"hooks\":{\"PreToolUse\":[{\"matcher\":null,\"hookCallbackIds\":[\"h1\"],\"timeout\":5}]}}}");
                cli.say("go");
                if (simple.isEmpty()) {
                    cli.await(ClaudeEvent.ControlRequest.class);
                } else {
                    cli.await(ClaudeEvent.Result.class);
                    assertThat(cli.events(ClaudeEvent.ControlRequest.class)).isEmpty();
                }
            }
        }
        api.close();
    }

    @Test
    @Fact("line: 128 KiB")
    void anArgumentMayNotBeLong() {
        try (api;
                BareClaude cli = run(Map.of(), "--append-system-prompt", "x".repeat(140_000), "go")) {
            assertThat(cli.exitCode()).isNotZero();
            assertThat(api.requests()).isEmpty();
        } catch (io.maestro.exec.ExecException e) {
            assertThat(e).hasMessageContaining("too long");
        }
    }
}
