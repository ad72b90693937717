package io.maestro.llm.internal;

import io.maestro.internal.BoundedStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Reads server-sent events as the HTML standard has them, section "Interpreting an event stream": lines end with CR, LF or
 * both, lines that begin with a colon are comments, several {@code data} lines make one text, and an event that the end of
 * the stream cuts is none. {@code id} and {@code retry} are left out: a stream of a model cannot be taken up again.
 */
final class SseReader {
    private static final char BYTE_ORDER_MARK = '\uFEFF';

    private final InputStream in;
    private final int maxEventBytes;
    private final byte[] buffer = new byte[8192];
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private int position;
    private int end;
    private int eventBytes;
    private boolean afterCarriageReturn;
    private boolean begun;

    /**
     * @param maxEventBytes how long all lines of an event, and so each of them, may be
     */
    SseReader(InputStream in, int maxEventBytes) {
        this.in = in;
        this.maxEventBytes = maxEventBytes;
    }

    /** Waits for the next event; empty at the end of the stream. */
    Optional<SseEvent> next() throws IOException {
        String name = "";
        StringBuilder data = new StringBuilder();
        boolean hasData = false;
        eventBytes = 0;
        while (readLine()) {
            String text = line.toString(StandardCharsets.UTF_8);
            if (!begun) {
                begun = true;
                text = !text.isEmpty() && text.charAt(0) == BYTE_ORDER_MARK ? text.substring(1) : text;
            }
            if (text.isEmpty()) {
                if (hasData) {
                    return Optional.of(new SseEvent(name.isEmpty() ? "message" : name, data.toString()));
                }
                name = "";
                eventBytes = 0;
                continue;
            }
            int colon = text.indexOf(':');
            String field = colon < 0 ? text : text.substring(0, colon);
            String value = colon < 0 ? "" : text.substring(colon + 1);
            value = value.startsWith(" ") ? value.substring(1) : value;
            if (field.equals("event")) {
                name = value;
            } else if (field.equals("data")) {
                data.append(hasData ? "\n" : "").append(value);
                hasData = true;
            }
        }
        return Optional.empty();
    }

    /** Bytes are made into characters line by line, so that a character cut by the network is whole again. */
    private boolean readLine() throws IOException {
        line.reset();
        while (true) {
            if (position == end) {
                end = in.read(buffer);
                position = 0;
                if (end < 0) {
                    end = 0;
                    return false;
                }
            }
            int start = position;
            while (position < end && buffer[position] != '\n' && buffer[position] != '\r') {
                position++;
            }
            if (position > start) {
                afterCarriageReturn = false;
                take(start);
            }
            if (position < end) {
                boolean secondHalf = buffer[position] == '\n' && afterCarriageReturn;
                afterCarriageReturn = buffer[position] == '\r';
                position++;
                if (!secondHalf) {
                    return true;
                }
            }
        }
    }

    private void take(int start) throws IOException {
        eventBytes += position - start;
        if (eventBytes > maxEventBytes) {
            throw new BoundedStream.TooLargeException(maxEventBytes);
        }
        line.write(buffer, start, position - start);
    }
}
