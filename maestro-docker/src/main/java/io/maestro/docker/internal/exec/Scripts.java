package io.maestro.docker.internal.exec;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;

/** The shell scripts that run in a container. They are arguments of the CLI, so they hold nothing of a command. */
final class Scripts {
    static final String CHANNEL = load("sweep.sh") + load("channel.sh");
    static final String ONCE = load("sweep.sh") + load("once.sh");
    static final String END = load("sweep.sh") + load("end.sh");

    private Scripts() {}

    private static String load(String name) {
        try (InputStream in = Scripts.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("the jar of maestro-docker lacks " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII)
                    .lines()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                    .collect(Collectors.joining("\n", "", "\n"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
