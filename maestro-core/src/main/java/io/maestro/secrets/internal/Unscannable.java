package io.maestro.secrets.internal;

/** What stands in place of a text that could not be scanned for secrets. */
public final class Unscannable {
    /** The mark. */
    public static final String MARK = "[REDACTED: could not be scanned]";

    private Unscannable() {}

    /**
     * The mark, as JSON of the same kind when the text may be JSON.
     *
     * @param text what could not be scanned
     * @return nothing of the text
     */
    public static String inPlaceOf(String text) {
        return switch (firstCharacter(text)) {
            case '{' -> "{\"redacted\":\"" + MARK + "\"}";
            case '[' -> "[\"" + MARK + "\"]";
            case '"' -> "\"" + MARK + "\"";
            default -> MARK;
        };
    }

    private static char firstCharacter(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (!Character.isWhitespace(text.charAt(i))) {
                return text.charAt(i);
            }
        }
        return ' ';
    }
}
