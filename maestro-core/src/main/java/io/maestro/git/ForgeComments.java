package io.maestro.git;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The comments that people write below a proposal. A {@link Forge} whose proposals have them may implement this as well: what
 * people have to decide while a story has a proposal is then asked there, too, and answered there by whoever may decide.
 * Implementations are safe for use by several threads. Every method may throw a {@link GitException} when the forge refuses, and a
 * {@link GitUnavailableException} when it cannot be reached; it is tried again later, and people can answer by other ways.
 */
public interface ForgeComments {
    /**
     * How long comments are left alone before they are read again.
     *
     * @return more than zero
     */
    Duration interval();

    /**
     * Reads the comments below the proposal of a story's attempt.
     *
     * @param subject the proposal
     * @return empty while there is no proposal, or where nothing is asked by comments
     */
    Optional<Conversation> conversation(Subject subject);

    /**
     * Writes a comment below a proposal. When the answer to that is lost, the comment may be there.
     *
     * @param subject the proposal; its conversation has been read
     * @param text Markdown
     */
    void post(Subject subject, String text);

    /**
     * Changes a comment of the forge's own account.
     *
     * @param subject the proposal
     * @param id the comment
     * @param text Markdown
     */
    void edit(Subject subject, long id, String text);

    /**
     * Whether the author of a comment may decide on what is asked below a proposal: a person who may write to the repository at this
     * moment, and who has not made the proposal.
     *
     * @param subject the proposal
     * @param comment one of its comments
     * @return false for the forge's own account, and for programs
     */
    boolean mayDecide(Subject subject, Comment comment);

    /**
     * The proposal of a story's attempt.
     *
     * @param storyId the story
     * @param attempt which attempt; from 1
     * @param remote the URL or path of the real repository, with credentials where the host gave them
     * @param branch the story's branch
     */
    record Subject(String storyId, int attempt, String remote, String branch) {
        /** Without the remote, which may hold credentials. */
        @Override
        public String toString() {
            return branch + " of story " + storyId + ", attempt " + attempt;
        }
    }

    /**
     * What is written below a proposal.
     *
     * @param open whether the proposal is neither merged nor closed
     * @param comments in the order in which they were written
     */
    record Conversation(boolean open, List<Comment> comments) {
        /**
         * Copies the list.
         *
         * @param open see the record
         * @param comments see the record
         */
        public Conversation {
            comments = List.copyOf(comments);
        }
    }

    /**
     * A comment.
     *
     * @param id by which the server knows it; a later one has a greater number
     * @param author the name of the account
     * @param own whether it is of the account that the forge works with
     * @param edited whether it was changed after it was written, by whomever
     * @param text Markdown
     */
    record Comment(long id, String author, boolean own, boolean edited, String text) {}
}
