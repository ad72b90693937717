package io.maestro.web.internal;

import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.maestro.environment.Phase;
import io.maestro.web.WebAccess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLSocketFactory;

/** A fetcher whose names are those that a test gives it. Nothing is looked up on a network. */
final class Fetching {
    /** The addresses of a name; each look-up takes the next ones, and the last ones for ever. */
    final Map<String, List<List<String>>> names = new ConcurrentHashMap<>();

    final List<String> lookedUp = new CopyOnWriteArrayList<>();
    final List<String> connected = new CopyOnWriteArrayList<>();
    private final PageFetcher fetcher;

    Fetching(WebAccess access) {
        this(access, (phase, host, port, tls) -> true, (SSLSocketFactory) SSLSocketFactory.getDefault());
    }

    Fetching(WebAccess access, Reach reach, SSLSocketFactory tls) {
        WebRules rules = new WebRules(access, reach);
        fetcher = new PageFetcher(rules, new Connector(rules, this::resolve, LoopbackSocket::new, () -> tls));
    }

    /** Reaches nothing but this machine, whatever is wrong with what is tested. */
    private final class LoopbackSocket extends Socket {
        LoopbackSocket() {
            super(Proxy.NO_PROXY);
        }

        @Override
        public void connect(SocketAddress address, int millis) throws IOException {
            InetAddress target = ((InetSocketAddress) address).getAddress();
            connected.add(target.getHostAddress());
            if (!target.isLoopbackAddress()) {
                throw new IOException("a test does not leave this machine");
            }
            super.connect(address, millis);
        }
    }

    Fetching name(String name, String... addresses) {
        names.computeIfAbsent(name, one -> new CopyOnWriteArrayList<>()).add(List.of(addresses));
        return this;
    }

    private InetAddress[] resolve(String name) throws UnknownHostException {
        lookedUp.add(name);
        List<List<String>> answers = names.getOrDefault(name, List.of());
        if (answers.isEmpty()) {
            throw new UnknownHostException(name);
        }
        List<String> answer = answers.size() > 1 ? answers.remove(0) : answers.get(0);
        InetAddress[] addresses = new InetAddress[answer.size()];
        for (int i = 0; i < addresses.length; i++) {
            addresses[i] = InetAddress.getByName(answer.get(i));
        }
        return addresses;
    }

    WebPage fetch(String url) throws FetchException, InterruptedException {
        return fetch(url, Duration.ofSeconds(30));
    }

    WebPage fetch(String url, Duration limit) throws FetchException, InterruptedException {
        return fetcher.fetch(url, Phase.CODING, limit);
    }

    /** Why it is not fetched; null when it is. */
    String refusal(String url) {
        FetchException refused = catchThrowableOfType(FetchException.class, () -> fetch(url));
        return refused == null ? null : refused.getMessage();
    }
}
