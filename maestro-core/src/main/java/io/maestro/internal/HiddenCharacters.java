package io.maestro.internal;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Knows the characters that nobody sees or that a terminal obeys: controls but newline and tab, those that turn the direction of
 * writing or have no width, fillers, selectors of variants, tags, separators of lines, and halves of pairs. Stateless. The page
 * of the monitor and the command line have the same list.
 */
public final class HiddenCharacters {
    /** Pairs of the first and the last: Unicode's Default_Ignorable_Code_Point but what is of the type FORMAT, and blank signs. */
    private static final int[] UNSEEN = {
        0x034f, 0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180b, 0x180f, 0x2065, 0x2065, 0x2800, 0x2800, 0x3164, 0x3164,
        0xfe00, 0xfe0f, 0xffa0, 0xffa0, 0xfff0, 0xfff8, 0x16fe4, 0x16fe4, 0x1d159, 0x1d159, 0xe0000, 0xe0fff
    };

    /** Asks for a coloured picture of the sign before it. */
    private static final int PICTURE = 0xfe0f;

    private HiddenCharacters() {}

    /**
     * A text with its hidden characters as codes.
     *
     * @param text of anybody
     * @return the text with LF at its line ends and for example {@code \u202e} in place of a hidden character
     */
    public static String shown(String text) {
        StringBuilder shown = new StringBuilder(text.length());
        text.replace("\r\n", "\n").codePoints().forEach(c -> append(shown, c));
        return shown.toString();
    }

    /**
     * A tree of JSON with the hidden characters of all its names and texts as codes.
     *
     * @param tree maps, lists and values
     * @return a copy
     */
    public static @Nullable Object shownIn(@Nullable Object tree) {
        if (tree instanceof String text) {
            return shown(text);
        }
        if (tree instanceof List<?> list) {
            List<@Nullable Object> copy = new ArrayList<>();
            list.forEach(value -> copy.add(shownIn(value)));
            return copy;
        }
        if (tree instanceof Map<?, ?> map) {
            Map<@Nullable Object, @Nullable Object> copy = new LinkedHashMap<>();
            map.forEach((name, value) -> copy.put(shownIn(name), shownIn(value)));
            return copy;
        }
        return tree;
    }

    /**
     * Appends a character, or its code when it is hidden. Behind a sign, U+FE0F stays: it makes an emoji of it.
     *
     * @param shown what it is appended to
     * @param c a code point
     */
    public static void append(StringBuilder shown, int c) {
        boolean emoji = c == PICTURE
                && !shown.isEmpty()
                && Character.getType(shown.codePointBefore(shown.length())) == Character.OTHER_SYMBOL;
        if (isHidden(c) && !emoji) {
            shown.append(String.format(Locale.ROOT, "\\u%04x", c));
        } else {
            shown.appendCodePoint(c);
        }
    }

    /**
     * Whether nobody sees a character.
     *
     * @param c a code point
     * @return false for newline and tab
     */
    public static boolean isHidden(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL -> c != '\n' && c != '\t';
            case Character.FORMAT, Character.SURROGATE, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> true;
            default -> isUnseen(c);
        };
    }

    private static boolean isUnseen(int c) {
        for (int i = 0; i < UNSEEN.length; i += 2) {
            if (c >= UNSEEN[i] && c <= UNSEEN[i + 1]) {
                return true;
            }
        }
        return false;
    }
}
