package io.maestro.mcp.internal;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.wire.internal.BoundedInput;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A client that sends and reads one JSON-RPC message a line. */
final class LineConnection {
    private static final Logger LOG = LoggerFactory.getLogger(LineConnection.class);

    private final Protocol protocol;
    private final McpSession session = new McpSession(Versions.LATEST_HANDSHAKE);
    private final BoundedInput in;
    private final OutputStream out;
    private final Closeable onBroken;
    private final int most;
    private final ReentrantLock lock = new ReentrantLock();

    /**
     * @param onBroken ends the reading when nothing can be written any more
     * @param most how many bytes a message may have
     */
    LineConnection(Protocol protocol, BoundedInput in, OutputStream out, Closeable onBroken, int most) {
        this.protocol = protocol;
        this.in = in;
        this.out = out;
        this.onBroken = onBroken;
        this.most = most;
    }

    /** Returns when the client has ended its input; its calls are cancelled then. */
    void serve() throws IOException {
        try {
            boolean more = true;
            while (more) {
                more = one();
            }
        } finally {
            session.close();
        }
    }

    private boolean one() throws IOException {
        try {
            byte[] line = in.line(most);
            if (line == null) {
                return false;
            }
            if (line.length > 0) {
                receive(line);
            }
            return true;
        } catch (BoundedInput.TooLong e) {
            send(Rpc.error(
                    null, Rpc.INVALID_REQUEST, "A message may have up to " + most + " bytes; this one is longer."));
            return in.skipLine();
        }
    }

    private void receive(byte[] line) {
        String text;
        try {
            text = Json.text(line, line.length);
        } catch (Json.BadMessage e) {
            send(Rpc.error(null, Rpc.PARSE_ERROR, "The message is " + e.getMessage()));
            return;
        }
        protocol.receive(text, session, new LineReplies(this::send, true));
    }

    /** What cannot be written ends the connection, so that its client does not wait for it. */
    private void send(JsonNode message) {
        boolean sent = false;
        lock.lock();
        try {
            byte[] bytes = Json.bytes(message);
            byte[] line = Arrays.copyOf(bytes, bytes.length + 1);
            line[bytes.length] = '\n';
            out.write(line);
            out.flush();
            sent = true;
        } catch (IOException e) {
            LOG.debug("A client went away before it had its answer", e);
        } catch (OutOfMemoryError e) {
            LOG.error("An answer for an MCP client is too large for this JVM's memory: its connection is ended", e);
        } finally {
            if (!sent) {
                end();
            }
            lock.unlock();
        }
    }

    private void end() {
        try {
            onBroken.close();
        } catch (IOException e) {
            LOG.debug("A connection was broken already", e);
        }
    }
}
