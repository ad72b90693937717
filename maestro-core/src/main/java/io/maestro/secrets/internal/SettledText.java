package io.maestro.secrets.internal;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How much of a text that goes on can hold no secret of which the rest has not come. Rules look behind and ahead: within a line at
 * quotes, assignments and pipes; beyond it at the end of an element, and at the next line of a key.
 */
final class SettledText {
    /** What may belong to a secret in the same line whose form shows later: a quote, an assignment, a pipe, a URL's password. */
    private static final Pattern RISKY =
            Pattern.compile("[\"`<>=|{}@\\\\]|\\S:\\S|(?<![\\p{L}\\p{N}])'|'(?![\\p{L}])|-----");

    /** The beginning of an element. */
    private static final Pattern OPEN = Pattern.compile("<[A-Za-z][^<>\\s]{0,60}(?:\\s[^<>]{0,200})?>");

    /** For so long the end of an element is waited for. */
    private static final int ELEMENT = 2_000;

    /** As many characters of base64 at a line's end may be of a key. */
    private static final int KEY = 16;

    private SettledText() {}

    /** How many characters of it, at most those before its last word. */
    static int of(String text, int lastWord) {
        int line = text.lastIndexOf('\n') + 1;
        int settled = lastWord <= line
                        || RISKY.matcher(text).region(line, text.length()).find()
                ? line
                : lastWord;
        return Math.min(Math.min(settled, element(text)), key(text, line));
    }

    /** Where an element begins whose end has not come. */
    private static int element(String text) {
        int from = Math.max(0, text.length() - ELEMENT);
        Matcher open = OPEN.matcher(text).region(from, text.length());
        while (open.find()) {
            if (text.indexOf("</", open.end()) < 0) {
                return open.start();
            }
        }
        return text.length();
    }

    /** Where the lines of base64 begin, or those that go on, after which none of another kind has come. */
    private static int key(String text, int line) {
        int first = line;
        while (first > 0 && isKey(text, first - 1)) {
            first = text.lastIndexOf('\n', first - 2) + 1;
        }
        return first == line ? text.length() : first;
    }

    /** Whether the line that ends there ends in base64, or says that it goes on. */
    private static boolean isKey(String text, int end) {
        int at = end;
        while (at > 0 && Character.isWhitespace(text.charAt(at - 1)) && text.charAt(at - 1) != '\n') {
            at--;
        }
        int run = at;
        while (run > 0 && PrivateKeyRule.isBase64(text.charAt(run - 1))) {
            run--;
        }
        return at - run >= KEY || at > 0 && text.charAt(at - 1) == '\\';
    }
}
