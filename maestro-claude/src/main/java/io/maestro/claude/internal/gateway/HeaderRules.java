package io.maestro.claude.internal.gateway;

import java.util.Locale;
import java.util.Set;

/** Which headers go through; no other does, so no key, no cookie and nothing that speaks to a proxy. */
final class HeaderRules {
    private static final Set<String> TO_API = Set.of(
            "accept",
            "anthropic-beta",
            "anthropic-dangerous-direct-browser-access",
            "anthropic-version",
            "content-type",
            "idempotency-key",
            "user-agent",
            "x-app",
            "x-claude-code-session-id",
            "x-client-request-id");

    private static final Set<String> TO_CLIENT =
            Set.of("cache-control", "content-type", "request-id", "retry-after", "retry-after-ms", "x-should-retry");

    private HeaderRules() {}

    static boolean goesToApi(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return TO_API.contains(lower) || lower.startsWith("x-stainless-");
    }

    static boolean goesToClient(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return TO_CLIENT.contains(lower) || lower.startsWith("anthropic-ratelimit-");
    }
}
