package io.maestro.secrets.internal;

import java.util.Set;
import java.util.regex.Pattern;

/**
 * Tells a find that is a secret for certain, a token of a well-known form or a known value, from one that may be something else.
 * The first kind gives a mark its name, and must not be committed.
 */
public final class TokenForm {
    /** The name in the mark of a value that is known. */
    public static final String KNOWN = KnownSecret.NAME;

    /** Rules that look at the names around a value, or whose form other things have, too. */
    private static final Set<String> UNCERTAIN = Set.of(
            "password",
            "secret",
            "token",
            "vendor-key",
            EncodedSecrets.NAME,
            "session-cookie",
            "command-password",
            "pgpass-password",
            "jwk",
            "wireguard-key",
            "rsa-key-value",
            "jwt",
            "url-password",
            "authorization",
            "bearer-token",
            "api-key-header",
            "netrc-password",
            "curl-password",
            "docker-auth",
            "npmrc-auth",
            "azure-sas",
            "mailgun-key");

    /** A class of CSS may begin with {@code sk-}, too. */
    private static final Pattern MADE_BY_A_MACHINE = Pattern.compile("[A-Za-z0-9]{16,}");

    /** Such a value of a variable of the host, {@code postgres} for example, stands in many files. */
    private static final Pattern WORD = Pattern.compile("[A-Za-z]{1,11}");

    private TokenForm() {}

    /**
     * Whether a find is a secret for certain.
     *
     * @param rule the name of the rule that found it, as in the mark
     * @param value the text that was found
     */
    public static boolean isCertain(String rule, String value) {
        return switch (rule) {
            case KnownSecret.NAME -> !WORD.matcher(value).matches();
            case "openai-key" -> MADE_BY_A_MACHINE.matcher(value).find();
            default -> !UNCERTAIN.contains(rule);
        };
    }
}
