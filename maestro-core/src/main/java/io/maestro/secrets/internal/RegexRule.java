package io.maestro.secrets.internal;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A rule whose expression must match from the keyword on; it may look behind. The group {@code secret} is what is taken
 * out, or all that matches where there is no such group; from the group on, when it stands before the keyword.
 *
 * @param careful whether place holders and references are left
 * @param random whether names in code are left
 * @param word whether the expression begins with {@link #WORD}, which is then looked at without the expression
 * @param part the same of {@link #PART}
 * @param user the same of {@link #USER}
 */
record RegexRule(
        String name,
        List<String> keywords,
        Pattern pattern,
        boolean hasGroup,
        boolean careful,
        boolean random,
        boolean word,
        boolean part,
        boolean user)
        implements Rule {
    private static final int LONGEST_USER = 512;

    /** Where a word begins. */
    static final String WORD = "(?<![A-Za-z0-9_])";

    /** Before a URL's host that is none: it ends with a colon or an {@code @}. */
    static final String USER = "(?=://[^\\s/?#@:\"'`\\\\<>]{0," + LONGEST_USER + "}+[:@])";

    /** Where a word or a part of a name begins. */
    static final String PART = "(?<![A-Za-z0-9])";

    /** Below it are names in code. */
    private static final int LEAST_RANDOM = -20;

    private static final Pattern MADE_BY_A_MACHINE =
            Pattern.compile("(?=[A-Za-z]{0,60}\\d)(?=\\d{0,60}[A-Za-z])[A-Za-z0-9]{10}");

    private static final String GROUP = "secret";

    /** Of a host: what matches is secret. */
    static RegexRule of(String name, List<String> keywords, String regex) {
        return of(name, keywords, regex, false, false);
    }

    /**
     * Leaves what only stands for a secret.
     *
     * @param random whether it leaves names in code, too
     */
    static RegexRule careful(String name, List<String> keywords, String regex, boolean random) {
        return of(name, keywords, regex, true, random);
    }

    private static RegexRule of(String name, List<String> keywords, String regex, boolean careful, boolean random) {
        boolean hasGroup = regex.contains("(?<" + GROUP + ">");
        return new RegexRule(
                name,
                List.copyOf(keywords),
                Pattern.compile(regex),
                hasGroup,
                careful,
                random,
                regex.startsWith(WORD),
                regex.startsWith(PART),
                regex.startsWith(USER));
    }

    @Override
    public boolean mayMatch(String text, int start, int end) {
        char before = start == 0 ? ' ' : text.charAt(start - 1);
        return !(word && (isAlphanumeric(before) || before == '_'))
                && !(part && isAlphanumeric(before))
                && (!user || isBeforeUser(text, end));
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
    public @Nullable SecretSpan match(MeteredText text, int start, int end) {
        Matcher matcher = text.at(pattern, start);
        if (!matcher.lookingAt()) {
            return null;
        }
        boolean group = hasGroup && matcher.start(GROUP) >= 0;
        int from = group ? matcher.start(GROUP) : matcher.start();
        boolean before = group && matcher.end(GROUP) <= start;
        int to = group && !before ? matcher.end(GROUP) : matcher.end();
        if (from >= to
                || careful && isPlaceholder(text, start, from, to)
                || random && Randomness.of(text.subSequence(from, to)) < LEAST_RANDOM) {
            return null;
        }
        return new SecretSpan(from, to, name);
    }

    /** A token with something of a document behind it is still one. */
    private boolean isPlaceholder(MeteredText text, int start, int from, int to) {
        String token = text.subSequence(from, to);
        if (!Placeholder.isIn(token)) {
            return false;
        }
        int end = Placeholder.endWithoutTail(token);
        String rest = token.substring(0, end);
        if (end == token.length()
                || Placeholder.isIn(rest)
                || !MADE_BY_A_MACHINE.matcher(rest).find()) {
            return true;
        }
        int head = Math.max(0, Math.min(from, start) - 2);
        return !new MeteredText(text.subSequence(head, from + end))
                .at(pattern, start - head)
                .lookingAt();
    }

    @Override
    public boolean isCertain(String found) {
        return TokenForm.isCertain(name, found) && (careful || !Placeholder.isIn(found));
    }

    private static boolean isAlphanumeric(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
    }
}
