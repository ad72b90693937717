package io.maestro.git.internal.diff;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Keeps the lines of a diff from one on that is asked for, each up to a length, until it is full. */
final class DiffText extends OutputStream {
    /** Bytes of one line: a minified file is one line of megabytes. */
    static final int MAX_LINE = 4_000;

    /** How many lines are kept at most. */
    static final int MOST_LINES = 10_000;

    private final long firstLine;
    private final int most;
    private final StringBuilder kept = new StringBuilder();
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private long length;
    private long lines;

    /** Thrown by what writes when there is no room for another line: nothing more has to be made. */
    static final class Full extends IOException {
        private static final long serialVersionUID = 1L;

        Full() {
            super("the diff is longer than is wanted");
        }
    }

    /**
     * Starts empty.
     *
     * @param firstLine from 1; those before it are counted only
     * @param most how many characters are kept, of {@value #MOST_LINES} lines at most; a line is kept whole or not at all
     */
    DiffText(long firstLine, int most) {
        this.firstLine = firstLine;
        this.most = most;
    }

    @Override
    public void write(int b) throws IOException {
        if (b == '\n') {
            endLine();
            return;
        }
        length++;
        if (length <= MAX_LINE) {
            line.write(b);
        }
    }

    private void endLine() throws Full {
        if (lines + 1 >= firstLine) {
            String text = line.toString(StandardCharsets.UTF_8)
                    + (length > MAX_LINE ? " … (" + (length - MAX_LINE) + " more bytes)\n" : "\n");
            if (kept.length() + text.length() > most || lines + 1 - firstLine >= MOST_LINES) {
                throw new Full();
            }
            kept.append(text);
        }
        lines++;
        length = 0;
        line.reset();
    }

    /** Ends the last line. */
    void end() throws Full {
        if (length > 0) {
            endLine();
        }
    }

    /** How many lines there were; those that are kept are the last of them. */
    long lines() {
        return lines;
    }

    String text() {
        return kept.toString();
    }
}
