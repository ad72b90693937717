package io.maestro.docker.internal.exec;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;

/** The shell scripts that run in a container. They are arguments of the CLI, so they hold nothing of a command. */
public final class Scripts {
    /** Finds and ends processes: the functions that the other scripts begin with. */
    public static final String SWEEP = load(Scripts.class, "sweep.sh");

    static final String CHANNEL = SWEEP + load(Scripts.class, "channel.sh");
    static final String ONCE = SWEEP + load(Scripts.class, "once.sh");
    static final String END = SWEEP + load(Scripts.class, "end.sh");

    private Scripts() {}

    /**
     * Reads a script without its comments and indentation.
     *
     * @param owner a class beside which it is
     * @param name of its file
     * @return its lines
     */
    public static String load(Class<?> owner, String name) {
        try (InputStream in = owner.getResourceAsStream(name)) {
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
