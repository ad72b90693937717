package io.maestro.secrets.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Private keys in PEM, whole or in part, as in the head, the tail or the middle of a long output. Before each line may stand what a
 * diff, a log or a listing puts there: the key is at the line's end.
 */
final class PrivateKeyRule implements Rule {
    /** What stands in code that only handles keys, such as {@code replace("-----BEGIN…", "")}, is shorter. */
    private static final int SHORTEST_LINE = 16;

    private static final int LONGEST_KEY = 64 * 1024;
    private static final int LONGEST_PREFIX = 400;

    /** Of signatures in XML. */
    private static final List<String> PUBLIC_ELEMENTS = List.of("X509Certificate", "SignatureValue", "Modulus");

    private static final int LONGEST_ELEMENT = 160;

    /** The lines of PEM, and of OpenSSH. */
    private static final int FULL = 64;

    private static final int FULL_OPENSSH = 70;

    private static final String DASHES = "-----";
    private static final String BEGINNING = "-----BEGIN ";
    private static final String KIND = "[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----";
    private static final Pattern BEGIN = Pattern.compile(BEGINNING + KIND);
    private static final Pattern END = Pattern.compile("-----END " + KIND);
    private static final Pattern ENDS = Pattern.compile(BEGIN + "|" + END);
    private static final Pattern BLANKS = Pattern.compile("(?:\\s|\\\\[nr])+");

    /** A line that may stand before the key itself. */
    private static final Pattern HEADER =
            Pattern.compile(".{0,200}?(?:Proc-Type|DEK-Info|Comment|Version|Hash): ?[ A-Za-z0-9,.()/+=_-]{0,120}");

    @Override
    public String name() {
        return "private-key";
    }

    @Override
    public List<String> keywords() {
        return List.of("-----begin", "-----end");
    }

    @Override
    public @Nullable SecretSpan match(MeteredText text, int start, int end) {
        Matcher begin = text.at(BEGIN, start);
        if (begin.lookingAt()) {
            int last = endOfKey(text, begin.end());
            return holdsKey(text, begin.end(), last) ? new SecretSpan(start, last, name()) : null;
        }
        Matcher footer = text.at(END, start);
        if (footer.lookingAt()) {
            int first = isBehind(BEGINNING, text, start) ? start : back(text, start);
            return holdsKey(text, first, start) ? new SecretSpan(first, footer.end(), name()) : null;
        }
        return null;
    }

    /** One in a document has no more than a line that is not made up. */
    @Override
    public boolean isCertain(String found) {
        boolean madeUp = false;
        int key = 0;
        for (String piece : BLANKS.split(ENDS.matcher(found).replaceAll(" "), -1)) {
            if (piece.length() > 2 && Placeholder.isIn(piece)) {
                madeUp = true;
            } else if (piece.length() >= SHORTEST_LINE) {
                key += piece.length();
            }
        }
        return !madeUp || key > FULL;
    }

    /** Whether a find is one of {@link #middles}, which give no name to what is found around them. */
    boolean isMiddle(String text, SecretSpan found) {
        return found.rule().equals(name())
                && !text.substring(found.start(), found.end()).contains(DASHES);
    }

    private static int endOfKey(MeteredText text, int from) {
        String all = text.toString();
        int next = all.indexOf("-----BEGIN", from);
        int limit = Math.min(next < 0 ? all.length() : next, from + LONGEST_KEY);
        text.charge(limit - from);
        int dashes = from + all.substring(from, limit).indexOf("-----END ");
        if (dashes >= from) {
            Matcher footer = text.at(END, dashes);
            if (footer.lookingAt()) {
                return footer.end();
            }
        }
        return forward(text, from);
    }

    /** Whether the same line begins a key: then the lines before are something else. */
    private static boolean isBehind(String mark, MeteredText text, int at) {
        int line = Math.max(startOfLine(text, at), at - LONGEST_PREFIX);
        return text.subSequence(line, at).contains(mark);
    }

    private static boolean holdsKey(MeteredText text, int from, int to) {
        int run = 0;
        for (int i = from; i < to && run < SHORTEST_LINE; i++) {
            run = isBase64(text.charAt(i)) ? run + 1 : 0;
        }
        return run >= SHORTEST_LINE;
    }

    static boolean isBase64(char c) {
        return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '+' || c == '/' || c == '=';
    }

    /** Where the key's lines end that begin behind the header. */
    private static int forward(MeteredText text, int from) {
        int last = from;
        int line = from;
        while (line < text.length() && line - from < LONGEST_KEY) {
            int to = line;
            while (to < text.length() && text.charAt(to) != '\n') {
                to++;
            }
            int end = end(text, line, to);
            int run = run(text, line, end);
            boolean header = end == line
                    || end - line < LONGEST_PREFIX
                            && HEADER.matcher(text.subSequence(line, end)).matches();
            if (!header && (end - run < SHORTEST_LINE || run - line > LONGEST_PREFIX)) {
                int first = line;
                while (first < end && isBlank(text.charAt(first))) {
                    first++;
                }
                int leading = first;
                while (leading < end && isBase64(text.charAt(leading))) {
                    leading++;
                }
                boolean rest = leading == end
                        || leading - first >= SHORTEST_LINE
                        || last > from && leading > first && leading < end && text.charAt(leading) == '.';
                return rest ? Math.max(last, leading) : last;
            }
            last = header ? last : end;
            line = to + 1;
        }
        return last;
    }

