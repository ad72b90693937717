package io.maestro.docker.internal;

import io.maestro.secrets.Redactor;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/**
 * Values that must not get to an engine, where everybody who may ask it can read them: of variables that are passed on to
 * commands, and others that the redactor was told. Immutable.
 */
public final class KnownSecrets {
    /** Shorter values are no secrets but words. */
    private static final int SHORTEST = 6;

    /** How a redactor marks what it was told, and not only guesses. */
    private static final String MARK = "[REDACTED:known-secret]";

    private final Redactor redactor;
    private final List<String> values;
    private final List<byte[]> bytes;
    private final int longest;

    /** The values of variables, and a redactor. */
    public KnownSecrets(Collection<String> values, Redactor redactor) {
        this.redactor = redactor;
        this.values =
                values.stream().filter(value -> value.length() >= SHORTEST).toList();
        this.bytes = this.values.stream()
                .map(value -> value.getBytes(StandardCharsets.UTF_8))
                .toList();
        this.longest = bytes.stream().mapToInt(value -> value.length).max().orElse(0);
    }

    /** Whether a text holds one. */
    public boolean in(String text) {
        return values.stream().anyMatch(text::contains)
                || !text.contains(MARK) && redactor.redact(text).contains(MARK);
    }

    /** Starts to look through files. */
    public Search search() {
        return new Search();
    }

    /** Looks through files as they go by: for values of variables in all of them, for others where files begin. For one thread. */
    public final class Search {
        private static final int BEGINNING = 64 << 10;

        /** A redactor is slower than a disk. */
        private long left = 16L << 20;

        private byte[] tail = new byte[0];
        private boolean first = true;

        private Search() {}

        /** Begins with another file. */
        public void next() {
            tail = new byte[0];
            first = true;
        }

        /** Whether the next bytes of a file, with those before, hold one. */
        public boolean finds(byte[] buffer, int length) {
            if (first && left > 0) {
                int some = Math.min(length, BEGINNING);
                left -= some;
                if (in(new String(buffer, 0, some, StandardCharsets.UTF_8))) {
                    return true;
                }
            }
            first = false;
            if (bytes.isEmpty()) {
                return false;
            }
            byte[] all = Arrays.copyOf(tail, tail.length + length);
            System.arraycopy(buffer, 0, all, tail.length, length);
            tail = Arrays.copyOfRange(all, Math.max(0, all.length - longest + 1), all.length);
            return bytes.stream().anyMatch(value -> holds(all, value));
        }

        private boolean holds(byte[] all, byte[] value) {
            for (int from = 0; from <= all.length - value.length; from++) {
                if (all[from] == value[0] && Arrays.equals(all, from, from + value.length, value, 0, value.length)) {
                    return true;
                }
            }
            return false;
        }
    }
}
