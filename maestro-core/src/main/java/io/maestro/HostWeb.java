package io.maestro;

import io.maestro.builtin.internal.BuiltinTools;
import io.maestro.config.internal.Config;
import io.maestro.config.internal.ConfiguredWeb;
import io.maestro.environment.Environments;
import io.maestro.tools.ToolFactory;
import io.maestro.web.SearchProvider;
import io.maestro.web.WebAccess;
import io.maestro.web.internal.PageFetcher;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What agents may look up on the web. Immutable.
 *
 * @param access what they may fetch; null for nothing
 * @param search who searches for them; null for nobody
 */
record HostWeb(@Nullable WebAccess access, @Nullable SearchProvider search) {
    static final HostWeb NONE = new HostWeb(null, null);

    HostWeb withAccess(WebAccess given) {
        return new HostWeb(given, search);
    }

    HostWeb withSearch(SearchProvider given) {
        return new HostWeb(access, given);
    }

    /** What is set in code wins over the file. */
    HostWeb or(Config config) {
        return access != null ? this : new HostWeb(ConfiguredWeb.of(config).orElse(null), search);
    }

    /** The tools for it; refuses to make any that cannot work. */
    List<ToolFactory> tools() {
        if (access != null) {
            PageFetcher.requireLibrary();
        }
        return BuiltinTools.web(access != null, search);
    }

    /** Adds what these tools use. */
    void serve(Map<Class<?>, Object> services, Environments opened) {
        if (access != null) {
            services.put(PageFetcher.class, PageFetcher.of(access, opened::mayReach));
        }
    }
}
