package io.maestro.claude.internal.install;

import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A version of the CLI.
 *
 * @param major the first number
 * @param minor the second
 * @param patch the third
 */
public record ClaudeVersion(int major, int minor, int patch) implements Comparable<ClaudeVersion> {
    /** What Maestro's use of the CLI was measured on. */
    public static final ClaudeVersion MEASURED = new ClaudeVersion(2, 1, 197);

    /** The newest one that Maestro is tested with. */
    public static final ClaudeVersion NEWEST_TESTED = new ClaudeVersion(2, 1, 332);

    private static final Pattern LINE =
            Pattern.compile("v?(\\d{1,9})\\.(\\d{1,9})\\.(\\d{1,9})(?:[-+][0-9A-Za-z.+-]*)?(?: \\(Claude Code\\))?");
    private static final Comparator<ClaudeVersion> ORDER = Comparator.comparingInt(ClaudeVersion::major)
            .thenComparingInt(ClaudeVersion::minor)
            .thenComparingInt(ClaudeVersion::patch);

    /**
     * Reads what {@code claude --version} prints, or a bare version.
     *
     * @param text for example {@code 2.1.197 (Claude Code)}
     * @return empty when it is something else
     */
    public static Optional<ClaudeVersion> parse(String text) {
        Matcher matcher = LINE.matcher(text.strip());
        if (!matcher.matches()) {
            return Optional.empty();
        }
        return Optional.of(new ClaudeVersion(
                Integer.parseInt(matcher.group(1)),
                Integer.parseInt(matcher.group(2)),
                Integer.parseInt(matcher.group(3))));
    }

    @Override
    public int compareTo(ClaudeVersion other) {
        return ORDER.compare(this, other);
    }

    /** With dots. */
    @Override
    public String toString() {
        return major + "." + minor + "." + patch;
    }
}
