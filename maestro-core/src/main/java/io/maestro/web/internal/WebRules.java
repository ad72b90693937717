package io.maestro.web.internal;

import io.maestro.environment.Phase;
import io.maestro.internal.Reachable;
import io.maestro.web.WebAccess;
import java.net.InetAddress;
import java.util.List;
import java.util.Set;

/** Decides what may be fetched: the one place that knows names, ports and addresses that are allowed. Immutable. */
final class WebRules {
    private static final int MOST_SHOWN = 20;

    private final List<DomainPattern> allowed;
    private final List<DomainPattern> denied;
    private final Set<Integer> ports;
    private final List<AddressBlock> addresses;
    private final Reach reach;

    WebRules(WebAccess access, Reach reach) {
        this.allowed = access.allowed().stream().map(DomainPattern::of).toList();
        this.denied = access.denied().stream().map(DomainPattern::of).toList();
        this.ports = Set.copyOf(access.ports());
        this.addresses = access.addresses().stream().map(AddressBlock::of).toList();
        this.reach = reach;
    }

    /**
     * Checks all that can be known before the name is looked up.
     *
     * @throws FetchException when the URL may not be fetched in the phase; the message says why
     */
    void check(WebUrl url, Phase phase) throws FetchException {
        String host = url.host();
        InetAddress literal = url.address();
        if (!ports.contains(url.port())) {
            throw new FetchException(
                    url + " is not fetched: port " + url.port() + " is not among those that the host allows, "
                            + ports.stream().sorted().toList());
        }
        if (literal != null && !isListed(literal)) {
            throw new FetchException(
                    url + " is not fetched: a URL must have a name, or an address that the host allows explicitly");
        }
        if (denied.stream().anyMatch(pattern -> pattern.matches(host))) {
            throw new FetchException(url + " is not fetched: the host denies this domain");
        }
        boolean named = literal != null || allowed.stream().anyMatch(pattern -> pattern.matches(host));
        if (!named && !allowed.isEmpty()) {
            throw new FetchException(url + " is not fetched: it is not among the domains that the host allows, "
                    + allowed.stream().limit(MOST_SHOWN).toList());
        }
        if (!named && !reach.mayReach(phase, host, url.port(), url.tls())) {
            throw new FetchException(url + " is not fetched: the network of the sandbox does not reach it in " + phase
                    + ", and the host does not name this domain among those to fetch from");
        }
    }

    /** Whether an address that a name has may be connected to. */
    boolean allows(InetAddress address) {
        return Reachable.isPublic(address) || isListed(address);
    }

    private boolean isListed(InetAddress address) {
        return Reachable.canBeAllowed(address) && addresses.stream().anyMatch(block -> block.contains(address));
    }
}
