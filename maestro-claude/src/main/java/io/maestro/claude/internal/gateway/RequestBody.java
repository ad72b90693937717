package io.maestro.claude.internal.gateway;

import io.maestro.wire.internal.HttpBody;
import io.maestro.wire.internal.HttpFault;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The body of a request, held as a whole: a slow client keeps no connection to the API. All bodies of a gateway share an
 * allowance, from which one that says its length takes it at once: of many that are too large together, the first ones are held.
 * For one thread.
 */
final class RequestBody implements HttpBody.BodySink, AutoCloseable {
    private final AtomicLong allowance;
    private final List<byte[]> pieces = new ArrayList<>();
    private long reserved;
    private long length;

    RequestBody(AtomicLong allowance) {
        this.allowance = allowance;
    }

    @Override
    public void expect(long bytes) throws HttpFault {
        if (allowance.addAndGet(-bytes) < 0) {
            allowance.addAndGet(bytes);
            throw new HttpFault(529, "too many large requests at once");
        }
        reserved += bytes;
    }

    @Override
    public void take(byte[] bytes, int count) throws HttpFault {
        if (length + count > reserved) {
            expect(count);
        }
        length += count;
        pieces.add(Arrays.copyOf(bytes, count));
    }

    BodyPublisher publisher() {
        return BodyPublishers.fromPublisher(BodyPublishers.ofByteArrays(List.copyOf(pieces)), length);
    }

    InputStream stream() {
        return new SequenceInputStream(Collections.enumeration(
                pieces.stream().map(ByteArrayInputStream::new).toList()));
    }

    long length() {
        return length;
    }

    /** Gives the memory back. */
    @Override
    public void close() {
        allowance.addAndGet(reserved);
        reserved = 0;
        length = 0;
        pieces.clear();
    }
}
