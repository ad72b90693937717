package io.maestro.exec.internal;

import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;

/** A stream into which something is written first, by a thread of its own: a process need not read it soon. */
final class FedOutput extends OutputStream {
    private final OutputStream target;
    private final CompletableFuture<Void> fed = new CompletableFuture<>();

    private FedOutput(OutputStream target) {
        this.target = target;
    }

    static OutputStream of(OutputStream target, byte[] first, ThreadFactory threads) {
        if (first.length == 0) {
            return target;
        }
        FedOutput output = new FedOutput(target);
        threads.newThread(() -> output.feed(first)).start();
        return output;
    }

    private void feed(byte[] first) {
        try {
            target.write(first);
            target.flush();
        } catch (IOException e) {
            // The process does not read (any more); the next to write is told so by the system.
        } finally {
            fed.complete(null);
        }
    }

    @Override
    public void write(int b) throws IOException {
        fed.join();
        target.write(b);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        fed.join();
        target.write(bytes, offset, length);
    }

    @Override
    public void flush() throws IOException {
        fed.join();
        target.flush();
    }

    @Override
    public void close() throws IOException {
        fed.join();
        target.close();
    }
}
