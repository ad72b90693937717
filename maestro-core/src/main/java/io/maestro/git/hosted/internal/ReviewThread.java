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
 * @param people what people have written since Maestro's last answer
 * @param last the id of the last of these; 0 for none
 * @param answered which comment Maestro has answered last; 0 for none
 * @param answeredWith the commit that it named
 * @param counts whether a person who may write has said anything in it; one of others only stands in nobody's way
 * @param whole whether all of it was read; a thread that is not whole is open
 */
public record ReviewThread(
        String id,
        long root,
        boolean resolved,
        String place,
        List<String> people,
        long last,
        long answered,
        String answeredWith,
        boolean counts,
        boolean whole) {
    private static final Pattern ANSWER =
            Pattern.compile("<!-- maestro answer=(\\d{1,19}) commit=([0-9a-f]{40,64}) -->");

    /**
     * Something that was written.
     *
     * @param id by which the server knows it
     * @param author who has written it
     * @param by whose word it is
     * @param text Markdown
     */
    public record Comment(long id, String author, Author by, String text) {}

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
            String id, boolean resolved, String place, long root, List<Comment> comments, boolean whole) {
        List<String> people = new ArrayList<>();
        long last = 0;
        long answered = 0;
        String answeredWith = "";
        boolean counts = false;
        for (Comment comment : comments) {
            Matcher answer = ANSWER.matcher(comment.text());
            if (comment.by() == Author.SELF && answer.find()) {
                people.clear();
                last = 0;
                answered = Long.parseLong(answer.group(1));
                answeredWith = answer.group(2);
            } else if (comment.by() == Author.PERSON) {
                people.add(comment.author() + ": " + comment.text().strip());
                last = comment.id();
                counts = true;
            }
        }
        return new ReviewThread(
                id, root, resolved, place, List.copyOf(people), last, answered, answeredWith, counts, whole);
    }

    /** What makes a comment of Maestro the answer to another. */
    static String mark(long comment, String commit) {
        return "<!-- maestro answer=" + comment + " commit=" + commit + " -->";
    }

    /** Whether people wait for an answer. */
    boolean isOpen() {
        return !resolved && last > 0;
    }

    /** Its name in the request's memory: another comment makes it another. */
    String key() {
        return "t" + last;
    }
}
