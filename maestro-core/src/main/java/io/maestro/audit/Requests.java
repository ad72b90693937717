package io.maestro.audit;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The requests of a store on which people decide. A request is open until it has its one reply: what a person decided, or that
 * nobody did in time. It is withdrawn, which is a reply as well, by the write that takes its story out of the state from which it
 * was asked; a story that is suspended goes back there. Of several who reply at once, in whatever process, exactly one counts. Safe for use by several threads and processes.
 */
public interface Requests {
    /** The decision in the reply of a request that was withdrawn. */
    String WITHDRAWN = "WITHDRAWN";

    /** The decision in the reply of a request on which nobody decided in time. */
    String TIMEOUT = "TIMEOUT";

    /**
     * Writes a request before anybody is asked. One that is there already stays as it is. What has ended asks nobody.
     *
     * @param request without a reply
     * @param until when it is too late to reply
     * @param approvals how many people must approve before it is approved; 1 or more
     * @return the request as it stands, which may have its reply
     * @throws StoreException when the attempt at the story has ended
     */
    Row open(Store.Effect request, Instant until, int approvals);

    /**
     * The requests that can be answered now, in the order in which they were written.
     *
     * @param after the {@link AuditLog.Page#last()} of the page before; 0 for the first
     * @param most how many at most; 1 or more
     * @return a page; empty at the end
     */
    AuditLog.Page<Row> pending(long after, int most);

    /** {@return the ids of all requests without a reply, those that are late as well} */
    Set<String> pendingIds();

    /**
     * Looks for a request, open or not.
     *
     * @param id the request
     * @return the request as it stands; empty when there is none on which people decide
     */
    Optional<Row> find(String id);

    /**
     * Writes what a person has decided, before anything is done about it. An approval counts when it is the last of those that
     * are needed, each of another person, whose name differs in more than letter case and blanks; everything else counts at once. What comes at the deadline or later is too late, and the
     * request has run out of time then.
     *
     * @param id the request
     * @param person who decides; empty for what says that nobody has
     * @param approves whether it is an approval
     * @param message what was said with it
     * @param reply what the request's reply becomes if this counts; JSON
     * @param at when
     * @return what has come of it
     */
    Verdict reply(String id, String person, boolean approves, String message, String reply, Instant at);

    /** What comes of somebody's reply. */
    enum Verdict {
        /** It is the reply to the request. */
        COUNTS,
        /** It is an approval of several that are needed, and is kept. */
        MORE_NEEDED,
        /** The request has its reply already, was withdrawn, or has run out of time. */
        TOO_LATE,
        /** There is no such request. */
        UNKNOWN
    }

    /**
     * A request on which people decide.
     *
     * @param effect what was asked, and the reply if there is one
     * @param storyTitle the story's title
     * @param storyContent what is to be done; Markdown
     * @param until when it is too late to reply
     * @param approvals how many people must approve
     * @param given the approvals so far where several are needed, oldest first
     */
    record Row(
            Store.Effect effect,
            String storyTitle,
            String storyContent,
            Instant until,
            int approvals,
            List<Approval> given) {
        /**
         * Copies the list.
         *
         * @param effect see the record
         * @param storyTitle see the record
         * @param storyContent see the record
         * @param until see the record
         * @param approvals see the record
         * @param given see the record
         */
        public Row {
            given = List.copyOf(given);
        }
    }

    /**
     * One approval of several that a request needs.
     *
     * @param person who approved
     * @param message what was said with it; may be empty
     * @param at when
     */
    record Approval(String person, String message, Instant at) {}
}
