package io.maestro.internal;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/** Helps with names that somebody has misspelt. */
public final class Names {
    /** Longer ones are not compared: the effort grows with the square. */
    private static final int LONGEST = 100;

    private Names() {}

    /**
     * What to say about a tool that is not there.
     *
     * @param name what was asked for
     * @param known the tools there are, in the order in which to name them
     * @return one line
     */
    public static String unknownTool(String name, Collection<String> known) {
        String there = known.isEmpty() ? "no tools are available here" : "available are: " + String.join(", ", known);
        String hint = nearest(name, known)
                .map(near -> "did you mean '" + near + "'? ")
                .orElse("");
        return "there is no tool '" + Texts.clip(name, 80) + "' here; " + hint + there;
    }

    /**
     * The name that was probably meant.
     *
     * @param name what was written
     * @param known what there is
     * @return empty when none is near enough
     */
    public static Optional<String> nearest(String name, Collection<String> known) {
        if (name.length() > LONGEST) {
            return Optional.empty();
        }
        String best = null;
        int least = 1 + (name.length() < 4 ? 1 : Math.max(2, name.length() / 3));
        for (String candidate : known) {
            int distance = candidate.length() > LONGEST ? least : distance(lower(name), lower(candidate));
            if (distance < least) {
                least = distance;
                best = candidate;
            }
        }
        return Optional.ofNullable(best);
    }

    private static String lower(String name) {
        return name.toLowerCase(Locale.ROOT).replace('-', '_');
    }

    /** Levenshtein's distance: how many characters to insert, remove or replace. */
    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replace = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replace, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[b.length()];
    }
}
