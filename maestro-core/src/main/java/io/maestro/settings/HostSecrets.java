package io.maestro.settings;

import io.maestro.mcpclient.McpSource;
import io.maestro.secrets.SecretRedactor;
import io.maestro.secrets.internal.SecretVariable;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** The secrets that a host has without naming them: in its environment, and in the URL of its repository. */
public final class HostSecrets {
    /** Shorter values of variables are switches such as {@code true}, or would be found everywhere. */
    private static final int SHORTEST_VALUE = 8;

    /** What a redactor takes. */
    private static final int SHORTEST_SECRET = 6;

    /** A user name that long is a token: {@code https://TOKEN@host/}. */
    private static final int SHORTEST_USER = 20;

    private HostSecrets() {}

    /**
     * Refuses a secret that would be found everywhere, as the redactor does; the host can see which call is wrong.
     *
     * @param value a secret
     * @return it
     * @throws IllegalArgumentException when it is too short
     */
    public static String require(String value) {
        if (value.strip().length() < SHORTEST_SECRET) {
            throw new IllegalArgumentException("a secret of fewer than " + SHORTEST_SECRET
                    + " characters would be found everywhere; name a longer one");
        }
        return value;
    }

    /**
     * Tells a redactor the named secrets and the unnamed ones.
     *
     * @param redactor is told
     * @param named the secrets that the host has named
     * @param repositoryUrl may hold a user and a password; empty for none
     * @param environment the variables of the host
     * @return the redactor
     */
    public static SecretRedactor tell(
            SecretRedactor redactor, List<String> named, String repositoryUrl, Map<String, String> environment) {
        named.forEach(redactor::addSecret);
        environment.forEach((name, value) -> {
            if (!value.isBlank() && SecretVariable.is(name, value)) {
                add(redactor, value, SHORTEST_VALUE);
            }
        });
        int scheme = repositoryUrl.indexOf("://");
        if (scheme >= 0) {
            String authority = repositoryUrl.substring(scheme + 3).split("/", 2)[0];
            int at = authority.lastIndexOf('@');
            String[] userInfo = authority.substring(0, Math.max(0, at)).split(":", 2);
            addUrlPart(redactor, userInfo[0], SHORTEST_USER);
            if (userInfo.length == 2) {
                addUrlPart(redactor, userInfo[1], SHORTEST_SECRET);
            }
        }
        return redactor;
    }

    /** Tells a redactor what a part of the host has been given. */
    static void tell(SecretRedactor redactor, List<String> secrets) {
        secrets.forEach(secret -> add(redactor, secret, SHORTEST_SECRET));
    }

    /**
     * Tells a redactor what is sent to MCP servers: a whole header, and the token in it without {@code Bearer} and the like.
     *
     * @param redactor is told
     * @param sources the servers
     */
    public static void tellHeaders(SecretRedactor redactor, List<McpSource> sources) {
        sources.forEach(source -> source.headers().values().forEach(value -> {
            add(redactor, value, SHORTEST_VALUE);
            add(redactor, value.substring(value.lastIndexOf(' ') + 1), SHORTEST_VALUE);
        }));
    }

    /** As it stands in the URL, and as git sends it. */
    private static void addUrlPart(SecretRedactor redactor, String part, int shortest) {
        add(redactor, part, shortest);
        try {
            add(redactor, URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8), shortest);
        } catch (IllegalArgumentException e) {
            // A percent sign that encodes nothing: then it means itself.
        }
    }

    private static void add(SecretRedactor redactor, String value, int shortest) {
        if (value.strip().length() >= shortest) {
            redactor.addSecret(value);
        }
    }
}
