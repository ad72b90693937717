package io.maestro.wire.internal;

import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The head of an HTTP/1.x request. Strict: what two readers could understand in two ways is refused.
 *
 * @param method as it came
 * @param authority the host that the request line names; null when it names none, as usual
 * @param path as it came, without the query
 * @param query null when there is none
 * @param keepsAlive whether the client may send another request
 * @param chunks whether it understands a body in chunks, and so a stream
 * @param fields by their names in lower case
 */
public record HttpHead(
        String method,
        @Nullable String authority,
        String path,
        @Nullable String query,
        boolean keepsAlive,
        boolean chunks,
        Map<String, List<String>> fields) {
    private static final String SCHEME = "http://";
    private static final int MOST_BYTES = 32 * 1024;
    private static final int MOST_FIELDS = 100;
    private static final String TOKEN_SIGNS = "!#$%&'*+-.^_`|~";

    /** Reads one, to the empty line. */
    public static HttpHead read(BoundedInput in) throws IOException, HttpFault {
        int left = MOST_BYTES;
        String[] request = line(in, left).split(" ", -1);
        if (request.length != 3 || !request[2].matches("HTTP/1\\.[01]")) {
            throw new HttpFault(400, "This is not a request of HTTP/1.1.");
        }
        Map<String, List<String>> fields = new HashMap<>();
        for (int count = 0; ; count++) {
            String line = line(in, left);
            if (line.isEmpty()) {
                break;
            }
            left -= line.length();
            if (count == MOST_FIELDS || left <= 0) {
                throw new HttpFault(431, "The request has too many header fields, or too long ones.");
            }
            int colon = line.indexOf(':');
            if (colon < 1 || !isToken(line.substring(0, colon)) || !isText(line)) {
                throw new HttpFault(400, "The request has a malformed header field.");
            }
            fields.computeIfAbsent(line.substring(0, colon).toLowerCase(Locale.ROOT), name -> new ArrayList<>())
                    .add(strip(line.substring(colon + 1)));
        }
        boolean modern = request[2].endsWith("1");
        boolean closes = fields.getOrDefault("connection", List.of()).stream()
                .anyMatch(value -> value.toLowerCase(Locale.ROOT).contains("close"));
        String target = request[1];
        String authority = null;
        if (target.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            int end = target.indexOf('/', SCHEME.length());
            authority = target.substring(SCHEME.length(), end < 0 ? target.length() : end);
            target = end < 0 ? "/" : target.substring(end);
        }
        int mark = target.indexOf('?');
        return new HttpHead(
                request[0],
                authority,
                mark < 0 ? target : target.substring(0, mark),
                mark < 0 ? null : target.substring(mark + 1),
                modern && !closes,
                modern,
                fields);
    }

    private static String line(BoundedInput in, int left) throws IOException, HttpFault {
        try {
            byte[] line = in.line(left);
            if (line == null) {
                throw new EOFException("the client went away in the middle of a request");
            }
            return new String(line, StandardCharsets.ISO_8859_1);
        } catch (BoundedInput.TooLong e) {
            throw new HttpFault(431, "The head of the request is longer than " + MOST_BYTES + " bytes.");
        }
    }

    private static boolean isToken(String name) {
        return name.chars()
                .allMatch(c -> c >= 'a' && c <= 'z'
                        || c >= 'A' && c <= 'Z'
                        || c >= '0' && c <= '9'
                        || TOKEN_SIGNS.indexOf(c) >= 0);
    }

    private static boolean isText(String line) {
        return line.chars().allMatch(c -> c >= ' ' && c != 0x7F || c == '\t');
    }

    private static String strip(String value) {
        int from = 0;
        int to = value.length();
        while (from < to && isBlank(value.charAt(from))) {
            from++;
        }
        while (to > from && isBlank(value.charAt(to - 1))) {
            to--;
        }
        return value.substring(from, to);
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }

    /** The only value of a field; null when it is missing. */
    public @Nullable String field(String name) throws HttpFault {
        List<String> values = fields.getOrDefault(name, List.of());
        if (values.size() > 1) {
            throw new HttpFault(400, "The request has the header field '" + name + "' more than once.");
        }
        return values.isEmpty() ? null : values.get(0);
    }

    /** Whether a field that lists media types has one of these, without regard to parameters. */
    public boolean lists(String name, String... types) {
        for (String value : fields.getOrDefault(name, List.of())) {
            for (String entry : value.toLowerCase(Locale.ROOT).split(",", -1)) {
                if (List.of(types).contains(entry.split(";", 2)[0].strip())) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Without header fields: one of them is the token. */
    @Override
    public String toString() {
        return method + " " + path;
    }
}
