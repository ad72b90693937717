package io.maestro.team.internal.coder;

import io.maestro.story.TestOutcome;
import io.maestro.team.internal.dispatch.StoryProgress;
import org.jspecify.annotations.Nullable;

/**
 * What "tested", "reviewed" and "agreed" refer to: the one place that says which tree may be merged. One tree goes through
 * tests, review, agreement and merge. When the target's own changes come in, review and agreement go on to the tree with both,
 * and the tests are to be passed again.
 */
final class ReviewedWork {
    private final StoryProgress progress;

    ReviewedWork(StoryProgress progress) {
        this.progress = progress;
    }

    /**
     * The project's tests have run on a tree, or it was seen that they cannot be run. An agreement to the merge falls with tests
     * that went in another way than when it was given, and have not passed: whoever has given it is asked again.
     */
    void tested(String tree, TestRuns.Report report) {
        if (report.outcome() != TestOutcome.PASSED && report.outcome() != progress.agreedTests) {
            progress.mergeApproved = null;
        }
        progress.tests = report.outcome();
        progress.testReport = report.summary();
        progress.testHeadline = report.headline();
        progress.testedTree = report.outcome() == TestOutcome.FAILED ? null : tree;
    }

    /** How the tests went; null while they were not needed. */
    @Nullable
    TestOutcome tests() {
        return progress.tests;
    }

    /** How the tests went without the change; null while they have not run so. */
    StoryProgress.@Nullable Baseline baseline() {
        return progress.baseline;
    }

    /** The tests have run without the change. */
    void baseline(StoryProgress.Baseline found) {
        progress.baseline = found;
    }

    /** What the tests have printed. */
    String testReport() {
        return String.valueOf(progress.testReport);
    }

    /** How they went, in one line; null while they have not run. */
    @Nullable
    String testHeadline() {
        return progress.testHeadline;
    }

    /** Whether the last tests were about this tree, and have not failed. */
    boolean isTested(String tree) {
        return tree.equals(progress.testedTree);
    }

    /** The architect is asked about a tree in this step. */
    void show(String tree) {
        progress.shownStep = progress.step;
        progress.shownTree = tree;
    }

    /** Whether the architect was asked about a tree in this step. */
    boolean isShown(String tree) {
        return progress.shownStep == progress.step && tree.equals(progress.shownTree);
    }

    /** The tree that the architect was last asked about; null before that. */
    @Nullable
    String shownTree() {
        return progress.shownTree;
    }

    /** Whether the architect was asked about another tree in this step. */
    boolean isAnotherShown(String tree) {
        return progress.shownStep == progress.step && !tree.equals(progress.shownTree);
    }

    /** The architect has approved a tree. */
    void reviewed(String tree) {
        progress.reviewedTree = tree;
    }

    /** The approved tree, with the target's own changes in it; null before the review. */
    @Nullable
    String reviewedTree() {
        return progress.reviewedTree;
    }

    /** The architect has decided on the merge of the approved tree. */
    void decided(boolean agreed) {
        progress.mergeApproved = agreed ? progress.reviewedTree : null;
        progress.agreedTests = agreed ? progress.tests : null;
    }

    /** Whether the architect has agreed to the merge of the approved tree. */
    boolean isAgreed() {
        return progress.reviewedTree != null && progress.reviewedTree.equals(progress.mergeApproved);
    }

    /**
     * The target's own changes, and nothing else, came into the approved tree. Base and tree change together: the old tree on
     * the new base would undo what others have merged. An agreement to the merge holds on until the tests have run.
     */
    void integrated(String baseCommit, String tree) {
        progress.mergeApproved = isAgreed() ? tree : null;
        progress.baseCommit = baseCommit;
        progress.reviewedTree = tree;
    }

    /** The approved tree is committed on the story's branch. */
    void committed(String commit) {
        progress.commit = commit;
    }

    /** Whether there is a commit on the story's branch. */
    boolean isCommitted() {
        return progress.commit != null;
    }

    /** The commit on the story's branch. */
    String commit() {
        if (progress.commit == null) {
            throw new IllegalStateException("nothing was committed");
        }
        return progress.commit;
    }
}
