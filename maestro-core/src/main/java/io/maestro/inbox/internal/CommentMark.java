package io.maestro.inbox.internal;

import io.maestro.git.ForgeComments.Comment;
import io.maestro.inbox.InboxItem;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The first line of Maestro's own comments, which a page does not show: by it a later life knows what it has written, so that
 * nothing is asked or answered twice.
 */
final class CommentMark {
    private static final String DECIDED = "decided";
    private static final Pattern REQUEST =
            Pattern.compile("<!-- maestro request=([A-Za-z0-9_/-]{1,200}) stands=([a-z0-9]{1,20}) -->");
    private static final Pattern REPLY = Pattern.compile("<!-- maestro reply=(\\d{1,19}) -->");

    private CommentMark() {}

    /**
     * A comment that asks.
     *
     * @param id the comment
     * @param request what it asks
     * @param stands how that stood when it was written
     */
    record Asked(long id, String request, String stands) {
        /** Whether people read there that they can answer. */
        boolean waits() {
            return !stands.equals(DECIDED);
        }
    }

    static String ofRequest(InboxItem item) {
        return "<!-- maestro request=" + item.id() + " stands=" + stands(item) + " -->\n";
    }

    /** Changes with what the comment says. */
    static String stands(InboxItem item) {
        return item.outcome().isPresent() ? DECIDED : "waits" + item.given().size();
    }

    static String ofReply(long comment) {
        return "<!-- maestro reply=" + comment + " -->\n";
    }

    /** Only at the beginning: what agents write comes later. */
    static Optional<Asked> asked(Comment comment) {
        Matcher mark = REQUEST.matcher(comment.text());
        return comment.own() && mark.lookingAt()
                ? Optional.of(new Asked(comment.id(), mark.group(1), mark.group(2)))
                : Optional.empty();
    }

    /** To which comment it is the reply. */
    static Optional<Long> reply(Comment comment) {
        Matcher mark = REPLY.matcher(comment.text());
        return comment.own() && mark.lookingAt() ? Optional.of(Long.valueOf(mark.group(1))) : Optional.empty();
    }
}
