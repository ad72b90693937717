package io.maestro.web;

import io.maestro.web.internal.AddressBlock;
import io.maestro.web.internal.DomainPattern;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;

/**
 * What {@code web_fetch} may reach. With the {@linkplain #defaults() defaults} these are all names whose addresses are on the
 * internet, on ports 80 and 443: no address of this machine, of private networks or of a cloud's metadata service. Immutable.
 */
public final class WebAccess {
    private static final WebAccess DEFAULTS = builder().build();

    private final List<String> allowed;
    private final List<String> denied;
    private final List<Integer> ports;
    private final List<String> addresses;

    private WebAccess(Builder builder) {
        this.allowed = List.copyOf(builder.allowed);
        this.denied = List.copyOf(builder.denied);
        this.ports = builder.ports.isEmpty() ? List.of(80, 443) : List.copyOf(builder.ports);
        this.addresses = List.copyOf(builder.addresses);
    }

    /**
     * Everything on the internet, on ports 80 and 443.
     *
     * @return the defaults
     */
    public static WebAccess defaults() {
        return DEFAULTS;
    }

    /**
     * Starts from the defaults.
     *
     * @return a builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * The domains that may be fetched from.
     *
     * @return patterns; empty for all domains
     */
    public List<String> allowed() {
        return allowed;
    }

    /**
     * The domains that may not be fetched from, whatever else is allowed.
     *
     * @return patterns
     */
    public List<String> denied() {
        return denied;
    }

    /**
     * The ports that may be fetched from.
     *
     * @return in ascending order
     */
    public List<Integer> ports() {
        return ports;
    }

    /**
     * The addresses that may be fetched from beside those of the internet.
     *
     * @return addresses and blocks of addresses
     */
    public List<String> addresses() {
        return addresses;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof WebAccess that
                && allowed.equals(that.allowed)
                && denied.equals(that.denied)
                && ports.equals(that.ports)
                && addresses.equals(that.addresses);
    }

    @Override
    public int hashCode() {
        return Objects.hash(allowed, denied, ports, addresses);
    }

    /** All four lists. */
    @Override
    public String toString() {
        return "WebAccess allow " + allowed + ", deny " + denied + ", ports " + ports + ", addresses " + addresses;
    }

    /** Collects the parts of a {@link WebAccess}. Not safe for use by several threads. */
    public static final class Builder {
        private final List<String> allowed = new ArrayList<>();
        private final List<String> denied = new ArrayList<>();
        private final TreeSet<Integer> ports = new TreeSet<>();
        private final List<String> addresses = new ArrayList<>();

        private Builder() {}

        /**
         * Allows domains, and no others from the first one on. They are fetched from also where the sandbox of the agent's commands
         * has no network.
         *
         * @param patterns {@code example.org} for this name, {@code *.example.org} for all names below it, {@code *} for all
         * @return this
         * @throws IllegalArgumentException when one is something else
         */
        public Builder allow(String... patterns) {
            return add(allowed, patterns);
        }

        /**
         * Denies domains, also those that are allowed.
         *
         * @param patterns as for {@link #allow}
         * @return this
         * @throws IllegalArgumentException when one is something else
         */
        public Builder deny(String... patterns) {
            return add(denied, patterns);
        }

        private Builder add(List<String> list, String... patterns) {
            for (String pattern : patterns) {
                list.add(DomainPattern.of(pattern).toString());
            }
            return this;
        }

        /**
         * Sets the ports, in the place of 80 and 443.
         *
         * @param numbers each from 1 to 65535
         * @return this
         * @throws IllegalArgumentException when one is something else
         */
        public Builder ports(int... numbers) {
            for (int number : numbers) {
                if (number < 1 || number > 65_535) {
                    throw new IllegalArgumentException("a port is from 1 to 65535, not " + number);
                }
                ports.add(number);
            }
            return this;
        }

        /**
         * Allows addresses that are not on the internet, such as those of a wiki in the company's network. They may also stand in a
         * URL by themselves, where otherwise a name must stand. Addresses that are nobody's, link-local ones and those where a cloud
         * gives out credentials stay refused.
         *
         * @param blocks an address ({@code 10.1.2.3}, {@code fd12::1}) or a block of them ({@code 10.1.0.0/16})
         * @return this
         * @throws IllegalArgumentException when one is something else
         */
        public Builder addresses(String... blocks) {
            for (String block : blocks) {
                addresses.add(AddressBlock.of(block).toString());
            }
            return this;
        }

        /**
         * Makes the access.
         *
         * @return what may be reached
         */
        public WebAccess build() {
            return new WebAccess(this);
        }
    }
}
