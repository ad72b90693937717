package io.maestro.secrets.internal;

import io.maestro.secrets.CleanText;
import io.maestro.secrets.Redactor;
import java.util.Optional;

/** Scans a text for secrets where the writer can be told that it could not be done. */
public final class Scanned {
    private Scanned() {}

    /**
     * Takes secrets out of a text.
     *
     * @param redactor may fail
     * @param text any text
     * @return the text without secrets; empty when it could not be scanned and must not pass
     */
    public static Optional<String> text(Redactor redactor, String text) {
        CleanText clean = CleanText.of(redactor, text);
        String result = clean.toString();
        // A redactor that fails closed leaves nothing but its mark, which would be a message that says nothing.
        boolean unscannable = !clean.isScanned() || !result.equals(text) && result.equals(Unscannable.inPlaceOf(text));
        return unscannable ? Optional.empty() : Optional.of(result);
    }
}
