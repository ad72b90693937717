package io.maestro.internal;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** Names of machines, in the one form in which they are compared: ASCII, lower case, without the dot at the end. */
public final class HostName {
    private static final int LONGEST = 253;
    private static final Pattern LABEL = Pattern.compile("[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?");

    /** What some resolver takes for an address: 127.1, 0x7f000001, 017700000001, 2130706433 and so on. */
    private static final Pattern NUMBER = Pattern.compile("[0-9]+|0x[0-9a-f]*");

    private HostName() {}

    /** The name that a text is; empty when it is none, above all when it is or could be taken for an address. */
    public static Optional<String> of(String text) {
        String name = text.toLowerCase(Locale.ROOT);
        if (name.endsWith(".")) {
            name = name.substring(0, name.length() - 1);
        }
        if (name.isEmpty() || name.length() > LONGEST) {
            return Optional.empty();
        }
        String last = "";
        for (String label : name.split("\\.", -1)) {
            if (!LABEL.matcher(label).matches()) {
                return Optional.empty();
            }
            last = label;
        }
        return NUMBER.matcher(last).matches() ? Optional.empty() : Optional.of(name);
    }
}
