package io.maestro.internal;

import java.util.regex.Pattern;

/** What programs print for a terminal, as text. */
public final class TerminalText {
    /** Commands to a terminal: CSI, then OSC up to its end, then other two-character sequences. */
    private static final Pattern SEQUENCE = Pattern.compile(
            "(?:\u001b\\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b\\][^\u0007\u001b]*(?:\u0007|\u001b\\\\)|\u001b[ -~]");

    private static final Pattern CONTROL = Pattern.compile("[\\p{Cc}&&[^\\n\\r\\t]]");

    private TerminalText() {}

    /** Without commands to a terminal, such as colours. */
    public static String withoutSequences(String text) {
        return text.indexOf('\u001b') < 0 && text.indexOf('\u009b') < 0
                ? text
                : SEQUENCE.matcher(text).replaceAll("");
    }

    /** For a model: without commands to a terminal and control characters but tabs and ends of lines. */
    public static String plain(String text) {
        return CONTROL.matcher(withoutSequences(text)).replaceAll("");
    }
}
