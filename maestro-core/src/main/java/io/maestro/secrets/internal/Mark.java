package io.maestro.secrets.internal;

/** What stands where a secret was. Nothing in it has to be escaped in JSON. */
final class Mark {
    static final String PREFIX = "[REDACTED:";

    private Mark() {}

    static String of(String rule) {
        return PREFIX + rule + "]";
    }
}
