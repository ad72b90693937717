package io.maestro.git.hosted.internal;

import io.maestro.git.Forge.Proposal;
import io.maestro.git.MergeMethod;
import io.maestro.git.internal.text.ForgeText;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One repository on a server, in the words that are the same on all of them: each product has one, which knows its paths and
 * names and decides nothing. Every method may throw an {@link ApiException}. Safe for use by several threads.
 */
public interface Server {
    /**
     * Reads a request.
     *
     * @param number its number
     * @return as it is now
     */
    PullRequest read(int number);

    /**
     * Lists requests.
     *
     * @param branch what they want to merge
     * @return the newest first, open or over; those of other branches or repositories may be among them
     */
    List<PullRequest> ofBranch(String branch);

    /**
     * Looks for the requests that had a commit as their last one.
     *
     * @param commit the commit
     * @return as far as the server knows
     */
    List<PullRequest> withCommit(String commit);

    /**
     * Makes a request: asked once.
     *
     * @param proposal what it is for
     * @param body its text
     * @return what was made; empty when the server says that there is one already
     */
    Optional<PullRequest> create(Proposal proposal, String body);

    /**
     * Changes the text of a request.
     *
     * @param request which
     * @param body the new text
     * @return as it is then
     */
    PullRequest write(PullRequest request, String body);

    /**
     * Closes a request without merging it.
     *
     * @param request which
     * @param body its new text
     */
    void close(PullRequest request, String body);

    /**
     * Opens a request again that was closed.
     *
     * @param request which
     * @param body its new text
     * @return as it is then
     */
    PullRequest reopen(PullRequest request, String body);

    /**
     * Whether a commit has another in its history, by what the server knows.
     *
     * @param commit the later one
     * @param part the earlier one
     * @return false also when it does not know one of them
     */
    boolean contains(String commit, String part);

    /**
     * The tip of a branch.
     *
     * @param branch its name
     * @return empty when there is no such branch
     */
    Optional<String> tip(String branch);

    /**
     * On what a commit was made.
     *
     * @param commit the commit
     * @return its first parent; empty when it is not known
     */
    Optional<String> firstParent(String commit);

    /**
     * Who has closed a request.
     *
     * @param request which
     * @return empty when it is not known
     */
    Optional<String> closer(PullRequest request);

    /**
     * What a server says to a merge.
     *
     * @param commit what came into the target branch; empty when nothing did
     * @param reason why nothing did
     */
    record Merge(Optional<String> commit, String reason) {
        /**
         * It is merged.
         *
         * @param commit as what
         * @return that
         */
        public static Merge as(String commit) {
            return new Merge(Optional.of(commit), "");
        }

        /**
         * It is not.
         *
         * @param reason why
         * @return that
         */
        public static Merge refused(String reason) {
            return new Merge(Optional.empty(), reason);
        }

        /**
         * The first line of the merge's message.
         *
         * @param proposal what is merged
         * @param request its request
         * @return story, title and request
         */
        public static String title(Proposal proposal, PullRequest request) {
            return "Story " + proposal.storyId() + ": " + proposal.title() + " (" + request.reference() + ")";
        }

        /**
         * The rest of the merge's message.
         *
         * @param proposal what is merged
         * @return its description and the trailers of its story
         */
        public static String body(Proposal proposal) {
            return ForgeText.commitBody(proposal.description(), List.of(), proposal.storyId(), proposal.attempt());
        }
    }

    /**
     * Merges the proposed commit and no other: asked once.
     *
     * @param proposal what was proposed
     * @param request its request
     * @param method how; {@link MergeMethod#QUEUE} puts it into the queue
     * @return what the server says
     */
    Merge merge(Proposal proposal, PullRequest request, MergeMethod method);

