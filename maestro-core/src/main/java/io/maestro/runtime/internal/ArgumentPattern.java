package io.maestro.runtime.internal;

import io.maestro.internal.Effort;
import io.maestro.internal.Wildmatch;
import io.maestro.runtime.ToolRule;
import io.maestro.schema.internal.CountedText;
import java.math.BigDecimal;
import java.text.Normalizer;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * Looks at one argument. The engine is the JDK's, whose time may grow without measure with the text, which an agent writes: each
 * character that it looks at is a step of an {@link Effort}, and one that is used up decides nothing: it throws. Immutable.
 */
final class ArgumentPattern {
    private static final int LONGEST = 4096;

    /** For all values of one argument together; a fraction of a second. */
    private static final long MOST_STEPS = 5_000_000;

    private final String name;
    private final String glob;
    private final boolean every;
    private final boolean ignoreCase;
    private final @Nullable Pattern regex;

    /**
     * Reads a pattern.
     *
     * @param every whether an array matches when each of its elements does, and not when one does
     * @param ignoreCase whether letters of the other case are the same
     * @throws IllegalArgumentException when it is none
     */
    ArgumentPattern(ToolRule.Argument argument, boolean every, boolean ignoreCase) {
        this.name = argument.path();
        this.glob = ignoreCase ? folded(argument.pattern(), argument.glob()) : argument.pattern();
        this.every = every;
        this.ignoreCase = ignoreCase;
        if (List.of(name.split("\\.", -1)).contains("") || glob.isEmpty() || glob.length() > LONGEST) {
            throw new IllegalArgumentException("a pattern for the argument '" + argument.path()
                    + "' needs the name of an argument, and from 1 to " + LONGEST + " characters");
        }
        int flags = Pattern.DOTALL | (ignoreCase ? Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE : 0);
        try {
            this.regex = argument.glob() ? null : Pattern.compile(glob, flags);
        } catch (PatternSyntaxException | StackOverflowError e) {
            throw new IllegalArgumentException(
                    "the pattern for the argument '" + argument.path() + "' is no regular expression: "
                            + (e instanceof PatternSyntaxException syntax
                                    ? syntax.getDescription() + " near index " + syntax.getIndex()
                                    : "it is nested too deeply"),
                    e);
        }
    }

    /** The name of the argument; in an object {@code outer.inner}. */
    String argument() {
        return name;
    }

    /**
     * Whether the argument is as it must be.
     *
     * @param isPath whether it is the path of a file: then a glob {@code X/**} denies, or asks about, the directory {@code X}, too
     * @throws Effort.Exhausted when that takes too long to find out
     */
    boolean matches(Map<String, Object> arguments, boolean isPath) {
        Effort effort = new Effort("matching the argument '" + argument() + "' with a rule", MOST_STEPS);
        return matches(arguments, name, isPath, effort);
    }

    private boolean matches(@Nullable Object value, String rest, boolean isPath, Effort effort) {
        if (value instanceof List<?> list) {
            return every
                    ? !list.isEmpty() && list.stream().allMatch(element -> matches(element, rest, isPath, effort))
                    : list.stream().anyMatch(element -> matches(element, rest, isPath, effort));
        }
        if (!rest.isEmpty()) {
            if (!(value instanceof Map<?, ?> map)) {
                return false;
            }
            Set<Map.Entry<String, String>> keys = ArgumentName.keys(map, rest).entrySet();
            return every
                    ? !keys.isEmpty()
                            && keys.stream()
                                    .allMatch(key -> matches(map.get(key.getKey()), key.getValue(), isPath, effort))
                    : keys.stream().anyMatch(key -> matches(map.get(key.getKey()), key.getValue(), isPath, effort));
        }
        return value != null && !(value instanceof Map<?, ?>) && found(text(value), isPath, effort);
    }

    /** A tool reads 22.0 and 2.2e1 as the integer 22. */
    private static String text(Object value) {
        return value instanceof Double number && Double.isFinite(number) && number == Math.rint(number)
                ? new BigDecimal(number.toString()).toBigInteger().toString()
                : value.toString();
    }

    /** Disks that ignore case ignore forms of Unicode, too. */
    private static String folded(String text, boolean letters) {
        return Normalizer.normalize(
                letters ? text.toUpperCase(Locale.ROOT).toLowerCase(Locale.ROOT) : text, Normalizer.Form.NFC);
    }

    private boolean found(String given, boolean isPath, Effort effort) {
        effort.spend(1);
        String text = ignoreCase ? folded(given, regex == null) : given;
        if (regex == null) {
            return Wildmatch.matches(glob, text, effort)
                    || isPath && !every && glob.endsWith("**") && Wildmatch.matches(glob, text + "/", effort);
        }
        try {
            return regex.matcher(new CountedText(text, effort)).find();
        } catch (StackOverflowError e) {
            throw new IllegalArgumentException(
                    "matching an argument of " + text.length() + " characters with the rule takes too long: leave out"
                            + " groups that are repeated",
                    e);
        }
    }
}
