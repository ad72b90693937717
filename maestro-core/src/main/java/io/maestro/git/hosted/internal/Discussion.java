package io.maestro.git.hosted.internal;

import io.maestro.git.ForgeComments.Comment;
import java.util.List;

/** The comments of requests in one repository. Every method may throw an {@link ApiException}. Safe for use by several threads. */
public interface Discussion {
    /**
     * The comments of a request, without those of its review threads.
     *
     * @param request which
     * @return all, in the order in which they were written
     */
    List<Comment> of(PullRequest request);

    /**
     * Writes a comment: sent once.
     *
     * @param request below which
     * @param text Markdown
     */
    void post(PullRequest request, String text);

    /**
     * Changes a comment; done twice it is the same.
     *
     * @param request where it is
     * @param id which
     * @param text Markdown
     */
    void edit(PullRequest request, long id, String text);
}
