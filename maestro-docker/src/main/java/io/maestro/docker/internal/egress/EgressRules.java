package io.maestro.docker.internal.egress;

import io.maestro.internal.HostName;
import java.net.IDN;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Which names may be reached, and on which ports. Immutable.
 *
 * @param rules any of which is enough
 */
public record EgressRules(List<Rule> rules) {
    /** What the tools of a language fetch packages from; what they redirect to is among it. */
    private static final Map<String, List<String>> PRESETS = Map.of(
            "maven", List.of("repo.maven.apache.org", "repo1.maven.org"),
            "gradle",
                    List.of(
                            "services.gradle.org",
                            "downloads.gradle.org",
                            "plugins.gradle.org",
                            "plugins-artifacts.gradle.org",
                            "repo.maven.apache.org",
                            "repo1.maven.org"),
            "npm", List.of("*.npmjs.org"),
            "pypi", List.of("pypi.org", "files.pythonhosted.org"),
            "go", List.of("proxy.golang.org", "sum.golang.org"),
            "cargo", List.of("index.crates.io", "static.crates.io", "crates.io"));

    /** Copies. */
    public EgressRules {
        rules = List.copyOf(rules);
    }

    /**
     * One name, or all names below one.
     *
     * @param name as {@link HostName} has it
     * @param below whether it stands for the names below it and not for itself
     * @param port the only port; 0 for 443 with TLS and 80 without
     * @param mirror whether it is the host's own, whose address may be private
     */
    record Rule(String name, boolean below, int port, boolean mirror) {
        boolean allows(String host, int wanted, boolean tls) {
            boolean named = below ? host.endsWith("." + name) : host.equals(name);
            return named && (port == 0 ? wanted == (tls ? 443 : 80) : wanted == port);
        }
    }

    /**
     * Reads rules.
     *
     * @param allow names, {@code *.} and a name, both with a port or without, and presets
     * @param mirrors names, with a port or without, whose address may be private
     * @throws IllegalArgumentException when one cannot be understood; the message says which
     */
    public static EgressRules of(List<String> allow, List<String> mirrors) {
        List<Rule> rules = new ArrayList<>();
        for (String entry : allow) {
            PRESETS.getOrDefault(entry, List.of(entry)).forEach(name -> rules.add(rule(name, false)));
        }
        mirrors.forEach(entry -> rules.add(rule(entry, true)));
        return new EgressRules(rules);
    }

    private static Rule rule(String entry, boolean mirror) {
        int colon = entry.lastIndexOf(':');
        String name = colon < 0 ? entry : entry.substring(0, colon);
        boolean below = name.startsWith("*.") && !mirror;
        int port = colon < 0 ? 0 : port(entry, entry.substring(colon + 1));
        String ascii;
        try {
            ascii = IDN.toASCII(below ? name.substring(2) : name, IDN.USE_STD3_ASCII_RULES);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("'" + entry + "' holds no name of a machine: " + e.getMessage(), e);
        }
        // Whoever has no dot in his name is in the host's own network.
        return HostName.of(ascii)
                .filter(found -> mirror || found.indexOf('.') > 0)
                .map(found -> new Rule(found, below, port, mirror))
                .orElseThrow(() -> new IllegalArgumentException("'" + entry
                        + "' is neither the name of a machine, for example repo.example.org, *.example.org or"
                        + " repo.example.org:8443, nor one of " + new TreeSet<>(PRESETS.keySet())));
    }

    private static int port(String entry, String text) {
        int port = text.matches("[1-9][0-9]{0,4}") ? Integer.parseInt(text) : 0;
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException("'" + entry + "' must have a port from 1 to 65535 after the colon");
        }
        return port;
    }

    /** Whether a name may be reached on a port, with TLS or without. */
    public boolean allow(String host, int port, boolean tls) {
        return rules.stream().anyMatch(rule -> rule.allows(host, port, tls));
    }

    /** Whether the host vouches for the address that the name has. */
    boolean isMirror(String host, int port, boolean tls) {
        return rules.stream().anyMatch(rule -> rule.mirror() && rule.allows(host, port, tls));
    }
}
