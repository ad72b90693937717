package io.maestro.audit.internal.redact;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A rule whose expression must match from the keyword on; it may look behind. The group {@code secret} is what is taken
 * out, or all that matches where there is no such group; from the group on, when it stands before the keyword.
 *
 * @param careful whether place holders and references are left
 * @param word whether the expression begins with {@link #WORD}, which is then looked at without the expression
 * @param user the same of {@link #USER}
 */
record RegexRule(
        String name,
        List<String> keywords,
        Pattern pattern,
        boolean hasGroup,
        boolean careful,
        boolean word,
        boolean user)
        implements Rule {
    private static final int LONGEST_USER = 512;

    /** Where a word begins. */
    static final String WORD = "(?<![A-Za-z0-9_])";

    /** Before a URL's host that is none: it ends with a colon or an {@code @}. */
    static final String USER = "(?=://[^\\s/?#@:\"'`\\\\<>]{0," + LONGEST_USER + "}+[:@])";

    private static final String GROUP = "secret";

    /** Of a host: what matches is secret. */
    static RegexRule of(String name, List<String> keywords, String regex) {
        return of(name, keywords, regex, false);
    }

    /** Leaves what only stands for a secret. */
    static RegexRule careful(String name, List<String> keywords, String regex) {
        return of(name, keywords, regex, true);
    }

    private static RegexRule of(String name, List<String> keywords, String regex, boolean careful) {
        boolean hasGroup = regex.contains("(?<" + GROUP + ">");
        return new RegexRule(
                name,
                List.copyOf(keywords),
                Pattern.compile(regex),
                hasGroup,
                careful,
                regex.startsWith(WORD),
                regex.startsWith(USER));
    }

    @Override
    public boolean mayMatch(String text, int start, int end) {
        return (!word || start == 0 || !isWordPart(text.charAt(start - 1))) && (!user || isBeforeUser(text, end));
    }

    private static boolean isBeforeUser(String text, int end) {
        int to = Math.min(text.length(), end + LONGEST_USER + 1);
        for (int i = end; i < to; i++) {
            char c = text.charAt(i);
            if (" \t\n\u000b\f\r/?#@:\"'`\\<>".indexOf(c) >= 0) {
                return c == ':' || c == '@';
            }
        }
        return false;
    }

    @Override
    public @Nullable Span match(MeteredText text, int start, int end) {
        Matcher matcher = text.at(pattern, start);
        if (!matcher.lookingAt()) {
            return null;
        }
        boolean group = hasGroup && matcher.start(GROUP) >= 0;
        int from = group ? matcher.start(GROUP) : matcher.start();
        boolean before = group && matcher.end(GROUP) <= start;
        int to = group && !before ? matcher.end(GROUP) : matcher.end();
        boolean secret = from < to && !(careful && Placeholder.isIn(text.subSequence(from, to)));
        return secret ? new Span(from, to, name) : null;
    }

    private static boolean isWordPart(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_';
    }
}
