package io.maestro.mcp;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;

/** Adds the token to each request of a client that cannot be given one; everything else passes as it is. */
final class TokenProxy implements AutoCloseable {
    private final McpEndpoint endpoint;
    private final ServerSocket server;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();

    TokenProxy(McpEndpoint endpoint) throws IOException {
        this.endpoint = endpoint;
        this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start(() -> {
            while (true) {
                Socket client = server.accept();
                Socket target = new Socket(
                        endpoint.address().getAddress(), endpoint.address().getPort());
                target.setTcpNoDelay(true);
                client.setTcpNoDelay(true);
                sockets.addAll(List.of(client, target));
                start(() -> requests(client, target));
                start(() -> {
                    try (client) {
                        target.getInputStream().transferTo(client.getOutputStream());
                    }
                });
            }
        });
    }

    String url() {
        return "http://127.0.0.1:" + server.getLocalPort() + "/mcp";
    }

    private void requests(Socket client, Socket target) throws IOException {
        try (target) {
            InputStream in = new BufferedInputStream(client.getInputStream());
            OutputStream out = target.getOutputStream();
            while (true) {
                StringBuilder head = new StringBuilder();
                int length = 0;
                for (String line = line(in); !line.isEmpty(); line = line(in)) {
                    head.append(line).append("\r\n");
                    if (line.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                        length = Integer.parseInt(line.substring(15).strip());
                    }
                }
                head.append("Authorization: Bearer ").append(endpoint.token()).append("\r\n\r\n");
                out.write(head.toString().getBytes(StandardCharsets.ISO_8859_1));
                out.write(in.readNBytes(length));
                out.flush();
            }
        }
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new IOException("the client went away");
            }
            line.append((char) c);
        }
        return line.toString().stripTrailing();
    }

    private static void start(Step step) {
        Thread thread = new Thread(
                () -> {
                    try {
                        step.run();
                    } catch (IOException e) {
                        // One side went away.
                    }
                },
                "test-token-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    private interface Step {
        void run() throws IOException;
    }
}
