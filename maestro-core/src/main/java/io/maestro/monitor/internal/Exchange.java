package io.maestro.monitor.internal;

import io.maestro.wire.internal.BoundedInput;
import io.maestro.wire.internal.HttpBody;
import io.maestro.wire.internal.HttpFault;
import io.maestro.wire.internal.HttpHead;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A request whose head has been read, and its answer, with which the connection ends. For one thread. */
final class Exchange {
    private static final Duration BODY_LIMIT = Duration.ofSeconds(30);

    private final HttpHead head;
    private final BoundedInput in;
    private final OutputStream out;
    private final Map<String, String> answerFields = new LinkedHashMap<>();
    private boolean answered;

    Exchange(HttpHead head, BoundedInput in, OutputStream out) {
        this.head = head;
        this.in = in;
        this.out = out;
    }

    HttpHead head() {
        return head;
    }

    /** The values of a header field. */
    List<String> fields(String name) {
        return head.fields().getOrDefault(name, List.of());
    }

    /** The only value of a header field; empty when it has none or several. */
    Optional<String> field(String name) {
        List<String> values = fields(name);
        return values.size() == 1 ? Optional.of(values.get(0)) : Optional.empty();
    }

    /** Reads the body, which must come within {@link #BODY_LIMIT}. */
    byte[] body(int most) throws IOException, HttpFault {
        in.limit(BODY_LIMIT);
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        HttpBody.read(head, in, out, most, (bytes, length) -> body.write(bytes, 0, length));
        return body.toByteArray();
    }

    /** The header fields of the answer, until it begins. */
    Map<String, String> answerFields() {
        return answerFields;
    }

    /** Whether the answer has begun. */
    boolean isAnswered() {
        return answered;
    }

    /** Sends an answer that ends with the connection. */
    OutputStream begin(int status) throws IOException {
        answered = true;
        StringBuilder text = new StringBuilder("HTTP/1.1 ").append(status).append(" \r\nConnection: close\r\n");
        answerFields.forEach(
                (name, value) -> text.append(name).append(": ").append(value).append("\r\n"));
        out.write(text.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
        return out;
    }

    void send(int status, byte[] body) throws IOException {
        answerFields.put("Content-Length", String.valueOf(body.length));
        begin(status).write(body);
        out.flush();
    }
}
