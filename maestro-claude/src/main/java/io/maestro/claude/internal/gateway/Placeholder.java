package io.maestro.claude.internal.gateway;

import io.maestro.wire.internal.HttpHead;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/** What a client of one gateway has in place of a key: good for nothing but that gateway. */
final class Placeholder {
    private static final String BEARER = "bearer ";
    private final String value;

    Placeholder() {
        byte[] random = new byte[32];
        new SecureRandom().nextBytes(random);
        value = "sk-ant-maestro-" + HexFormat.of().formatHex(random);
    }

    String value() {
        return value;
    }

    /** Whether one of the ways to send a key has it. */
    boolean isIn(HttpHead head) {
        boolean found = false;
        for (String sent : head.fields().getOrDefault("x-api-key", List.of())) {
            found |= matches(sent);
        }
        for (String sent : head.fields().getOrDefault("authorization", List.of())) {
            if (sent.toLowerCase(Locale.ROOT).startsWith(BEARER)) {
                found |= matches(sent.substring(BEARER.length()));
            }
        }
        return found;
    }

    /** In a time that does not tell how much of it is right. */
    private boolean matches(String sent) {
        return MessageDigest.isEqual(
                value.getBytes(StandardCharsets.US_ASCII), sent.strip().getBytes(StandardCharsets.UTF_8));
    }

    /** Not the value. */
    @Override
    public String toString() {
        return "***";
    }
}
