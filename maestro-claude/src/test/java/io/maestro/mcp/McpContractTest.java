package io.maestro.mcp;

import static io.maestro.testing.AssertThat.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What holds in whatever way a client reaches the server. */
@ParameterizedClass
@EnumSource(Way.class)
class McpContractTest {
    @Parameter
    Way way = Way.HTTP;

    private final LabTools tools = new LabTools();
    private McpServer server;
    private TestClient client;

    @BeforeEach
    void connect() throws IOException {
        server = McpServer.builder(tools)
                .name("lab")
                .version("1.0")
                .instructions("LAB")
                .progressInterval(Duration.ofMillis(20))
                .maxCalls(8)
                .build();
        client = way.connect(server);
    }

    @AfterEach
    void close() {
        client.close();
        server.close();
    }

    @ParameterizedTest
    @CsvSource({
        "2024-11-05,2024-11-05",
        "2025-03-26,2025-03-26",
        "2025-06-18,2025-06-18",
        "2025-11-25,2025-11-25",
        "2099-01-01,2025-11-25",
        "2026-07-28,2025-11-25"
    })
    void theHandshakeAgreesOnAVersion(String asked, String agreed) {
        JsonNode result = client.begin(asked).path("result");

        assertThat(result.path("protocolVersion").asText()).isEqualTo(agreed);
        assertThat(result.path("serverInfo").toString()).isEqualTo("{\"name\":\"lab\",\"version\":\"1.0\"}");
        assertThat(result.path("instructions").asText()).isEqualTo("LAB");
        assertThat(result.path("capabilities").toString()).isEqualTo("{\"tools\":{}}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"})
    void listsTools(String version) {
        client.begin(version);

        JsonNode result = client.ask(Messages.request(1, "tools/list", "{\"cursor\":\"any\"}"))
                .path("result");

        assertThat(result.path("tools")).hasSize(tools.list().size());
        JsonNode echo = result.path("tools").path(0);
        assertThat(echo.path("name").asText()).isEqualTo("echo");
        assertThat(echo.path("inputSchema"))
                .isEqualTo(Messages.read("{\"type\":\"object\",\"properties\":{\"text\":"
                        + "{\"type\":\"string\",\"description\":\"what to say\",\"minLength\":1}},\"required\":[\"text\"],"
                        + "\"additionalProperties\":false}"));
        assertThat(echo.path("annotations").toString())
                .isEqualTo(version.equals("2024-11-05") ? "" : "{\"readOnlyHint\":true,\"destructiveHint\":false}");
        assertThat(result.path("tools")
                        .path(1)
                        .path("annotations")
                        .path("readOnlyHint")
                        .asBoolean())
                .isFalse();
    }

    @Test
    void callsATool() {
        client.begin("2025-11-25");

        JsonNode ok = client.ask(Messages.call(2, "echo", "{\"text\":\"hi\"}")).path("result");
        JsonNode failed =
                client.ask(Messages.call(3, "fail", "{\"text\":\"bad\"}")).path("result");

        assertThat(ok.toString())
                .isEqualTo("{\"content\":[{\"type\":\"text\",\"text\":\"echo: hi\"}],\"isError\":false}");
        assertThat(failed.path("content").path(0).path("text").asText()).isEqualTo("tool failed: bad");
        assertThat(failed.path("isError").asBoolean()).isTrue();
        assertThat(tools.calls)
                .containsExactly(
                        new McpCall("2", "echo", "{\"text\":\"hi\"}"), new McpCall("3", "fail", "{\"text\":\"bad\"}"));
    }

    @Test
    void aCallCarriesTheModelsOwnId() {
        client.begin("2025-11-25");
        ObjectNode call = Messages.call(2, "echo", "{\"text\":\"hi\"}");
        ((ObjectNode) call.path("params")).putObject("_meta").put("claudecode/toolUseId", "toolu_1");

        assertThat(client.ask(call).has("result")).isTrue();

        assertThat(tools.calls).extracting(McpCall::id).containsExactly("toolu_1");
    }

    @ParameterizedTest
    @CsvSource({"2025-03-26,false", "2025-06-18,true"})
    void dataIsStructuredContentWhereTheVersionHasIt(String version, boolean has) {
        client.begin(version);

        JsonNode result = client.ask(Messages.call(2, "structured", "{}")).path("result");

        // The text, too, since Claude Code shows a model the structured content only.
        assertThat(result.path("structuredContent").toString())
                .isEqualTo(has ? "{\"text\":\"text part\",\"a\":1}" : "");
        assertThat(result.path("content").path(0).path("text").asText()).isEqualTo("text part");
    }

