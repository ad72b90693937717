package io.maestro.git.hosted.internal;

import io.maestro.internal.TerminalText;
import java.util.List;
import java.util.regex.Pattern;

/** Cuts a log down to what has failed in it. */
public final class CheckLog {
    /** How the log of GitHub Actions marks an error, and how that of a runner of GitLab does. */
    private static final List<String> ERRORS = List.of("##[error]", "ERROR: Job failed");

    private static final int LINES_BEFORE = 60;
    private static final int LONGEST = 6000;
    private static final Pattern TIME = Pattern.compile("(?m)^\\uFEFF?\\d{4}-\\d\\d-\\d\\dT[\\d:.]{8,20}Z ?");

    private CheckLog() {}

    /**
     * The lines before and at the errors.
     *
     * @param log all of it
     * @return the end of a log without one
     */
    public static String failingPart(String log) {
        List<String> lines = TerminalText.withoutSequences(TIME.matcher(log).replaceAll(""))
                .lines()
                .toList();
        int first = -1;
        int last = -1;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (ERRORS.stream().anyMatch(line::startsWith)) {
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

    /**
     * A text's beginning and, twice as much, its end.
     *
     * @param text any
     * @param most how many characters
     * @return the text when it is no longer
     */
    public static String ends(String text, int most) {
        if (text.length() <= most) {
            return text;
        }
        return text.substring(0, most / 3) + "\n[…]\n" + text.substring(text.length() - most * 2 / 3);
    }
}
