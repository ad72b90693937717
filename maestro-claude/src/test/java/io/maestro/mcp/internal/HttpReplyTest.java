package io.maestro.mcp.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.wire.internal.BoundedInput;
import io.maestro.wire.internal.HttpHead;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class HttpReplyTest {
    private final AtomicInteger broken = new AtomicInteger();

    private HttpReply reply(OutputStream out) throws Exception {
        String head = "POST /mcp HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n";
        HttpReply reply = new HttpReply(out);
        reply.onBroken(broken::incrementAndGet);
        reply.suit(HttpHead.read(new BoundedInput(new ByteArrayInputStream(head.getBytes(StandardCharsets.US_ASCII)))));
        return reply;
    }

    /** The client has been told that it can use the connection again, and does. */
    @Test
    void aSignOfLifeThatComesLateDoesNotEndTheConnection() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        HttpReply reply = reply(out);
        reply.none();
        int answered = out.size();

        reply.beat(null);

        assertThat(reply.isDone()).isTrue();
        assertThat(reply.keepsAlive()).isTrue();
        assertThat(broken).hasValue(0);
        assertThat(out.size()).isEqualTo(answered);
    }

    @Test
    void aSignOfLifeThatCannotBeSentEndsTheConnection() throws Exception {
        HttpReply reply = reply(new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("gone");
            }
        });

        reply.beat(null);

        assertThat(reply.keepsAlive()).isFalse();
        assertThat(broken).hasValue(1);
    }
}
