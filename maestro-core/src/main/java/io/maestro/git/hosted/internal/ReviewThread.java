package io.maestro.git.hosted.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What people and Maestro have written at one place of a change.
 *
 * @param id by which the server knows it
 * @param root the id of its first comment
 * @param resolved whether it is marked as done
 * @param place file and line
 * @param unanswered what people have written since Maestro's last answer
 * @param answer Maestro's last answer
 * @param counts whether a person who may write has said anything in it; one of others only stands in nobody's way
 * @param whole whether all of it was read; a thread that is not whole is open
 */
public record ReviewThread(
        String id,
        long root,
        boolean resolved,
        String place,
        Unanswered unanswered,
        LastAnswer answer,
        boolean counts,
        boolean whole) {
    private static final Pattern ANSWER =
            Pattern.compile("<!-- maestro answer=(\\d{1,19}) commit=([0-9a-f]{40,64}) -->");

    /**
     * What people have written since Maestro's last answer.
     *
     * @param texts with their authors
     * @param last the id of the last of these; 0 for none
     */
    public record Unanswered(List<String> texts, long last) {}

    /**
     * Maestro's last answer.
     *
     * @param comment which comment it answers; 0 for none
     * @param commit the commit that it named
     */
    public record LastAnswer(long comment, String commit) {
        /** Nothing is answered. */
        public static final LastAnswer NONE = new LastAnswer(0, "");
    }

    /**
     * Something that was written.
     *
     * @param id by which the server knows it
     * @param author who has written it
     * @param by whose word it is
     * @param text Markdown
     */
    public record ThreadComment(long id, String author, Author by, String text) {}

    /** Whose word something is. */
    public enum Author {
        /** Maestro's own account. */
        SELF,
        /** A person who may write to the repository. */
        PERSON,
        /** Anybody else, whose words count for nothing. */
        OTHER
    }

    /**
     * Reads a thread.
     *
     * @param id by which the server knows it
     * @param resolved whether it is marked as done
     * @param place file and line
     * @param root the id of its first comment
     * @param comments in the order in which they were written; the last ones may be missing, and of a thread that is resolved all
     * @param whole whether all of it was read
     * @return what there is to answer in it
     */
    public static ReviewThread of(
            String id, boolean resolved, String place, long root, List<ThreadComment> comments, boolean whole) {
        List<String> people = new ArrayList<>();
        long last = 0;
        LastAnswer given = LastAnswer.NONE;
        boolean counts = false;
        for (ThreadComment comment : comments) {
            Matcher answer = ANSWER.matcher(comment.text());
            if (comment.by() == Author.SELF && answer.find()) {
                people.clear();
                last = 0;
                given = new LastAnswer(Long.parseLong(answer.group(1)), answer.group(2));
            } else if (comment.by() == Author.PERSON) {
                people.add(comment.author() + ": " + comment.text().strip());
                last = comment.id();
                counts = true;
            }
        }
        return new ReviewThread(
                id, root, resolved, place, new Unanswered(List.copyOf(people), last), given, counts, whole);
    }

    /** What makes a comment of Maestro the answer to another. */
    static String mark(long comment, String commit) {
        return "<!-- maestro answer=" + comment + " commit=" + commit + " -->";
    }

    /** Whether people wait for an answer. */
    boolean isOpen() {
        return !resolved && unanswered.last() > 0;
    }

    /** Its name in the request's memory: another comment makes it another. */
    String key() {
        return "t" + unanswered.last();
    }
}
