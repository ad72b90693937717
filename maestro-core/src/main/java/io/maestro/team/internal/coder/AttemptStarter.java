package io.maestro.team.internal.coder;

import io.maestro.agent.Limits;
import io.maestro.budget.internal.CostControl;
import io.maestro.git.GitException;
import io.maestro.git.internal.WorkspaceProblem;
import io.maestro.internal.Uninterrupted;
import io.maestro.llm.Usage;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Store;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.team.internal.dispatch.MergeTurns;
import io.maestro.team.internal.dispatch.WorkspaceMarkers;
import io.maestro.team.internal.machine.ParkedException;
import io.maestro.team.internal.machine.StopSignal;
import io.maestro.team.internal.story.StoryProgress;
import io.maestro.team.internal.story.StoryRows;
import java.math.BigDecimal;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the run of a story from its row: a new attempt, one that goes on where an earlier process was killed, or, when that
 * process's workspace is not here, the next attempt. The story is leased. Safe for use by several threads.
 */
public final class AttemptStarter {
    private static final Logger LOG = LoggerFactory.getLogger(AttemptStarter.class);

    private final Store store;
    private final SetupHandler setup;
    private final WorkspaceMarkers marks;
    private final Limits limits;
    private final BiFunction<String, Usage, Optional<BigDecimal>> prices;
    private final String sessionId;
    private final CostControl costs;

    public AttemptStarter(
            Store store,
            SetupHandler setup,
            WorkspaceMarkers marks,
            Limits limits,
            BiFunction<String, Usage, Optional<BigDecimal>> prices,
            String sessionId) {
        this.store = store;
        this.setup = setup;
        this.marks = marks;
        this.limits = limits;
        this.prices = prices;
        this.sessionId = sessionId;
        this.costs = new CostControl(store.spending(), sessionId, limits, prices);
    }

    /** A run that stands where the row says, with its workspace. */
    public StoryAttempt start(AuditLog.StoryRecord row, Story story, String agentId, StopSignal stop) {
        StoryProgress progress = StoryProgress.fromJson(row.data());
        CoderState state = row.state() == CoderState.SUSPEND ? progress.suspended() : row.state();
        StoryAttempt run = run(row, story, agentId, row.attempt(), progress, row.state(), stop);
        if (state == CoderState.WAITING || state == CoderState.SETUP) {
            return run;
        }
        String branch = row.branch();
        // What stops the story stops it in its workspace: an interrupt here would be taken for one that cannot be used.
        if (isHere(agentId, progress) && branch != null && Uninterrupted.get(() -> reopen(run, branch, state))) {
            LOG.info("story {} attempt {} goes on in {}", story.id(), row.attempt(), row.state());
            return run;
        }
        return nextAttempt(row, story, agentId, stop);
    }

    private StoryAttempt run(
            AuditLog.StoryRecord row,
            Story story,
            String agentId,
            int attempt,
            StoryProgress progress,
            CoderState state,
            StopSignal stop) {
        return new StoryAttempt(
                new StoryAttempt.Assignment(story, attempt, sessionId, agentId, row.specId()),
                StoryRows.meter(
                        store, limits, prices, story.id(), attempt, progress, costs.story(story.id(), row.specId())),
                progress,
                state,
                stop);
    }

    private boolean isHere(String agentId, StoryProgress progress) {
        return marks.of(agentId)
                .filter(mark -> mark.workspaceId().equals(progress.checkout().workspaceId()))
                .isPresent();
    }

    private boolean reopen(StoryAttempt run, String branch, @Nullable CoderState state) {
        boolean left = true;
        try {
            ContainerTracker.catchUp(store, run);
            setup.reopen(run, branch);
            String reviewed = run.work().reviewedTree();
            if (reviewed != null && state != null && MergeTurns.isMerging(state)) {
                // A merge of the target's news may have been killed half-way; no agent works in these states.
                run.workspace().restore(reviewed);
            }
            left = false;
            return true;
        } catch (GitException | WorkspaceProblem e) {
            LOG.warn(
                    "the workspace of story {} cannot be used any more: {}",
                    run.story().id(),
                    e.getMessage());
            run.sandbox().close(true);
            return false;
        } finally {
            if (left) {
                run.sandbox().close(false);
            }
        }
    }

    /** The work of the process that died is not here, or not usable: the record says so, and a new attempt begins. */
    private StoryAttempt nextAttempt(AuditLog.StoryRecord before, Story story, String agentId, StopSignal stop) {
        StoryAttempt run = run(
                before, story, agentId, before.attempt() + 1, StoryRows.insteadOf(before), CoderState.WAITING, stop);
        store.saveStory(run.toRecord(CoderState.WAITING));
        String reason = "its process ended in " + before.state() + ", and its workspace is not here";
        String coder = before.agentId() == null ? agentId : before.agentId();
        store.recordTransition(
                StoryRows.transition(before, sessionId, coder, CoderState.ERROR, reason),
                StoryRows.ended(before, sessionId, coder, reason, StoryProgress.fromJson(before.data())));
        if (MergeTurns.isMerging(before.state())) {
            // It was beside the coders, and needs one now.
            throw new ParkedException("a coder", CompletableFuture.completedFuture(null));
        }
        return run;
    }
}
