package io.maestro.wire.internal;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;

/** A connection over TCP. */
public final class SocketConnection extends Connection {
    private final Socket socket;

    SocketConnection(Socket socket) throws IOException {
        this.socket = socket;
        // Without it, Nagle's algorithm and the other side's delayed acknowledgement hold answers up for 40 ms.
        socket.setTcpNoDelay(true);
        socket.setKeepAlive(true);
    }

    public BoundedInput in() throws IOException {
        return new BoundedInput(socket.getInputStream(), socket::setSoTimeout);
    }

    public OutputStream out() throws IOException {
        return socket.getOutputStream();
    }

    @Override
    void shutdownOutput() throws IOException {
        socket.shutdownOutput();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
