package io.maestro.team.internal.coder;

import io.maestro.git.Forge;
import io.maestro.git.internal.Workspace;
import io.maestro.story.CoderState;
import io.maestro.team.internal.dispatch.MergeTurns;
import io.maestro.team.internal.machine.Next;
import io.maestro.team.internal.machine.StateHandler;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * PREPARE_MERGE: commits and pushes what the architect approved: at first as it stands, and when the merge is agreed to and it is
 * the story's turn, on top of the target branch's tip. Where that has moved, its changes come in first, and the tests run again on
 * both together. The tree that is committed is the approved one with the target branch's own changes, made in the mirror; when
 * the files in the workspace are others, they go back to the coder.
 */
final class PrepareMergeHandler implements StateHandler<CoderState, StoryAttempt> {
    private final CommitMessages messages;
    private final String coder;
    private final StoryProposal proposals;
    private final Forge forge;
    private final TestRuns tests;
    private final MergeTurns turns;
    private final AheadTests ahead;
    private final boolean asksAboutConflicts;

    /**
     * @param coder the model or the program that has written what is committed
     * @param asksAboutConflicts whether the architect is asked before the coder resolves one
     */
    PrepareMergeHandler(
            CommitMessages messages,
            String coder,
            StoryProposal proposals,
            Forge forge,
            TestRuns tests,
            MergeTurns turns,
            AheadTests ahead,
            boolean asksAboutConflicts) {
        this.messages = messages;
        this.coder = coder;
        this.proposals = proposals;
        this.forge = forge;
        this.tests = tests;
        this.turns = turns;
        this.ahead = ahead;
        this.asksAboutConflicts = asksAboutConflicts;
    }

    @Override
    public Next<CoderState> handle(StoryAttempt run) {
        Workspace workspace = run.workspace();
        boolean integrates = integrates(run);
        Workspace.Integration integration = integrates ? workspace.integrate() : asItStands(workspace.snapshot());
        run.broughtIn(workspace.baseCommit());
        if (!integration.conflicts().isEmpty()) {
            return Conflicts.back(run, integration, asksAboutConflicts);
        }
        Workspace.Snapshot snapshot = integration.after();
        boolean moved = !workspace.baseCommit().equals(run.baseCommit());
        if (!integration.before().tree().equals(run.work().reviewedTree())
                || moved && !workspace.snapshot().tree().equals(snapshot.tree())) {
            return back(
                    run,
                    "files changed after the review",
                    "Files in your workspace have changed since the architect"
                            + " approved the change; look at what is left over, then call `done` again.");
        }
        if (moved) {
            run.work().integrated(snapshot.baseCommit(), snapshot.tree());
        }
        if (snapshot.empty()) {
            return back(
                    run,
                    "others have merged the same change",
                    "Others have merged the very same change into " + workspace.targetBranch()
                            + ". See whether anything is left to do, then call `done`.");
        }
        if (turns.looksAhead(run.story().id())) {
            workspace.share(snapshot);
            turns.predict(run.story().id(), snapshot.tree());
        }
        if (!run.work().isTested(snapshot.tree()) && !run.work().usesAhead(snapshot.tree())) {
            TestRuns.TestRunReport report = tests.run(run, snapshot);
            report.noteIn(run.work(), snapshot.tree());
            if (!report.passed()) {
                return back(
                        run,
                        "tests fail together with what others have merged",
                        "Others have merged into "
                                + workspace.targetBranch() + " meanwhile. Their changes are in your workspace now."
                                + " Together with yours: " + report.fault() + ".\n\n" + report.summary());
            }
        }
        CommitMessages.CommitMessage message =
                messages.of(run.story(), run.attempt(), run.turns().summary());
        Optional<Forge.Proposal> earlier = run.work().isCommitted() ? Optional.of(proposals.of(run)) : Optional.empty();
        String commit = workspace.commit(snapshot, message.subject(), message.body(), "Assisted-by: " + coder);
        run.work().committed(commit);
        workspace.push();
        run.pushed();
        earlier.filter(proposal -> !proposal.branch().equals(workspace.branch()))
                .ifPresent(proposal -> run.stop()
                        .calling(
                                "the forge " + forge.id(),
                                () -> forge.withdraw(
                                        proposal, "The branch " + workspace.branch() + " takes its place.")));
        Optional<String> proposal =
                run.stop().calling("the forge " + forge.id(), () -> forge.propose(proposals.of(run)));
        return new Next<>(
                CoderState.AWAIT_MERGE,
                "pushed " + commit.substring(0, 10) + " to " + workspace.branch()
                        + proposal.map(url -> ", proposed as " + url).orElse(""));
    }

    /**
     * Whether the target's changes come in now: when it is the story's turn. What was tested and is not agreed to yet is proposed as
     * it stands, since who decides may take long, and others go first then; but nobody is asked about what is in conflict.
     */
    private boolean integrates(StoryAttempt run) {
        Workspace workspace = run.workspace();
        String reviewed = run.work().reviewedTree();
        if (!run.work().isAgreed() && reviewed != null && run.work().isTested(reviewed)) {
            return workspace.isInConflict(reviewed);
        }
        ahead.run(run);
        turns.take(run.story().id(), run.attempt(), run.agentId(), workspace.targetBranch());
        return true;
    }

    private static Workspace.Integration asItStands(Workspace.Snapshot snapshot) {
        return new Workspace.Integration(snapshot, snapshot, Map.of(), List.of());
    }

    private static Next<CoderState> back(StoryAttempt run, String reason, String guidance) {
        run.rebased();
        run.guidance().tell(guidance);
        return new Next<>(CoderState.CODING, reason);
    }
}
