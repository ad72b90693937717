package io.maestro.mcpclient.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.maestro.exec.ExecProcess;
import io.maestro.testing.Await;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.TypeRef;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentMatchers;

class StdioTransportTest {
    private final ExecProcess program = mock(ExecProcess.class);
    private final McpJsonMapper json = mock(McpJsonMapper.class);
    private final List<String> ends = new CopyOnWriteArrayList<>();
    private final AtomicInteger redacted = new AtomicInteger();

    @BeforeEach
    void open() {
        when(program.stdin()).thenReturn(OutputStream.nullOutputStream());
        when(program.stdout()).thenReturn(InputStream.nullInputStream());
        when(program.stderr()).thenReturn(InputStream.nullInputStream());
        when(program.await(any())).thenReturn(java.util.Optional.empty());
    }

    private StdioTransport connect() {
        StdioTransport transport = new StdioTransport(
                program,
                "lab",
                json,
                text -> {
                    redacted.incrementAndGet();
                    return text;
                },
                ends::add);
        transport.connect(messages -> messages).block();
        return transport;
    }

    @Test
    void aFaultOfTheReaderEndsTheSession() throws Exception {
        for (Throwable fault : List.of(new OutOfMemoryError("the heap"), new StackOverflowError())) {
            ends.clear();
            when(program.stdout()).thenReturn(new ByteArrayInputStream("{}\n".getBytes(StandardCharsets.UTF_8)));
            when(json.readValue(any(String.class), ArgumentMatchers.<TypeRef<Object>>any()))
                    .thenThrow(fault);
            StdioTransport transport = connect();
            Await.until("it is told", () -> !ends.isEmpty());
            assertThat(ends.get(0))
                    .contains("can't be read any more", fault.getClass().getSimpleName());
            transport.closeGracefully().block();
        }
    }

    @Test
    void standardErrorIsReadSlowlyAndFewLinesOfItCostMore() throws Exception {
        AtomicLong read = new AtomicLong();
        for (String line : List.of("\n", "a line of some words\n", "x".repeat(100_000))) {
            AtomicBoolean ended = new AtomicBoolean();
            read.set(0);
            redacted.set(0);
            byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
            when(program.stderr()).thenReturn(new InputStream() {
                @Override
                public int read() {
                    return bytes[(int) (read.getAndIncrement() % bytes.length)];
                }

                @Override
                public int read(byte[] target, int offset, int length) {
                    for (int i = 0; i < length; i++) {
                        target[offset + i] = (byte) read();
                    }
                    return ended.get() ? -1 : length;
                }
            });
            long began = System.nanoTime();
            StdioTransport transport = connect();
            Await.until("much was read", () -> read.get() > 1_000_000);
            long took = System.nanoTime() - began;
            ended.set(true);
            transport.closeGracefully().block();
            assertThat(Duration.ofNanos(took)).as(line).isGreaterThan(Duration.ofMillis(100));
            assertThat(redacted.get()).isLessThan(150);
        }
    }
}
