package io.maestro.claude.internal.gateway;

import io.maestro.claude.GatewayClient;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The body of a request, held as a whole: a slow client keeps no connection to the API. All bodies of a gateway share an
 * allowance. For one thread.
 */
final class RequestBody implements AutoCloseable {
    /** What came of reading. */
    enum Outcome {
        WHOLE,
        TOO_LARGE,
        TOO_MUCH_AT_ONCE
    }

    private static final int PIECE = 64 * 1024;

    private final long limit;
    private final AtomicLong allowance;
    private final List<byte[]> pieces = new ArrayList<>();
    private long length;

    RequestBody(long limit, AtomicLong allowance) {
        this.limit = limit;
        this.allowance = allowance;
    }

    /** Reads to the end; what is too much is read too and thrown away, since a client that still writes would miss the answer. */
    Outcome read(InputStream in) throws IOException {
        while (true) {
            byte[] piece = in.readNBytes(PIECE);
            if (piece.length == 0) {
                return Outcome.WHOLE;
            }
            if (length + piece.length > limit) {
                close();
                discard(in, limit);
                return Outcome.TOO_LARGE;
            }
            if (allowance.addAndGet(-piece.length) < 0) {
                allowance.addAndGet(piece.length);
                close();
                discard(in, limit);
                return Outcome.TOO_MUCH_AT_ONCE;
            }
            pieces.add(piece);
            length += piece.length;
        }
    }

    /** Reads what nobody wants, up to a limit. */
    static void discard(InputStream in, long limit) throws IOException {
        byte[] buffer = new byte[PIECE];
        long left = limit;
        int count = 0;
        while (left > 0 && count >= 0) {
            count = in.read(buffer);
            left -= count;
        }
    }

    BodyPublisher publisher() {
        return length == 0
                ? BodyPublishers.noBody()
                : BodyPublishers.fromPublisher(BodyPublishers.ofByteArrays(List.copyOf(pieces)), length);
    }

    /** What it says of its cost. */
    GatewayClient.Request facts() {
        return RequestFacts.of(
                new SequenceInputStream(Collections.enumeration(
                        pieces.stream().map(ByteArrayInputStream::new).toList())),
                length);
    }

    /** Gives the memory back. */
    @Override
    public void close() {
        allowance.addAndGet(length);
        length = 0;
        pieces.clear();
    }
}
