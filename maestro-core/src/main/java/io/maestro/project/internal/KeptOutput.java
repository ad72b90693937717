package io.maestro.project.internal;

/** What a command has printed, in lines that are read by pages. Immutable. */
public final class KeptOutput {
    /** More is left out in the middle, by the executor. */
    public static final int MOST_BYTES = 4 * 1024 * 1024;

    private static final int PAGE_LINES = 1_000;
    private static final int PAGE_CHARACTERS = 48_000;

    /** A longer line counts as several. */
    private static final int LONGEST_LINE = 4_000;

    private final String headline;
    private final String text;
    private final int lines;

    private KeptOutput(String headline, String text, int lines) {
        this.headline = headline;
        this.text = text;
        this.lines = lines;
    }

    /**
     * Some lines.
     *
     * @param first the number of the first one, from 1
     * @param next the number of the line behind the last one
     * @param text without the last end of line
     */
    public record OutputPage(int first, int next, String text) {}

    /**
     * Keeps an output.
     *
     * @param headline what was run, and how it ended
     * @param output without secrets: a page may begin in the middle of one
     */
    public static KeptOutput of(String headline, String output) {
        StringBuilder text = new StringBuilder(output.length());
        int lines = output.isEmpty() ? 0 : 1;
        int length = 0;
        for (int at = 0; at < output.length(); at++) {
            char c = output.charAt(at);
            if (c == '\r' && output.startsWith("\n", at + 1)) {
                continue;
            }
            boolean ends = c == '\n' || c == '\r';
            if (ends || length >= LONGEST_LINE && !Character.isLowSurrogate(c)) {
                text.append('\n');
                lines++;
                length = 0;
            }
            if (!ends) {
                text.append(c);
                length++;
            }
        }
        return new KeptOutput(headline, text.toString(), lines);
    }

    public String headline() {
        return headline;
    }

    /** How many lines there are. */
    public int lines() {
        return lines;
    }

    /** The last lines, at least one where there is one, in so many characters. */
    public OutputPage tail(int characters) {
        int from = text.length();
        int first = lines + 1;
        int end = text.length();
        while (first > 1) {
            int start = text.lastIndexOf('\n', end - 1) + 1;
            if (first <= lines && text.length() - start > characters) {
                break;
            }
            from = start;
            end = start - 1;
            first--;
        }
        return new OutputPage(first, lines + 1, text.substring(from));
    }

    /** The lines from one on that is there. */
    public OutputPage page(int first) {
        int from = 0;
        for (int line = 1; line < first; line++) {
            from = text.indexOf('\n', from) + 1;
        }
        int to = from;
        int next = first;
        while (next <= lines && next - first < PAGE_LINES) {
            int end = text.indexOf('\n', to);
            end = end < 0 ? text.length() : end;
            if (next > first && end - from > PAGE_CHARACTERS) {
                break;
            }
            to = end + 1;
            next++;
        }
        return new OutputPage(first, next, text.substring(from, Math.max(from, Math.min(to - 1, text.length()))));
    }
}
