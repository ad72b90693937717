package io.maestro.git.hosted.internal;

/**
 * A person's verdict on a request.
 *
 * @param id by which the server knows it
 * @param login whose it is
 * @param verdict what it says
 * @param commit what the person has looked at; empty when that is not known
 * @param text what the person has written; may be empty
 */
public record Review(long id, String login, ReviewVerdict verdict, String commit, String text) {
    /** What a person says. */
    public enum ReviewVerdict {
        /** It can be merged. */
        APPROVED,
        /** It has to be changed. */
        CHANGES_WANTED,
        /** An earlier verdict does not count any more. */
        NONE
    }

    boolean wantsChanges() {
        return verdict == ReviewVerdict.CHANGES_WANTED;
    }

    boolean approves() {
        return verdict == ReviewVerdict.APPROVED;
    }

    /** Its name in the request's memory. */
    String key() {
        return "r" + id;
    }
}
