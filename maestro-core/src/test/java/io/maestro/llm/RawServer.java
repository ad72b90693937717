package io.maestro.llm;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** A server that misbehaves as a test wants it to. */
public class RawServer implements AutoCloseable {
    /** What is done with a connection once its request has been read; the socket is closed afterwards. */
    @FunctionalInterface
    public interface Behaviour {
        void on(Socket socket) throws Exception;
    }

    private final ServerSocket listener;
    private final Behaviour behaviour;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger connections = new AtomicInteger();

    public RawServer(Behaviour behaviour) {
        this.behaviour = behaviour;
        try {
            listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        threads.execute(this::accept);
    }

    public static void write(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
        socket.getOutputStream().flush();
    }

    public URI url() {
        return URI.create("http://127.0.0.1:" + listener.getLocalPort());
    }

    public int connections() {
        return connections.get();
    }

    /** Later connections are refused; those that are open go on. */
    protected void stopListening() throws IOException {
        listener.close();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listener.accept();
                open.add(socket);
                threads.execute(() -> serve(socket));
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            readRequest(socket);
            connections.incrementAndGet();
            behaviour.on(socket);
        } catch (Exception e) {
            // The client went away, or the test has ended: both are expected here.
        } finally {
            open.remove(socket);
        }
    }

    private void readRequest(Socket socket) throws IOException {
        // Not closed: that would close the socket.
        BufferedReader in =
                new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
        int length = 0;
        StringBuilder head = new StringBuilder();
        for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
            head.append(line).append('\n');
            if (line.toLowerCase(java.util.Locale.ROOT).startsWith("content-length:")) {
                length = Integer.parseInt(line.substring(15).strip());
            }
        }
        for (int i = 0; i < length && in.read() >= 0; i++) {}
        request(head.toString());
    }

    /** Is told of each request's head. */
    protected void request(String head) throws IOException {}

    @Override
    public void close() throws IOException {
        stopListening();
        for (Socket socket : open) {
            socket.close();
        }
        threads.shutdownNow();
    }
}
