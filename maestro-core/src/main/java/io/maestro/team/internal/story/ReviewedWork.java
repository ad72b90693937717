package io.maestro.team.internal.story;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.maestro.story.TestOutcome;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What "tested", "reviewed" and "agreed" refer to: the one place that says which tree may be merged. One tree goes through
 * tests, review, agreement and merge. When the target's own changes come in, review and agreement go on to the tree with both,
 * and the tests are to be passed again.
 */
public final class ReviewedWork {
    private @Nullable TestOutcome tests;
    private @Nullable String testReport;
    private @Nullable String testHeadline;
    private @Nullable Baseline baseline;

    /** The tree that the tests were last run on, or could not be; null when they failed. */
    private @Nullable String testedTree;

    /** A run of the tests that has passed before it was needed. */
    private @Nullable AheadRun ahead;

    private @Nullable String shownTree;
    private int shownStep;

    /** The tree that the architect approved; in PREPARE_MERGE and AWAIT_MERGE with the target branch's own changes in it. */
    private @Nullable String reviewedTree;

    /** The {@link #reviewedTree} whose merge the architect has agreed to. */
    private @Nullable String mergeApproved;

    /** How the tests had gone when it did. */
    private @Nullable TestOutcome agreedTests;

    private @Nullable String baseCommit;
    private @Nullable String commit;

    /**
     * How the project's tests went on a commit of the target branch, in the project's own image.
     *
     * @param commit which one
     * @param services which services of its files they had; empty for none
     * @param verdict the name of it
     * @param headline one line
     * @param failures the names of the tests that failed
     * @param passing how many tests have passed; null when that is not known
     */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    public record Baseline(
            String commit,
            String services,
            String verdict,
            String headline,
            List<String> failures,
            @Nullable Integer passing) {}

    /**
     * A run of the tests that has passed.
     *
     * @param tree on which tree
     * @param headline one line
     * @param report what they have printed
     */
    record AheadRun(String tree, String headline, String report) {}

    ReviewedWork() {}

    /** The same for the next attempt, when this one may have been merged. */
    ReviewedWork next() {
        ReviewedWork next = new ReviewedWork();
        next.tests = tests;
        return next;
    }

    /**
     * The project's tests have run on a tree, or it was seen that they cannot be run. An agreement to the merge falls with tests
     * that went in another way than when it was given, and have not passed: whoever has given it is asked again.
     *
     * @param headline one line
     * @param report what they have printed
     */
    public void tested(String tree, TestOutcome outcome, String headline, String report) {
        if (outcome != TestOutcome.PASSED && outcome != agreedTests) {
            mergeApproved = null;
        }
        tests = outcome;
        testReport = report;
        testHeadline = headline;
        testedTree = outcome == TestOutcome.FAILED ? null : tree;
    }

    /** The tests have passed on a tree that the work may become. */
    public void passedAhead(String tree, String headline, String report) {
        ahead = new AheadRun(tree, headline, report);
    }

    /** Whether the tests have passed on a tree ahead; they count as run now. */
    public boolean usesAhead(String tree) {
        AheadRun run = ahead;
        if (run == null || !run.tree().equals(tree)) {
            return false;
        }
        tested(tree, TestOutcome.PASSED, run.headline(), run.report());
        ahead = null;
        return true;
    }

    /** How the tests went; null while they were not needed. */
    public @Nullable TestOutcome tests() {
        return tests;
    }

    /** How the tests went without the change; null while they have not run so. */
    public @Nullable Baseline baseline() {
        return baseline;
    }

    /** The tests have run without the change. */
    public void baseline(Baseline found) {
        baseline = found;
    }

    /** What the tests have printed. */
    public String testReport() {
        return String.valueOf(testReport);
    }

    /** How they went, in one line; null while they have not run. */
    public @Nullable String testHeadline() {
        return testHeadline;
    }

    /** Whether the last tests were about this tree, and have not failed. */
    public boolean isTested(String tree) {
        return tree.equals(testedTree);
    }

    /** The architect is asked about a tree in this step. */
    public void show(String tree, int step) {
        shownStep = step;
        shownTree = tree;
    }

    /** Whether the architect was asked about a tree in this step. */
    public boolean isShown(String tree, int step) {
        return shownStep == step && tree.equals(shownTree);
    }

    /** The tree that the architect was last asked about; null before that. */
    public @Nullable String shownTree() {
        return shownTree;
    }

    /** Whether the architect was asked about another tree in this step. */
    public boolean isAnotherShown(String tree, int step) {
        return shownStep == step && !tree.equals(shownTree);
    }

    /** The architect has approved a tree. */
    public void reviewed(String tree) {
        reviewedTree = tree;
        ahead = null;
    }

    /** The approved tree, with the target's own changes in it; null before the review. */
    public @Nullable String reviewedTree() {
        return reviewedTree;
    }

    /** The architect has decided on the merge of the approved tree. */
    public void decided(boolean agreed) {
        mergeApproved = agreed ? reviewedTree : null;
        agreedTests = agreed ? tests : null;
    }

    /** Whether the architect has agreed to the merge of the approved tree. */
    public boolean isAgreed() {
        return reviewedTree != null && reviewedTree.equals(mergeApproved);
    }

    /**
     * The target's own changes, and nothing else, came into the approved tree. Base and tree change together: the old tree on
     * the new base would undo what others have merged. An agreement to the merge holds on until the tests have run.
     */
    public void integrated(String base, String tree) {
        mergeApproved = isAgreed() ? tree : null;
        baseCommit = base;
        reviewedTree = tree;
    }

    /** From now on the work is compared with this commit. */
    public void comparedWith(String base) {
        baseCommit = base;
    }

    /** The commit that the work is compared with; null before SETUP. */
    public @Nullable String baseCommit() {
        return baseCommit;
    }

    /** The approved tree is committed on the story's branch. */
    public void committed(String made) {
        commit = made;
    }

    /** Whether there is a commit on the story's branch. */
    public boolean isCommitted() {
        return commit != null;
    }

    /** The commit on the story's branch. */
    public String commit() {
        if (commit == null) {
            throw new IllegalStateException("nothing was committed");
        }
        return commit;
    }
}
