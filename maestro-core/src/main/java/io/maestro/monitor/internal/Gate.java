package io.maestro.monitor.internal;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;

/**
 * Decides which requests are answered: those whose path begins with the token, that name this server, and that no other page makes.
 * The token stands in the path, since neither a browser's list of events nor a link can send it in a header.
 */
final class Gate {
    private static final int TOKEN_BYTES = 32;

    /** Browsers leave it out. */
    private static final int HTTP = 80;

    private final byte[] token;
    private final int port;

    Gate(int port) {
        byte[] random = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(random);
        this.token = HexFormat.of().formatHex(random).getBytes(StandardCharsets.US_ASCII);
        this.port = port;
    }

    /** Where the page is; who has it may do all that the page can. */
    String url() {
        return "http://127.0.0.1:" + port + "/" + new String(token, StandardCharsets.US_ASCII) + "/";
    }

    /** What is asked for, below the token; empty when the request is not to be answered. */
    Optional<String> path(Exchange exchange) {
        String host = exchange.field("host").orElse("");
        String suffix = port == HTTP ? "" : ":" + port;
        if (!Set.of("127.0.0.1" + suffix, "localhost" + suffix).contains(host)) {
            // A name of somebody else's that leads here.
            return Optional.empty();
        }
        if (!mayCome(exchange, "origin", Set.of("http://" + host))
                || !isVisit(exchange) && !mayCome(exchange, "sec-fetch-site", Set.of("same-origin", "none"))) {
            return Optional.empty();
        }
        String path = exchange.head().path();
        int end = path.indexOf('/', 1);
        if (end < 0
                || path.charAt(0) != '/'
                || exchange.head().authority() != null
                || !MessageDigest.isEqual(token, path.substring(1, end).getBytes(StandardCharsets.UTF_8))) {
            return Optional.empty();
        }
        return Optional.of(path.substring(end + 1));
    }

    /** Somebody follows a link to the page, whoever has it: it is shown by itself, and nothing of it reaches where the link was. */
    private static boolean isVisit(Exchange exchange) {
        return exchange.head().method().equals("GET")
                && exchange.field("sec-fetch-mode").filter("navigate"::equals).isPresent()
                && exchange.field("sec-fetch-dest").filter("document"::equals).isPresent();
    }

    private static boolean mayCome(Exchange exchange, String name, Set<String> allowed) {
        return exchange.fields(name).isEmpty()
                || exchange.field(name).filter(allowed::contains).isPresent();
    }
}
