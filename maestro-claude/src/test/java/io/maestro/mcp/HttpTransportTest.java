package io.maestro.mcp;

import static io.maestro.testing.AssertThat.assertThat;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the HTTP endpoint promises to those who are welcome. */
class HttpTransportTest extends HttpBench {
    @Test
    void aConnectionServesManyRequestsInOrder() throws IOException {
        String session = begin();
        try (RawConnection connection = new RawConnection(endpoint)) {
            connection.send(waiting(session)
                    + RawConnection.post(endpoint, PING, session)
                    + RawConnection.post(
                            endpoint,
                            Messages.notification("notifications/x", "{}").toString(),
                            session));
            Messages.until("the call to run", () -> tools.running.get() == 1);
            tools.open("gate");

            assertThat(connection.answer()).contains("waited for gate");
            assertThat(connection.answer()).contains("\"id\":1,\"result\":{}");
            assertThat(connection.answer()).startsWith("HTTP/1.1 202 ").endsWith("\r\n\r\n");
        }
    }

    @Test
    void oldAndCautiousClientsAreServed() throws IOException {
        String old = RawConnection.post(endpoint, INITIALIZE).replace("HTTP/1.1", "HTTP/1.0");
        try (RawConnection connection = new RawConnection(endpoint)) {
            assertThat(connection.send(old).rest())
                    .startsWith("HTTP/1.1 200 ")
                    .contains("Connection: close", "serverInfo");
        }
        String cautious = RawConnection.post(endpoint, INITIALIZE, "Expect: 100-continue");
        try (RawConnection connection = new RawConnection(endpoint)) {
            connection.send(cautious.substring(0, cautious.length() - INITIALIZE.length()));
            assertThat(connection.answer()).startsWith("HTTP/1.1 100 ");
            assertThat(connection.send(INITIALIZE).answer()).startsWith("HTTP/1.1 200 ");
        }
    }

    @Test
    void sessionsBeginAndEnd() throws IOException {
        String session = begin();
        assertThat(session).matches("Mcp-Session-Id: [!-~]{30,}");
        assertThat(tell(RawConnection.post(endpoint, PING))).startsWith("HTTP/1.1 400 ");
        assertThat(tell(RawConnection.post(endpoint, PING, "Mcp-Session-Id: other")))
                .startsWith("HTTP/1.1 404 ");
        assertThat(tell(RawConnection.post(endpoint, PING, session, "MCP-Protocol-Version: 1999-01-01")))
                .startsWith("HTTP/1.1 400 ");
        assertThat(tell(RawConnection.post(endpoint, PING, session, "MCP-Protocol-Version: 2025-06-18")))
                .startsWith("HTTP/1.1 200 ");
        try (RawConnection running = new RawConnection(endpoint)) {
            running.send(waiting(session));
            Messages.until("the call to run", () -> tools.running.get() == 1);

            assertThat(tell(RawConnection.head(endpoint, "DELETE", session) + "\r\n"))
                    .startsWith("HTTP/1.1 204 ");

            assertThat(running.answer()).contains("-32800");
            Messages.until("the interrupt", () -> tools.interrupted.contains("gate"));
        }
        assertThat(tell(RawConnection.post(endpoint, PING, session))).startsWith("HTTP/1.1 404 ");
        assertThat(tell(RawConnection.head(endpoint, "DELETE", session) + "\r\n"))
                .startsWith("HTTP/1.1 404 ");
    }

    @Test
    void manySessionsPushOutTheOldestThatRestsOnly() throws IOException {
        String busy = begin();
        String resting = begin();
        try (RawConnection connection = new RawConnection(endpoint);
                RawConnection running = new RawConnection(endpoint)) {
            running.send(waiting(busy));
            Messages.until("the call to run", () -> tools.running.get() == 1);
            for (int i = 0; i < 300; i++) {
                assertThat(connection
                                .send(RawConnection.post(endpoint, INITIALIZE))
                                .answer())
                        .startsWith("HTTP/1.1 200 ");
            }
            assertThat(tell(RawConnection.post(endpoint, PING, resting))).startsWith("HTTP/1.1 404 ");
            assertThat(tell(RawConnection.post(endpoint, PING, busy))).startsWith("HTTP/1.1 200 ");
            tools.open("gate");
            assertThat(running.answer()).contains("waited for gate");
        }
    }

