package io.maestro.secrets.internal;

import io.maestro.secrets.Redactor;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Scans a text for secrets where the writer can be told that it could not be done. */
public final class Scanned {
    private static final Logger LOG = LoggerFactory.getLogger(Scanned.class);

    private Scanned() {}

    /**
     * Takes secrets out of a text.
     *
     * @param redactor may fail
     * @param text any text
     * @return the text without secrets; empty when it could not be scanned and must not pass
     */
    @SuppressWarnings("ConstantValue") // a host's redactor may return null whatever it promises
    public static Optional<String> text(Redactor redactor, String text) {
        String clean;
        try {
            clean = redactor.redact(text);
        } catch (RuntimeException | StackOverflowError e) {
            // Not its message: it may quote the text.
            LOG.warn(
                    "A redactor failed with {}; the text does not pass",
                    e.getClass().getName());
            return Optional.empty();
        }
        // A redactor that fails closed leaves nothing but its mark, which would be a message that says nothing.
        boolean unscannable = clean == null || !clean.equals(text) && clean.equals(Unscannable.inPlaceOf(text));
        return unscannable ? Optional.empty() : Optional.of(clean);
    }
}
