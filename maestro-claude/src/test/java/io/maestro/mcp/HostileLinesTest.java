package io.maestro.mcp;

import static io.maestro.testing.AssertThat.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Those who are not welcome at the TCP endpoint, and those who send what nobody should. */
class HostileLinesTest {
    private static final String PING = Messages.request(1, "ping", null) + "\n";

    private final LabTools tools = new LabTools();
    private McpServer server = McpServer.builder(tools).maxMessageBytes(4096).build();
    private McpEndpoint endpoint = server.tcp(InetAddress.getLoopbackAddress());

    @AfterEach
    void close() {
        server.close();
    }

    private void restart(McpServer.Builder builder) {
        server.close();
        server = builder.build();
        endpoint = server.tcp(InetAddress.getLoopbackAddress());
    }

    private RawConnection known() throws IOException {
        return new RawConnection(endpoint).send(endpoint.token() + "\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "TOKENA", "token", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"})
    void withoutTheTokenNothingIsDone(String line) throws IOException {
        String shown = line.replace("TOKEN", endpoint.token());
        try (RawConnection connection = new RawConnection(endpoint)) {
            String answer = connection
                    .sendAnyway((shown + "\n" + Messages.call(1, "echo", "{\"text\":\"hi\"}") + "\n")
                            .getBytes(StandardCharsets.UTF_8))
                    .rest();

            assertThat(answer)
                    .contains("token")
                    .doesNotContain(endpoint.token())
                    .hasLineCount(1);
        }
        assertThat(tools.calls).isEmpty();
    }

    @Test
    void theFirstLineIsBounded() throws IOException {
        try (RawConnection connection = new RawConnection(endpoint)) {
            connection.sendAnyway("a".repeat(10_000_000).getBytes(StandardCharsets.UTF_8));
            assertThat(connection.rest().length()).isLessThan(300);
        }
    }

    @Test
    void aClientThatDripsIsNotWaitedFor() throws IOException {
        restart(McpServer.builder(tools).loginLimit(Duration.ofMillis(300)));
        try (RawConnection silent = new RawConnection(endpoint);
                RawConnection dripping = new RawConnection(endpoint)) {
            Messages.until("the dripping one to be ended", () -> {
                try {
                    dripping.send("a");
                    return false;
                } catch (IOException e) {
                    return true;
                }
            });
            assertThat(silent.rest()).isEmpty();
        }
    }

    @Test
    void strangersDoNotKeepOthersOut() throws IOException {
        restart(McpServer.builder(tools).maxConnections(3));
        List<RawConnection> strangers = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            strangers.add(new RawConnection(endpoint));
        }
        try (RawConnection connection = known()) {
            assertThat(connection.send(PING).until("\n")).contains("\"result\":{}");
        }
        for (RawConnection stranger : strangers) {
            stranger.close();
        }
    }

    @Test
    void aLineThatIsTooLongIsRefusedAndTheNextOneIsServed() throws IOException {
        try (RawConnection connection = known()) {
            byte[] megabyte = "a".repeat(1 << 20).getBytes(StandardCharsets.UTF_8);
            for (int i = 0; i < 64; i++) {
                connection.send(megabyte);
            }
            connection.send("\n" + PING);

            JsonNode refused = Messages.read(connection.until("\n"));
            assertThat(refused.path("error").path("code").asInt()).isEqualTo(-32600);
            assertThat(refused.path("error").path("message").asText()).contains("4096 bytes");
            assertThat(connection.until("\n")).contains("\"result\":{}");
        }
    }

    @Test
    void aLineOfTheGreatestLengthIsServed() throws IOException {
        String message = Messages.request(1, "ping", null).toString();
        try (RawConnection connection = known()) {
            String longest = message + " ".repeat(4096 - message.length());
            connection.send(longest + "\r\n" + longest + " \n" + longest + "\n");
            assertThat(connection.until("\n")).contains("\"result\":{}");
            assertThat(connection.until("\n")).contains("-32600");
            assertThat(connection.until("\n")).contains("\"result\":{}");
        }
    }

    @Test
    void malformedTextIsAParseErrorAndTheNextLineIsServed() throws IOException {
        try (RawConnection connection = known()) {
            connection.send(
                    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\u00ef\"}\n\n".getBytes(StandardCharsets.ISO_8859_1));
            connection.send(PING);

            assertThat(connection.until("\n")).contains("-32700", "not UTF-8");
            assertThat(connection.until("\n")).contains("\"result\":{}");
        }
    }

    @Test
    void aClientThatDoesNotReadHoldsUpNobodyElse() throws IOException {
        try (RawConnection deaf = known();
                RawConnection connection = known()) {
            for (int id = 0; id < 20; id++) {
                deaf.send(Messages.call(id, "big", "{\"n\":2000000}") + "\n");
            }
            Messages.until("the calls", () -> tools.calls.size() == 20);
            assertThat(connection.send(PING).until("\n")).contains("\"result\":{}");
            // And it does not hold up the end of the server, either.
            server.close();
        }
    }
}
