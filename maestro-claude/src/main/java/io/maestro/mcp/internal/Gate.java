package io.maestro.mcp.internal;

import io.maestro.wire.internal.HttpFault;
import io.maestro.wire.internal.HttpHead;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.URI;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Lets only those HTTP requests pass that show the token and call this machine by a name that is its own: a web page whose name
 * was bound anew to this address (DNS rebinding) sends its own name.
 */
final class Gate {
    private static final String SCHEME = "bearer ";

    private final Token token;
    private final Set<String> hosts = new HashSet<>();

    Gate(Token token, InetAddress address, Set<String> names) {
        this.token = token;
        names.forEach(name -> hosts.add(name.toLowerCase(Locale.ROOT)));
        hosts.add(literal(address));
        if (address.isLoopbackAddress()) {
            hosts.addAll(Set.of("localhost", "127.0.0.1", "[::1]"));
        } else {
            // What containers call the machine that they run on; no name server outside is asked for these.
            hosts.addAll(Set.of("host.docker.internal", "host.containers.internal"));
        }
    }

    private static String literal(InetAddress address) {
        String text = address.getHostAddress();
        // Without the zone of a link-local address.
        return address instanceof Inet6Address ? "[" + text.split("%", 2)[0] + "]" : text;
    }

    void check(HttpHead head) throws HttpFault {
        String host = head.field("host");
        String named = head.authority();
        if (host == null
                || !hosts.contains(withoutPort(host))
                || named != null && !hosts.contains(withoutPort(named))) {
            throw new HttpFault(
                    host == null ? 400 : 403,
                    "The request names another host than this one. A name of this machine can be added when the server is built.");
        }
        String origin = head.field("origin");
        if (origin != null && !isOwn(origin)) {
            throw new HttpFault(403, "The request comes from the page of another host.");
        }
        String shown = head.field("authorization");
        if (shown == null || !shown.toLowerCase(Locale.ROOT).startsWith(SCHEME) || !matches(shown)) {
            throw new HttpFault(
                    401, "The request must have the header field 'Authorization: Bearer' with the server's token.");
        }
    }

    private boolean matches(String shown) {
        return token.matches(shown.substring(SCHEME.length()).strip());
    }

    private boolean isOwn(String origin) {
        @Nullable String scheme;
        @Nullable String host;
        try {
            URI uri = URI.create(origin);
            scheme = uri.getScheme();
            host = uri.getHost();
        } catch (IllegalArgumentException e) {
            return false;
        }
        return host != null
                && ("http".equals(scheme) || "https".equals(scheme))
                && hosts.contains(host.toLowerCase(Locale.ROOT));
    }

    private static String withoutPort(String host) {
        return host.toLowerCase(Locale.ROOT).replaceFirst(":[0-9]{1,5}$", "");
    }
}
