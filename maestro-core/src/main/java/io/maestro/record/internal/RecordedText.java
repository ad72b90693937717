package io.maestro.record.internal;

import io.maestro.secrets.Redactor;
import java.util.regex.Pattern;

/**
 * Compares a text with what the record holds of it: there it has lost its secrets, and the characters that no database can
 * hold. No digest of the whole text is kept for that, since a secret with few possible values could be found by trying them.
 */
public final class RecordedText {
    private static final Pattern MARK = Pattern.compile("\\[REDACTED:[^\\]]*]");

    private RecordedText() {}

    /**
     * Tells whether a text is the one that was recorded. Both are looked at by the rules of today: those of then may have known
     * fewer secrets, or have called them by another name.
     *
     * @param recorded what the record holds
     * @param text any text
     * @param redactor takes secrets out
     * @return whether they differ in secrets alone
     */
    public static boolean isSame(String recorded, String text, Redactor redactor) {
        return comparable(recorded, redactor).equals(comparable(text, redactor));
    }

    private static String comparable(String text, Redactor redactor) {
        return MARK.matcher(redactor.redact(StorableText.of(text))).replaceAll("[REDACTED]");
    }
}
