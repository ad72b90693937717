package io.maestro.secrets.internal;

import io.maestro.secrets.Redactor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A file's text as a model is shown it, with marks in the place of secrets, and the way back: what a model copies from there is
 * found in the file, and a mark that it leaves where it is stays the secret. The one place that knows that a mark must never be
 * written to a file. Immutable.
 */
public final class ShownText {
    /** So many places of a text are looked for. */
    public static final int MOST_PLACES = 20;

    /** So many bytes before and behind a part of a text say whether a secret reaches into it: longer than any secret. */
    public static final int AROUND = 64 * 1024;

    private static final Pattern MARK = Pattern.compile("\\[REDACTED:[A-Za-z0-9_-]{1,64}]");

    private final String raw;
    private final String shown;
    private final List<Hidden> hidden;

    /**
     * A secret.
     *
     * @param at where its mark begins in what is shown
     * @param mark the mark
     * @param from where it begins in the file
     * @param to behind its last character there
     */
    private record Hidden(int at, String mark, int from, int to) {}

    /**
     * A changed file.
     *
     * @param text its text
     * @param line where the change begins, the first one is 1
     */
    public record Edited(String text, long line) {}

    private ShownText(String raw, String shown, List<Hidden> hidden) {
        this.raw = raw;
        this.shown = shown;
        this.hidden = List.copyOf(hidden);
    }

    /** Empty when it cannot be told which part of the text a mark stands for. */
    public static Optional<ShownText> of(String raw, Redactor redactor) {
        String shown = redactor.redact(raw);
        List<Hidden> hidden = new ArrayList<>();
        Matcher marks = MARK.matcher(shown);
        int before = 0;
        int position = 0;
        while (marks.find()) {
            String plain = shown.substring(before, marks.start());
            if (!raw.startsWith(plain, position)) {
                return Optional.empty();
            }
            position += plain.length();
            int end = endOfSecret(raw, position, shown, marks);
            if (end <= position) {
                return Optional.empty();
            }
            hidden.add(new Hidden(marks.start(), marks.group(), position, end));
            position = end;
            before = marks.end();
        }
        String rest = shown.substring(before);
        boolean ends = raw.length() - position == rest.length() && raw.startsWith(rest, position);
        return ends ? Optional.of(new ShownText(raw, shown, hidden)) : Optional.empty();
    }

    /** Negative where it cannot be told. */
    private static int endOfSecret(String raw, int from, String shown, Matcher mark) {
        if (raw.startsWith(mark.group(), from)) {
            return from + mark.group().length();
        }
        if (mark.end() == shown.length()) {
            return raw.length();
        }
        Matcher next = MARK.matcher(shown);
        String after = shown.substring(mark.end(), next.find(mark.end()) ? next.start() : shown.length());
        return after.isEmpty() ? -1 : raw.indexOf(after, from + 1);
    }

    /**
     * A part of a text as a model is shown it: no secret that begins before the part, or ends behind it, is shown in pieces.
     *
     * @param before what stands before the part
     * @param after what comes after it
     * @return the part with marks; where it cannot be told what of the whole belongs to it, nothing of its secrets is left, but it may
     *     show more of what is around it
     */
    public static String part(String before, String part, String after, Redactor redactor) {
        Optional<ShownText> whole = of(before + part + after, redactor);
        if (whole.isEmpty()) {
            return redactor.redact(before + part + after);
        }
        ShownText text = whole.get();
        if (text.hidden.isEmpty()) {
            return part;
        }
        int from = before.length();
        int to = from + part.length();
        StringBuilder shown = new StringBuilder();
        int at = from;
        for (Hidden one : text.hidden) {
            if (one.to > from && one.from < to) {
                shown.append(text.raw, at, Math.max(at, one.from)).append(one.mark);
                at = Math.max(at, Math.min(to, one.to));
            }
        }
        return shown.append(text.raw, at, to).toString();
    }

    /** Where a text occurs in what is shown. */
    public List<Integer> places(String text) {
        List<Integer> places = new ArrayList<>();
        for (int at = shown.indexOf(text); at >= 0 && places.size() < MOST_PLACES; at = shown.indexOf(text, at + 1)) {
            places.add(at);
        }
        return places;
    }

    /**
     * The file's text with a part of what is shown replaced. Marks of that part which are still in the new text stay what they
     * stand for, in their order.
     *
     * @param at where the part begins
     * @param length its length
     * @param replacement may hold marks of the part
     * @return empty when the part begins or ends inside a mark, or the new text has a mark that the part has not
     */
    public Optional<Edited> replaced(int at, int length, String replacement) {
        OptionalInt from = inFile(at);
        OptionalInt to = inFile(at + length);
        if (from.isEmpty() || to.isEmpty()) {
            return Optional.empty();
        }
        Map<String, Deque<Hidden>> kept = new HashMap<>();
        for (Hidden one : hidden) {
            if (one.at >= at && one.at < at + length) {
                kept.computeIfAbsent(one.mark, mark -> new ArrayDeque<>()).add(one);
            }
        }
        StringBuilder text = new StringBuilder(raw.substring(0, from.getAsInt()));
        Matcher marks = MARK.matcher(replacement);
        int before = 0;
        while (marks.find()) {
            Hidden one = kept.getOrDefault(marks.group(), new ArrayDeque<>()).poll();
            if (one == null) {
                return Optional.empty();
            }
            text.append(replacement, before, marks.start()).append(raw, one.from, one.to);
            before = marks.end();
        }
        text.append(replacement.substring(before)).append(raw, to.getAsInt(), raw.length());
        return Optional.of(new Edited(text.toString(), lineOf(raw, from.getAsInt())));
    }

    /** The number of the line of the file in which a place of what is shown is, from 1. */
    public long line(int place) {
        OptionalInt inFile = inFile(place);
        return inFile.isPresent() ? lineOf(raw, inFile.getAsInt()) : lineOf(shown, place);
    }

    private static long lineOf(String text, int place) {
        return 1 + text.substring(0, place).chars().filter(c -> c == '\n').count();
    }

    /** Empty in the middle of a mark. */
    private OptionalInt inFile(int position) {
        int moved = position;
        for (Hidden one : hidden) {
            if (one.at >= position) {
                break;
            }
            if (position < one.at + one.mark.length()) {
                return OptionalInt.empty();
            }
            moved += one.to - one.from - one.mark.length();
        }
        return OptionalInt.of(moved);
    }

    /**
     * A mark that a text has more often than another.
     *
     * @param text what is to be written, or run
     * @param before what was there before; what it says itself may be said again
     */
    public static Optional<String> newMark(String text, String before) {
        Map<String, Integer> left = new HashMap<>();
        MARK.matcher(before).results().forEach(mark -> left.merge(mark.group(), 1, Integer::sum));
        return MARK.matcher(text)
                .results()
                .map(mark -> mark.group())
                .filter(mark -> left.merge(mark, -1, Integer::sum) < 0)
                .findFirst();
    }

    /** What a model is told that would write a mark. */
    public static String refusal(String mark) {
        return "nothing was done: '" + mark
                + "' stands for a secret that you are not shown, and would take its place. Change the"
                + " lines around it with edit_file, which keeps what it stands for. Where these very words are wanted, put them"
                + " together from two parts";
    }
}
