package io.maestro.mcp.internal;

import io.maestro.wire.internal.BoundedInput;
import io.maestro.wire.internal.HttpBody;
import io.maestro.wire.internal.HttpFault;
import io.maestro.wire.internal.HttpHead;
import io.maestro.wire.internal.Listener;
import io.maestro.wire.internal.SocketConnection;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Streamable HTTP. Not on the JDK's own HTTP server: that one holds each answer back for 40 ms, has no limit on the time that a
 * client takes for its request and none on connections, except by properties of the whole JVM that are read once; and it does
 * not notice that a client went away, which is how a call is cancelled.
 */
final class HttpHost implements Listener.Host<SocketConnection> {
    static final String PATH = "/mcp";

    private static final Logger LOG = LoggerFactory.getLogger(HttpHost.class);

    /** How often is looked whether there is still something to wait for. */
    private static final Duration SLICE = Duration.ofSeconds(1);

    private static final Duration FAREWELL = Duration.ofSeconds(1);
    private static final long FAREWELL_BYTES = 64 * 1024;

    /** How many bodies, and the trees that become of them, are held at a time. */
    private static final int MOST_BODIES = 8;

    private final Settings settings;
    private final HttpMessages messages;
    private final HttpSessions sessions = new HttpSessions();
    private final Gate gate;
    private final Semaphore bodies = new Semaphore(MOST_BODIES);

    HttpHost(Settings settings, Protocol protocol, Token token, InetAddress address) {
        this.settings = settings;
        this.messages = new HttpMessages(settings, protocol, sessions);
        this.gate = new Gate(token, address, settings.get(Settings.HOSTS));
    }

    void close() {
        sessions.close();
    }

    @Override
    public void serve(SocketConnection connection) throws IOException {
        BoundedInput in = connection.in();
        OutputStream out = connection.out();
        in.limit(settings.get(Settings.LOGIN_LIMIT));
        while (in.awaitByte()) {
            in.limit(settings.get(Settings.LOGIN_LIMIT));
            HttpReply reply = new HttpReply(out);
            List<Runnable> onGone = new ArrayList<>();
            reply.onBroken(() -> onGone.forEach(Runnable::run));
            try {
                request(connection, in, out, reply, onGone);
            } catch (HttpFault e) {
                if (e.status() == 401) {
                    reply.field("WWW-Authenticate", "Bearer");
                }
                reply.refuse(e);
            }
            if (!finished(in, reply)) {
                onGone.forEach(Runnable::run);
                return;
            }
            if (!reply.keepsAlive()) {
                connection.farewell(in, FAREWELL, FAREWELL_BYTES);
                return;
            }
            in.limit(settings.get(Settings.IDLE_LIMIT));
        }
    }

    private void request(
            SocketConnection connection, BoundedInput in, OutputStream out, HttpReply reply, List<Runnable> onGone)
            throws IOException, HttpFault {
        HttpHead head = HttpHead.read(in);
        reply.method(head.method());
        gate.check(head);
        connection.welcome();
        if (!head.path().equals(PATH)) {
            throw new HttpFault(404, "There is nothing here; the path is " + PATH + ".");
        }
        switch (head.method()) {
            case "POST" -> post(head, in, out, reply, onGone);
            case "DELETE" -> {
                String id = head.field("mcp-session-id");
                if (HttpBody.isThere(head)) {
                    throw new HttpFault(400, "DELETE has no body.");
                }
                reply.suit(head);
                if (id == null) {
                    throw new HttpFault(400, "DELETE needs the header field Mcp-Session-Id.");
                }
                reply.status(sessions.end(id) ? 204 : 404);
            }
            default -> {
                reply.field("Allow", "POST, DELETE");
                throw new HttpFault(
                        405, "Only POST and DELETE work here; this server sends nothing without being asked.");
            }
        }
    }

    private void post(HttpHead head, BoundedInput in, OutputStream out, HttpReply reply, List<Runnable> onGone)
            throws IOException, HttpFault {
        if (!head.lists("content-type", "application/json")) {
            throw new HttpFault(415, "The Content-Type must be application/json.");
        }
        if (head.fields().containsKey("accept") && !head.lists("accept", "application/json", "application/*", "*/*")) {
            throw new HttpFault(406, "The Accept field must list application/json and text/event-stream.");
        }
        bodies.acquireUninterruptibly();
        try {
            ByteArrayOutputStream body = new ByteArrayOutputStream(1024);
            HttpBody.read(
                    head,
                    in,
                    out,
                    settings.get(Settings.MAX_MESSAGE_BYTES),
                    (bytes, length) -> body.write(bytes, 0, length));
            reply.suit(head);
            messages.handle(head, Json.read(Json.text(body.toByteArray(), body.size())), reply, onGone);
        } catch (Json.BadMessage e) {
            reply.respond(Rpc.error(null, Rpc.PARSE_ERROR, "The message is " + e.getMessage()));
        } finally {
            bodies.release();
        }
    }

    /** Waits until a request has been answered; false when the client went away before that. */
    private static boolean finished(BoundedInput in, HttpReply reply) {
        while (!reply.isDone()) {
            in.limit(SLICE);
            try {
                if (!in.awaitByte()) {
                    return reply.isDone();
                }
                // The next request is there already. Whether the client goes away now is seen only when it is told
                // something.
                reply.awaitDone();
            } catch (SocketTimeoutException e) {
                LOG.trace("A client still waits", e);
            } catch (IOException e) {
                LOG.debug("A client broke its connection: {}", e.toString());
                return reply.isDone();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return true;
    }
}
