package io.maestro.event;

import io.maestro.internal.TerminalText;
import java.util.regex.Pattern;

/** Makes text safe for a terminal. */
final class ConsoleText {
    /** Control and format characters (such as those that turn the direction of writing), and separators of lines. */
    private static final Pattern CONTROL = Pattern.compile("[\\p{Cc}\\p{Cf}\\x{2028}\\x{2029}]");

    private ConsoleText() {}

    /** Removes terminal sequences and replaces each control character by a blank. */
    static String clean(String text) {
        return CONTROL.matcher(TerminalText.withoutSequences(text)).replaceAll(" ");
    }
}