    /** Where the key begins that ends before a footer. */
    private static int back(MeteredText text, int footer) {
        int first = footer;
        int line = startOfLine(text, footer);
        boolean lastLine = true;
        if (line < footer) {
            // On the line of the footer itself, or behind a prefix.
            int run = run(text, line, end(text, line, footer));
            if (footer - run >= SHORTEST_LINE && run == line) {
                return run;
            }
        }
        while (line > 0 && footer - line < LONGEST_KEY) {
            int to = line - 1;
            int start = startOfLine(text, to);
            int end = end(text, start, to);
            int run = run(text, start, end);
            if (end - run < (lastLine || start == 0 && run == 0 ? 1 : SHORTEST_LINE) || run - start > LONGEST_PREFIX) {
                return first;
            }
            first = run;
            lastLine = false;
            line = start;
        }
        return first;
    }

    private static int startOfLine(MeteredText text, int from) {
        int line = from;
        while (line > 0 && text.charAt(line - 1) != '\n') {
            line--;
        }
        return line;
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t' || c == '\r';
    }

    /** Without blanks, and without what ends a line of a string in code. */
    private static int end(CharSequence text, int line, int to) {
        int end = to;
        while (end > line && (isBlank(text.charAt(end - 1)) || "\"',".indexOf(text.charAt(end - 1)) >= 0)) {
            end--;
        }
        return end;
    }

    /** Where the base64 at the end of a line begins. */
    private static int run(CharSequence text, int line, int end) {
        int run = end;
        while (run > line && isBase64(text.charAt(run - 1))) {
            run--;
        }
        return run;
    }

    /** The middle of a key: lines of base64 of one length, two or more, that no other header or footer belongs to. */
    List<SecretSpan> middles(String text) {
        List<SecretSpan> found = new ArrayList<>();
        int first = -1;
        int last = -1;
        int lines = 0;
        int line = 0;
        boolean open = false;
        boolean element = false;
        int dashes = text.indexOf(DASHES);
        while (line <= text.length()) {
            int to = text.indexOf('\n', line);
            to = to < 0 ? text.length() : to;
            int end = to - line >= FULL ? end(text, line, to) : line;
            boolean full = end - line >= FULL && isFull(text, line, end);
            if (full) {
                if (lines == 0) {
                    first = run(text, line, end);
                    element = isInPublicElement(text, first);
                }
                last = end;
                lines++;
            } else {
                while (dashes >= 0 && dashes < line) {
                    dashes = text.indexOf(DASHES, line);
                }
                boolean dashed = dashes >= 0 && dashes < to && to - line < LONGEST_PREFIX;
                boolean footer = dashed && isPublic(text, line, to, "-----END ");
                if (lines >= 2 && !open && !element && !footer && !endsPublic(text, to)) {
                    found.add(new SecretSpan(first, last, name()));
                }
                if (to > line) {
                    boolean header = open
                            && lines == 0
                            && to - line < LONGEST_PREFIX
                            && text.substring(line, to).indexOf(':') > 0;
                    open = header || dashed && isPublic(text, line, to, BEGINNING);
                }
                lines = 0;
            }
            line = to + 1;
        }
        if (lines >= 2 && !open && !element) {
            found.add(new SecretSpan(first, last, name()));
        }
        return found;
    }

    /** Whether base64 begins an element of XML that is for all to see, on the same line or the next. */
    private static boolean isInPublicElement(String text, int first) {
        String before = text.substring(Math.max(0, first - LONGEST_ELEMENT), first);
        return PUBLIC_ELEMENTS.stream().anyMatch(before::contains);
    }

    /** Whether the line behind a shorter last line is the footer of something public. */
    private static boolean endsPublic(String text, int to) {
        int next = Math.min(text.length(), to + 1);
        int end = text.indexOf('\n', next);
        return isPublic(text, next, end < 0 ? text.length() : end, "-----END ");
    }

    private static boolean isPublic(String text, int from, int to, String dashes) {
        int at = from < to
                ? text.substring(from, Math.min(to, from + LONGEST_PREFIX)).indexOf(dashes)
                : -1;
        return at >= 0
                && text.substring(from, Math.min(to, from + LONGEST_PREFIX)).indexOf("PRIVATE", at) < 0;
    }

    private static boolean isFull(String text, int line, int end) {
        int from = run(text, line, end);
        // What a diff puts before a line may look like a part of it.
        int length = end - from - (from == line && text.charAt(from) == '+' ? 1 : 0);
        if (length == FULL - 1 || length == FULL_OPENSSH - 1) {
            length = end - from;
        }
        if (length != FULL && length != FULL_OPENSSH
                || from - line > LONGEST_PREFIX
                || text.indexOf('=', from) >= 0 && text.indexOf('=', from) < end) {
            return false;
        }
        boolean small = false;
        boolean capital = false;
        boolean digit = false;
        for (int i = from; i < end; i++) {
            char c = text.charAt(i);
            small |= c >= 'g' && c <= 'z';
            capital |= c >= 'G' && c <= 'Z';
            digit |= c >= '0' && c <= '9';
        }
        return small && capital && digit && Randomness.of(text.substring(from, end)) > 30;
    }
}
