package io.maestro.mcp.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.wire.internal.HttpFault;
import io.maestro.wire.internal.HttpHead;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The answer to one HTTP request: JSON when it is there at once; after the first beat a stream of server-sent events, which
 * keeps the client from giving up.
 */
final class HttpReply implements Replies {
    /** Calls that are faster are answered as plain JSON. */
    private static final Duration MOMENT = Duration.ofSeconds(1);

    private static final Logger LOG = LoggerFactory.getLogger(HttpReply.class);
    private static final Map<Integer, String> REASONS = Map.ofEntries(
            Map.entry(200, "OK"),
            Map.entry(202, "Accepted"),
            Map.entry(204, "No Content"),
            Map.entry(400, "Bad Request"),
            Map.entry(401, "Unauthorized"),
            Map.entry(403, "Forbidden"),
            Map.entry(404, "Not Found"),
            Map.entry(405, "Method Not Allowed"),
            Map.entry(406, "Not Acceptable"),
            Map.entry(413, "Content Too Large"),
            Map.entry(415, "Unsupported Media Type"),
            Map.entry(431, "Request Header Fields Too Large"));

    private final OutputStream out;
    private final CountDownLatch done = new CountDownLatch(1);
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, String> fields = new TreeMap<>();
    private final ByteArrayOutputStream pending = new ByteArrayOutputStream(512);
    private Runnable onBroken = () -> {};
    private boolean headOnly;
    private boolean keepsAlive;
    private boolean mayStream;
    private boolean stateless;
    private boolean streams;
    private boolean ended;

    HttpReply(OutputStream out) {
        this.out = out;
    }

    /** What is to be done when a sign of life cannot be sent. Before the request is handled. */
    void onBroken(Runnable action) {
        onBroken = action;
    }

    /** What the request asks for. Before it is handled. */
    void method(String name) {
        headOnly = name.equals("HEAD");
    }

    /** What the client can read. Before the request is handled. */
    void suit(HttpHead head) {
        keepsAlive = head.keepsAlive();
        mayStream = head.chunks() && head.lists("accept", "text/event-stream", "*/*", "text/*");
    }

    /** The request is one of the stateless version, where errors have a status of their own. Before it is handled. */
    void stateless() {
        stateless = true;
    }

    void field(String name, String value) {
        fields.put(name, value);
    }

    boolean isDone() {
        return done.getCount() == 0;
    }

    /** Whether the connection may be used again, once this is done. */
    boolean keepsAlive() {
        return keepsAlive;
    }

    void awaitDone() throws InterruptedException {
        done.await();
    }

    @Override
    public @Nullable Duration firstBeat(boolean hasToken, Duration interval) {
        if (!mayStream) {
            return null;
        }
        return interval.compareTo(MOMENT) < 0 ? interval : MOMENT;
    }

    @Override
    public void beat(@Nullable ObjectNode progress) {
        write(false, () -> {
            if (!streams) {
                streams = true;
                head(200, "text/event-stream", -1);
            }
            chunk(progress == null ? ": still running\n\n".getBytes(StandardCharsets.US_ASCII) : event(progress));
        });
    }

    @Override
    public void respond(JsonNode response) {
        write(true, () -> {
            if (streams) {
                chunk(event(response));
                chunk(new byte[0]);
            } else {
                json(status(response), response);
            }
        });
    }

    @Override
    public void none() {
        status(202);
    }

    void status(int status) {
        write(true, () -> head(status, null, 0));
    }

    /** Refuses the request; what the client still sends is not read. */
    void refuse(HttpFault fault) {
        write(true, () -> {
            keepsAlive = false;
            json(fault.status(), RpcFault.body(fault));
        });
    }

    /** The stream ends without an answer; who waits for plain JSON is told. */
    @Override
    public void cancelled(JsonNode id) {
        write(true, () -> {
            if (streams) {
                chunk(new byte[0]);
            } else {
                json(200, Rpc.error(id, Rpc.CANCELLED, "The request was cancelled."));
            }
        });
    }

    private int status(JsonNode response) {
        return switch (Rpc.code(response)) {
            case Rpc.PARSE_ERROR, Rpc.INVALID_REQUEST -> 400;
            case Rpc.UNSUPPORTED_VERSION, Rpc.HEADER_MISMATCH, Rpc.INVALID_PARAMS -> stateless ? 400 : 200;
            case Rpc.METHOD_NOT_FOUND -> stateless ? 404 : 200;
            default -> 200;
        };
    }

    /**
     * All that belongs together goes out in one write, and so in one packet where it fits. What cannot be written ends the
     * connection, so that its client does not wait for it.
     */
    private void write(boolean last, Runnable content) {
        boolean broken = false;
        lock.lock();
        try {
            if (ended) {
                return;
            }
            broken = true;
            ended = last;
            content.run();
            out.write(pending.toByteArray());
            out.flush();
            broken = false;
        } catch (IOException e) {
            LOG.debug("A client went away before it had its answer: {}", e.toString());
        } catch (OutOfMemoryError e) {
            LOG.error("An answer for an MCP client is too large for this JVM's memory: its connection is ended", e);
        } finally {
            pending.reset();
            if (broken) {
                keepsAlive = false;
            }
            if (last) {
                done.countDown();
            }
            lock.unlock();
        }
        if (broken && !last) {
            onBroken.run();
        }
    }

    private void json(int status, JsonNode body) {
        byte[] bytes = Json.bytes(body);
        head(status, "application/json", bytes.length);
        if (!headOnly) {
            pending.writeBytes(bytes);
        }
    }

    /** @param length of the body; -1 for chunks */
    private void head(int status, @Nullable String type, int length) {
        StringBuilder head = new StringBuilder(160);
        head.append("HTTP/1.1 ")
                .append(status)
                .append(' ')
                .append(REASONS.getOrDefault(status, ""))
                .append("\r\n");
        if (type != null) {
            head.append("Content-Type: ").append(type).append("\r\n");
        }
        if (length < 0) {
            head.append(
                    "Transfer-Encoding: chunked\r\nCache-Control: no-cache, no-transform\r\nX-Accel-Buffering: no\r\n");
        } else if (status != 204) {
            head.append("Content-Length: ").append(length).append("\r\n");
        }
        if (!keepsAlive) {
            head.append("Connection: close\r\n");
        }
        fields.forEach(
                (name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        pending.writeBytes(head.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII));
    }

    private static byte[] event(JsonNode message) {
        return ("event: message\ndata: " + message + "\n\n").getBytes(StandardCharsets.UTF_8);
    }

    /** An empty chunk ends the body. */
    private void chunk(byte[] bytes) {
        pending.writeBytes((Integer.toHexString(bytes.length) + "\r\n").getBytes(StandardCharsets.US_ASCII));
        pending.writeBytes(bytes);
        pending.writeBytes(new byte[] {'\r', '\n'});
    }
}
