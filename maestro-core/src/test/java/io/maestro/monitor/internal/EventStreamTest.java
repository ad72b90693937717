package io.maestro.monitor.internal;

import static io.maestro.testing.AssertThat.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class EventStreamTest {
    @Test
    void aBrowserThatIsTooSlowIsToldToReadAllAgain() throws Exception {
        EventStream stream = new EventStream();
        for (int i = 0; i < EventStream.MOST + 3; i++) {
            stream.add(("data: " + i + "\n\n").getBytes(StandardCharsets.UTF_8));
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream() {
            @Override
            public void flush() {
                if (toString(StandardCharsets.UTF_8).contains("event: ")) {
                    stream.close();
                }
            }
        };
        stream.write(out);
        assertThat(out.toString(StandardCharsets.UTF_8).lines().filter(line -> line.startsWith("data: ")))
                .hasSize(EventStream.MOST + 1)
                .endsWith("data: " + (EventStream.MOST - 1), "data: {}");
        assertThat(out.toString(StandardCharsets.UTF_8)).endsWith("event: reset\ndata: {}\n\n");
        try (InputStream script = EventStream.class.getResourceAsStream("/io/maestro/monitor/monitor.js")) {
            assertThat(new String(script.readAllBytes(), StandardCharsets.UTF_8))
                    .contains("addEventListener('reset', ");
        }
    }
}
