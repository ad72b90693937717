package io.maestro.claude.internal.install;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.claude.internal.install.Journal.Done;
import java.net.URI;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Locale;
import java.util.UUID;

/** Fetches the native package from a registry without npm, and so without Node.js. */
final class Download {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** {@code fetch URL FILE}, with whichever program is there. */
    private static final String FETCH = """
            fetch() {
                only=; case "$1" in https:*) only='--proto =https' ;; esac
                if command -v curl >/dev/null; then curl $only -fsSL --connect-timeout 30 -o "$2" "$1"
                else wget -q -T 60 -O "$2" "$1"; fi
            }
            """;

    private static final String ABOUT = FETCH + "fetch \"$1\" -\n";

    private static final String PACKAGE = FETCH + """
            set -eu
            umask 022
            work=$1
            trap 'trap "" TERM INT HUP; rm -rf "$work"' EXIT
            trap 'exit 143' TERM INT HUP
            mkdir -p "$work"
            fetch "$2" "$work/package.tgz" &
            wait $!
            if ! command -v sha512sum >/dev/null; then echo "there is no sha512sum to verify it with"; exit 3; fi
            sum=$(sha512sum "$work/package.tgz")
            if test "${sum%% *}" != "$3"; then echo "the SHA-512 is ${sum%% *} and not $3"; exit 3; fi
            tar -xzf "$work/package.tgz" -C "$work" package/claude
            chmod 755 "$work/package/claude"
            rm -f "$4.from"
            mv -f "$work/package/claude" "$4"
            """;

    private final Sandbox sandbox;
    private final Plan plan;

    Download(Sandbox sandbox, Plan plan) {
        this.sandbox = sandbox;
        this.plan = plan;
    }

    Done<String> install(URI registry, String platform, String target) {
        String base = registry.toString().replaceAll("/+$", "");
        String about = base + "/" + NativePackage.pathName(platform) + "/" + plan.wanted();
        JsonNode dist = read(about, sandbox.require("asking " + about, ABOUT, plan.checkLimit(), about))
                .path("dist");
        String tarball = dist.path("tarball").asText();
        String scheme = tarball.replaceAll(":.*", "").toLowerCase(Locale.ROOT);
        if (!scheme.equals("https") && !(scheme.equals("http") && "http".equalsIgnoreCase(registry.getScheme()))) {
            throw new StepFailure(about + " names no package that may be fetched: \"" + tarball + "\"");
        }
        String work = target.substring(0, target.lastIndexOf('/')) + "/.download-" + UUID.randomUUID();
        boolean done = false;
        try {
            sandbox.require(
                    "fetching " + tarball,
                    PACKAGE,
                    plan.installLimit(),
                    work,
                    tarball,
                    sha512(dist.path("integrity").asText()),
                    target);
            done = true;
            return new Done<>(target, tarball + " to " + target + ", verified by its SHA-512");
        } finally {
            if (!done) {
                sandbox.cleanUp(plan.checkLimit(), work);
            }
        }
    }

    private static JsonNode read(String url, String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new StepFailure(url + " is no JSON: " + Sandbox.tail(text));
        }
    }

    /** In hexadecimal. */
    private static String sha512(String integrity) {
        for (String part : integrity.split("\\s+", -1)) {
            if (part.startsWith("sha512-")) {
                try {
                    return HexFormat.of()
                            .formatHex(
                                    Base64.getDecoder().decode(part.substring(7).replaceAll("\\?.*", "")));
                } catch (IllegalArgumentException e) {
                    throw new StepFailure("the registry's integrity is not base64: " + part);
                }
            }
        }
        throw new StepFailure("the registry names no SHA-512 of the package, so that it cannot be verified");
    }
}
