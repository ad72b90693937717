package io.maestro.builtin.internal;

import io.maestro.files.internal.FileWalk;
import io.maestro.files.internal.Globs;
import io.maestro.files.internal.SafeDirectory;
import io.maestro.internal.Effort;
import io.maestro.internal.RawName;
import io.maestro.secrets.Redactor;
import io.maestro.secrets.internal.ShownText;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.TimeUnit;

/** A search through the lines of files, and what it has found. For use by one thread. */
final class LineSearch implements FileWalk.WalkReader {
    /** So many matching lines are shown, and so many characters. */
    static final int MOST_LINES = 1_000;

    static final int MOST_CHARACTERS = 200_000;

    /** Larger files are not searched. */
    private static final int MOST_BYTES = 32 << 20;

    /** A file with a NUL in so many of its first characters is no text, as for git. */
    private static final int LOOKED_AT_FOR_NUL = 8_000;

    /** Most have one in so many, and need not become a text; a text is looked through several times faster than bytes. */
    private static final int FIRST = 100;

    private static final long TIME = TimeUnit.SECONDS.toNanos(30);
    private static final int LONGEST_LINE = 500;

    /** So many lines that are quickly looked at are searched between two looks at the time. */
    private static final int LINES_AT_ONCE = 100;

    private final LinePattern pattern;
    private final Globs globs;
    private final String below;
    private final int context;
    private final Effort effort;
    private final Redactor redactor;
    private final long end = System.nanoTime() + TIME;
    private final StringBuilder found = new StringBuilder();
    /** What was read last; kept for what is read next. */
    private byte[] buffer = new byte[64 * 1024];

    private int files;
    private int lines;
    private int lookedAt;
    private int tooLarge;
    private String stopped = "";

