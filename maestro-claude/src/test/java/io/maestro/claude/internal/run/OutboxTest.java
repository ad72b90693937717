package io.maestro.claude.internal.run;

import static io.maestro.testing.AssertThat.assertThat;

import com.fasterxml.jackson.databind.node.TextNode;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class OutboxTest {
    /** What runs in the container can stop the CLI and go on asking by its output. */
    @Test
    void whatACliDoesNotReadIsNotKeptWithoutLimit() throws Exception {
        CountDownLatch reads = new CountDownLatch(1);
        CountDownLatch writes = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        AtomicLong heard = new AtomicLong();
        Outbox outbox = new Outbox(new OutputStream() {
            @Override
            public void write(int b) {
                throw new AssertionError("by arrays");
            }

            @Override
            public void write(byte[] bytes) throws IOException {
                writes.countDown();
                try {
                    reads.await();
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
                heard.addAndGet(bytes.length);
            }

            @Override
            public void close() {
                closed.countDown();
            }
        });
        Thread writer = new Thread(outbox);
        writer.start();
        TextNode line = TextNode.valueOf("x".repeat(1 << 20));
        outbox.say(line);
        writes.await();
        for (int i = 0; i < 200; i++) {
            outbox.say(line);
        }
        reads.countDown();
        closed.await();
        writer.join();

        assertThat(heard.get()).isLessThan(80L << 20);
    }
}
