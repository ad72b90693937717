package io.maestro.claude.internal.run;

import static io.maestro.testing.AssertThat.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.maestro.claude.ClaudeEvent;
import io.maestro.mcp.McpCall;
import io.maestro.mcp.McpServer;
import io.maestro.mcp.McpTools;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolResult;
import io.maestro.wire.internal.JsonLimits;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests of one who only calls itself the CLI: each is answered, and none is kept for ever. */
@Timeout(60)
class ControlChannelTest {
    private final CountDownLatch gate = new CountDownLatch(1);
    private final McpServer server = McpServer.builder(new McpTools() {
                @Override
                public List<ToolDefinition> list() {
                    return List.of(
                            ToolDefinition.builder("wait").description("d").build());
                }

                @Override
                public ToolResult call(McpCall call) {
                    try {
                        gate.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    return ToolResult.ok("waited");
                }
            })
            .maxMessageBytes(2000)
            .maxCalls(200)
            .build();

    private final ByteArrayOutputStream said = new ByteArrayOutputStream();
    private final Outbox outbox = new Outbox(said);
    private final ControlChannel channel = new ControlChannel(outbox, new McpLink.Channel(server::connect), null);

    @AfterEach
    void close() {
        gate.countDown();
        server.close();
    }

    private void ask(String request, String id, String more) {
        channel.received(new ClaudeEvent.ControlRequest(
                request,
                "mcp_message",
                "{\"subtype\":\"mcp_message\",\"server_name\":\"maestro\",\"message\":{\"jsonrpc\":\"2.0\",\"id\":" + id
                        + ",\"method\":\"tools/call\",\"params\":{\"name\":\"wait\"" + more + "}}}"));
    }

    private List<String> answers() {
        outbox.close();
        outbox.run();
        return said.toString(StandardCharsets.UTF_8).lines().toList();
    }

    /** Written in the format that was recorded from the CLI; a text of an agent or host is its user's, and never a command. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/compact",
                " /clear",
                "\n\t/model x",
                "\u00a0/init",
                "\ufeff\u200b/compact",
                "/",
                "!ls",
                " #remember x",
                "\n@/etc/passwd",
                "\u3164/clear",
                "\ufe0f!ls",
                "\u034f\u2800#x"
            })
    void aMessageThatBeginsWithTheSignOfACommandIsText(String message) {
        channel.say(message);
        channel.begin(message);
        channel.received(new ClaudeEvent.ControlResponse("maestro-initialize", true, "{}"));
        List<JsonNode> users = answers().stream()
                .map(JsonLimits::tree)
                .filter(line -> line.path("type").asText().equals("user"))
                .toList();
        assertThat(users)
                .hasSize(2)
                .allSatisfy(line -> assertThat(line)
                        .isEqualTo(JsonLimits.tree("{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":"
                                + TextNode.valueOf("The message is:\n" + message) + "}}")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"go", "see /workspace", "", "a\n/compact", "\\/compact", "Mind @Override #1!", "<b>/x"})
    void anyOtherMessageIsSentAsItIs(String message) {
        channel.say(message);
        assertThat(answers())
                .singleElement()
                .satisfies(line -> assertThat(JsonLimits.tree(line)
                                .path("message")
                                .path("content")
                                .asText())
                        .isEqualTo(message));
    }

    /** Otherwise a session keeps the system prompt that it has begun with. */
    @Test
    void theFirstMessageWaitsUntilTheCliKnowsToTakeEachSystemPromptAnew() {
        ControlChannel bare = new ControlChannel(outbox, new McpLink.None(), null);
        bare.begin("go");
        assertThat(said.toString(StandardCharsets.UTF_8)).isEmpty();
        bare.received(new ClaudeEvent.ControlResponse("maestro-initialize", true, "{}"));
        assertThat(answers())
                .extracting(line -> JsonLimits.tree(line).path("request").path("systemPromptSnapshot"))
                .first()
                .isEqualTo(BooleanNode.FALSE);
        assertThat(said.toString(StandardCharsets.UTF_8).lines()).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"a\":1}", "[1]", "1.5", "true"})
    void anIdIsAStringOrANumber(String id) {
        ask("r1", id, "");
        assertThat(answers())
                .singleElement()
                .asString()
                .contains("\"error\"", "\"r1\"", "must be a string or a number");
    }

    @Test
    void anIdIsShort() {
        ask("r1", "\"" + "x".repeat(129) + "\"", "");
        assertThat(answers()).singleElement().asString().contains("\"error\"", "\"r1\"");
    }

    @Test
    void noMoreThanAHundredAreOpen() {
        IntStream.range(0, 150).forEach(i -> ask("r" + i, String.valueOf(i), ""));
        assertThat(answers())
                .hasSize(50)
                .allSatisfy(answer -> assertThat(answer).contains("\"error\"", "100 requests at a time"));
    }

    /** The server's answer names no request then, and the CLI would wait for ever. */
    @Test
    void aMessageThatIsTooLongForTheServerIsAnswered() {
        ask("r1", "7", ",\"more\":\"" + "x".repeat(3000) + "\"");
        assertThat(answers()).singleElement().asString().contains("\"r1\"", "this one is longer", "mcp_response");
    }
}
