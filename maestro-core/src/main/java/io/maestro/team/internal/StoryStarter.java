package io.maestro.team.internal;

import io.maestro.agent.CoderState;
import io.maestro.agent.Limits;
import io.maestro.audit.Store;
import io.maestro.git.GitException;
import io.maestro.llm.Usage;
import io.maestro.story.Story;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Optional;
import java.util.function.BiFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the run of a story from its row: a new attempt, one that goes on where an earlier process was killed, or, when that
 * process's workspace is not here, the next attempt. The story is leased. Safe for use by several threads.
 */
final class StoryStarter {
    private static final Logger LOG = LoggerFactory.getLogger(StoryStarter.class);

    private final Store store;
    private final SetupHandler setup;
    private final WorkspaceMarks marks;
    private final Limits limits;
    private final BiFunction<String, Usage, Optional<BigDecimal>> prices;
    private final String sessionId;

    StoryStarter(
            Store store,
            SetupHandler setup,
            WorkspaceMarks marks,
            Limits limits,
            BiFunction<String, Usage, Optional<BigDecimal>> prices,
            String sessionId) {
        this.store = store;
        this.setup = setup;
        this.marks = marks;
        this.limits = limits;
        this.prices = prices;
        this.sessionId = sessionId;
    }

    /** A run that stands where the row says, with its workspace. */
    StoryRun start(Store.StoryRecord row, Story story, String agentId) {
        StoryProgress progress = StoryProgress.fromJson(row.data());
        CoderState state = row.state() == CoderState.SUSPEND ? progress.suspended : row.state();
        if (state == CoderState.WAITING || state == CoderState.SETUP) {
            return run(row, story, agentId, row.attempt(), progress);
        }
        StoryRun run = run(row, story, agentId, row.attempt(), progress);
        if (isHere(agentId, progress) && row.branch() != null && reopen(run, row.branch())) {
            LOG.info("story {} attempt {} goes on in {}", story.id(), row.attempt(), row.state());
            return run;
        }
        return nextAttempt(row, story, agentId);
    }

    private StoryRun run(Store.StoryRecord row, Story story, String agentId, int attempt, StoryProgress progress) {
        StoryRun run = new StoryRun(
                story,
                attempt,
                sessionId,
                agentId,
                KnownStory.meter(store, limits, prices, story.id(), attempt, progress),
                progress,
                row.specId());
        if (attempt == row.attempt()) {
            run.state = row.state();
            run.mergeCommit = row.mergeCommit();
        }
        return run;
    }

    private boolean isHere(String agentId, StoryProgress progress) {
        return marks.of(agentId)
                .filter(mark -> mark.workspaceId().equals(progress.workspaceId))
                .isPresent();
    }

    private boolean reopen(StoryRun run, String branch) {
        boolean open = false;
        try {
            ContainerTracker.catchUp(store, run);
            setup.reopen(run, branch);
            CoderState state = run.state == CoderState.SUSPEND ? run.progress.suspended : run.state;
            String reviewed = run.progress.reviewedTree;
            if (reviewed != null && (state == CoderState.PREPARE_MERGE || state == CoderState.AWAIT_MERGE)) {
                // A merge of the target's news may have been killed half-way; no agent works in these states.
                run.workspace().restore(reviewed);
            }
            open = true;
            return true;
        } catch (GitException e) {
            LOG.warn("the workspace of story {} cannot be used any more: {}", run.story.id(), e.getMessage());
            return false;
        } finally {
            if (!open) {
                EnvironmentEnd.of(run);
            }
        }
    }

    /** The work of the process that died is not here, or not usable: the record says so, and a new attempt begins. */
    private StoryRun nextAttempt(Store.StoryRecord before, Story story, String agentId) {
        StoryRun run = run(before, story, agentId, before.attempt() + 1, KnownStory.insteadOf(before));
        store.saveStory(run.toRecord(CoderState.WAITING));
        String reason = "its process ended in " + before.state() + ", and its workspace is not here";
        Instant now = Instant.now();
        String coder = before.agentId() == null ? agentId : before.agentId();
        store.recordTransition(
                new Store.StateTransition(
                        sessionId, before.id(), before.attempt(), coder, before.state(), CoderState.ERROR, reason, now),
                new Store.StoryRecord(
                        before.id(),
                        sessionId,
                        before.title(),
                        before.content(),
                        before.type(),
                        before.express(),
                        CoderState.ERROR,
                        before.attempt(),
                        coder,
                        before.branch(),
                        before.mergeCommit(),
                        reason,
                        before.data(),
                        before.specId(),
                        before.dependsOn(),
                        now));
        return run;
    }
}
