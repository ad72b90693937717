package io.maestro.secrets;

import io.maestro.secrets.internal.Scanner;
import io.maestro.secrets.internal.Unscannable;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds secrets by their value, where it is known, and by their form: some two hundred rules for the tokens of well-known
 * services, private keys, passwords in URLs, headers, and names such as {@code password} with a value. Where a secret was
 * stands {@code [REDACTED:<rule>]}.
 *
 * <ul>
 *   <li>What is valid JSON stays valid JSON.
 *   <li>Redacting a text twice is the same as redacting it once.
 *   <li>The time grows with the length of the text and not faster, whatever the text holds. A text that would take longer,
 *       or on which a rule fails, becomes {@code [REDACTED: could not be scanned]} whole (in JSON of the same kind where it
 *       begins like JSON): what could not be scanned does not pass.
 * </ul>
 *
 * <p>Safe for use by several threads.
 */
public final class SecretRedactor implements Redactor {
    private static final Logger LOG = LoggerFactory.getLogger(SecretRedactor.class);

    /** Held while the scanner is replaced; reading it needs no lock. */
    private final ReentrantLock adding = new ReentrantLock();

    private volatile Scanner scanner;

    private SecretRedactor(Scanner scanner) {
        this.scanner = scanner;
    }

    /**
     * Makes a redactor with the rules for well-known secrets and no values.
     *
     * @return a redactor; values can be added
     */
    public static SecretRedactor withDefaults() {
        return builder().build();
    }

    /**
     * Starts a redactor.
     *
     * @return a builder; the rules for well-known secrets are on
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Adds a secret whose value is known. It is found as it is, and as it looks in JSON, in a URL and in base64; of a value
     * with several lines, the longer lines are found by themselves, too. Takes effect with the next text.
     *
     * @param value the secret; blanks at its ends do not count
     * @throws IllegalArgumentException when it is shorter than 6 characters: it would stand in every other text
     */
    public void addSecret(String value) {
        String secret = Builder.checked(value);
        adding.lock();
        try {
            scanner = scanner.withSecret(secret);
        } finally {
            adding.unlock();
        }
    }

    @Override
    public String redact(String text) {
        try {
            return scanner.redact(text);
        } catch (RuntimeException | StackOverflowError e) {
            warn(text, e);
            return Unscannable.inPlaceOf(text);
        }
    }

    /** Not the message of what was thrown: it may quote the text. */
    private static void warn(String text, Throwable thrown) {
        LOG.warn(
                "A text of {} characters could not be scanned for secrets and is left out: {}",
                text.length(),
                thrown.getClass().getName());
    }

    @Override
    public List<Found> find(String text) {
        try {
            return scanner.find(text).stream()
                    .map(span -> new Found(span.start(), span.end(), span.rule(), span.certain()))
                    .toList();
        } catch (RuntimeException | StackOverflowError e) {
            warn(text, e);
            return List.of(new Found(0, text.length(), "could not be scanned", true));
        }
    }

    @Override
    public Object version() {
        return scanner;
    }

    /** Up to the last blank; less where a secret may have begun that shows by what comes after. */
    @Override
    public int settled(CharSequence text) {
        return scanner.settled(text.toString(), Redactor.super.settled(text));
    }

    /** Collects the parts of a {@link SecretRedactor}. Not safe for use by several threads. */
    public static final class Builder {
        private static final int SHORTEST_SECRET = 6;
        private static final int SHORTEST_KEYWORD = 2;
        private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,63}");

        private boolean defaults = true;
        private UnaryOperator<Scanner> additions = UnaryOperator.identity();

        private Builder() {}

        private static String checked(String value) {
            String secret = value.strip();
            if (secret.length() < SHORTEST_SECRET) {
                throw new IllegalArgumentException("a secret of " + secret.length()
                        + " characters cannot be redacted, as it would stand in every other text; use one of at least "
                        + SHORTEST_SECRET);
            }
            return secret;
        }

        /**
         * Adds a secret whose value is known, as {@link SecretRedactor#addSecret} does.
         *
         * @param value the secret
         * @return this
         * @throws IllegalArgumentException when it is shorter than 6 characters
         */
        public Builder secret(String value) {
            String secret = checked(value);
            return add(before -> before.withSecret(secret));
        }

        /**
         * Adds a rule with one keyword; see {@link #rule(String, List, String)}.
         *
         * @param name the rule's name
         * @param keyword where it stands, the expression is tried
         * @param regex the expression
         * @return this
         * @throws IllegalArgumentException when a part cannot be used; the message says why
         */
        public Builder rule(String name, String keyword, String regex) {
            return rule(name, List.of(keyword), regex);
        }

        /**
         * Adds a rule. The expression is tried only where one of the keywords stands, and must match from there on; it may
         * look behind. What the group {@code secret} matched is taken out, or all when there is no such group; a group in a
         * look-behind is taken out with all that follows it.
         *
         * @param name stands in the mark: lower-case letters, digits and {@code -}
         * @param keywords what the secret, or what stands before it, begins with; found in whatever case; each of at least
         *     2 characters
         * @param regex an expression of {@link Pattern}
         * @return this
         * @throws IllegalArgumentException when a part cannot be used; the message says why
         */
        public Builder rule(String name, List<String> keywords, String regex) {
            if (!NAME.matcher(name).matches()) {
                throw new IllegalArgumentException(
                        "not a rule's name: '" + name + "'; use up to 64 lower-case letters, digits and '-'");
            }
            if (keywords.isEmpty() || keywords.stream().anyMatch(keyword -> keyword.length() < SHORTEST_KEYWORD)) {
                throw new IllegalArgumentException("rule " + name + " needs keywords of at least " + SHORTEST_KEYWORD
                        + " characters, has " + keywords);
            }
            try {
                Pattern.compile(regex);
            } catch (PatternSyntaxException e) {
                throw new IllegalArgumentException("rule " + name + " has no valid expression: " + e.getMessage(), e);
            }
            List<String> words = List.copyOf(keywords);
            return add(before -> before.with(name, words, regex));
        }

        /**
         * Leaves the rules for well-known secrets out.
         *
         * @return this
         */
        public Builder withoutDefaults() {
            defaults = false;
            return this;
        }

        private Builder add(UnaryOperator<Scanner> addition) {
            UnaryOperator<Scanner> before = additions;
            additions = scanner -> addition.apply(before.apply(scanner));
            return this;
        }

        /**
         * Makes the redactor.
         *
         * @return a redactor
         */
        public SecretRedactor build() {
            return new SecretRedactor(additions.apply(Scanner.create(defaults)));
        }
    }
}
