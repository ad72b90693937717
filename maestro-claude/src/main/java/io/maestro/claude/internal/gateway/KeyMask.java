package io.maestro.claude.internal.gateway;

import io.maestro.internal.ApiKey;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Overwrites a key in bytes that come in pieces. It holds back no more than the beginning of a key at the end of a piece; a line
 * end is never in one, so what ends with a line goes on at once. For one thread.
 */
final class KeyMask {
    private final byte[] key;
    private byte[] held = new byte[0];

    KeyMask(ApiKey key) {
        this.key = key.secret().getBytes(StandardCharsets.US_ASCII);
    }

    /** What can go on after this piece. */
    byte[] next(byte[] piece, int length) {
        byte[] all = Arrays.copyOf(held, held.length + length);
        System.arraycopy(piece, 0, all, held.length, length);
        int position = 0;
        while (position < all.length) {
            int matching = matching(all, position);
            if (matching == key.length) {
                Arrays.fill(all, position, position + key.length, (byte) '*');
                position += key.length;
            } else if (position + matching == all.length && matching > 0) {
                break;
            } else {
                position++;
            }
        }
        held = Arrays.copyOfRange(all, position, all.length);
        return position == all.length ? all : Arrays.copyOf(all, position);
    }

    /** What is held when no more comes. */
    byte[] rest() {
        byte[] rest = held;
        held = new byte[0];
        return rest;
    }

    private int matching(byte[] all, int from) {
        int count = 0;
        while (count < key.length && from + count < all.length && all[from + count] == key[count]) {
            count++;
        }
        return count;
    }
}
