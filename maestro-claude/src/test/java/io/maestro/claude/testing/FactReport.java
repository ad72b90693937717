package io.maestro.claude.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/**
 * Appends what has come of each {@link Fact} to the file that the system property {@code maestro.claude.drift} names, if any:
 * lines of an outcome, the fact, its test and why, with tabs between them.
 */
final class FactReport implements TestWatcher {
    private static final String FILE = System.getProperty("maestro.claude.drift", "");

    @Override
    public void testSuccessful(ExtensionContext context) {
        write("holds", context, Optional.empty());
    }

    @Override
    public void testFailed(ExtensionContext context, Throwable cause) {
        write("CHANGED", context, Optional.of(cause.toString()));
    }

    @Override
    public void testAborted(ExtensionContext context, Throwable cause) {
        write("not tried", context, Optional.ofNullable(cause.getMessage()));
    }

    @Override
    public void testDisabled(ExtensionContext context, Optional<String> reason) {
        write("not tried", context, reason);
    }

    private static void write(String outcome, ExtensionContext context, Optional<String> why) {
        if (FILE.isEmpty()) {
            return;
        }
        String fact = context.getRequiredTestMethod().getAnnotation(Fact.class).value();
        String test = context.getRequiredTestClass().getSimpleName() + "#"
                + context.getRequiredTestMethod().getName();
        String line = why.stream()
                .flatMap(String::lines)
                .map(String::strip)
                .filter(Predicate.not(String::isEmpty))
                .limit(6)
                .reduce("", (some, more) -> some + " " + more)
                .strip();
        String row = String.join("\t", outcome, fact, test, line.substring(0, Math.min(400, line.length())));
        try {
            // By several processes at once: a short line is written as a whole.
            Files.writeString(Path.of(FILE), row + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
