package io.maestro.git.internal.diff;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Keeps the lines of a diff from one on that is asked for, until it is full. What a reader would not see, or see in another place, is
 * escaped: control characters, those that only format, foreign blanks, and bytes that are no UTF-8; a CR at the end of a line is left. Long lines are
 * cut, or go on in lines that begin with a backslash, as none of a diff's own with text of a file does.
 */
final class DiffText extends OutputStream {
    /** Characters of one line as it is shown: a minified file is one line of megabytes. */
    static final int MAX_LINE = 4_000;

    /** How many lines are kept at most. */
    static final int MOST_LINES = 10_000;

    /** What a line that is the rest of a long one begins with. */
    static final String GOES_ON = "\\ ";

    /** Letters and marks that Unicode lets nobody draw; those that make an emoji of a sign are left where they do. */
    private static final Pattern INVISIBLE = Pattern.compile(
            "[\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u2800\\u3164\\ufe00-\\ufe0f\\uffa0\\x{16fe4}\\x{1d159}\\x{e0100}-\\x{e01ef}]");

    private final long firstLine;
    private final int most;
    private final boolean folds;
    private final StringBuilder kept = new StringBuilder();
    private final StringBuilder line = new StringBuilder();

    /** The bytes of a character of which more are to come. */
    private final byte[] part = new byte[4];

    private int has;
    private int wants;
    private boolean cr;
    private long cut;
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
     * @param folds whether long lines go on in further ones; else they are cut
     */
    DiffText(long firstLine, int most, boolean folds) {
        this.firstLine = firstLine;
        this.most = most;
        this.folds = folds;
    }

    @Override
    public void write(int b) throws IOException {
        int next = b & 0xff;
        if (wants > 0) {
            if ((next & 0xc0) == 0x80) {
                part[has++] = (byte) next;
                if (has == wants) {
                    endCharacter();
                }
                return;
            }
            endCharacter();
        }
        if (next == '\n') {
            if (cr) {
                line.append('\r');
                cr = false;
            }
            endLine();
            return;
        }
        if (cr) {
            cr = false;
            add(escaped('\r'));
        }
        if (next == '\r') {
            cr = true;
        } else if (next < 0x80) {
            add(next == '\t' || !Character.isISOControl(next) ? Character.toString(next) : escaped(next));
        } else {
            part[0] = (byte) next;
            has = 1;
            wants = next < 0xc0 ? 1 : next < 0xe0 ? 2 : next < 0xf0 ? 3 : 4;
            if (wants == 1) {
                endCharacter();
            }
        }
    }

    private void endCharacter() throws Full {
        String text = new String(part, 0, has, StandardCharsets.UTF_8);
        boolean whole =
                text.getBytes(StandardCharsets.UTF_8).length == has && text.codePointCount(0, text.length()) == 1;
        // Where the bytes are the replacement itself they come out as they were.
        if (!whole || text.charAt(0) == '\ufffd' && (part[0] & 0xff) != 0xef) {
            for (int i = 0; i < has; i++) {
                add(escaped(part[i] & 0xff));
            }
        } else {
            int c = text.codePointAt(0);
            boolean makesEmoji = (c == 0xfe0e || c == 0xfe0f)
                    && !line.isEmpty()
                    && !Character.isLetterOrDigit(line.codePointBefore(line.length()));
            add(isHidden(c) && !makesEmoji ? escaped(c) : text);
        }
        has = 0;
        wants = 0;
    }

    /** Not the blank of ASCII, which is none of those that come here, but all that look like it, or like nothing. */
    private static boolean isHidden(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SPACE_SEPARATOR,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.UNASSIGNED,
                    Character.PRIVATE_USE -> true;
            default -> INVISIBLE.matcher(Character.toString(c)).matches();
        };
    }

    /** A name, with what a reader would not see escaped. */
    static String shown(String name) {
        return name.codePoints()
                .mapToObj(c -> c >= 0x80 && isHidden(c) ? escaped(c) : Character.toString(c))
                .collect(Collectors.joining());
    }

    private static String escaped(int c) {
        return String.format(Locale.ROOT, c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\u{%x}", c);
    }

    private void add(String shown) throws Full {
        if (cut == 0 && line.length() + shown.length() <= MAX_LINE) {
            line.append(shown);
        } else if (folds) {
            endLine();
            line.append(GOES_ON).append(shown);
        } else {
            cut += shown.length();
        }
    }

    private void endLine() throws Full {
        if (lines + 1 >= firstLine) {
            if (cut > 0) {
                line.append(" … (").append(cut).append(" more characters: get_diff with this path shows them)");
            }
            line.append('\n');
            if (kept.length() + line.length() > most || lines + 1 - firstLine >= MOST_LINES) {
                throw new Full();
            }
            kept.append(line);
        }
        lines++;
        line.setLength(0);
        cut = 0;
    }

    /** Ends the last line. */
    void end() throws Full {
        if (wants > 0) {
            endCharacter();
        }
        if (cr) {
            cr = false;
            add(escaped('\r'));
        }
        if (!line.isEmpty()) {
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
