package io.maestro.mcp;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;

/** The ways in which a server can be reached. */
enum Way {
    HTTP {
        @Override
        TestClient connect(McpServer server) {
            return new HttpTestClient(server.http(InetAddress.getLoopbackAddress()));
        }
    },
    TCP {
        @Override
        TestClient connect(McpServer server) throws IOException {
            McpEndpoint endpoint = server.tcp(InetAddress.getLoopbackAddress());
            Socket socket = new Socket(
                    endpoint.address().getAddress(), endpoint.address().getPort());
            LineClient client = new LineClient(socket.getInputStream(), socket.getOutputStream(), socket);
            client.send(endpoint.token());
            return client;
        }
    },
    STDIO {
        @Override
        TestClient connect(McpServer server) throws IOException {
            Pipe toServer = Pipe.open();
            Pipe toClient = Pipe.open();
            InputStream in = Channels.newInputStream(toServer.source());
            OutputStream out = Channels.newOutputStream(toClient.sink());
            Thread thread = new Thread(() -> server.stdio(in, out), "test-stdio");
            thread.start();
            return new LineClient(
                    Channels.newInputStream(toClient.source()), Channels.newOutputStream(toServer.sink()), () -> {
                        toServer.sink().close();
                        join(thread);
                        toClient.sink().close();
                        toClient.source().close();
                    });
        }
    },
    CONTROL {
        @Override
        TestClient connect(McpServer server) {
            return new ControlClient(server);
        }
    };

    abstract TestClient connect(McpServer server) throws IOException;

    private static void join(Thread thread) {
        try {
            thread.join(30_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (thread.isAlive()) {
            throw new AssertionError("stdio did not return");
        }
    }

    private static final class ControlClient extends TestClient {
        private final McpConnection connection;

        ControlClient(McpServer server) {
            this.connection = server.connect(text -> received.add(Messages.read(text)));
        }

        @Override
        void send(String text) {
            connection.receive(text);
        }

        @Override
        public void close() {
            connection.close();
        }
    }

    /** A client that writes and reads lines. */
    static final class LineClient extends TestClient {
        private final OutputStream out;
        private final AutoCloseable connection;
        private final Thread reader;

        LineClient(InputStream in, OutputStream out, AutoCloseable connection) {
            this.out = out;
            this.connection = connection;
            this.reader = new Thread(() -> read(in), "test-line-client");
            reader.start();
        }

        private void read(InputStream in) {
            try (var lines = new java.io.BufferedReader(new java.io.InputStreamReader(in, StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    received.add(Messages.read(line));
                }
            } catch (IOException e) {
                // Closed.
            }
        }

        @Override
        void send(String text) {
            raw((text + "\n").getBytes(StandardCharsets.UTF_8));
        }

        void raw(byte[] bytes) {
            try {
                out.write(bytes);
                out.flush();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** Whether the server has ended the connection. */
        boolean isOver() {
            return !reader.isAlive();
        }

        @Override
        public void close() {
            try {
                connection.close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            join(reader);
        }
    }
}
