package io.maestro.web.internal;

import io.maestro.internal.HostName;
import java.net.IDN;
import java.util.Optional;

/**
 * A name, all names below one, or all names.
 *
 * @param name as {@link HostName} has it; empty for all names
 * @param below whether it stands for the names below it and not for itself
 */
public record DomainPattern(String name, boolean below) {
    private static final String BELOW = "*.";

    /**
     * Reads a pattern.
     *
     * @param pattern {@code example.org}, {@code *.example.org} or {@code *}
     * @throws IllegalArgumentException when it is something else
     */
    public static DomainPattern of(String pattern) {
        if (pattern.equals("*")) {
            return new DomainPattern("", true);
        }
        boolean below = pattern.startsWith(BELOW);
        return ascii(below ? pattern.substring(BELOW.length()) : pattern)
                .flatMap(HostName::of)
                .map(name -> new DomainPattern(name, below))
                .orElseThrow(
                        () -> new IllegalArgumentException(
                                "'" + pattern
                                        + "' is no pattern for domains: write example.org, *.example.org for all names below it, or *"));
    }

    /** A name of any script in the form that it is looked up in; empty when it has none. */
    static Optional<String> ascii(String name) {
        try {
            return Optional.of(IDN.toASCII(name));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    boolean matches(String host) {
        return name.isEmpty() || (below ? host.endsWith("." + name) : host.equals(name));
    }

    /** As it is written. */
    @Override
    public String toString() {
        return name.isEmpty() ? "*" : (below ? BELOW : "") + name;
    }
}