    @Test
    void aLongCallGetsAStreamWithSignsOfLife() throws IOException {
        restart(McpServer.builder(tools).progressInterval(Duration.ofMillis(20)));
        String session = begin();
        try (RawConnection connection = new RawConnection(endpoint)) {
            connection.send(
                    RawConnection.post(endpoint, Messages.waiting(5, "gate").toString(), session));
            String head = connection.until("\r\n\r\n");
            assertThat(head).contains("Content-Type: text/event-stream", "X-Accel-Buffering: no");
            connection.until(": still running");
            connection.until(": still running");
            tools.open("gate");
            assertThat(connection.until("\r\n0\r\n\r\n")).contains("event: message\ndata: {", "waited for gate");
            // And the connection goes on.
            assertThat(connection
                            .send(RawConnection.post(endpoint, PING, session))
                            .answer())
                    .contains("\"result\":{}");
        }
    }

    @Test
    void whoReadsJsonOnlyGetsJson() throws IOException {
        restart(McpServer.builder(tools).progressInterval(Duration.ofMillis(5)));
        String session = begin();
        try (RawConnection connection = new RawConnection(endpoint)) {
            connection.send(waiting(session));
            Messages.until("the call to run", () -> tools.running.get() == 1);
            tools.open("gate");
            assertThat(connection.answer()).contains("Content-Type: application/json", "waited for gate");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aConnectionThatEndsOrBreaksCancelsItsCall(boolean breaks) throws IOException {
        String session = begin();
        try (RawConnection connection = new RawConnection(endpoint)) {
            // Without a stream, on which the server would notice when it sends a sign of life.
            connection.send(waiting(session));
            Messages.until("the call to run", () -> tools.running.get() == 1);
            if (breaks) {
                connection.reset();
            }
        }
        Messages.until("the interrupt", () -> tools.interrupted.contains("gate"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "MCP-Protocol-Version: 2026-07-28;Mcp-Method: tools/call;Mcp-Name: located;Mcp-Param-Region: us|200|us",
                "MCP-Protocol-Version: 2026-07-28;Mcp-Method: tools/call;Mcp-Name: =?base64?bG9jYXRlZA==?=;Mcp-Param-Region: us|200|us",
                "MCP-Protocol-Version: 2026-07-28;Mcp-Method: tools/call;Mcp-Name: located|400|us",
                "MCP-Protocol-Version: 2026-07-28;Mcp-Method: tools/call;Mcp-Name: located;Mcp-Param-Region: eu|400|us",
                "MCP-Protocol-Version: 2026-07-28;Mcp-Method: tools/call;Mcp-Name: located;Mcp-Param-Region: =?base64?dXM?=|400|us",
                "MCP-Protocol-Version: 2026-07-28;Mcp-Method: tools/call;Mcp-Name: located;Mcp-Param-Region: =?base64?R3LDvG4=?=|200|Grün",
                "MCP-Protocol-Version: 2026-07-28;Mcp-Method: tools/call;Mcp-Name: echo;Mcp-Param-Region: us|400|us",
                "MCP-Protocol-Version: 2026-07-28;Mcp-Method: tools/list;Mcp-Name: located;Mcp-Param-Region: us|400|us",
                "MCP-Protocol-Version: 2026-07-28;Mcp-Name: located;Mcp-Param-Region: us|400|us",
                "MCP-Protocol-Version: 2025-11-25;Mcp-Method: tools/call;Mcp-Name: located;Mcp-Param-Region: us|400|us",
                "Mcp-Method: tools/call;Mcp-Name: located;Mcp-Param-Region: us|400|us"
            })
    void inTheStatelessVersionTheHeadSaysWhatTheBodySays(String fields, int status, String region) throws IOException {
        String body = Messages.stateless(Messages.call(7, "located", "{\"region\":\"" + region + "\"}"))
                .toString();

        String answer = tell(RawConnection.post(endpoint, body, fields.split(";")));

        assertThat(answer).startsWith("HTTP/1.1 " + status + " ").contains(status == 200 ? "in " + region : "-32020");
        assertThat(tools.calls).hasSize(status == 200 ? 1 : 0);
    }

    @Test
    void inTheStatelessVersionErrorsHaveAStatus() throws IOException {
        String unknown =
                Messages.stateless(Messages.request(1, "no/such", null)).toString();
        String bare = Messages.request(1, "tools/list", null).toString();

        assertThat(tell(RawConnection.post(
                        endpoint, unknown, "MCP-Protocol-Version: 2026-07-28", "Mcp-Method: no/such")))
                .startsWith("HTTP/1.1 404 ")
                .contains("-32601");
        assertThat(tell(RawConnection.post(
                        endpoint, bare, "MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/list")))
                .startsWith("HTTP/1.1 400 ")
                .contains("-32602");
        assertThat(tell(RawConnection.post(
                        endpoint,
                        unknown.replace("2026-07-28", "2099-01-01"),
                        "MCP-Protocol-Version: 2099-01-01",
                        "Mcp-Method: no/such")))
                .startsWith("HTTP/1.1 400 ")
                .contains("-32022");
    }
}
