package io.maestro.secrets.internal;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds the marks that stand where secrets were, so that nothing is looked for in them. */
record MarkRule(Set<String> marks) implements Rule {
    static final String NAME = "mark";

    private static final int LONGEST = 100;

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<String> keywords() {
        return List.of(Mark.PREFIX.toLowerCase(Locale.ROOT));
    }

    @Override
    public @Nullable SecretSpan match(MeteredText text, int start, int end) {
        int close = end;
        while (close < text.length() && close - start < LONGEST && text.charAt(close) != ']') {
            close++;
        }
        boolean mark = close < text.length() && marks.contains(text.subSequence(start, close + 1));
        return mark ? new SecretSpan(start, close + 1, NAME) : null;
    }
}
