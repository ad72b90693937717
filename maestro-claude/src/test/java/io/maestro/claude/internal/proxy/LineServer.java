package io.maestro.claude.internal.proxy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;

/** Answers lines over TCP, and notes the first line of each connection, which should be the token. */
final class LineServer implements AutoCloseable {
    /** An answer that ends the connection. */
    static final String BYE = "bye";

    final List<String> tokens = new CopyOnWriteArrayList<>();
    final CountDownLatch ended = new CountDownLatch(1);
    private final ServerSocket socket;
    private final UnaryOperator<String> answers;

    /** An empty answer is none. */
    LineServer(InetAddress address, UnaryOperator<String> answers) {
        this.answers = answers;
        try {
            socket = new ServerSocket(0, 50, address);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start(this::accept);
    }

    int port() {
        return socket.getLocalPort();
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "line-server");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = socket.accept();
                start(() -> serve(client));
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private void serve(Socket client) {
        try (client;
                BufferedReader in =
                        new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8));
                OutputStream out = client.getOutputStream()) {
            tokens.add(String.valueOf(in.readLine()));
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String answer = answers.apply(line);
                if (!answer.isEmpty()) {
                    out.write((answer + "\n").getBytes(StandardCharsets.UTF_8));
                    out.flush();
                }
                if (answer.equals(BYE)) {
                    return;
                }
            }
        } catch (IOException e) {
            // The other side has ended.
        } finally {
            ended.countDown();
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
