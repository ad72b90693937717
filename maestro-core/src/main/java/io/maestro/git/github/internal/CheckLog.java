package io.maestro.git.github.internal;

import io.maestro.internal.TerminalText;
import java.util.List;
import java.util.regex.Pattern;

/** Cuts a log down to what has failed in it. */
final class CheckLog {
    private static final String ERROR = "##[error]";
    private static final int LINES_BEFORE = 60;
    private static final int LONGEST = 6000;
    private static final Pattern TIME = Pattern.compile("(?m)^\\uFEFF?\\d{4}-\\d\\d-\\d\\dT[\\d:.]{8,20}Z ?");

    private CheckLog() {}

    /** The lines before and at the errors of GitHub Actions; the end of a log without one. */
    static String failingPart(String log) {
        List<String> lines = TerminalText.withoutSequences(TIME.matcher(log).replaceAll(""))
                .lines()
                .toList();
        int first = -1;
        int last = -1;
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).startsWith(ERROR)) {
                first = first < 0 ? i : first;
                last = i;
            }
        }
        if (first < 0) {
            first = lines.size();
            last = lines.size() - 1;
        }
        return ends(String.join("\n", lines.subList(Math.max(0, first - LINES_BEFORE), last + 1)), LONGEST);
    }

    /** A text's beginning and, twice as much, its end. */
    static String ends(String text, int most) {
        if (text.length() <= most) {
            return text;
        }
        return text.substring(0, most / 3) + "\n[…]\n" + text.substring(text.length() - most * 2 / 3);
    }
}
