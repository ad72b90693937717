package io.maestro.mcp.internal;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;

/** What a client must show. Its value stands in no log and in no text of this object. */
final class Token {
    private static final int BYTES = 32;

    /** Longer than any token. */
    static final int MOST_CHARACTERS = 256;

    private final String value;

    private Token(String value) {
        this.value = value;
    }

    static Token random() {
        byte[] bytes = new byte[BYTES];
        new SecureRandom().nextBytes(bytes);
        return new Token(Base64.getUrlEncoder().withoutPadding().encodeToString(bytes));
    }

    String value() {
        return value;
    }

    /** Takes the same time for each wrong token of the right length. */
    boolean matches(String shown) {
        return MessageDigest.isEqual(value.getBytes(StandardCharsets.UTF_8), shown.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String toString() {
        return "Token";
    }
}
