package io.maestro.team.internal.architect;

import io.maestro.git.Forge;
import io.maestro.git.ForgeComments;
import io.maestro.inbox.Inbox;
import io.maestro.inbox.internal.CommentWatch;
import io.maestro.secrets.Redactor;
import org.jspecify.annotations.Nullable;

/**
 * Shows people what they decide on below what a story has proposed, where the forge has comments; nowhere otherwise. Safe for use
 * by several threads.
 */
public final class RequestNotices implements AutoCloseable {
    /** Nowhere. */
    static final RequestNotices NONE = new RequestNotices("", null);

    private final String remote;
    private final @Nullable CommentWatch watch;

    private RequestNotices(String remote, @Nullable CommentWatch watch) {
        this.remote = remote;
        this.watch = watch;
    }

    /**
     * The place of a forge.
     *
     * @param remote the repository
     * @param inbox where the requests are
     */
    public static RequestNotices of(String remote, Forge forge, Inbox inbox, Redactor redactor) {
        return forge instanceof ForgeComments comments
                ? new RequestNotices(remote, new CommentWatch(comments, inbox, redactor))
                : NONE;
    }

    /** A request is in the record, which may have its reply. */
    void show(Requester requester, String requestId) {
        CommentWatch comments = watch;
        if (comments != null) {
            requester
                    .committedBranch()
                    .ifPresent(branch -> comments.asked(
                            new ForgeComments.Subject(requester.story().id(), requester.attempt(), remote, branch),
                            requestId));
        }
    }

    /** A request of a story may have its reply, or nobody waits for it any more. */
    void changed(String storyId) {
        if (watch != null) {
            watch.lookSoon(storyId);
        }
    }

    /** Something has happened at the forge. */
    public void ring() {
        if (watch != null) {
            watch.lookSoon();
        }
    }

    @Override
    public void close() {
        if (watch != null) {
            watch.close();
        }
    }
}
