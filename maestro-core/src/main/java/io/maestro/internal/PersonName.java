package io.maestro.internal;

import java.util.regex.Pattern;

/** The name of somebody who decides on something, as it stands in the record. */
public final class PersonName {
    private static final Pattern NAME = Pattern.compile("[^\\p{Cntrl}\\p{Cf}]{1,100}");

    private PersonName() {}

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
