package io.maestro.event;

import java.util.regex.Pattern;

/** Makes text safe for a terminal. */
final class ConsoleText {
    /** Commands to a terminal: CSI, then OSC up to its end, then other two-character sequences. */
    private static final Pattern SEQUENCE = Pattern.compile(
            "(?:\u001b\\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b\\][^\u0007\u001b]*(?:\u0007|\u001b\\\\)|\u001b[ -~]");

    /** Control and format characters (such as those that turn the direction of writing), and separators of lines. */
    private static final Pattern CONTROL = Pattern.compile("[\\p{Cc}\\p{Cf}\\x{2028}\\x{2029}]");

    private ConsoleText() {}

    /** Removes terminal sequences and replaces each control character by a blank. */
    static String clean(String text) {
        return CONTROL.matcher(SEQUENCE.matcher(text).replaceAll("")).replaceAll(" ");
    }
}