    /** Ends the walk. */
    static final class Enough extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Enough() {
            super("enough was found", null, false, false);
        }
    }

    /**
     * A search.
     *
     * @param below the raw path of a file or directory; empty for all
     * @param context how many lines are shown before and after a match
     * @param redactor takes secrets out of lines that are cut
     */
    LineSearch(LinePattern pattern, Globs globs, String below, int context, Effort effort, Redactor redactor) {
        this.redactor = redactor;
        this.pattern = pattern;
        this.globs = globs;
        this.below = below;
        this.context = context;
        this.effort = effort;
    }

    @Override
    public boolean enters(String directory) {
        return below.isEmpty() || directory.startsWith(below + "/") || (below + "/").startsWith(directory);
    }

    @Override
    public void file(String path, BasicFileAttributes attributes, SafeDirectory directory, String name)
            throws IOException {
        if (!attributes.isRegularFile() || !(below.isEmpty() || path.equals(below) || path.startsWith(below + "/"))) {
            return;
        }
        String shown = RawName.shown(path);
        if (!globs.matches(shown, effort)) {
            return;
        }
        if (attributes.size() > MOST_BYTES) {
            tooLarge++;
            return;
        }
        // As long as it was a moment ago: to ask whether there is more takes another call of the system.
        int size = (int) attributes.size();
        if (buffer.length < size) {
            buffer = new byte[size];
        }
        int length = directory.readListed(name, ByteBuffer.wrap(buffer, 0, size));
        if (isText(buffer, Math.min(length, FIRST))) {
            String text = new String(buffer, 0, length, StandardCharsets.UTF_8);
            if (isText(text)) {
                files++;
                search(shown, text, length);
            }
        }
        requireTime();
    }

    private static boolean isText(byte[] bytes, int length) {
        for (int at = 0; at < length; at++) {
            if (bytes[at] == 0) {
                return false;
            }
        }
        return true;
    }

    private static boolean isText(String text) {
        int nul = text.indexOf('\0');
        return nul < 0 || nul >= LOOKED_AT_FOR_NUL;
    }

    private void requireTime() {
        effort.requireGoingOn();
        if (System.nanoTime() - end > 0) {
            throw stop("the search was ended after 30 s; not all files were searched: narrow it with glob or path");
        }
    }

    private Enough stop(String why) {
        stopped = why;
        return new Enough();
    }

    private void search(String path, String text, int bytes) {
        int counted = 0;
        long number = 1;
        long shown = 0;
        LinePattern.TextLines candidates = pattern.in(text, buffer, bytes);
        for (int at = candidates.candidate(0); at >= 0; ) {
            int from = text.lastIndexOf('\n', at - 1) + 1;
            int to = endOfLine(text, from);
            int match = candidates.find(from, endOfText(text, from, to));
            if (candidates.tookLong() || ++lookedAt % LINES_AT_ONCE == 0) {
                requireTime();
            }
            if (match >= 0) {
                number += newLines(text, counted, from);
                counted = from;
                if (lines == MOST_LINES || found.length() > MOST_CHARACTERS) {
                    throw stop("more lines match: narrow the search with glob or path");
                }
                shown = show(path, text, candidates, from, number, shown, window(line(text, from, to), match));
                lines++;
            }
            at = to >= text.length() ? -1 : candidates.candidate(to + 1);
        }
    }

    /** Appends a line with those around it; answers with the number of the last one that was shown. */
    private long show(
            String path,
            String text,
            LinePattern.TextLines candidates,
            int from,
            long number,
            long shownBefore,
            String line) {
        long first = Math.max(shownBefore + 1, number - context);
        if (context > 0 && shownBefore > 0 && first > shownBefore + 1 || context > 0 && shownBefore == 0 && lines > 0) {
            found.append("--\n");
        }
        int start = from;
        for (long n = number; n > first; n--) {
            start = text.lastIndexOf('\n', start - 2) + 1;
        }
        long at = first;
        for (int next = start; at < number; at++) {
            int to = endOfLine(text, next);
            append(path, at, '-', window(line(text, next, to), 0));
            next = to + 1;
        }
        if (shownBefore < number) {
            append(path, number, ':', line);
        }
        long last = Math.max(number, shownBefore);
        int next = endOfLine(text, from) + 1;
        for (long after = number + 1; after <= number + context && next < text.length(); after++) {
            int to = endOfLine(text, next);
            if (candidates.find(next, endOfText(text, next, to)) >= 0) {
                break; // It is shown as a match.
            }
            append(path, after, '-', window(line(text, next, to), 0));
            last = after;
            next = to + 1;
        }
        return last;
    }

    private void append(String path, long number, char kind, String line) {
        found.append(path).append(kind).append(number).append(kind).append(line).append('\n');
    }

    private static int endOfLine(String text, int from) {
        int end = text.indexOf('\n', from);
        return end < 0 ? text.length() : end;
    }

    private static int endOfText(String text, int from, int to) {
        return to > from && text.charAt(to - 1) == '\r' ? to - 1 : to;
    }

    private static String line(String text, int from, int to) {
        return text.substring(from, endOfText(text, from, to));
    }

    private static long newLines(String text, int from, int to) {
        long count = 0;
        for (int at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) {
            count++;
        }
        return count;
    }

    /** What is near the match, of a line that is too long to be shown; redacted, since it may begin or end in a secret. */
    private String window(String line, int match) {
        if (line.length() <= LONGEST_LINE) {
            return line;
        }
        int from = match < LONGEST_LINE / 2 ? 0 : match - LONGEST_LINE / 4;
        int to = Math.min(line.length(), from + LONGEST_LINE);
        String shown = ShownText.part(
                line.substring(Math.max(0, from - ShownText.AROUND), from),
                line.substring(from, to),
                line.substring(to, Math.min(line.length(), to + ShownText.AROUND)),
                redactor);
        return (from > 0 ? "…" : "") + shown + (to < line.length() ? "…" : "");
    }

    /**
     * What was found, as text for the model.
     *
     * @param all whether the walk saw all files
     */
    String answer(boolean all) {
        StringBuilder text = new StringBuilder(found);
        if (lines == 0) {
            text.append("no line matches, in ").append(files).append(" files\n");
        }
        note(text, stopped);
        note(text, tooLarge == 0 ? "" : tooLarge + " files are larger than 32 MB and were not searched");
        note(text, all ? "" : "the workspace has more files than are looked at: narrow the search with path");
        return text.toString();
    }

    private static void note(StringBuilder text, String note) {
        if (!note.isEmpty()) {
            text.append('[').append(note).append("]\n");
        }
    }
}