    @Test
    void textIsUtf8WhateverThePlatform() {
        client.begin("2025-11-25");
        String text = "grün 漢字 😀 \u2028 \uFFFD";
        ObjectNode call = Messages.call(2, "echo", "{}");
        ((ObjectNode) call.path("params").path("arguments")).put("text", text);

        JsonNode answer = client.ask(call);

        assertThat(answer.path("result").path("content").path(0).path("text").asText())
                .isEqualTo("echo: " + text);
    }

    @Test
    void aLongAnswerIsNotCut() {
        client.begin("2025-11-25");

        JsonNode answer = client.ask(Messages.call(2, "big", "{\"n\":1000000}"));

        assertThat(answer.path("result").path("content").path(0).path("text").asText())
                .hasSize(1_000_000);
    }

    @Test
    void callsRunAtTheSameTimeAndAnswerInTheirOwnOrder() {
        client.begin("2025-11-25");
        for (int id = 10; id < 14; id++) {
            client.send(Messages.waiting(id, "gate-" + id));
        }
        Messages.until("four calls to run", () -> tools.running.get() == 4);

        // The client is served all the while.
        assertThat(client.ask(Messages.request(99, "ping", null)).path("result").toString())
                .isEqualTo("{}");
        for (int id = 13; id >= 10; id--) {
            tools.open("gate-" + id);
            assertThat(client.answer(id)
                            .path("result")
                            .path("content")
                            .path(0)
                            .path("text")
                            .asText())
                    .isEqualTo("waited for gate-" + id);
        }
    }

    @Test
    void aCancelledCallIsInterruptedAloneAndNotAnswered() {
        client.begin("2025-11-25");
        client.send(Messages.waiting(1, "one"));
        client.send(Messages.waiting(2, "two"));
        Messages.until("both calls to run", () -> tools.running.get() == 2);

        client.send(Messages.notification("notifications/cancelled", "{\"requestId\":1,\"reason\":\"timeout\"}"));

        Messages.until("the interrupt", () -> tools.interrupted.contains("one"));
        tools.open("two");
        assertThat(client.answer(2).path("result").path("isError").asBoolean()).isFalse();
        assertThat(tools.interrupted).containsExactly("one");
        // Plain JSON over HTTP cannot be left without an answer.
        List<JsonNode> answers = client.received.stream()
                .filter(message -> message.path("id").asInt(-1) == 1)
                .toList();
        assertThat(answers)
                .allMatch(answer ->
                        way == Way.HTTP && answer.path("error").path("code").asInt() == -32800);
    }

    @Test
    void cancellingWhatDoesNotRunDoesNothing() {
        client.begin("2025-11-25");

        client.send(Messages.notification("notifications/cancelled", "{\"requestId\":77}"));
        client.send(Messages.notification("notifications/cancelled", "{\"requestId\":{}}"));
        client.send(Messages.notification("notifications/unknown", "{}"));

        assertThat(client.ask(Messages.call(2, "echo", "{\"text\":\"hi\"}")).has("result"))
                .isTrue();
    }

    @Test
    void anIdInUseIsRefused() {
        client.begin("2025-11-25");
        client.send(Messages.waiting(1, "one"));
        Messages.until("the call to run", () -> tools.running.get() == 1);

        client.send(Messages.call(1, "echo", "{\"text\":\"hi\"}"));

        assertThat(client.answer(1).path("error").path("code").asInt()).isEqualTo(-32600);
        tools.open("one");
        assertThat(client.answer(1).has("result")).isTrue();
    }

    @Test
    void tooManyCallsAreRefusedAndNotRun() {
        client.begin("2025-11-25");
        for (int id = 1; id <= 8; id++) {
            client.send(Messages.waiting(id, "gate"));
        }
        Messages.until("all calls to run", () -> tools.running.get() == 8);

        JsonNode refused = client.ask(Messages.call(9, "echo", "{\"text\":\"hi\"}"));

        assertThat(refused.path("error").path("message").asText()).contains("8 calls run already");
        tools.open("gate");
        for (int id = 1; id <= 8; id++) {
            assertThat(client.answer(id).has("result")).isTrue();
        }
        Messages.until("all calls to have ended", () -> tools.running.get() == 0);
    }

