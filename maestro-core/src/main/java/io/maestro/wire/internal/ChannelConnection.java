package io.maestro.wire.internal;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;

/**
 * A connection over TCP or a unix socket, whose reads and writes both have a time limit. One thread reads and writes; another may
 * ask whether the client {@linkplain #isGone has gone}.
 */
public final class ChannelConnection extends Connection {
    private final SocketChannel channel;
    private final Selector selector;
    private final SelectionKey key;
    private final Duration writeLimit;
    private int readLimit;

    /**
     * @param writeLimit how long the client may take to read what it is sent
     */
    public ChannelConnection(SocketChannel channel, Duration writeLimit) throws IOException {
        this.channel = channel;
        this.writeLimit = writeLimit;
        if (channel.supportedOptions().contains(StandardSocketOptions.TCP_NODELAY)) {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        }
        channel.configureBlocking(false);
        selector = Selector.open();
        try {
            key = channel.register(selector, 0);
        } catch (IOException | RuntimeException e) {
            selector.close();
            throw e;
        }
    }

    public BoundedInput in() {
        return new BoundedInput(
                new InputStream() {
                    @Override
                    public int read() throws IOException {
                        byte[] one = new byte[1];
                        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
                    }

                    @Override
                    public int read(byte[] bytes, int offset, int length) throws IOException {
                        return receive(ByteBuffer.wrap(bytes, offset, length));
                    }
                },
                millis -> readLimit = millis);
    }

    public OutputStream out() {
        return new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                write(new byte[] {(byte) b}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                send(ByteBuffer.wrap(bytes, offset, length));
            }
        };
    }

    private int receive(ByteBuffer buffer) throws IOException {
        long since = System.nanoTime();
        int count = channel.read(buffer);
        while (count == 0 && buffer.hasRemaining()) {
            await(SelectionKey.OP_READ, since, readLimit);
            count = channel.read(buffer);
        }
        return count;
    }

    private void send(ByteBuffer buffer) throws IOException {
        long since = System.nanoTime();
        while (buffer.hasRemaining()) {
            if (channel.write(buffer) > 0) {
                since = System.nanoTime();
            } else {
                await(SelectionKey.OP_WRITE, since, writeLimit.toMillis());
            }
        }
    }

    /** @param limit in milliseconds; 0 for none */
    private void await(int operation, long since, long limit) throws IOException {
        long left = 0;
        if (limit > 0) {
            left = limit - Duration.ofNanos(System.nanoTime() - since).toMillis();
            if (left <= 0) {
                throw new SocketTimeoutException("the time limit has passed");
            }
        }
        if (Thread.currentThread().isInterrupted()) {
            throw new InterruptedIOException();
        }
        try {
            key.interestOps(operation);
            selector.select(left);
            selector.selectedKeys().clear();
        } catch (ClosedSelectorException | CancelledKeyException e) {
            throw new ClosedChannelException();
        }
    }

    /** Whether the client has ended its side; what it sends is dropped. Not while another thread reads. */
    public boolean isGone() {
        try {
            return channel.read(ByteBuffer.allocate(8 * 1024)) < 0;
        } catch (IOException e) {
            return true;
        }
    }

    @Override
    void shutdownOutput() throws IOException {
        channel.shutdownOutput();
    }

    /** Ends also what waits for the client at this moment, which closing the channel alone does not. */
    @Override
    public void close() throws IOException {
        channel.close();
        selector.close();
    }
}