    /**
     * How a request stands in the merge queue of its target branch.
     *
     * @param waits whether it is in it
     * @param left by which the server knows how the queue last let it go without merging it, and later ones have larger numbers; 0
     *     when it never has
     * @param by the person who has taken it out then; empty when the queue has let it go by itself
     * @param said where it stands, or why it is not in it any more; may be empty
     */
    record Queue(boolean waits, long left, String by, String said) {}

    /**
     * Looks into the merge queue; asked only where there can be one, as the next two.
     *
     * @param request which
     * @return how it stands
     */
    default Queue queue(PullRequest request) {
        throw new UnsupportedOperationException("this server has no merge queues");
    }

    /**
     * Takes a request out of the merge queue; fine when it is not in it any more.
     *
     * @param request which
     */
    default void dequeue(PullRequest request) {
        throw new UnsupportedOperationException("this server has no merge queues");
    }

    /**
     * The checks that a merge queue has run for a commit, together with what stood before it.
     *
     * @param request whose last commit it is
     * @param commit the commit
     * @param since {@link Queue#left} before it was put there
     * @return none when they are not known
     */
    default List<Check> queueChecks(PullRequest request, String commit, long since) {
        return List.of();
    }

    /**
     * The checks of a commit.
     *
     * @param request of which it is the last one
     * @param commit the commit
     * @return of each the last run
     */
    List<Check> checks(PullRequest request, String commit);

    /**
     * Whether the rules of a branch require checks.
     *
     * @param targetBranch the branch to merge into
     * @return false also when they are not seen
     */
    boolean requiresChecks(String targetBranch);

    /**
     * What more there is to say about a check that has failed, such as its log.
     *
     * @param check which
     * @return may be empty
     */
    String details(Check check);

    /**
     * Whether somebody may write to the repository at this moment. Asked by {@link Writers} only.
     *
     * @param person by which the server knows people: the login, on GitLab the number
     * @return false for programs as well, where the server tells
     */
    boolean mayWriteNow(String person);

    /**
     * The review threads of a request.
     *
     * @param request which
     * @param writers tells who may write, by what {@link #mayWriteNow} takes
     * @return those that could be read
     */
    Listed<ReviewThread> threads(PullRequest request, Predicate<String> writers);

    /**
     * The conversations of requests beside their review threads.
     *
     * @return empty where Maestro does not read them
     */
    default Optional<Discussion> discussion() {
        return Optional.empty();
    }

    /**
     * The verdicts of people who may write to the repository, of each the last one.
     *
     * @param request about which
     * @param writers tells who may write, by what {@link #mayWriteNow} takes
     * @return without Maestro's own
     */
    Listed<Review> reviews(PullRequest request, Predicate<String> writers);

    /**
     * Who has said anything about a request as a reviewer.
     *
     * @param request which
     * @return their names
     */
    List<String> reviewed(PullRequest request);

    /**
     * Who is asked to look at a request at the moment.
     *
     * @param request which
     * @return of a team what stands behind the slash
     */
    default Set<String> asked(PullRequest request) {
        return request.people().reviewers();
    }

    /**
     * Writes into a review thread: sent once.
     *
     * @param request where it is
     * @param thread which
     * @param text Markdown
     */
    void answer(PullRequest request, ReviewThread thread, String text);

    /**
     * Marks a thread as done; done twice it is the same.
     *
     * @param request where it is
     * @param thread which
     */
    void resolve(PullRequest request, ReviewThread thread);

    /**
     * Puts labels on a request.
     *
     * @param request which
     * @param names those it has not
     */
    void label(PullRequest request, List<String> names);

    /**
     * Asks people to look at a request.
     *
     * @param request which
     * @param names those who are not asked at the moment; some may have looked at it already
     */
    void invite(PullRequest request, Collection<String> names);

    /**
     * Looks whether requests could be made and merged.
     *
     * @param targetBranch the branch to merge into
     * @param method how; null where people merge
     * @return what was found
     * @throws io.maestro.git.GitException when they could not
     */
    String check(String targetBranch, @Nullable MergeMethod method);
}
