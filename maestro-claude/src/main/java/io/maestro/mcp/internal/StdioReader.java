package io.maestro.mcp.internal;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads a stream on a thread of its own, which can be ended though it blocks: reading a pipe knows no time limit. */
final class StdioReader {
    private static final Logger LOG = LoggerFactory.getLogger(StdioReader.class);

    private final InputStream in;
    private final Thread thread;
    private final CountDownLatch ended = new CountDownLatch(1);

    StdioReader(LineConnection connection, InputStream in, ThreadFactory threads) {
        this.in = in;
        this.thread = threads.newThread(() -> {
            try {
                connection.serve();
            } catch (IOException e) {
                LOG.debug("The input of an MCP client ended: {}", e.toString());
            } finally {
                ended.countDown();
            }
        });
    }

    /** Returns when the input has ended, or was ended. */
    void run() {
        thread.start();
        try {
            ended.await();
        } catch (InterruptedException e) {
            end();
            Thread.currentThread().interrupt();
        }
    }

    void end() {
        thread.interrupt();
        try {
            in.close();
        } catch (IOException e) {
            LOG.debug("The input of an MCP client was closed already", e);
        }
        ended.countDown();
    }
}
