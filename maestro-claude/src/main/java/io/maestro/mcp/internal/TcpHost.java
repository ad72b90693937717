package io.maestro.mcp.internal;

import io.maestro.wire.internal.BoundedInput;
import io.maestro.wire.internal.Listener;
import io.maestro.wire.internal.SocketConnection;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Newline-delimited JSON-RPC over TCP, after a first line with the token. */
final class TcpHost implements Listener.Host<SocketConnection> {
    private static final Duration FAREWELL = Duration.ofSeconds(1);
    private static final long FAREWELL_BYTES = 64 * 1024;

    private final Settings settings;
    private final Protocol protocol;
    private final Token token;

    TcpHost(Settings settings, Protocol protocol, Token token) {
        this.settings = settings;
        this.protocol = protocol;
        this.token = token;
    }

    @Override
    public void serve(SocketConnection connection) throws IOException {
        BoundedInput in = connection.in();
        OutputStream out = connection.out();
        in.limit(settings.get(Settings.LOGIN_LIMIT));
        if (!isTold(in)) {
            String error =
                    Rpc.error(null, Rpc.INVALID_REQUEST, "The first line of a connection must be the server's token.")
                            + "\n";
            out.write(error.getBytes(StandardCharsets.UTF_8));
            connection.farewell(in, FAREWELL, FAREWELL_BYTES);
            return;
        }
        in.unlimited();
        connection.welcome();
        new LineConnection(protocol, in, out, connection, settings.get(Settings.MAX_MESSAGE_BYTES)).serve();
    }

    private boolean isTold(BoundedInput in) throws IOException {
        try {
            byte[] line = in.line(Token.MOST_CHARACTERS);
            return line != null && token.matches(new String(line, StandardCharsets.UTF_8));
        } catch (BoundedInput.TooLong e) {
            return false;
        }
    }
}
