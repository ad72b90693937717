package io.maestro.claude;

import io.maestro.exec.local.LocalExecutor;
import io.maestro.mcp.McpCall;
import io.maestro.mcp.McpEndpoint;
import io.maestro.mcp.McpServer;
import io.maestro.mcp.McpTools;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolResult;
import io.maestro.wire.internal.Listener;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** Bombs against a JVM of its own with a small heap: says what became of each, or ends with the first that was too much. */
public final class HostileBytes {
    private static final int PORT_WAIT_MILLIS = 30_000;
    private static final String REQUEST =
            "{\"type\":\"control_request\",\"request_id\":\"r%d\",\"request\":{\"subtype\":"
                    + "\"mcp_message\",\"server_name\":\"maestro\",\"message\":{\"jsonrpc\":\"2.0\",\"id\":ID,\"method\":\"x\"}}}\n";

    private HostileBytes() {}

    /** With a directory, and the names of bombs. */
    public static void main(String[] args) throws Exception {
        Path directory = Path.of(args[0]);
        for (String bomb : List.of(args).subList(1, args.length)) {
            long start = System.nanoTime();
            String outcome = explode(directory, bomb);
            System.gc();
            long used =
                    Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
            System.out.println(bomb + ": " + outcome + "; heap " + (used >> 20) + " MB after "
                    + Duration.ofNanos(System.nanoTime() - start).toMillis() + " ms");
        }
    }

    private static String explode(Path directory, String bomb) throws Exception {
        return switch (bomb) {
            case "line" -> cli(directory, "head -c 100000000 /dev/zero | tr '\\000' x; echo");
            case "tree" ->
                cli(
                        directory,
                        "printf '{\"type\":\"control_request\",\"request_id\":\"r\",\"request\":{\"subtype\":"
                                + "\"mcp_message\",\"server_name\":\"maestro\",\"message\":{\"id\":1,\"method\":\"x\",\"params\":['\n"
                                + "yes '{},' | tr -d '\\n' | head -c 16000000\nprintf '{}]}}}\\n'");
            case "trees" ->
                cli(
                        directory,
                        "for i in 1 2 3 4; do printf '{\"type\":\"control_request\",\"request_id\":\"r\",\"request\":{"
                                + "\"subtype\":\"mcp_message\",\"server_name\":\"maestro\",\"message\":{\"id\":1,\"method\":\"x\",\"params\":['\n"
                                + "yes '{},' | tr -d '\\n' | head -c 3900000\nprintf '{}]}}}\\n'; done");
            case "ids" -> cli(directory, loop(REQUEST.replace("ID", "{\"a\":%d}"), "i,i"));
            case "requests" -> cli(directory, loop(REQUEST.replace("ID", "%d"), "i,i"));
            case "uses" ->
                cli(
                        directory,
                        loop(
                                "{\"type\":\"assistant\",\"message\":{\"id\":\"m\",\"content\":[{\"type\":\"tool_use\","
                                        + "\"id\":\"u%d\",\"name\":\"n%d\",\"input\":{}}]}}\n",
                                "i,i"));
            case "results" ->
                cli(
                        directory,
                        loop(
                                "{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\","
                                        + "\"tool_use_id\":\"u%d\",\"content\":\"x\"}]}}\n",
                                "i"));
            case "blocks" ->
                cli(
                        directory,
                        "x=$(head -c 100000 /dev/zero | tr '\\000' x)\nwhile :; do echo '{\"type\":\"assistant\","
                                + "\"message\":{\"id\":\"m\",\"content\":[{\"type\":\"text\",\"text\":\"'$x'\"}]}}'; done");
            case "names" -> cli(directory, loop("{\"type\":\"n%d\",\"a%d\":1}\n", "i,i"));
            case "mcp" -> mcp();
            case "answer" -> answer();
            case "strangers" -> strangers();
            case "gateway" -> gateway(directory);
            default -> throw new IllegalArgumentException(bomb);
        };
    }

    private static String loop(String line, String values) {
        String escaped = line.replace("\"", "\\\"").replace("\n", "\\n");
        return "awk 'BEGIN { for (i = 0; i < 1000000; i++) printf \"" + escaped + "\", " + values + " }'";
    }

    /** What a program says in the place of the CLI. */
    private static String cli(Path directory, String script) throws IOException {
        Path program = Files.writeString(
                directory.resolve("claude-" + UUID.randomUUID()),
                "#!/bin/sh\n" + script
                        + "\necho '{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"ok\"}'\ncat >/dev/null\n");
        program.toFile().setExecutable(true);
        AtomicInteger events = new AtomicInteger();
        try (McpServer server = McpServer.builder(new Tools()).build();
                ClaudeRun run = ClaudeCode.builder(
                                LocalExecutor.builder(directory).build())
                        .program(program.toString())
                        .home(directory.resolve("home").toString())
                        .mcpOverControlChannel(server)
                        .endLimit(Duration.ofMillis(200))
                        .listener(event -> events.incrementAndGet())
                        .build()
                        .start(UUID.randomUUID().toString(), "go")) {
            String ending = run.await(Duration.ofMinutes(3))
                    .map(result -> result.ending() + " " + result.text())
                    .orElse("RUNS");
            return ending + ", " + events + " events";
        }
    }

