package io.maestro.web.internal;

import io.maestro.internal.HostName;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where a page is, read so that nobody can read it in another way: the host is a name in its ASCII form, or an address in its usual
 * form, and what could be taken for an address by some other program is refused. Immutable.
 *
 * @param tls whether it is https
 * @param host a name as {@link HostName} has it, or an address without brackets
 * @param address the address that the host is; null for a name
 * @param port from 1 to 65535
 * @param target what stands in a request: path and query
 */
record WebUrl(boolean tls, String host, @Nullable InetAddress address, int port, String target) {
    static final int LONGEST = 2000;

    private static final int LONGEST_SHOWN = 200;
    private static final String NOT_IN_URLS = " \"<>^`{|}";

    /**
     * Reads a URL.
     *
     * @throws FetchException when it is none of http or https, or cannot be used; the message says why
     */
    static WebUrl of(String text) throws FetchException {
        if (text.length() > LONGEST) {
            throw new FetchException("the URL is longer than " + LONGEST + " characters");
        }
        return of(uri(text.strip()));
    }

    private static URI uri(String text) throws FetchException {
        String encoded = encoded(text);
        try {
            return new URI(encoded);
        } catch (URISyntaxException e) {
            throw new FetchException("'" + shown(encoded) + "' is no URL: " + e.getReason());
        }
    }

    private static String shown(String text) {
        return text.length() <= LONGEST_SHOWN ? text : text.substring(0, LONGEST_SHOWN) + "…";
    }

    /** With what browsers let pass, and a URL must not have, written as it should be. */
    static String encoded(String text) {
        StringBuilder encoded = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (NOT_IN_URLS.indexOf(c) >= 0) {
                encoded.append('%').append(Integer.toHexString(c).toUpperCase(Locale.ROOT));
            } else {
                encoded.append(c);
            }
        }
        return encoded.toString();
    }

    private static WebUrl of(URI uri) throws FetchException {
        String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
        String authority = uri.getRawAuthority();
        if (!scheme.equals("http") && !scheme.equals("https") || authority == null) {
            throw new FetchException("only URLs that begin with http:// or https:// can be fetched, not '"
                    + shown(uri.toString()) + "'");
        }
        if (authority.indexOf('@') >= 0) {
            throw new FetchException(
                    "a URL with a user or a password in it is not fetched: leave out what stands before the @");
        }
        int end = authority.startsWith("[") ? authority.indexOf(']') + 1 : authority.indexOf(':');
        String host = end <= 0 ? authority : authority.substring(0, end);
        boolean tls = scheme.equals("https");
        int port = port(authority.substring(host.length()), tls);
        // The usual form of a name in another script; that of a digit may be another one, too.
        String ascii = host.startsWith("[") ? "" : DomainPattern.ascii(host).orElse("");
        Optional<InetAddress> address = host.startsWith("[") ? v6(host) : AddressBlock.address(ascii);
        Optional<String> name = address.map(InetAddress::getHostAddress).or(() -> HostName.of(ascii));
        return new WebUrl(
                tls,
                name.orElseThrow(() -> new FetchException(
                        "'" + shown(host) + "' is neither the name of a host nor an address in its usual form")),
                address.orElse(null),
                port,
                target(uri));
    }

    private static Optional<InetAddress> v6(String host) {
        String inside = host.substring(1, host.length() - 1);
        return inside.indexOf(':') < 0 ? Optional.empty() : AddressBlock.address(inside);
    }

    private static int port(String text, boolean tls) throws FetchException {
        if (text.isEmpty() || text.equals(":")) {
            return tls ? 443 : 80;
        }
        if (!text.matches(":[0-9]{1,5}")) {
            throw new FetchException("'" + shown(text.substring(1)) + "' is no port");
        }
        int port = Integer.parseInt(text.substring(1));
        if (port < 1 || port > 65_535) {
            throw new FetchException("a port is from 1 to 65535, not " + port);
        }
        return port;
    }

    /** Path and query in ASCII, as a request has them. */
    private static String target(URI uri) {
        URI ascii = URI.create(uri.toASCIIString());
        String path = ascii.getRawPath();
        String query = ascii.getRawQuery();
        return (path == null || path.isEmpty() ? "/" : path) + (query == null ? "" : "?" + query);
    }

    /**
     * Where a redirect leads.
     *
     * @throws FetchException when that cannot be used, or leads from https to http
     */
    WebUrl redirected(String location) throws FetchException {
        if (location.length() > LONGEST) {
            throw new FetchException(this + " redirects to a URL that is longer than " + LONGEST + " characters");
        }
        WebUrl next;
        try {
            next = of(URI.create(toString()).resolve(uri(location.strip())));
        } catch (FetchException | IllegalArgumentException e) {
            throw new FetchException(this + " redirects to what cannot be fetched: " + e.getMessage());
        }
        if (tls && !next.tls) {
            throw new FetchException(this + " redirects to " + next + ", which is not encrypted; that is not followed");
        }
        return next;
    }

    /** The name and, where it is not the usual one, the port, as they stand in a URL and in the header Host. */
    String authority() {
        String written = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
        return port == (tls ? 443 : 80) ? written : written + ":" + port;
    }

    /** As a URL. */
    @Override
    public String toString() {
        return (tls ? "https://" : "http://") + authority() + target;
    }
}
