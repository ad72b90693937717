package io.maestro.internal;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A body that is read while it arrives, by one thread. No more is taken from the connection than the reader has asked for.
 * Reads end at the time limits; closing it before its end closes the connection.
 */
public final class ArrivingBody extends InputStream implements BodySubscriber<ArrivingBody> {
    /** How long a reader that has all it needs waits for the end, so that the connection can be used again. */
    private static final long END_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final LinkedBlockingQueue<Arrival> arrivals = new LinkedBlockingQueue<>();
    private final Queue<ByteBuffer> unread = new ArrayDeque<>();
    private final long deadline;
    private final Duration limit;
    private final Duration idleLimit;
    private volatile boolean closed;
    private volatile Flow.@Nullable Subscription subscription;
    private boolean ended;

    /**
     * Begins to wait.
     *
     * @param limit for all of it, from now on
     * @param idleLimit how long nothing may come
     */
    public ArrivingBody(Duration limit, Duration idleLimit) {
        this.deadline = System.nanoTime() + limit.toNanos();
        this.limit = limit;
        this.idleLimit = idleLimit;
    }

    /** A limit was reached. */
    public static final class TimeLimitException extends HttpTimeoutException {
        private static final long serialVersionUID = 1L;

        private TimeLimitException(String message) {
            super(message);
        }
    }

    private record Arrival(
            List<ByteBuffer> buffers,
            boolean last,
            @Nullable Throwable failure) {}

    /**
     * Sends a request whose body this is. Not by {@link HttpClient#sendAsync}, whose answer passes through the common pool of the
     * JVM (without exception since Java 25): a host that blocks that pool would hold up every call.
     *
     * @param client sends it
     * @param request is sent
     * @return the answer, once its headers are there
     * @throws HttpTimeoutException when they are not there within the limit
     * @throws IOException when there is no usable answer; its cause, when it has one, says it more exactly
     * @throws InterruptedException when interrupted; the request is given up
     */
    public HttpResponse<ArrivingBody> send(HttpClient client, HttpRequest request)
            throws IOException, InterruptedException {
        HttpRequest limited = HttpRequest.newBuilder(request, (name, value) -> true)
                .timeout(Duration.ofNanos(Math.max(1, nanosLeft())))
                .build();
        try {
            return client.send(limited, info -> this);
        } catch (IllegalArgumentException | SecurityException e) {
            // Of what the server has answered, such as an address that it redirects to.
            throw new IOException(e);
        }
    }

    private long nanosLeft() {
        return deadline - System.nanoTime();
    }

    @Override
    public CompletionStage<ArrivingBody> getBody() {
        return CompletableFuture.completedStage(this);
    }

    @Override
    public void onSubscribe(Flow.Subscription source) {
        subscription = source;
        if (closed) {
            source.cancel();
        } else {
            source.request(1);
        }
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        arrivals.add(new Arrival(buffers, false, null));
    }

    @Override
    public void onError(Throwable failure) {
        arrivals.add(new Arrival(List.of(), true, failure));
    }

    @Override
    public void onComplete() {
        arrivals.add(new Arrival(List.of(), true, null));
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    /**
     * Waits for at least one byte.
     *
     * @throws TimeLimitException at a limit
     * @throws InterruptedIOException when interrupted; the interrupt status is not set
     */
    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        while (true) {
            ByteBuffer next = unread.peek();
            if (next == null) {
                if (ended) {
                    return -1;
                }
                await();
            } else if (next.hasRemaining()) {
                int count = Math.min(length, next.remaining());
                next.get(bytes, offset, count);
                return count;
            } else {
                unread.remove();
            }
        }
    }

    private void await() throws IOException {
        long left = nanosLeft();
        Arrival arrival;
        try {
            // Beyond the limit even what is there already comes too late: a server that never stops would go on.
            arrival = left > 0 ? arrivals.poll(Math.min(left, idleLimit.toNanos()), TimeUnit.NANOSECONDS) : null;
        } catch (InterruptedException e) {
            throw new InterruptedIOException();
        }
        if (arrival == null) {
            throw new TimeLimitException(
                    left <= idleLimit.toNanos()
                            ? "no complete answer within " + limit.toMillis() + " ms"
                            : "nothing more of the answer came for " + idleLimit.toMillis() + " ms");
        }
        take(arrival);
    }

    private void take(Arrival arrival) throws IOException {
        if (arrival.last()) {
            ended = true;
            if (arrival.failure() != null) {
                throw new IOException(arrival.failure());
            }
            return;
        }
        unread.addAll(arrival.buffers());
        Flow.Subscription source = subscription;
        if (source != null) {
            source.request(1);
        }
    }

    /** For a reader that has all it needs: waits a moment for the end, which leaves the connection open for the next one. */
    public void finish() throws InterruptedException {
        long end = System.nanoTime() + END_NANOS;
        try {
            while (!ended) {
                Arrival arrival = arrivals.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                if (arrival == null) {
                    return;
                }
                take(arrival);
                unread.clear();
            }
        } catch (IOException e) {
            // The answer was there already.
        }
    }

    /** Closes the connection unless all has been read. */
    @Override
    public void close() {
        closed = true;
        Flow.Subscription source = subscription;
        if (source != null && !ended) {
            source.cancel();
        }
        unread.clear();
        arrivals.clear();
    }
}