    private static String mcp() throws Exception {
        int refused = 0;
        try (McpServer server = McpServer.builder(new Tools()).build()) {
            McpEndpoint http = server.http(InetAddress.getLoopbackAddress());
            McpEndpoint tcp = server.tcp(InetAddress.getLoopbackAddress());
            byte[] tree = ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"a\":["
                            + "{},".repeat(349_000) + "{}]}}")
                    .getBytes(StandardCharsets.US_ASCII);
            List<Socket> sockets = new ArrayList<>();
            for (int i = 0; i < 48; i++) {
                Socket socket = open(http);
                sockets.add(socket);
                String head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + http.token()
                        + "\r\nContent-Type: application/json\r\nContent-Length: " + tree.length + "\r\n\r\n";
                socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
                socket.getOutputStream().write(tree, 0, tree.length - 1);
            }
            for (int i = 0; i < 16; i++) {
                Socket socket = open(tcp);
                sockets.add(socket);
                socket.getOutputStream().write((tcp.token() + "\n").getBytes(StandardCharsets.US_ASCII));
                socket.getOutputStream().write(tree);
            }
            for (Socket socket : sockets) {
                OutputStream out = socket.getOutputStream();
                out.write(socket.getPort() == http.address().getPort() ? '}' : '\n');
                out.flush();
            }
            for (Socket socket : sockets) {
                StringBuilder said = new StringBuilder();
                int c = socket.getInputStream().read();
                while (c >= 0 && said.indexOf("-32700") < 0) {
                    said.append((char) c);
                    c = socket.getInputStream().read();
                }
                refused += said.indexOf("-32700") >= 0 ? 1 : 0;
                socket.close();
            }
        }
        return refused + " refused";
    }

    private static Socket open(McpEndpoint endpoint) throws IOException {
        Socket socket =
                new Socket(endpoint.address().getAddress(), endpoint.address().getPort());
        socket.setSoTimeout(PORT_WAIT_MILLIS);
        return socket;
    }

    /** An answer that does not fit into memory together with the bytes that are sent. */
    private static String answer() throws Exception {
        try (McpServer server = McpServer.builder(new Tools()).build()) {
            McpEndpoint http = server.http(InetAddress.getLoopbackAddress());
            try (Socket socket = open(http)) {
                String call =
                        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"big\",\"_meta\":{"
                                + "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
                                + "\"io.modelcontextprotocol/clientCapabilities\":{}}}}";
                socket.getOutputStream()
                        .write(("POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + http.token()
                                        + "\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: big\r\n"
                                        + "Accept: application/json\r\nContent-Type: application/json\r\nContent-Length: "
                                        + call.length() + "\r\n\r\n" + call)
                                .getBytes(StandardCharsets.US_ASCII));
                try {
                    return socket.getInputStream().readAllBytes().length < 1000 ? "ended" : "answered";
                } catch (SocketTimeoutException e) {
                    return "the client still waits";
                }
            }
        }
    }

    private static String strangers() throws Exception {
        try (ApiGateway gateway = ApiGateway.builder("sk-ant-test")
                .upstream(URI.create("http://127.0.0.1:1"))
                .build()) {
            ApiAccess access = gateway.overHttp(InetAddress.getLoopbackAddress());
            List<SocketChannel> open = new ArrayList<>();
            for (int i = 0; i < 800; i++) {
                SocketChannel stranger = RawClient.connect(access);
                open.add(stranger);
                RawClient.write(stranger, new byte[] {'P'});
            }
            int status = RawClient.message(access, true).status();
            long served = served();
            // Those that were turned out end when their threads get the processor.
            for (int i = 0; i < 1000 && served > 64; i++) {
                Thread.sleep(50);
                served = served();
            }
            for (SocketChannel stranger : open) {
                stranger.close();
            }
            return served + " served, status " + status;
        }
    }

    /** How many connections have a thread. One that waits for a next connection, which it does for a minute, is not counted. */
    private static long served() {
        return Thread.getAllStackTraces().values().stream()
                .filter(stack -> Stream.of(stack)
                        .anyMatch(frame -> frame.getClassName().equals(Listener.class.getName())
                                && frame.getMethodName().equals("serve")))
                .count();
    }

    private static String gateway(Path directory) throws Exception {
        try (ApiGateway gateway = ApiGateway.builder("sk-ant-test")
                .upstream(URI.create("http://127.0.0.1:1"))
                .build()) {
            ApiAccess access = gateway.overSocket(directory.resolve("api.sock"));
            byte[] body = ("{\"a\":[" + "{},".repeat(10_000_000) + "{}]}").getBytes(StandardCharsets.US_ASCII);
            byte[] head = ("POST /v1/messages HTTP/1.1\r\nHost: x\r\nx-api-key: " + access.key()
                            + "\r\nContent-Length: " + body.length + "\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII);
            List<Integer> statuses = new CopyOnWriteArrayList<>();
            List<Thread> clients = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                Thread client = new Thread(() -> {
                    try (SocketChannel channel = RawClient.connect(access)) {
                        try {
                            RawClient.write(channel, head);
                            RawClient.write(channel, body);
                        } catch (IOException e) {
                            // It was answered before its end.
                        }
                        statuses.add(RawClient.read(channel).status());
                    } catch (IOException e) {
                        statuses.add(-1);
                    }
                });
                clients.add(client);
                client.start();
            }
            for (Thread client : clients) {
                client.join();
            }
            return statuses.stream().sorted().toList().toString();
        }
    }

    private static final class Tools implements McpTools {
        @Override
        public List<ToolDefinition> list() {
            return List.of(ToolDefinition.builder("big").description("d").build());
        }

        @Override
        public ToolResult call(McpCall call) {
            return ToolResult.ok("x".repeat(40_000_000));
        }
    }
}
