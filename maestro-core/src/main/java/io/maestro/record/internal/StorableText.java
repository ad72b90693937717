package io.maestro.record.internal;

/**
 * What every database can hold of a text. PostgreSQL refuses U+0000, and no UTF-8 has a surrogate without its other half:
 * the record keeps the visible U+2400 for the one and U+FFFD for the other, whatever the database.
 */
final class StorableText {
    private static final char NUL = '\u2400';
    private static final char BROKEN = '\uFFFD';

    private StorableText() {}

    static String of(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == 0 || Character.isSurrogate(c)) {
                return replaced(text, i);
            }
        }
        return text;
    }

    private static String replaced(String text, int from) {
        StringBuilder storable = new StringBuilder(text.length()).append(text, 0, from);
        for (int i = from; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == 0) {
                storable.append(NUL);
            } else if (!Character.isSurrogate(c)) {
                storable.append(c);
            } else if (i + 1 < text.length() && Character.isSurrogatePair(c, text.charAt(i + 1))) {
                storable.append(c).append(text.charAt(++i));
            } else {
                storable.append(BROKEN);
            }
        }
        return storable.toString();
    }
}
