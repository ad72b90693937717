package io.maestro.config.internal;

import io.maestro.error.MaestroException;
import io.maestro.web.WebAccess;
import java.math.BigDecimal;
import java.util.Optional;

/** Reads what agents may fetch from the web. */
public final class ConfiguredWeb {
    private ConfiguredWeb() {}

    /**
     * What they may fetch; empty unless it is switched on.
     *
     * @throws MaestroException when a domain or an address is none
     */
    public static Optional<WebAccess> of(Config config) {
        WebAccess.Builder access = WebAccess.builder();
        read("allow", () -> access.allow(strings(config, "allow")));
        read("deny", () -> access.deny(strings(config, "deny")));
        read(
                "ports",
                () -> access.ports(config.texts("web.ports").stream()
                        .mapToInt(port -> new BigDecimal(port).intValueExact())
                        .toArray()));
        read("addresses", () -> access.addresses(strings(config, "addresses")));
        return config.flag("web.fetch").filter(on -> on).map(on -> access.build());
    }

    private static String[] strings(Config config, String name) {
        return config.texts("web." + name).toArray(String[]::new);
    }

    private static void read(String name, Runnable reading) {
        try {
            reading.run();
        } catch (IllegalArgumentException e) {
            throw new MaestroException("$.web." + name + ": " + e.getMessage(), e);
        }
    }
}
