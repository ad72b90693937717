package io.maestro.web.internal;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Optional;

/** Where the links of a page lead. For one thread. */
final class PageLinks {
    private static final int LONGEST = 1000;

    private URI base;

    PageLinks(WebUrl page) {
        base = URI.create(page.toString());
    }

    /** Takes over what the page says that its links start from, if that is a link itself. */
    void base(String link) {
        resolved(link).ifPresent(found -> base = URI.create(found));
    }

    /** The URL of a link; empty when it leads to a part of the page, is no link of the web, or very long. */
    Optional<String> resolved(String link) {
        String written = link.strip();
        if (written.isEmpty() || written.startsWith("#") || written.length() > LONGEST) {
            return Optional.empty();
        }
        try {
            URI resolved = base.resolve(new URI(WebUrl.encoded(written)));
            String scheme =
                    resolved.getScheme() == null ? "" : resolved.getScheme().toLowerCase(Locale.ROOT);
            return Optional.of(resolved.toString())
                    .filter(url -> (scheme.equals("http") || scheme.equals("https")) && url.length() <= LONGEST);
        } catch (URISyntaxException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
