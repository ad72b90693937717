package io.maestro.mcp;

import static io.maestro.testing.AssertThat.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Those who are not welcome at the HTTP endpoint, and those who send what nobody should. */
class HostileHttpTest extends HttpBench {
    /** While a call runs it is looked every second whether the client is still there. */
    @Test
    void aCallOfMoreThanASecondIsMadeOnceAndTheConnectionGoesOn() throws Exception {
        String session = begin();
        try (RawConnection connection = new RawConnection(endpoint)) {
            connection.send(waiting(session));
            Messages.until("the call to run", () -> tools.running.get() == 1);
            // The thing itself: that second must pass.
            Thread.sleep(1500);
            tools.open("gate");
            assertThat(connection.answer()).contains("waited for gate");

            String next = Messages.call(6, "echo", "{\"text\":\"next\"}").toString();
            assertThat(connection
                            .send(RawConnection.post(endpoint, next, session))
                            .answer())
                    .contains("echo: next", "\"id\":6");
        }
        assertThat(tools.calls).extracting(McpCall::tool).containsExactly("wait", "echo");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "Authorization: Bearer\r\n", "Authorization: Bearer x\r\n", "Authorization: Basic TOKEN\r\n"
            })
    void withoutTheTokenNothingIsRead(String field) throws IOException {
        String answer = tell("POST /mcp HTTP/1.1\r\nHost: localhost\r\n" + field.replace("TOKEN", endpoint.token())
                + "Content-Type: application/json\r\nContent-Length: 100000000\r\n\r\n");

        assertThat(answer).startsWith("HTTP/1.1 401 ").contains("WWW-Authenticate: Bearer", "Connection: close");
        assertThat(answer).doesNotContain(endpoint.token());
    }

    @Test
    void aTokenWithMoreBehindItIsWrong() throws IOException {
        String request = RawConnection.post(endpoint, INITIALIZE).replace(endpoint.token(), endpoint.token() + "A");

        assertThat(tell(request)).startsWith("HTTP/1.1 401 ");
    }

    @ParameterizedTest
    @CsvSource({
        "evil.example.com,,403",
        "evil.example.com:80,,403",
        "localhost.evil.example.com,,403",
        "169.254.169.254,,403",
        "host.docker.internal,,403",
        "localhost,http://evil.example.com,403",
        "localhost,null,403",
        "localhost,file://localhost,403",
        "localhost,http://localhost.evil.example.com,403",
        "localhost:123,http://localhost:123,200",
        "127.0.0.1,https://127.0.0.1,200",
        "[::1]:7,http://[::1]:7,200",
        "LOCALHOST,,200"
    })
    void onlyOwnNamesAreAnswered(String host, String origin, int status) throws IOException {
        String request = RawConnection.post(endpoint, INITIALIZE, origin == null ? "X-None: 1" : "Origin: " + origin)
                .replace("Host: localhost", "Host: " + host);

        assertThat(tell(request)).startsWith("HTTP/1.1 " + status + " ");
    }

    @Test
    void aHostMayGiveTheMachineAnotherName() throws IOException {
        restart(McpServer.builder(tools).host("Tools.example"));

        assertThat(tell(RawConnection.post(endpoint, INITIALIZE).replace("Host: localhost", "Host: tools.example:80")))
                .startsWith("HTTP/1.1 200 ");
    }

    @Test
    void onTheBridgeTheNamesAreThoseThatContainersUse() throws IOException {
        // Those of other tests' containers come and go, and are newer.
        Optional<InetAddress> bridge = NetworkInterface.networkInterfaces()
                .sorted(Comparator.comparingInt(NetworkInterface::getIndex))
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> address instanceof Inet4Address && !address.isLoopbackAddress())
                .findFirst();
        assumeTrue(bridge.isPresent(), "this machine has the loopback interface only");
        endpoint = server.http(bridge.get());
        String request = RawConnection.post(endpoint, INITIALIZE);

        for (String name :
                List.of(bridge.get().getHostAddress() + ":80", "host.docker.internal", "host.containers.internal:1")) {
            assertThat(tell(request.replace("Host: localhost", "Host: " + name)))
                    .startsWith("HTTP/1.1 200 ");
        }
        assertThat(tell(request)).startsWith("HTTP/1.1 403 ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "POST /mcp HTTP/1.1|POST /other HTTP/1.1|404",
                "POST /mcp|GET /mcp|405",
                "POST /mcp|OPTIONS /mcp|405",
                "POST /mcp|DELETE /mcp|400",
                "HTTP/1.1|HTTP/2.0|400",
                "HTTP/1.1|HTTP/1.1 x|400",
                "Host: localhost|X: y|400",
                "Host: localhost|Host: localhost\\r\\nHost: localhost|400",
                "application/json\\r\\nAccept|text/plain\\r\\nAccept|415",
                "Accept: application/json, text/event-stream|Accept: text/html|406",
                "Content-Length: |Content-Length: 1\\r\\nContent-Length: |400",
                "Content-Length: |Transfer-Encoding: chunked\\r\\nContent-Length: |400",
                "Content-Length: |Content-Length: +|400",
                "Content-Length: |Content-Length: -|400",
                "Content-Length: |Content-Length: 0x|400",
                "Content-Length: |Content-Length : |400",
                "Content-Length: |Content-Length: 9999\\r\\nX: |413",
                "Accept: |X: a\\r\\n folded\\r\\nAccept: |400",
                "Accept: |X y: a\\r\\nAccept: |400",
                "Accept: |X: a\u0001b\\r\\nAccept: |400",
                "Accept: |MCP-Protocol-Version: 1999-01-01\\r\\nAccept: |200",
            })
    void aMalformedRequestIsRefused(String part, String instead, int status) throws IOException {
        String request = RawConnection.post(endpoint, INITIALIZE)
                .replace(part.replace("\\r\\n", "\r\n"), instead.replace("\\r\\n", "\r\n"));

        String answer = tell(request);

        assertThat(answer).startsWith("HTTP/1.1 " + status + " ");
        assertThat(answer.contains("Connection: close")).isEqualTo(status != 200);
    }

    @Test
    void aHeadIsBounded() throws IOException {
        try (RawConnection connection = new RawConnection(endpoint)) {
            connection.sendAnyway(
                    ("POST /mcp HTTP/1.1\r\nX: " + "a".repeat(10_000_000)).getBytes(StandardCharsets.UTF_8));
            // The answer may be lost, when the rest was on its way; the connection is over.
            assertThat(connection.rest())
                    .satisfiesAnyOf(
                            answer -> assertThat(answer).startsWith("HTTP/1.1 431 "),
                            answer -> assertThat(answer).isEmpty());
        }
        assertThat(tell("POST /mcp HTTP/1.1\r\n" + "X: y\r\n".repeat(200) + "\r\n"))
                .startsWith("HTTP/1.1 431 ");
    }

    @Test
    void aBodyInChunksIsBoundedToo() throws IOException {
        String head = RawConnection.head(endpoint, "POST", "Transfer-Encoding: chunked") + "\r\n";

        assertThat(tell(head + "FFFFFFFFF\r\n")).startsWith("HTTP/1.1 413 ");
        assertThat(tell(head + ("400\r\n" + " ".repeat(0x400) + "\r\n").repeat(5)))
                .startsWith("HTTP/1.1 413 ");
        assertThat(tell(head + "xyz\r\n")).startsWith("HTTP/1.1 400 ");
        assertThat(tell(head + "2\r\n{}x\r\n")).startsWith("HTTP/1.1 400 ");
        String good = INITIALIZE.substring(0, 20);
        String rest = INITIALIZE.substring(20);
        assertThat(tell(head + Integer.toHexString(good.length()) + ";x=y\r\n" + good + "\r\n"
                        + Integer.toHexString(rest.length()) + "\r\n" + rest + "\r\n0\r\nTrailer: x\r\n\r\n"))
                .startsWith("HTTP/1.1 200 ");
    }

    @Test
    void aHeadThatIsAskedForHasNoBody() throws IOException {
        String answer = tell(RawConnection.post(endpoint, "").replace("POST /mcp", "HEAD /mcp"));
        assertThat(answer).startsWith("HTTP/1.1 405 ").endsWith("\r\n\r\n");
    }

    @ParameterizedTest
    @CsvSource({
        "/mcp?x=1,200",
        "http://localhost:1/mcp,200",
        "HTTP://127.0.0.1/mcp?a,200",
        "http://evil.example.com/mcp,403",
        "http://localhost,404",
        "/mcp/x,404",
        "//mcp,404"
    })
    void theTargetMayHaveAQueryAndNameThisHost(String target, int status) throws IOException {
        String request = RawConnection.post(endpoint, INITIALIZE).replace("POST /mcp ", "POST " + target + " ");
        assertThat(tell(request)).startsWith("HTTP/1.1 " + status + " ");
    }

    @Test
    void aMarkOfTheByteOrderIsPassedOver() throws IOException {
        assertThat(tell(RawConnection.post(endpoint, "\ufeff" + INITIALIZE))).startsWith("HTTP/1.1 200 ");
    }

    /** A tree takes up to thirty times the memory of its text. */
    @Test
    void aMessageOfTooManyPartsIsRefusedBeforeItIsATree() throws IOException {
        restart(McpServer.builder(tools));
        String few = Messages.call(1, "echo", "{\"text\":[" + "{},".repeat(20_000) + "{}]}")
                .toString();
        String many = Messages.call(1, "echo", "{\"text\":[" + "{},".repeat(25_000) + "{}]}")
                .toString();
        String session = begin();
        for (String more : List.of(few, many)) {
            try (RawConnection connection = new RawConnection(endpoint)) {
                assertThat(connection
                                .send(RawConnection.post(endpoint, more, session))
                                .answer())
                        .contains(more.equals(few) ? "echo: " : "-32700");
            }
        }
    }

    @Test
    void malformedTextIsAParseError() throws IOException {
        byte[] broken =
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\u00ff\"}".getBytes(StandardCharsets.ISO_8859_1);
        byte[] wide = INITIALIZE.getBytes(StandardCharsets.UTF_16LE);
        for (byte[] body : List.of(broken, wide)) {
            try (RawConnection connection = new RawConnection(endpoint)) {
                connection.send(RawConnection.head(endpoint, "POST") + "Content-Length: " + body.length + "\r\n\r\n");
                assertThat(connection.send(body).answer())
                        .startsWith("HTTP/1.1 400 ")
                        .contains("-32700");
            }
        }
    }

    @Test
    void aClientThatDripsIsNotWaitedFor() throws IOException {
        restart(McpServer.builder(tools).loginLimit(Duration.ofMillis(300)));
        try (RawConnection silent = new RawConnection(endpoint);
                RawConnection half = new RawConnection(endpoint);
                RawConnection dripping = new RawConnection(endpoint)) {
            half.send(RawConnection.head(endpoint, "POST") + "Content-Length: 10\r\n\r\n{");
            Messages.until("the dripping one to be ended", () -> {
                try {
                    dripping.send("P");
                    return false;
                } catch (IOException e) {
                    return true;
                }
            });
            assertThat(silent.rest()).isEmpty();
            assertThat(half.rest()).isEmpty();
        }
    }

    @Test
    void anIdleConnectionIsEnded() throws IOException {
        restart(McpServer.builder(tools).idleLimit(Duration.ofMillis(100)));
        try (RawConnection connection = new RawConnection(endpoint)) {
            assertThat(connection.send(RawConnection.post(endpoint, INITIALIZE)).rest())
                    .startsWith("HTTP/1.1 200 ");
        }
    }

    @Test
    void strangersDoNotKeepOthersOut() throws IOException {
        restart(McpServer.builder(tools).maxConnections(3));
        List<RawConnection> strangers = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            strangers.add(new RawConnection(endpoint));
        }

        assertThat(tell(RawConnection.post(endpoint, INITIALIZE))).startsWith("HTTP/1.1 200 ");

        assertThat(strangers.get(0).rest()).isEmpty();
        for (RawConnection stranger : strangers) {
            stranger.close();
        }
    }

    @Test
    void whoHasShownTheTokenIsNotPushedOut() throws IOException {
        restart(McpServer.builder(tools).maxConnections(1));
        try (RawConnection known = new RawConnection(endpoint)) {
            assertThat(known.send(RawConnection.post(endpoint, INITIALIZE)).answer())
                    .startsWith("HTTP/1.1 200 ");

            try (RawConnection other = new RawConnection(endpoint)) {
                assertThat(other.rest()).isEmpty();
            }
            assertThat(known.send(RawConnection.post(endpoint, INITIALIZE)).answer())
                    .startsWith("HTTP/1.1 200 ");
        }
    }
}
