package io.maestro.claude.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** A message is a line. */
final class LineCaller extends McpCaller {
    LineCaller(int port, String token) throws IOException {
        super(port);
        if (!token.isEmpty()) {
            send(token);
        }
    }

    @Override
    void send(String message) throws IOException {
        out.write((message + "\n").getBytes(StandardCharsets.UTF_8));
    }

    @Override
    String answer() throws IOException {
        return line();
    }

    @Override
    void acknowledged() {
        // A notification has no answer.
    }
}