    @Test
    void progressIsToldWhereItWasAskedFor() {
        client.begin("2025-11-25");
        ObjectNode call = Messages.waiting(5, "gate");
        ((ObjectNode) call.path("params")).putObject("_meta").put("progressToken", "p-5");
        client.send(call);
        Messages.until("the call to run", () -> tools.running.get() == 1);

        if (way != Way.CONTROL) {
            Messages.until("two notifications", () -> client.notifications().size() >= 2);
        }
        tools.open("gate");

        assertThat(client.answer(5).has("result")).isTrue();
        List<JsonNode> told = client.notifications();
        if (way != Way.CONTROL) {
            assertThat(told)
                    .allMatch(
                            note -> note.path("params").path("message").asText().endsWith(" s: at the gate"));
        }
        assertThat(told)
                .allMatch(note -> note.path("method").asText().equals("notifications/progress")
                        && note.path("params").path("progressToken").asText().equals("p-5"));
        assertThat(told.stream()
                        .map(note -> note.path("params").path("progress").asInt()))
                .isSorted()
                .doesNotHaveDuplicates();
        if (way == Way.CONTROL) {
            assertThat(told).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/list\"}|-32601",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":[]}|-32602",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{}}|-32602",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":[1]}}|-32602",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}|-32602",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}|-32600",
                "{\"jsonrpc\":\"2.0\",\"id\":1}|-32600",
                "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}|-32600",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\"}|-32602"
            })
    void whatIsWrongIsSaid(String message, int code) {
        client.begin("2025-11-25");

        client.send(message);

        assertThat(client.answer(1).path("error").path("code").asInt()).isEqualTo(code);
        assertThat(client.ask(Messages.request(2, "ping", null)).has("result")).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"jsonrpc\":\"2.0\",\"id\":|-32700",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}|-32700",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} x|-32700",
                "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}|-32600",
                "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}|-32600",
                "17|-32600",
                "[]|-32600"
            })
    void whatHasNoIdIsAnsweredWithNone(String message, int code) {
        client.begin("2025-11-25");

        client.send(message);

        Messages.until(
                "an error",
                () -> client.received.stream()
                        .anyMatch(answer -> answer.path("id").isNull()));
        assertThat(client.received.stream().filter(answer -> answer.path("id").isNull()))
                .singleElement()
                .matches(answer -> answer.path("error").path("code").asInt() == code);
        assertThat(client.ask(Messages.request(2, "ping", null)).has("result")).isTrue();
    }

    @Test
    void aMessageIsDeepOnlyWithinReason() {
        client.begin("2025-11-25");

        client.send("[".repeat(100_000));

        Messages.until("an error", () -> client.received.stream().anyMatch(answer -> answer.has("error")));
        assertThat(client.ask(Messages.request(2, "ping", null)).has("result")).isTrue();
    }

    @Test
    void aFailureOfTheHostIsAnErrorWithoutItsWords() {
        client.begin("2025-11-25");

        JsonNode error = client.ask(Messages.call(1, "boom", "{}")).path("error");

        assertThat(error.path("code").asInt()).isEqualTo(-32603);
        assertThat(error.toString()).contains("IllegalStateException").doesNotContain("planted-secret");
    }

    @Test
    void aToolThatLeavesItsThreadInterruptedDoesNotBreakTheConnection() {
        client.begin("2025-11-25");

        for (int id = 1; id <= 3; id++) {
            assertThat(client.ask(Messages.call(id, "interrupting", "{}")).has("result"))
                    .isTrue();
        }
    }

    @Test
    void batchesExistInOneVersionOnly() {
        client.begin("2025-03-26");
        String batch = "[" + Messages.call(1, "echo", "{\"text\":\"a\"}") + ","
                + Messages.notification("notifications/cancelled", "{\"requestId\":5}") + ","
                + Messages.request(2, "ping", null) + "," + "3" + "]";

        client.send(batch);

        Messages.until("the answer", () -> client.received.stream().anyMatch(JsonNode::isArray));
        JsonNode answers = client.received.get(0);
        assertThat(StreamSupport.stream(answers.spliterator(), false)
                        .map(answer -> answer.path("id").asText()))
                .containsExactlyInAnyOrder("1", "2", "null");
        client.received.clear();

        client.begin("2025-11-25");
        client.send(batch);
        Messages.until("a refusal", () -> client.received.stream().anyMatch(answer -> answer.has("error")));
    }

    @Test
    void theStatelessVersionNeedsNoHandshake() {
        JsonNode discovered = client.ask(Messages.stateless(Messages.request(1, "server/discover", null)))
                .path("result");
        JsonNode list = client.ask(Messages.stateless(Messages.request(2, "tools/list", null)))
                .path("result");
        JsonNode called = client.ask(Messages.stateless(Messages.call(3, "structured", "{}")))
                .path("result");
        JsonNode ping = client.ask(Messages.stateless(Messages.request(4, "ping", null)));

        assertThat(discovered.path("supportedVersions").toString()).isEqualTo("[\"2026-07-28\"]");
        assertThat(List.of(discovered, list, called))
                .allMatch(result -> result.path("resultType").asText().equals("complete")
                        && result.path("_meta")
                                .path("io.modelcontextprotocol/serverInfo")
                                .path("name")
                                .asText()
                                .equals("lab"));
        assertThat(List.of(discovered, list))
                .allMatch(result -> result.path("ttlMs").isInt()
                        && result.path("cacheScope").asText().equals("private"));
        assertThat(called.path("structuredContent").path("a").asInt()).isEqualTo(1);
        assertThat(ping.path("error").path("code").asInt()).isEqualTo(-32601);
    }

    @Test
    void theStatelessVersionWantsItsFields() {
        ObjectNode unknown = Messages.stateless(Messages.request(1, "tools/list", null));
        ((ObjectNode) unknown.path("params").path("_meta"))
                .put("io.modelcontextprotocol/protocolVersion", "2099-01-01");
        ObjectNode incapable = Messages.stateless(Messages.request(2, "tools/list", null));
        ((ObjectNode) incapable.path("params").path("_meta")).remove("io.modelcontextprotocol/clientCapabilities");

        JsonNode error = client.ask(unknown).path("error");
        assertThat(client.ask(incapable).path("error").path("code").asInt()).isEqualTo(-32602);

        if (way != Way.HTTP) {
            // Over HTTP the test client says another version in the header field.
            assertThat(error.path("code").asInt()).isEqualTo(-32022);
            assertThat(error.path("data").toString())
                    .isEqualTo("{\"supported\":[\"2026-07-28\"],\"requested\":\"2099-01-01\"}");
        }
    }

    @Test
    void aClientThatLeavesTakesItsCallsWithIt() {
        client.begin("2025-11-25");
        client.send(Messages.waiting(1, "one"));
        Messages.until("the call to run", () -> tools.running.get() == 1);

        client.close();

        Messages.until("the interrupt", () -> tools.interrupted.contains("one"));
    }

    @Test
    void closingTheServerCancelsWhatRuns() {
        client.begin("2025-11-25");
        client.send(Messages.waiting(1, "one"));
        Messages.until("the call to run", () -> tools.running.get() == 1);

        server.close();

        assertThat(tools.interrupted).containsExactly("one");
        assertThat(tools.running.get()).isZero();
    }

    @Test
    void aHandshakeThatIsRepeatedEndsWhatRanBefore() {
        if (way == Way.HTTP) {
            return; // It is another session there.
        }
        client.begin("2025-11-25");
        client.send(Messages.waiting(1, "one"));
        client.send(Messages.call(2, "stubborn", "{\"text\":\"two\"}"));
        Messages.until("the calls to run", () -> tools.running.get() == 2);

        client.begin("2025-06-18");

        Messages.until("both interrupts", () -> tools.interrupted.containsAll(List.of("one", "two")));
        // The second tool still runs. Its id is free all the same, and belongs to the new call alone.
        for (int id = 1; id <= 2; id++) {
            assertThat(client.ask(Messages.call(id, "echo", "{\"text\":\"hi\"}"))
                            .has("result"))
                    .isTrue();
        }
        assertThat(tools.running.get()).isEqualTo(1);
        tools.open("two");
        Messages.until("the tool to end", () -> tools.running.get() == 0);
        assertThat(client.ask(Messages.request(3, "ping", null)).has("result")).isTrue();
        assertThat(client.received.toString()).doesNotContain("waited for two");
    }
}
