package io.maestro.internal;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;

/** Keeps texts short without lying about it. */
public final class Texts {
    private Texts() {}

    /**
     * Cuts a text that goes into a message.
     *
     * @param text any text
     * @param limit how many characters are kept; 1 or more
     * @return the text on one line, with {@code …} where it was cut
     */
    public static String clip(String text, int limit) {
        String cut = text.length() <= limit ? text : text.substring(0, charBoundary(text, limit)) + "…";
        return cut.replaceAll("\\R", " ");
    }

    /**
     * Bounds an answer: keeps its beginning and its end, and counts what is left out between them.
     *
     * @param text any text
     * @param limit how many characters are kept; 2 or more
     * @return the text itself when it is not longer
     */
    public static String headAndTail(String text, int limit) {
        if (text.length() <= limit) {
            return text;
        }
        int head = charBoundary(text, limit - limit / 4);
        int tail = charBoundary(text, text.length() - limit / 4);
        return text.substring(0, head)
                + "\n[... " + (tail - head) + " of " + text.length() + " characters left out ...]\n"
                + text.substring(tail);
    }

    /** The index itself, or one before when it would cut a surrogate pair in two. */
    private static int charBoundary(String text, int index) {
        boolean inPair = index > 0
                && index < text.length()
                && Character.isLowSurrogate(text.charAt(index))
                && Character.isHighSurrogate(text.charAt(index - 1));
        return inPair ? index - 1 : index;
    }

    /**
     * The first line of an answer; with the next one, where it ends with a colon.
     *
     * @param text any text
     * @return at most 200 characters, on one line
     */
    public static String firstLine(String text) {
        List<String> lines = text.substring(0, Math.min(text.length(), 300))
                .strip()
                .lines()
                .filter(line -> !line.isBlank())
                .limit(2)
                .toList();
        String first = lines.isEmpty() ? "" : lines.get(0);
        return clip(
                lines.size() > 1 && first.endsWith(":")
                        ? first + " " + lines.get(1).strip()
                        : first,
                200);
    }

    /**
     * A duration for people.
     *
     * @param duration 0 or more
     * @return for example {@code 60 s} or {@code 250 ms}
     */
    public static String seconds(Duration duration) {
        return duration.compareTo(Duration.ofSeconds(1)) < 0
                ? duration.toMillis() + " ms"
                : duration.toSeconds() + " s";
    }

    /**
     * A failure's type and message.
     *
     * @param failure anything that was thrown, even by a foreign class
     * @return for example {@code java.io.IOException: no space left on device}
     */
    public static String describe(Throwable failure) {
        String type = failure.getClass().getName();
        try {
            String message = failure.getMessage();
            Throwable cause = failure.getCause();
            if (message != null && !message.isBlank()) {
                return type + ": " + message.strip();
            }
            return cause == null ? type : type + ", caused by " + cause;
        } catch (RuntimeException | StackOverflowError e) {
            return type;
        }
    }

    /**
     * A failure with its stack trace, for logs.
     *
     * @param failure anything that was thrown
     * @return several lines; to be freed of secrets before it is logged
     */
    public static String stackTrace(Throwable failure) {
        StringWriter text = new StringWriter();
        try {
            failure.printStackTrace(new PrintWriter(text));
        } catch (RuntimeException | StackOverflowError e) {
            return failure.getClass().getName();
        }
        return text.toString();
    }
}
