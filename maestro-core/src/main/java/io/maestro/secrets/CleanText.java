package io.maestro.secrets;

import io.maestro.secrets.internal.Unscannable;
import java.util.Collection;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A text that a redactor has scanned. It is not scanned again unless the redactor {@linkplain Redactor#version knows more secrets}
 * by then. A part of it, or two of them joined, is plain text. Immutable.
 */
public final class CleanText {
    private static final Logger LOG = LoggerFactory.getLogger(CleanText.class);

    private final String text;
    private final Redactor redactor;
    private final Object version;
    private final boolean scanned;

    private CleanText(String text, Redactor redactor, Object version, boolean scanned) {
        this.text = text;
        this.redactor = redactor;
        this.version = version;
        this.scanned = scanned;
    }

    /**
     * Takes the secrets out of a text.
     *
     * @param redactor may fail: nothing of the text passes then
     * @param text any text
     * @return the text without secrets, or a mark in the place of one that could not be scanned
     */
    public static CleanText of(Redactor redactor, String text) {
        try {
            // Before the scan: what the redactor learns meanwhile counts as not looked for.
            Object version = Objects.requireNonNull(redactor.version(), "the redactor has no version");
            String clean = Objects.requireNonNull(redactor.redact(text), "the redactor returned null");
            return new CleanText(clean, redactor, version, true);
        } catch (RuntimeException | StackOverflowError e) {
            // Not its message: it may quote the text.
            LOG.warn(
                    "A text was withheld, the redactor failed with {}",
                    e.getClass().getName());
            return new CleanText(Unscannable.inPlaceOf(text), redactor, text, false);
        }
    }

    /**
     * Takes the secrets out of a text that may be one of those that are clean.
     *
     * @param redactor see {@link #of(Redactor, String)}
     * @param text any text
     * @param known may hold it
     * @return one of them, or the text without secrets
     */
    public static CleanText of(Redactor redactor, String text, Collection<CleanText> known) {
        return known.stream()
                .filter(each -> each.text.equals(text) && each.isCurrent(redactor))
                .findFirst()
                .orElseGet(() -> of(redactor, text));
    }

    /**
     * Tells whether a second scan would find nothing.
     *
     * @param by the redactor that would scan it
     * @return whether that one has made it, and has learnt nothing since
     */
    @SuppressWarnings("ReferenceEquality") // another redactor may know other secrets, whatever it says
    public boolean isCurrent(Redactor by) {
        return scanned && redactor == by && version.equals(by.version());
    }

    /** {@return false when it is a mark in the place of a text that could not be scanned} */
    public boolean isScanned() {
        return scanned;
    }

    /** {@return the text} */
    @Override
    public String toString() {
        return text;
    }
}
