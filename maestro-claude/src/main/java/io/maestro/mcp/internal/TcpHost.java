package io.maestro.mcp.internal;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Newline-delimited JSON-RPC over TCP, after a first line with the token. */
final class TcpHost implements Listener.Host {
    private final Settings settings;
    private final Protocol protocol;
    private final Token token;

    TcpHost(Settings settings, Protocol protocol, Token token) {
        this.settings = settings;
        this.protocol = protocol;
        this.token = token;
    }

    @Override
    public void serve(Guest guest) throws IOException {
        Inlet in = new Inlet(guest.socket());
        OutputStream out = guest.socket().getOutputStream();
        in.limit(settings.loginLimit());
        if (!isTold(in)) {
            String error =
                    Rpc.error(null, Rpc.INVALID_REQUEST, "The first line of a connection must be the server's token.")
                            + "\n";
            out.write(error.getBytes(StandardCharsets.UTF_8));
            guest.farewell(in);
            return;
        }
        in.unlimited();
        guest.welcome();
        new LineConnection(protocol, in, out, guest, settings.maxMessageBytes()).serve();
    }

    private boolean isTold(Inlet in) throws IOException {
        try {
            byte[] line = in.line(Token.MOST_CHARACTERS);
            return line != null && token.matches(new String(line, StandardCharsets.UTF_8));
        } catch (Inlet.TooLong e) {
            return false;
        }
    }
}
