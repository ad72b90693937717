package io.maestro.docker.internal;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the classic builder and podman's say about the images of the steps. */
final class IntermediateImages {
    private static final Pattern MADE = Pattern.compile("^ ?--(?:-)?> ([0-9a-f]{11,64})$");

    private IntermediateImages() {}

    /** The image of the last step, when the build has made it; not one from the cache, which may be in use elsewhere. */
    static Optional<String> lastMade(String output) {
        String last = null;
        boolean made = false;
        for (String line : output.lines().toList()) {
            String text = line.stripTrailing();
            Matcher matcher = MADE.matcher(text);
            if (text.toLowerCase(Locale.ROOT).startsWith("step ")) {
                // The base's own id follows a FROM of the classic builder.
                made = !text.contains(" FROM ");
            } else if (text.contains("Using cache")) {
                made = false;
                last = null;
            } else if (matcher.matches() && made) {
                last = matcher.group(1);
            }
        }
        return Optional.ofNullable(last);
    }
}
