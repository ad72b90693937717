package io.maestro.runtime.internal;

import io.maestro.internal.Names;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Names of tools as a policy has them, with {@code *} for any characters. Immutable.
 *
 * @param patterns the names
 */
record ToolNames(List<String> patterns) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_*-]+");

    /** A program's own tools have two underscores behind its name; which there are only the program knows. */
    private static final String OWN = "__";

    ToolNames {
        patterns = List.copyOf(patterns);
        for (String name : patterns) {
            if (!NAME.matcher(name).matches()) {
                throw new IllegalArgumentException(
                        "not a tool's name: '" + name + "'; use letters, digits, '_' and '-', and '*' for any of them");
            }
        }
    }

    boolean match(String tool) {
        return patterns.stream().anyMatch(pattern -> matches(pattern, tool));
    }

    /** In time that is linear for each star, whatever the names are. */
    static boolean matches(String pattern, String text) {
        int star = pattern.indexOf('*');
        if (star < 0) {
            return pattern.equals(text);
        }
        String[] parts = pattern.split("\\*", -1);
        String last = parts[parts.length - 1];
        if (!text.startsWith(parts[0])) {
            return false;
        }
        int at = parts[0].length();
        for (int i = 1; i < parts.length - 1; i++) {
            int found = text.indexOf(parts[i], at);
            if (found < 0) {
                return false;
            }
            at = found + parts[i].length();
        }
        return text.length() - last.length() >= at && text.endsWith(last);
    }

    /** What to say of names that no tool has. */
    List<String> unknown(Collection<String> tools) {
        return patterns.stream()
                .filter(name -> !name.contains("*") && !name.contains(OWN) && !tools.contains(name))
                .distinct()
                .map(name -> Names.unknownTool(name, tools))
                .toList();
    }
}
