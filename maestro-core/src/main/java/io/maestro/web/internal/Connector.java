package io.maestro.web.internal;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * Opens connections, and is the only one to do so. The JDK's HTTP clients look a name up by themselves when they connect, so that
 * what was checked before may not be what they reach. Here a socket is connected to an address that was checked, and TLS is laid over
 * it in the name of the host: its certificate must be for that name. No proxy is used, since it would look the name up itself.
 */
final class Connector {
    private static final int CONNECT_MILLIS = 10_000;
    private static final int MOST_ADDRESSES = 3;

    private final WebRules rules;
    private final Resolver resolver;
    private final Supplier<Socket> sockets;
    private final Supplier<SSLSocketFactory> tls;

    /** Looks names up. */
    interface Resolver {
        InetAddress[] resolve(String name) throws UnknownHostException;
    }

    /** As it is outside of tests, which look nothing up and reach nothing but this machine. */
    static Connector real(WebRules rules) {
        return new Connector(rules, InetAddress::getAllByName, () -> new Socket(Proxy.NO_PROXY), () ->
                (SSLSocketFactory) SSLSocketFactory.getDefault());
    }

    Connector(WebRules rules, Resolver resolver, Supplier<Socket> sockets, Supplier<SSLSocketFactory> tls) {
        this.rules = rules;
        this.resolver = resolver;
        this.sockets = sockets;
        this.tls = tls;
    }

    /**
     * Connects to the server of a URL.
     *
     * @throws FetchException when one of its addresses may not be reached
     * @throws IOException when it cannot be reached
     */
    Socket open(WebUrl url, FetchWatch watch) throws FetchException, IOException {
        IOException failure = new IOException(url.host() + " has no address");
        for (InetAddress address : addresses(url)) {
            try {
                return url.tls() ? secured(connected(address, url, watch), url) : connected(address, url, watch);
            } catch (SSLException e) {
                throw new IOException("no TLS with " + url.authority() + ": " + e.getMessage(), e);
            } catch (IOException e) {
                failure = new IOException("no connection to " + url.authority() + ": " + e.getMessage(), e);
            }
        }
        throw failure;
    }

    private List<InetAddress> addresses(WebUrl url) throws FetchException {
        InetAddress literal = url.address();
        List<InetAddress> found;
        try {
            found = literal != null ? List.of(literal) : Arrays.asList(resolver.resolve(url.host()));
        } catch (UnknownHostException e) {
            throw new FetchException("the name " + url.host() + " is not known");
        }
        // All of them: of a mixture another one would be taken the next time.
        for (InetAddress address : found) {
            requireAllowed(url, address);
        }
        return found.stream().limit(MOST_ADDRESSES).toList();
    }

    /** Says nothing about the address: that would be a way to ask for names of the host's network. */
    private void requireAllowed(WebUrl url, InetAddress address) throws FetchException {
        if (!rules.allows(address)) {
            throw new FetchException(
                    url + " is not fetched: " + url.host() + " has an address that is not on the internet");
        }
    }

    private Socket connected(InetAddress address, WebUrl url, FetchWatch watch) throws FetchException, IOException {
        Socket socket = sockets.get();
        boolean good = false;
        try {
            watch.opened(socket);
            socket.connect(new InetSocketAddress(address, url.port()), CONNECT_MILLIS);
            requireAllowed(url, socket.getInetAddress());
            good = true;
            return socket;
        } finally {
            if (!good) {
                socket.close();
            }
        }
    }

    private Socket secured(Socket socket, WebUrl url) throws IOException {
        boolean good = false;
        try {
            SSLSocket secured = (SSLSocket) tls.get().createSocket(socket, url.host(), url.port(), true);
            SSLParameters parameters = secured.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            secured.setSSLParameters(parameters);
            secured.startHandshake();
            good = true;
            return secured;
        } finally {
            if (!good) {
                socket.close();
            }
        }
    }
}
