package io.maestro.llm.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SseReaderTest {
    /** More than the random texts have. */
    private static final int MAX_BYTES = 200;

    /** The examples of the HTML standard, and what it says beside them. */
    @Test
    void readsWhatTheStandardSays() throws IOException {
        assertThat(read("data: YHOO\ndata: +2\ndata: 10\n\n")).containsExactly(message("YHOO\n+2\n10"));
        assertThat(read(": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n"))
                .containsExactly(message("first event"), message("second event"));
        assertThat(read("data\n\ndata\ndata\n\ndata:")).containsExactly(message(""), message("\n"));
        assertThat(read("data:test\n\ndata: test\n\n")).containsExactly(message("test"), message("test"));
        assertThat(read("event: a\n\nevent: b\ndata: x\n\ndata: y\n\n"))
                .containsExactly(new SseEvent("b", "x"), message("y"));
        assertThat(read("\uFEFFdata: x\n\ndata: \uFEFFy\n\n")).containsExactly(message("x"), message("\uFEFFy"));
        assertThat(read("DATA: x\n\n data: x\n\ndata : x\n\nretry: 1\n\n")).isEmpty();
        assertThat(read("data: a:b: c\n\n")).containsExactly(message("a:b: c"));
        assertThat(read("data: x\r\n\r\ndata: y\r\rdata: z\n\r\n"))
                .containsExactly(message("x"), message("y"), message("z"));
        assertThat(read("event: e\r\ndata: x\r\ndata: y\r\n\r\n")).containsExactly(new SseEvent("e", "x\ny"));
        assertThat(read("data: cut\n")).isEmpty();
        assertThat(read("")).isEmpty();
    }

    /** A reader that waits for the second half of a line end would hold back the last event of a silent server. */
    @Test
    void doesNotWaitBehindALineEnd() throws IOException {
        InputStream silent = new InputStream() {
            private final byte[] bytes = "data: x\r\n\r".getBytes(StandardCharsets.UTF_8);
            private int position;

            @Override
            public int read() {
                if (position == bytes.length) {
                    throw new AssertionError("would wait for ever");
                }
                return bytes[position++];
            }

            @Override
            public int read(byte[] buffer, int offset, int length) {
                buffer[offset] = (byte) read();
                return 1;
            }
        };

        assertThat(new SseReader(silent, 100).next()).contains(message("x"));
    }

    @Test
    void readsTheSameHoweverTheBytesAreCut() throws IOException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        String[] parts = {"data: ", "data", "event: e", ":", "ä", "😀", "\n", "\n\n", "\r\n", "\r", "{}", " ", "x"};
        for (int i = 0; i < 500; i++) {
            StringBuilder text = new StringBuilder();
            for (int n = random.nextInt(20); n > 0; n--) {
                text.append(parts[random.nextInt(parts.length)]);
            }
            byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);

            List<SseEvent> cut = read(new ByteArrayInputStream(bytes) {
                @Override
                public int read(byte[] buffer, int offset, int length) {
                    return super.read(buffer, offset, Math.min(length, 1 + random.nextInt(3)));
                }
            });

            assertThat(cut).as("seed %d, %s", seed, text).isEqualTo(read(text.toString()));
        }
    }

    @Test
    void endsAtAnEventThatIsTooLong() {
        assertThatThrownBy(() -> read("data: " + "x".repeat(MAX_BYTES) + "\n\n"))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> read("data: x\n".repeat(40))).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> read(": x\n".repeat(100))).isInstanceOf(IOException.class);
    }

    @Test
    void takesManyEventsThatAreShortEnough() throws IOException {
        assertThat(read("data: x\n\n: ping\n\n".repeat(1000))).hasSize(1000);
    }

    private static SseEvent message(String data) {
        return new SseEvent("message", data);
    }

    private static List<SseEvent> read(String text) throws IOException {
        return read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static List<SseEvent> read(InputStream in) throws IOException {
        SseReader reader = new SseReader(in, MAX_BYTES);
        List<SseEvent> events = new ArrayList<>();
        for (Optional<SseEvent> event = reader.next(); event.isPresent(); event = reader.next()) {
            events.add(event.get());
        }
        return events;
    }
}
