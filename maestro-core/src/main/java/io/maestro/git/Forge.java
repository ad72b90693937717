package io.maestro.git;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Where a repository is hosted, and how a finished branch gets into the target branch there: by a merge that is pushed, or
 * by a pull request. Implementations are safe for use by several threads.
 *
 * <p>A forge merges what was tested and nothing else: a {@linkplain Proposal#commit commit} that was tested on top of the
 * {@linkplain Proposal#base base}, while that base is the tip of the target branch. When the target branch has another tip
 * it answers {@link Outcome.Moved}; Maestro then brings in the news, tests again and makes a new proposal. A server that
 * merges by itself has to be told the same ("require branches to be up to date before merging").
 *
 * <p>Both methods may be called again for the same story and attempt, after a crash, and then find what was already done
 * instead of doing it twice. A later proposal of the same story and attempt has the same branch with a newer commit: it
 * takes the place of the earlier one.
 */
public interface Forge {
    /**
     * Names the kind of forge, for messages and the record.
     *
     * @return for example {@code local}
     */
    String id();

    /**
     * Proposes to merge a branch that has been pushed.
     *
     * @param proposal what to merge into what
     * @return where people can look at the proposal (the URL of a pull request), or empty when this forge has no such thing
     * @throws GitException when the forge refuses; GitUnavailableException when it cannot be reached
     */
    Optional<String> propose(Proposal proposal);

    /**
     * Merges a proposal that the architect has approved, or looks how far that is. Does not wait for people or checks: what
     * takes longer than a few requests is {@link Outcome.Pending}, and the method is called again with the same proposal.
     *
     * @param proposal the same as was proposed last
     * @return how it stands
     * @throws GitException when the forge refuses; GitUnavailableException when it cannot be reached
     */
    Outcome merge(Proposal proposal);

    /**
     * Takes back a proposal of a story that ends without being merged: closes it, and says why. What is merged or closed already,
     * or was taken over by somebody, stays as it is, and so does the branch. Does nothing unless overridden. May be called again.
     *
     * @param proposal the same as was proposed last; perhaps nothing came of that
     * @param reason why the story ends, Markdown
     * @throws GitException when the forge refuses; GitUnavailableException when it cannot be reached
     */
    default void withdraw(Proposal proposal, String reason) {}

    /**
     * Looks whether work could be proposed and merged, and changes nothing.
     *
     * @param remote the URL or path of the real repository, with credentials where the host gave them
     * @param targetBranch the branch to merge into
     * @return what was found, in one line; empty when there is nothing to look at, as always unless overridden
     * @throws GitException when it could not, with what to do; GitUnavailableException when it cannot be reached
     */
    default Optional<String> check(String remote, String targetBranch) {
        return Optional.empty();
    }

    /**
     * The credentials that this forge uses, as far as it knows them now: they are kept out of the record, the log and what
     * models see. Asked once, when a Maestro is built.
     *
     * @return none unless overridden
     */
    default List<String> secrets() {
        return List.of();
    }

    /**
     * What to merge into what.
     *
     * @param storyId the story
     * @param attempt which attempt; from 1
     * @param title one line
     * @param description Markdown
     * @param repository a bare repository on this machine, out of the agents' reach, that holds the commit
     * @param remote the URL or path of the real repository, with credentials where the host gave them
     * @param branch the story's branch
     * @param commit the tip of that branch; nothing else may be merged
     * @param base the commit of the target branch that {@code commit} is based on and was tested with; it may be merged only
     *     while this is the tip of the target branch
     * @param targetBranch the branch to merge into
     * @param earlier commits that were proposed before for this story, by this or another attempt, and may have been merged
     *     although nobody heard of it: the story is merged when one of them, or {@code commit}, is in the target branch
     * @param text what a request to merge says to people, Markdown: what, why, how it was tested and what it cost
     */
    record Proposal(
            String storyId,
            int attempt,
            String title,
            String description,
            Path repository,
            String remote,
            String branch,
            String commit,
            String base,
            String targetBranch,
            List<String> earlier,
            String text) {
        /**
         * Copies the list.
         *
         * @param storyId see the record
         * @param attempt see the record
         * @param title see the record
         * @param description see the record
         * @param repository see the record
         * @param remote see the record
         * @param branch see the record
         * @param commit see the record
         * @param base see the record
         * @param targetBranch see the record
         * @param earlier see the record
         * @param text see the record
         */
        public Proposal {
            earlier = List.copyOf(earlier);
        }

        /**
         * A proposal whose text is its description.
         *
         * @param storyId see the record
         * @param attempt see the record
         * @param title see the record
         * @param description see the record
         * @param repository see the record
         * @param remote see the record
         * @param branch see the record
         * @param commit see the record
         * @param base see the record
         * @param targetBranch see the record
         * @param earlier see the record
         */
        public Proposal(
                String storyId,
                int attempt,
                String title,
                String description,
                Path repository,
                String remote,
                String branch,
                String commit,
                String base,
                String targetBranch,
                List<String> earlier) {
            this(
                    storyId,
                    attempt,
                    title,
                    description,
                    repository,
                    remote,
                    branch,
                    commit,
                    base,
                    targetBranch,
                    earlier,
                    description);
        }

        /**
         * All commits that may be what is merged.
         *
         * @return {@code commit}, and those of earlier proposals
         */
        public List<String> commits() {
            List<String> commits = new ArrayList<>(List.of(commit));
            commits.addAll(earlier);
            return List.copyOf(commits);
        }

        /** Without the remote, which may hold credentials. */
        @Override
        public String toString() {
            return branch + " (" + commit + ") into " + targetBranch + " for story " + storyId + ", attempt " + attempt;
        }
    }

    /** How a merge stands. */
    sealed interface Outcome {
        /**
         * The work is on the target branch of the real repository.
         *
         * @param commit the commit that brought it in
         * @param already whether an earlier call had merged it
         */
        record Merged(String commit, boolean already) implements Outcome {}

        /**
         * Nothing was merged, because the tip of the target branch is not the commit that the work was tested with. That is
         * no failure, however often it happens. Conflicts are found by Maestro when it brings in the news.
         *
         * @param tip the target branch's tip now
         */
        record Moved(String tip) implements Outcome {}

        /**
         * Not merged yet: checks still run, or approvals by people are missing. The proposal stands.
         *
         * @param again after how long to ask again; more than zero, at most {@link #LONGEST}
         * @param reason what it waits for and what somebody has to do about it, for the log; may be empty
         */
        record Pending(Duration again, String reason) implements Outcome {
            /** A forge is asked once a day at least, whatever a server has told it. */
            public static final Duration LONGEST = Duration.ofDays(1);

            /**
             * Waits for something that needs no explanation.
             *
             * @param again see the record
             * @throws IllegalArgumentException when it is zero or less
             */
            public Pending(Duration again) {
                this(again, "");
            }

            /**
             * Checks the time.
             *
             * @param again more than zero; of a longer one {@link #LONGEST} is taken
             * @param reason see the record
             * @throws IllegalArgumentException when it is zero or less
             */
            public Pending {
                if (again.isZero() || again.isNegative()) {
                    throw new IllegalArgumentException(
                            "the time until a forge is asked again must be more than zero, is " + again);
                }
                again = again.compareTo(LONGEST) < 0 ? again : LONGEST;
            }
        }

        /**
         * Not merged: a check has failed, or a person wants changes. The coder goes on with that, and the proposal is made
         * again with another commit.
         *
         * @param feedback for the coder: what has to change
         */
        record Refused(String feedback) implements Outcome {}

        /**
         * Not merged, and never to be: somebody has closed the proposal. The story ends as rejected.
         *
         * @param reason who and why, as far as it is known
         */
        record Closed(String reason) implements Outcome {}
    }
}
