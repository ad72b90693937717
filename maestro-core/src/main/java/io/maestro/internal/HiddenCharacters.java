package io.maestro.internal;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Knows the characters that nobody sees or that a terminal obeys: controls but newline and tab, those that turn the direction of
 * writing or have no width, tags, separators of lines, and halves of pairs. Stateless.
 */
public final class HiddenCharacters {
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
     * Appends a character, or its code when it is hidden.
     *
     * @param shown what it is appended to
     * @param c a code point
     */
    public static void append(StringBuilder shown, int c) {
        if (isHidden(c)) {
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
            // Selectors of variants, 240 of them: bytes are hidden in these.
            default -> c >= 0xe0100 && c <= 0xe01ef;
        };
    }
}
