package io.maestro;

import io.maestro.web.SearchProvider;
import io.maestro.web.WebAccess;
import java.util.Objects;

/**
 * The setters for the web, which a team and an agent alone have in common. Hosts see them as the builder's own.
 *
 * @param <B> the builder
 */
abstract class WebSetters<B> {
    HostWeb web = HostWeb.NONE;

    WebSetters() {}

    abstract B self();

    /**
     * Lets agents fetch pages of the web, by the tool {@code web_fetch}. It runs on this machine, with a connection of its own and
     * without a proxy, and needs jsoup ({@code org.jsoup:jsoup}). Off by default.
     *
     * @param access what may be reached, for example {@link WebAccess#defaults()}
     * @return this
     */
    public B webFetch(WebAccess access) {
        web = web.withAccess(Objects.requireNonNull(access, "access"));
        return self();
    }

    /**
     * Lets agents search the web, by the tool {@code web_search}. Without a provider there is no such tool.
     *
     * @param provider who searches, wherever the agents' commands run and whatever they reach
     * @return this
     */
    public B webSearch(SearchProvider provider) {
        web = web.withSearch(Objects.requireNonNull(provider, "provider"));
        return self();
    }
}
