package io.maestro.team.internal;

import io.maestro.agent.CoderState;
import io.maestro.environment.Environment;
import io.maestro.environment.Environments;
import io.maestro.environment.Equipment;
import io.maestro.environment.Workplace;
import io.maestro.git.internal.GitRepository;
import io.maestro.git.internal.Workspace;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** SETUP: ends what an earlier life left, brings the mirror up to date, and makes the workspace, the branch and the environment. */
final class SetupHandler implements StateHandler {
    private final GitRepository git;
    private final @Nullable String targetBranch;
    private final Workspaces workspaces;
    private final WorkspaceMarks marks;
    private final Environments environments;
    private final Function<String, Equipment> equipment;

    SetupHandler(
            GitRepository git,
            @Nullable String targetBranch,
            Workspaces workspaces,
            WorkspaceMarks marks,
            Environments environments,
            Function<String, Equipment> equipment) {
        this.git = git;
        this.targetBranch = targetBranch;
        this.workspaces = workspaces;
        this.marks = marks;
        this.environments = environments;
        this.equipment = equipment;
    }

    @Override
    public Next handle(StoryRun run) {
        StoryProgress progress = run.progress;
        String target = git.refresh(targetBranch);
        progress.targetBranch = target;
        if (progress.mayBeMerged) {
            // An earlier life died between the merge and its row: ask the world, not the row.
            run.mergeCommit =
                    git.findMerged(run.story.id(), target, progress.since).orElse(null);
            if (run.mergeCommit != null) {
                adopt(run);
                return new Next(CoderState.DONE, "an earlier attempt was merged as " + run.mergeCommit);
            }
        }
        progress.mayBeMerged = false;
        progress.imageIfMerged = null;
        marks.remove(run.agentId);
        Workspace workspace = git.checkout(run.agentId, run.story.id(), run.attempt, target);
        run.environment = open(run, workspace.directory());
        run.workspace = workspace;
        progress.baseCommit = workspace.baseCommit();
        if (progress.since == null) {
            progress.since = workspace.baseCommit();
        }
        progress.workspaceId = UUID.randomUUID().toString();
        marks.set(new WorkspaceMarks.Mark(run.agentId, run.story.id(), progress.workspaceId));
        workspaces.open(run.agentId, workspace);
        return run.story.express()
                ? new Next(CoderState.CODING, "express story")
                : new Next(CoderState.PLANNING, "workspace on branch " + workspace.branch());
    }

    /** Takes up the workspace of an earlier life. */
    void reopen(StoryRun run, String branch) {
        StoryProgress progress = run.progress;
        Workspace workspace = git.reopen(
                run.agentId,
                run.story.id(),
                run.attempt,
                branch,
                String.valueOf(progress.baseCommit),
                String.valueOf(progress.targetBranch));
        Environment environment = open(run, workspace.directory());
        run.environment = environment;
        run.workspace = workspace;
        String image = progress.currentImage != null ? progress.currentImage : progress.newContainerImage;
        if (image != null) {
            environment.resume(image);
        }
        if (environments.isolates()) {
            // With the time, since each restart is news.
            progress.guidance.add("The program that runs your commands was started again at "
                    + Instant.now().truncatedTo(ChronoUnit.SECONDS)
                    + ". They run in a new container now"
                    + (image == null ? "" : ", from the image that you have chosen, if it is still there")
                    + ". Your workspace is as it was; what ran in the old container or was installed in it, and the services"
                    + " of compose files, are gone. Start again what you need.");
        }
        workspaces.open(run.agentId, workspace);
    }

    private Environment open(StoryRun run, Path directory) {
        return environments.open(new Workplace(
                run.agentId, run.story.id(), run.attempt, directory, List.of(), equipment.apply(run.agentId)));
    }

    /** The earlier life may have died before it could do that, too. */
    private void adopt(StoryRun run) {
        String image = run.progress.imageIfMerged;
        if (image != null) {
            Adoption.of(run, image, () -> {
                run.environment = open(run, git.workspaceDirectory(run.agentId));
                return run.environment;
            });
        }
    }
}
