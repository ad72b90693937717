package io.maestro.docker.internal.exec;

import java.security.SecureRandom;
import java.time.Instant;
import java.util.HexFormat;

/** Words that no command knows before they are used, and the names by which processes are found. */
final class ProcessMarker {
    /** The variable that all processes of a command inherit; the same as on the host. */
    static final String VARIABLE = "MAESTRO_EXEC_ID";

    /** Begins the value of each command; {@code sweep.sh} knows it, too. */
    static final String ANY_JVM = "jvm";

    /** Begins the value of each command of this JVM, and of no other one's. */
    static final String THIS_JVM = ANY_JVM + ProcessHandle.current().pid() + "@"
            + ProcessHandle.current()
                    .info()
                    .startInstant()
                    .map(Instant::toEpochMilli)
                    .orElse(0L) + "-" + new ProcessMarker().next().substring(0, 8) + "/";

    /** Comes before each word in a stream; rare in what programs print. */
    static final byte BEGIN = 0x1E;

    /** The letters of a word. */
    static final int LENGTH = 32;

    private final SecureRandom random = new SecureRandom();

    /** 128 random bits in hexadecimal digits. */
    String next() {
        byte[] bytes = new byte[LENGTH / 2];
        random.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
