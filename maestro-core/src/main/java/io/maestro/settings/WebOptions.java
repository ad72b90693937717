package io.maestro.settings;

import io.maestro.config.internal.Config;
import io.maestro.config.internal.Setting;
import io.maestro.config.internal.SettingGroup;
import io.maestro.config.internal.SettingValues;
import io.maestro.error.MaestroException;
import io.maestro.web.SearchProvider;
import io.maestro.web.WebAccess;
import java.math.BigDecimal;
import java.util.Objects;
import java.util.Optional;

/** What agents may look up on the web. Immutable: each setter returns changed options. */
public final class WebOptions {
    private static final SettingGroup GROUP = new SettingGroup();
    private static final Setting<WebAccess> FETCH = GROUP.value("web", null, (file, key) -> access(file));
    private static final Setting<SearchProvider> SEARCH = GROUP.inCode(null);

    private static final WebOptions DEFAULTS = new WebOptions(GROUP.none());

    private final SettingValues values;

    private WebOptions(SettingValues values) {
        this.values = values;
    }

    /**
     * The options where nothing is set: agents reach nothing.
     *
     * @return see each method
     */
    public static WebOptions defaults() {
        return DEFAULTS;
    }

    WebOptions under(Config file) {
        return new WebOptions(values.under(file));
    }

    /** Empty unless it is switched on. */
    private static Optional<WebAccess> access(Config file) {
        WebAccess.Builder access = WebAccess.builder();
        read("allow", () -> access.allow(strings(file, "allow")));
        read("deny", () -> access.deny(strings(file, "deny")));
        read(
                "ports",
                () -> access.ports(file.texts("web.ports").stream()
                        .mapToInt(port -> new BigDecimal(port).intValueExact())
                        .toArray()));
        read("addresses", () -> access.addresses(strings(file, "addresses")));
        return file.flag("web.fetch").filter(on -> on).map(on -> access.build());
    }

    private static String[] strings(Config file, String name) {
        return file.texts("web." + name).toArray(String[]::new);
    }

    private static void read(String name, Runnable reading) {
        try {
            reading.run();
        } catch (IllegalArgumentException e) {
            throw new MaestroException("$.web." + name + ": " + e.getMessage(), e);
        }
    }

    /**
     * Lets agents fetch pages of the web, by the tool {@code web_fetch}. It runs on this machine, with a connection of its own and
     * without a proxy, and needs jsoup ({@code org.jsoup:jsoup}).
     *
     * @param access what may be reached, for example {@link WebAccess#defaults()}
     * @return changed options
     */
    public WebOptions fetch(WebAccess access) {
        return new WebOptions(values.with(FETCH, Objects.requireNonNull(access, "access")));
    }

    /**
     * What agents may fetch.
     *
     * @return empty unless set: there is no tool {@code web_fetch}
     */
    public Optional<WebAccess> fetch() {
        return values.find(FETCH);
    }

    /**
     * Lets agents search the web, by the tool {@code web_search}.
     *
     * @param provider who searches, wherever the agents' commands run and whatever they reach
     * @return changed options
     */
    public WebOptions search(SearchProvider provider) {
        return new WebOptions(values.with(SEARCH, Objects.requireNonNull(provider, "provider")));
    }

    /**
     * Who searches.
     *
     * @return empty unless set: there is no tool {@code web_search}
     */
    public Optional<SearchProvider> search() {
        return values.find(SEARCH);
    }
}
