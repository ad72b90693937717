package io.maestro.claude;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.claude.testing.Transcripts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What each recorded run came to, as a person reads it. */
class TranscriptOutcomeTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "01_bash_write | init; Bash -> hello; Write -> File created success; success 3 0.0018000000000000002 All done.",
                "02_resume_ok | init; success 1 0.0006000000000000001 Second answer.",
                "03_resume_new_container | init; success 1 0.0006000000000000001 Third answer.",
                "04_resume_unknown | FAILED error_during_execution 0 0 No conversation foun",
                "06_partial_messages | init; Bash -> a; success 2 0.0012000000000000001 end",
                "08_two_turns | init; success 1 0.0006000000000000001 first; init; success 1 0.0012000000000000001 second",
                "10_interrupt | answered req-1; init; answered req-2; Bash -> ERROR The user doesn't wan; "
                        + "FAILED error_during_execution 3 0.0006000000000000001 [ede_diagnostic] res; "
                        + "init; success 1 0.0012000000000000001 after interrupt",
                "12_sdk_mcp | answered req-1; asked mcp_message; asked mcp_message; asked mcp_message; init maestro=connected; "
                        + "asked mcp_message; mcp__maestro__maestro_ask_question -> Use H2.; "
                        + "asked mcp_message; mcp__maestro__maestro_done -> Recorded. Stop now.; success 3 0.0018000000000000002 end",
                "13_mcp_http_tools | init maestro=connected; mcp__maestro__echo -> echo: hi; "
                        + "mcp__maestro__fail -> ERROR tool failed: bad; mcp__maestro__rpcfail -> ERROR MCP error -32000: rp; "
                        + "mcp__maestro__nosuch -> ERROR <tool_use_error>Erro; mcp__maestro__structured -> {\"a\":1}; "
                        + "mcp__maestro__maestro_done -> Recorded. Stop now.; success 7 0.0042 end",
                "14_mcp_tool_timeout | init maestro=connected; mcp__maestro__slow -> ERROR MCP server \"maestro\"; "
                        + "success 2 0.0012000000000000001 end",
                "17_mcp_pending | init maestro=pending; mcp__maestro__echo -> ERROR <tool_use_error>Erro; "
                        + "success 2 0.0012000000000000001 end",
                "20_api_401 | init; retry 1 after 401 in 560; retry 2 after 401 in 1164; "
                        + "FAILED success 1 0 Invalid API key · Fi",
                "22_api_429_retry_after | init; retry 1 after 429 in 2000; success 1 0.0006000000000000001 ok",
                "24_api_529_exhausted | init; retry 1 after 529 in 610; retry 2 after 529 in 1132; "
                        + "FAILED success 1 0 API Error: 529 Overl",
                "27_max_turns | init; Bash -> (Bash completed with; Bash -> (Bash completed with; "
                        + "FAILED error_max_turns 3 0.0012000000000000001 Reached maximum numb",
                "30_bad_stdin | ``",
                "31_subagent | init; (sub) Bash -> in-sub; Agent -> sub done agentId: a7; success 2 0.0024000000000000002 main end",
                "36_sigterm_in_tool | init; in flight Bash"
            })
    void theOutcomeIsRight(String name, String outcome) {
        assertThat(String.join("; ", outcome(name))).isEqualTo(outcome);
    }

    @Test
    void eachTranscriptHasAnOutcome() throws Exception {
        CsvSource table = TranscriptOutcomeTest.class
                .getDeclaredMethod("theOutcomeIsRight", String.class, String.class)
                .getAnnotation(CsvSource.class);

        assertThat(new TreeSet<>(List.of(table.value()).stream()
                        .map(row -> row.substring(0, row.indexOf(' ')))
                        .toList()))
                .isEqualTo(new TreeSet<>(Transcripts.NAMES));
    }

    private static List<String> outcome(String name) {
        List<String> outcome = new ArrayList<>();
        Map<String, ClaudeEvent.ToolUse> calls = new TreeMap<>();
        ClaudeStreamParser parser = new ClaudeStreamParser(event -> {
            if (event instanceof ClaudeEvent.Init init) {
                assertThat(init.sessionId()).hasSize(36);
                assertThat(init.version()).isEqualTo("2.1.197");
                assertThat(init.model()).isEqualTo("claude-sonnet-4-5");
                assertThat(init.tools()).contains("Bash", "Write");
                String servers = init.mcpServers().isEmpty()
                        ? ""
                        : " " + init.mcpServers().toString().replaceAll("[{}]", "");
                outcome.add("init" + servers);
            } else if (event instanceof ClaudeEvent.ToolUse use) {
                calls.put(use.id(), use);
            } else if (event instanceof ClaudeEvent.ToolResult result) {
                ClaudeEvent.ToolUse use = calls.remove(result.toolUseId());
                assertThat(use).as("the call of %s", result).isNotNull();
                assertThat(result.parent()).isEqualTo(use.parent());
                outcome.add((use.parent().isPresent() ? "(sub) " : "") + use.name() + " -> "
                        + (result.isError() ? "ERROR " : "") + begin(result.text()));
            } else if (event instanceof ClaudeEvent.ApiRetry retry) {
                outcome.add("retry " + retry.attempt() + " after " + retry.status() + " in " + retry.delayMillis());
            } else if (event instanceof ClaudeEvent.Result result) {
                outcome.add((result.isError() ? "FAILED " : "") + result.subtype() + " " + result.turns() + " "
                        + result.cost() + " " + begin(result.text()));
            } else if (event instanceof ClaudeEvent.ControlRequest request) {
                outcome.add("asked " + request.subtype());
            } else if (event instanceof ClaudeEvent.ControlResponse response) {
                assertThat(response.success()).isTrue();
                outcome.add("answered " + response.requestId());
            }
        });
        parser.feed(Transcripts.output(name));
        parser.end();
        parser.inFlight().forEach(use -> outcome.add("in flight " + use.name()));
        return outcome;
    }

    private static String begin(String text) {
        return text.substring(0, Math.min(20, text.length())).strip().replace('\n', ' ');
    }
}
