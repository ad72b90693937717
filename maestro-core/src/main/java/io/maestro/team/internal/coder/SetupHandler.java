package io.maestro.team.internal.coder;

import io.maestro.environment.Environment;
import io.maestro.environment.Environments;
import io.maestro.environment.Workplace;
import io.maestro.git.GitException;
import io.maestro.git.GitUnavailableException;
import io.maestro.git.internal.GitRepository;
import io.maestro.git.internal.Workspace;
import io.maestro.git.internal.WorkspaceProblem;
import io.maestro.story.CoderState;
import io.maestro.team.internal.dispatch.MergeTurns;
import io.maestro.team.internal.dispatch.ServiceChecks;
import io.maestro.team.internal.dispatch.WorkspaceMarkers;
import io.maestro.team.internal.loop.Resources;
import io.maestro.team.internal.machine.Next;
import io.maestro.team.internal.machine.StateHandler;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * SETUP: ends what an earlier life left, brings the mirror up to date, asks the services that the story needs, makes the workspace, the branch and
 * the environment, and looks there for the programs of the tests.
 */
public final class SetupHandler implements StateHandler<CoderState, StoryAttempt> {
    private static final Logger LOG = LoggerFactory.getLogger(SetupHandler.class);

    private final GitRepository git;
    private final Environments environments;
    private final ServiceChecks checks;
    private final Workspaces workspaces;
    private final WorkspaceMarkers marks;
    private final CoderDriver driver;
    private final TestRuns tests;

    public SetupHandler(
            Resources resources,
            ServiceChecks checks,
            Workspaces workspaces,
            WorkspaceMarkers marks,
            CoderDriver driver,
            TestRuns tests) {
        this.git = resources.git();
        this.environments = resources.environments();
        this.checks = checks;
        this.workspaces = workspaces;
        this.marks = marks;
        this.driver = driver;
        this.tests = tests;
    }

    @Override
    public Next<CoderState> handle(StoryAttempt run) {
        String target = refreshed(run);
        run.checkout().mergesInto(target);
        List<String> earlier = run.progress().published().earlierCommits();
        if (!earlier.isEmpty()) {
            // An earlier life died between the merge and its row: ask the world, not the row.
            Optional<String> commit = git.findMerged(target, earlier);
            if (commit.isPresent()) {
                run.merged(commit.get());
                approveImage(run);
                return new Next<>(CoderState.DONE, "an earlier attempt was merged as " + commit.get());
            }
        }
        git.requireSettings(run.agentId(), target);
        checks.require(git.url(), target);
        run.notMerged();
        run.images().notMerged();
        marks.remove(run.agentId());
        Workspace workspace = git.checkout(run.agentId(), run.story().id(), run.attempt(), target);
        requireSnapshots(workspace);
        String workspaceId = UUID.randomUUID().toString();
        run.sandbox().made(workspace, open(run, workspace.directory()), workspaceId);
        marks.set(
                new WorkspaceMarkers.WorkspaceMarker(run.agentId(), run.story().id(), workspaceId));
        workspaces.open(run.agentId(), workspace);
        tests.requireRunnable(run);
        return run.story().express()
                ? new Next<>(CoderState.CODING, "express story")
                : new Next<>(CoderState.PLANNING, "workspace on branch " + workspace.branch());
    }

    /** What is refused before anybody has changed a file would be refused after the work was paid, too. */
    private void requireSnapshots(Workspace workspace) {
        try {
            workspace.snapshot();
        } catch (WorkspaceProblem e) {
            throw new GitException(
                    "the branch '" + workspace.targetBranch() + "' of " + git.displayUrl()
                            + " cannot be worked on as it is: " + e.getMessage(),
                    e);
        }
    }

    /** Work can begin on what was fetched last; only whether an earlier attempt was merged nobody else knows. */
    private String refreshed(StoryAttempt run) {
        try {
            return git.refresh();
        } catch (GitUnavailableException e) {
            String known = run.progress().published().earlierCommits().isEmpty()
                    ? git.lastKnown().orElse(null)
                    : null;
            if (known == null) {
                throw e;
            }
            LOG.warn(
                    "story {} begins on {} as it was fetched last, since its repository cannot be reached: {}",
                    run.story().id(),
                    known,
                    e.getMessage());
            return known;
        }
    }

    /** Takes up the workspace of an earlier life. */
    void reopen(StoryAttempt run, String branch) {
        Workspace workspace = git.reopen(
                run.agentId(),
                run.story().id(),
                run.attempt(),
                branch,
                run.baseCommit(),
                String.valueOf(run.checkout().targetBranch()));
        if (run.work().isCommitted()) {
            // The story may have ended in between, and was forgotten.
            workspace.goOnFrom(run.work().commit(), run.tips());
        }
        Environment environment = open(run, workspace.directory());
        run.sandbox().reopened(workspace, environment);
        String image = run.images().current();
        if (image != null) {
            environment.resume(image);
        }
        if (environments.isolates() && !MergeTurns.isMerging(run.state())) {
            // With the time, since each restart is news.
            run.guidance()
                    .tell("The program that runs your commands was started again at "
                            + Instant.now().truncatedTo(ChronoUnit.SECONDS)
                            + ". They run in a new container now"
                            + (image == null ? "" : ", from the image that you have chosen, if it is still there")
                            + ". Your workspace is as it was; what ran in the old container or was installed in it, and the services"
                            + " of compose files, are gone. Start again what you need.");
        }
        workspaces.open(run.agentId(), workspace);
    }

    private Environment open(StoryAttempt run, Path directory) {
        return environments.open(new Workplace(
                run.agentId(), run.story().id(), run.attempt(), directory, List.of(), driver.equipment(run.agentId())));
    }

    /** The earlier life may have died before it could do that, too. */
    private void approveImage(StoryAttempt run) {
        String image = run.images().ifMerged();
        if (image != null) {
            ImageApproval.of(run, image, () -> run.sandbox().opened(open(run, git.workspaceDirectory(run.agentId()))));
        }
    }
}
