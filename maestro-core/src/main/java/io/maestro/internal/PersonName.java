package io.maestro.internal;

import java.text.Normalizer;
import java.util.Locale;
import java.util.regex.Pattern;

/** The name of somebody who decides on something, as it stands in the record. */
public final class PersonName {
    private static final int LONGEST = 100;

    private static final Pattern BLANKS = Pattern.compile("[\\s\\p{Z}]+");

    private static final Pattern MENTION = Pattern.compile("^[@ ]+");

    /** The lower case of İ. */
    private static final String DOTTED_I = "i\u0307";

    private PersonName() {}

    /**
     * Whether two names are one person's: letter case, blanks, an @ before it, what nobody sees, and forms of the same characters
     * make nobody another one.
     */
    public static boolean isSame(String one, String other) {
        return plain(one).equals(plain(other));
    }

    private static String plain(String name) {
        StringBuilder seen = new StringBuilder();
        name.codePoints().filter(c -> !HiddenCharacters.isHidden(c)).forEach(seen::appendCodePoint);
        String characters = Normalizer.normalize(seen, Normalizer.Form.NFKC);
        String words = BLANKS.matcher(characters).replaceAll(" ").strip();
        // By way of the upper case, in which ß is SS, and ı is I; the lower case before makes ß of ẞ.
        String folded = MENTION.matcher(words)
                .replaceFirst("")
                .toLowerCase(Locale.ROOT)
                .toUpperCase(Locale.ROOT)
                .toLowerCase(Locale.ROOT)
                .replace(DOTTED_I, "i");
        return Normalizer.normalize(folded, Normalizer.Form.NFKC);
    }

    /**
     * Refuses what is no name.
     *
     * @param question what a message begins with
     * @throws IllegalArgumentException when it is blank, too long, or has characters that nobody sees
     */
    public static void check(String question, String name) {
        boolean hidden = name.codePoints().anyMatch(c -> c == '\n' || c == '\t' || HiddenCharacters.isHidden(c));
        if (hidden || name.length() > LONGEST || plain(name).isEmpty()) {
            throw new IllegalArgumentException(question + " A name has 1 to " + LONGEST
                    + " characters, and none of them is invisible, but this one is '" + HiddenCharacters.shown(name)
                    + "'");
        }
    }
}
