package io.maestro.claude.internal.install;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.concurrent.Callable;

/** Writes a file into a command and closes its input; the result is the SHA-256 of what was written, in hexadecimal. */
record Pump(Path file, OutputStream to) implements Callable<String> {
    private static final int CHUNK = 1 << 18;

    /** The file of the host could not be read; any other failure is the command's. */
    static final class UnreadableException extends IOException {
        private static final long serialVersionUID = 1L;

        UnreadableException(Path file, IOException cause) {
            super(file + " cannot be read on the host: " + cause, cause);
        }
    }

    @Override
    public String call() throws IOException {
        MessageDigest digest = sha256();
        try (OutputStream out = to;
                InputStream in = open()) {
            byte[] chunk = new byte[CHUNK];
            for (int count = read(in, chunk); count >= 0; count = read(in, chunk)) {
                digest.update(chunk, 0, count);
                out.write(chunk, 0, count);
            }
            out.flush();
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private InputStream open() throws IOException {
        try {
            return Files.newInputStream(file);
        } catch (IOException e) {
            throw new UnreadableException(file, e);
        }
    }

    private int read(InputStream in, byte[] chunk) throws IOException {
        try {
            return in.read(chunk);
        } catch (IOException e) {
            throw new UnreadableException(file, e);
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }
}
