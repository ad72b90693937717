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
 */
record RegexRule(String name, List<String> keywords, Pattern pattern, boolean hasGroup, boolean careful, boolean word)
        implements Rule {
    /** Where a word begins. */
    static final String WORD = "(?<![A-Za-z0-9_])";

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
                name, List.copyOf(keywords), Pattern.compile(regex), hasGroup, careful, regex.startsWith(WORD));
    }

    @Override
    public boolean mayMatch(String text, int start, int end) {
        return !word || start == 0 || !isWordPart(text.charAt(start - 1));
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
