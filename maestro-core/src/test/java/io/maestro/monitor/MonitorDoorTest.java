package io.maestro.monitor;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.testing.Await;
import io.maestro.testing.Full;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Requests of those who have no token: anybody on the machine can connect. */
@Timeout(120)
class MonitorDoorTest {
    private static final int MOST_CONNECTIONS = 96;
    private static final int MOST_STREAMS = 64;

    @TempDir
    Path directory;

    private MonitoredProject project;
    private final List<Socket> sockets = new ArrayList<>();

    @BeforeEach
    void open() {
        project = new MonitoredProject(directory, Duration.ZERO);
    }

    @AfterEach
    void close() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
        project.close();
    }

    private Socket send(String text) throws IOException {
        Socket socket = new Socket("127.0.0.1", project.page.getPort());
        sockets.add(socket);
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private String right(String path) {
        return "GET " + project.page.getPath() + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + project.page.getPort()
                + "\r\n\r\n";
    }

    private BufferedReader stream() throws IOException {
        Socket socket = send(right("events"));
        socket.setSoTimeout(30_000);
        return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }

    private static boolean isOpen(Socket socket) {
        try {
            socket.setSoTimeout(1);
            return socket.getInputStream().read() >= 0;
        } catch (SocketTimeoutException e) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("maestro-monitor"))
                .count();
    }

    @Test
    void halfRequestsCostABoundedNumberOfThreadsAndConnectionsAndThePageWorks() throws Exception {
        List<BufferedReader> streams = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            streams.add(stream());
            assertThat(streams.get(i).readLine()).isEqualTo("HTTP/1.1 200 ");
        }
        List<Socket> strangers = new ArrayList<>();
        for (String half : List.of(
                "",
                "G",
                "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n",
                "POST /x/chat HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n\r\n{",
                "POST /x/chat HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n")) {
            for (int i = 0; i < 150; i++) {
                strangers.add(send(half));
            }
            assertThat(threads()).isLessThanOrEqualTo(MOST_CONNECTIONS + 1);
            long began = System.nanoTime();
            assertThat(project.get("machines").statusCode()).isEqualTo(200);
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(5));
        }
        Await.until(
                "most were let go",
                () -> strangers.stream().filter(MonitorDoorTest::isOpen).count() <= MOST_CONNECTIONS);
        project.maestro.chat().post("ada", "hello");
        for (BufferedReader stream : streams) {
            String line = stream.readLine();
            while (!line.contains("ChatPosted")) {
                line = stream.readLine();
            }
        }
    }

    @Test
    void aTargetThatIsNoPathIsRefused() throws Exception {
        String path = project.page.getPath();
        String host = "127.0.0.1:" + project.page.getPort();
        for (String target : List.of(
                "http://evil.example" + path,
                "http://evil.example:" + project.page.getPort() + path,
                "x" + path.substring(1))) {
            Socket socket = send("GET " + target + "machines HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                    .startsWith("HTTP/1.1 403 ");
        }
    }

    @Test
    void thoseWhoWatchAreBoundedToo() throws Exception {
        for (int i = 0; i < MOST_STREAMS; i++) {
            assertThat(stream().readLine()).isEqualTo("HTTP/1.1 200 ");
        }
        assertThat(stream().readLine()).isEqualTo("HTTP/1.1 503 ");
        assertThat(project.get("machines").statusCode()).isEqualTo(200);
    }

    @Full("waits for the seconds that a request may take; the short tier has those that others take the place of")
    @Test
    void aHalfRequestEndsByItself() throws Exception {
        Socket half = send("GET / HTTP/1.1\r\n");
        Await.until("it ends", () -> !isOpen(half));
    }
}
