package io.maestro.mcp;

import java.io.IOException;
import java.net.InetAddress;
import org.junit.jupiter.api.AfterEach;

/** A server with an HTTP endpoint, and what is sent to it byte by byte. */
abstract class HttpBench {
    static final String PING = Messages.request(1, "ping", null).toString();
    static final String INITIALIZE = Messages.initialize("2025-11-25").toString();

    final LabTools tools = new LabTools();
    McpServer server = McpServer.builder(tools).maxMessageBytes(4096).build();
    McpEndpoint endpoint = server.http(InetAddress.getLoopbackAddress());

    @AfterEach
    void close() {
        server.close();
    }

    void restart(McpServer.Builder builder) {
        server.close();
        server = builder.build();
        endpoint = server.http(InetAddress.getLoopbackAddress());
    }

    String tell(String request) throws IOException {
        try (RawConnection connection = new RawConnection(endpoint)) {
            return connection.send(request).answer();
        }
    }

    /** A call that is answered as JSON, however long it takes. */
    String waiting(String session) {
        return RawConnection.post(endpoint, Messages.waiting(5, "gate").toString(), session)
                .replace(", text/event-stream", "");
    }

    String begin() throws IOException {
        return tell(RawConnection.post(endpoint, INITIALIZE)).replaceFirst("(?s).*(Mcp-Session-Id: [^\r]*).*", "$1");
    }
}
