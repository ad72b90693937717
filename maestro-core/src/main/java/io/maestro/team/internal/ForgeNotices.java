package io.maestro.team.internal;

import io.maestro.git.ForgeComments;
import io.maestro.inbox.Inbox;
import io.maestro.inbox.internal.CommentWatch;
import io.maestro.team.internal.architect.RequestNotices;
import io.maestro.team.internal.architect.Requester;
import io.maestro.team.internal.loop.Resources;
import org.jspecify.annotations.Nullable;

/** Shows people what they decide on below what a story has proposed, where the forge has comments. Safe for use by several threads. */
final class ForgeNotices implements RequestNotices, AutoCloseable {
    private final String remote;
    private final @Nullable CommentWatch watch;

    /** @param onAnswer told when a request may have been answered there */
    ForgeNotices(Resources resources, Runnable onAnswer) {
        this.remote = resources.git().url();
        this.watch = resources.settings().forge() instanceof ForgeComments comments
                ? new CommentWatch(comments, Inbox.of(resources.store(), onAnswer), resources.redactor())
                : null;
    }

    @Override
    public void show(Requester requester, String requestId) {
        CommentWatch comments = watch;
        if (comments != null) {
            requester
                    .committedBranch()
                    .ifPresent(branch -> comments.asked(
                            new ForgeComments.Subject(requester.story().id(), requester.attempt(), remote, branch),
                            requestId));
        }
    }

    @Override
    public void changed(String storyId) {
        if (watch != null) {
            watch.lookSoon(storyId);
        }
    }

    /** Something has happened at the forge. */
    void ring() {
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
