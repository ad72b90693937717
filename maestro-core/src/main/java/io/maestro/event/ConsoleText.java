package io.maestro.event;

import io.maestro.internal.HiddenCharacters;
import io.maestro.internal.TerminalText;

/** Makes text safe for a terminal. */
final class ConsoleText {
    private ConsoleText() {}

    /** Removes terminal sequences and replaces each hidden character, tab and end of line by a blank. */
    static String clean(String text) {
        return TerminalText.withoutSequences(text)
                .codePoints()
                .map(c -> c == '\n' || c == '\t' || HiddenCharacters.isHidden(c) ? ' ' : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }
}
