package io.maestro.internal;

import java.text.Normalizer;
import java.util.Locale;
import java.util.regex.Pattern;

/** The name of somebody who decides on something, as it stands in the record. */
public final class PersonName {
    private static final Pattern NAME = Pattern.compile("[^\\p{Cntrl}\\p{Cf}]{1,100}");

    private static final Pattern BLANKS = Pattern.compile("[\\s\\p{Z}]+");

    private PersonName() {}

    /** Whether two names are one person's: letter case, blanks and forms of the same characters make nobody another one. */
    public static boolean isSame(String one, String other) {
        return plain(one).equals(plain(other));
    }

    private static String plain(String name) {
        String characters = Normalizer.normalize(name, Normalizer.Form.NFKC);
        return BLANKS.matcher(characters).replaceAll(" ").strip().toLowerCase(Locale.ROOT);
    }

    /**
     * Refuses what is no name.
     *
     * @param question what a message begins with
     * @throws IllegalArgumentException when it is blank, too long, or has control characters
     */
    public static void check(String question, String name) {
        if (name.isBlank() || !NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    question + " A name has 1 to 100 characters and no control characters, but is '" + name + "'");
        }
    }
}
