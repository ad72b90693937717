package io.maestro.git.hosted.internal;

import io.maestro.git.ForgeComments.Comment;
import io.maestro.git.ForgeComments.Conversation;
import io.maestro.git.ForgeComments.Subject;
import java.util.Optional;
import java.util.function.Supplier;

/** The comments of stories' requests, as {@link io.maestro.git.ForgeComments} has them. Safe for use by several threads. */
public final class Comments {
    private final Optional<Discussion> discussion;
    private final PullRequests requests;
    private final Writers writers;

    Comments(Optional<Discussion> discussion, PullRequests requests, Writers writers) {
        this.discussion = discussion;
        this.requests = requests;
        this.writers = writers;
    }

    /**
     * Reads them.
     *
     * @param subject whose request
     * @return empty while there is no request, or where its comments are not read
     */
    public Optional<Conversation> of(Subject subject) {
        return asked(() -> discussion.flatMap(talk ->
                find(subject).map(found -> new Conversation(found.state().open(), talk.of(found)))));
    }

    /**
     * Writes one.
     *
     * @param subject below whose request
     * @param text Markdown
     */
    public void post(Subject subject, String text) {
        asked(() -> {
            talk().post(request(subject), text);
            return true;
        });
    }

    /**
     * Changes one of Maestro's own.
     *
     * @param subject below whose request
     * @param id which
     * @param text Markdown
     */
    public void edit(Subject subject, long id, String text) {
        asked(() -> {
            talk().edit(request(subject), id, text);
            return true;
        });
    }

    /**
     * Whether its author may decide.
     *
     * @param subject below whose request
     * @param comment which
     * @return see {@link io.maestro.git.ForgeComments#mayDecide}
     */
    public boolean mayDecide(Subject subject, Comment comment) {
        return !comment.own()
                && asked(() -> writers.mayWriteNow(comment.author())
                        && !request(subject).people().author().equalsIgnoreCase(comment.author()));
    }

    private static <T> T asked(Supplier<T> action) {
        try {
            return action.get();
        } catch (ApiException e) {
            throw ForgeSession.failure(e);
        }
    }

    private Discussion talk() {
        return discussion.orElseThrow(() -> new IllegalStateException("comments are not read here"));
    }

    private PullRequest request(Subject subject) {
        return find(subject)
                .orElseThrow(() -> new ApiException(
                        ApiException.ApiFault.LOST, 0, "there is no request of " + subject + " any more", null));
    }

    private Optional<PullRequest> find(Subject subject) {
        return requests.marked(new RequestBody.RequestOwner(subject.storyId(), subject.attempt()), subject.branch());
    }
}
