package io.maestro.docker.internal.egress;

import io.maestro.internal.HostName;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a client asks a proxy for, read so strictly that no other program can read it in another way. Immutable.
 *
 * @param tunnel whether a connection is asked for, over which TLS goes
 * @param host as {@link HostName} has it
 * @param port from 1 to 65535
 * @param forwarded what is sent to the server before anything else, in ISO 8859-1; empty for a tunnel
 */
record RequestHead(boolean tunnel, String host, int port, String forwarded) {
    static final int MOST = 16 * 1024;
    private static final int MOST_FIELDS = 100;

    private static final Pattern REQUEST = Pattern.compile("([A-Z]{1,16}) ([!-~]{1,8192}) HTTP/1\\.[01]");
    private static final Pattern FIELD = Pattern.compile("([!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}):([ -~\\t]*)");
    private static final Pattern AUTHORITY = Pattern.compile("([^:@/?#\\[\\]]{1,300})(?::([1-9][0-9]{0,4}))?");
    private static final Pattern ABSOLUTE = Pattern.compile("(?i:http)://([^/?#]{1,310})([/?][^#]*)?");

    /** What concerns this connection only, and what must not be said of a request without a body. */
    private static final Set<String> NOT_FORWARDED = Set.of(
            "host",
            "connection",
            "proxy-connection",
            "proxy-authorization",
            "proxy-authenticate",
            "keep-alive",
            "te",
            "trailer",
            "upgrade",
            "expect",
            "http2-settings",
            "content-length");

    private record Field(String name, String value) {}

    /** Reads a head without the empty line at its end. */
    static RequestHead of(byte[] bytes) throws EgressRefusedException {
        for (byte one : bytes) {
            if (one < 0x20 && one != '\r' && one != '\n' && one != '\t' || one == 0x7f) {
                throw new EgressRefusedException("the request has bytes that no request has");
            }
        }
        String[] lines = new String(bytes, StandardCharsets.ISO_8859_1).split("\r\n", -1);
        Matcher request = REQUEST.matcher(lines[0]);
        if (!request.matches()) {
            throw new EgressRefusedException("the first line is no request for a proxy");
        }
        List<Field> fields = fields(lines);
        boolean tunnel = request.group(1).equals("CONNECT");
        String authority = request.group(2);
        String path = "";
        if (!tunnel) {
            if (!Set.of("GET", "HEAD").contains(request.group(1))) {
                throw new EgressRefusedException("without TLS only GET and HEAD are carried");
            }
            Matcher absolute = ABSOLUTE.matcher(request.group(2));
            if (!absolute.matches()) {
                throw new EgressRefusedException("the target must begin with http:// and a name");
            }
            authority = absolute.group(1);
            path = Optional.ofNullable(absolute.group(2)).orElse("/");
        }
        Matcher target = authority(authority);
        String host = host(target);
        int port = port(target, tunnel ? -1 : 80);
        requireConsistent(fields, host, port, tunnel);
        return new RequestHead(
                tunnel, host, port, tunnel ? "" : forwarded(request.group(1), path, authority(host, port), fields));
    }

    private static List<Field> fields(String[] lines) throws EgressRefusedException {
        List<Field> fields = new ArrayList<>();
        for (int i = 1; i < lines.length; i++) {
            Matcher field = FIELD.matcher(lines[i]);
            if (!field.matches() || fields.size() == MOST_FIELDS) {
                throw new EgressRefusedException("line " + (i + 1) + " of the request is no field, or one too many");
            }
            fields.add(new Field(
                    field.group(1).toLowerCase(Locale.ROOT), field.group(2).strip()));
        }
        return fields;
    }

    private static Matcher authority(String text) throws EgressRefusedException {
        Matcher authority = AUTHORITY.matcher(text);
        if (!authority.matches()) {
            throw new EgressRefusedException("the target is not a name, or a name and a port");
        }
        return authority;
    }

    private static String host(Matcher authority) throws EgressRefusedException {
        return HostName.of(authority.group(1))
                .orElseThrow(() ->
                        new EgressRefusedException("the target is no name of a machine; addresses are not carried"));
    }

    private static int port(Matcher authority, int unless) throws EgressRefusedException {
        int port = authority.group(2) == null ? unless : Integer.parseInt(authority.group(2));
        if (port < 1 || port > 65_535) {
            throw new EgressRefusedException("the target has no port from 1 to 65535");
        }
        return port;
    }

    private static void requireConsistent(List<Field> fields, String host, int port, boolean tunnel)
            throws EgressRefusedException {
        boolean named = false;
        for (Field field : fields) {
            if (field.name().equals("transfer-encoding")
                    || field.name().equals("content-length") && !field.value().equals("0")) {
                throw new EgressRefusedException("requests with a body are not carried");
            }
            if (field.name().equals("host")) {
                Matcher own = authority(field.value());
                // Some leave the port out, in both forms.
                if (named || !host(own).equals(host) || port(own, port) != port) {
                    throw new EgressRefusedException("the field Host says something else than the target");
                }
                named = true;
            }
        }
        if (tunnel && fields.stream().anyMatch(field -> field.name().equals("upgrade"))) {
            throw new EgressRefusedException("a tunnel is not upgraded");
        }
    }

    private static String authority(String host, int port) {
        return port == 80 ? host : host + ":" + port;
    }

    private static String forwarded(String method, String path, String authority, List<Field> fields) {
        Set<String> dropped = new HashSet<>(NOT_FORWARDED);
        fields.stream()
                .filter(field -> field.name().equals("connection"))
                .flatMap(field -> List.of(field.value().toLowerCase(Locale.ROOT).split("[, \t]+", -1)).stream())
                .forEach(dropped::add);
        StringBuilder head =
                new StringBuilder(method + " " + (path.startsWith("?") ? "/" : "") + path + " HTTP/1.1\r\n");
        head.append("host: ").append(authority).append("\r\nconnection: close\r\n");
        for (Field field : fields) {
            if (!dropped.contains(field.name())) {
                head.append(field.name()).append(": ").append(field.value()).append("\r\n");
            }
        }
        return head.append("\r\n").toString();
    }
}
