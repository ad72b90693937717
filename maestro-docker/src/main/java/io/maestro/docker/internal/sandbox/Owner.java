package io.maestro.docker.internal.sandbox;

import io.maestro.docker.internal.workspace.TarWriter;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A user and a group of a container, by their numbers.
 *
 * @param uid of the user
 * @param gid of the group
 */
record Owner(int uid, int gid) {
    static final Owner ROOT = new Owner(0, 0);

    private static final Pattern NUMBERS = Pattern.compile("([0-9]{1,7}):([0-9]{1,7})");

    /**
     * Reads an owner.
     *
     * @throws IllegalArgumentException when it is not {@code uid:gid}, or a number has no room in an archive
     */
    static Owner of(String text) {
        Matcher matcher = NUMBERS.matcher(text);
        if (matcher.matches()) {
            Owner owner = new Owner(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)));
            if (owner.uid <= TarWriter.MAX_ID && owner.gid <= TarWriter.MAX_ID) {
                return owner;
            }
        }
        throw new IllegalArgumentException(
                "an owner must be uid:gid in numbers of at most " + TarWriter.MAX_ID + ", is '" + text + "'");
    }

    @Override
    public String toString() {
        return uid + ":" + gid;
    }
}
