package io.maestro.git.internal;

import io.maestro.files.internal.SafeDirectory;
import io.maestro.git.GitException;
import io.maestro.git.GitOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.Repository;
import org.jspecify.annotations.Nullable;

/**
 * The repository that stories are worked on: its mirror on this machine and the workspaces made from it. Safe for use by
 * several threads, and by several processes on the same project directory.
 */
public final class GitRepository {
    private final Path projectDirectory;
    private final String url;
    private final RemoteUrl remote;
    private final Mirror mirror;
    private final GitOptions options;
    private final GitTimes times;
    private final SparseDirectories sparse;
    private final Checkout checkout;
    private final SnapshotObjects snapshots;
    private final MirrorUpkeep upkeep;
    private final SecretCheck secrets;

    /**
     * Names a repository; nothing is done with it yet. It is used with the {@linkplain GitOptions#defaults default options},
     * without a look for secrets.
     *
     * @param projectDirectory where the mirror and the workspaces go; made when missing
     * @param url the URL or path of the real repository; credentials in it reach git and nothing else
     * @throws GitException when the URL is none that may be used
     */
    public GitRepository(Path projectDirectory, String url) {
        this(projectDirectory, url, GitOptions.defaults(), new SecretCheck(text -> text, List.of(), false));
    }

    /**
     * Names a repository; nothing is done with it yet.
     *
     * @param projectDirectory where the mirror and the workspaces go; made when missing
     * @param url the URL or path of the real repository; credentials in it reach git and nothing else
     * @param options how git is used; the repository of these is not read
     * @param secrets finds what must not be committed
     * @throws GitException when the URL is none that may be used
     */
    public GitRepository(Path projectDirectory, String url, GitOptions options, SecretCheck secrets) {
        this(projectDirectory, url, options, secrets, GitTimes.DEFAULT);
    }

    GitRepository(Path projectDirectory, String url, GitOptions options, SecretCheck secrets, GitTimes times) {
        this.projectDirectory = projectDirectory.toAbsolutePath().normalize();
        this.url = url;
        this.remote = RemoteUrl.parse(url);
        this.mirror = new Mirror(
                this.projectDirectory.resolve(".mirrors").resolve(remote.mirrorName()), remote, new GitCli(times));
        this.options = options;
        this.times = times;
        this.sparse = SparseDirectories.of(options.sparseDirectories());
        this.secrets = secrets;
        this.checkout = new Checkout(this.projectDirectory, mirror, options, sparse);
        this.snapshots = new SnapshotObjects(this.projectDirectory);
        this.upkeep = new MirrorUpkeep(mirror, snapshots);
    }

    /**
     * Makes the mirror, or brings it up to date.
     *
     * @return the name of the branch that stories are to be merged into
     * @throws GitException when it was never reached, has no commit or no such branch, refuses the credentials, or would not
     *     take a push to that branch because somebody has it checked out; GitUnavailableException when it was reached before
     *     and cannot be now
     */
    public String refresh() {
        String target = mirror.target(targetBranch());
        mirror.locked(() -> {
            mirror.createOrFetch(target);
            upkeep.runIfDue();
            return target;
        });
        return target;
    }

    private @Nullable String targetBranch() {
        return options.targetBranch().orElse(null);
    }

    /** How git is used. */
    public GitOptions options() {
        return options;
    }

    /** The same repository with another directory. */
    public GitRepository in(Path directory) {
        return new GitRepository(directory, url, options, secrets, times);
    }

    /**
     * Looks at the real repository as a story will use it, and changes nothing in it. Of the mirror, which must not be there yet, it
     * makes only what it needs.
     *
     * @return what was found; for what is thrown see {@link #refresh}
     */
    public RemoteCheck check() {
        return RemoteCheck.of(mirror, mirror.target(targetBranch()));
    }

    /**
     * The target branch as the last {@link #refresh} has seen it, for when the real repository cannot be reached.
     *
     * @return empty when nothing is known of it
     */
    public Optional<String> lastKnown() {
        return Files.isDirectory(mirror.directory())
                ? mirror.locked(() -> mirror.lastKnown(targetBranch()))
                : Optional.empty();
    }

    /**
     * Tries what is set: whether commits can be signed, where they are to be, and whether the branch has the directories that
     * workspaces are to have.
     *
     * @param agentId in whose name
     * @param targetBranch a branch that was {@linkplain #refresh fetched}
     * @throws GitException when they cannot, or it has not
     */
    public void requireSettings(String agentId, String targetBranch) {
        mirror.locked(() -> {
            try (Repository repository = mirror.open();
                    ObjectReader reader = repository.newObjectReader()) {
                ObjectId tree = StoryCommits.tree(repository, mirror.tip(targetBranch));
                Committer.of(agentId, options).requireSigning(mirror, tree);
                sparse.requireIn(reader, tree, targetBranch);
            }
            return agentId;
        });
    }

    /**
     * Where the workspace of an agent is, or will be.
     *
     * @param agentId for example {@code coder-001}
     * @return {@code <project directory>/<agentId>}, absolute
     */
    public Path workspaceDirectory(String agentId) {
        GitNames.requireId("agent", agentId);
        return projectDirectory.resolve(agentId);
    }

    /**
     * Makes a fresh workspace in {@code <project directory>/<agentId>/}, from the mirror as it is. What lay in that
     * directory is deleted; the directory itself stays the same one. To be called while the agent does not run.
     *
     * @param agentId for example {@code coder-001}
     * @param storyId the story
     * @param attempt which attempt, from 1
     * @param targetBranch the branch to start from
     * @return the workspace, with a branch for this attempt checked out
     * @throws GitException when git fails, or when all ten names for a branch of this story are taken
     */
    public Workspace checkout(String agentId, String storyId, int attempt, String targetBranch) {
        GitNames.requireId("agent", agentId);
        GitNames.requireId("story", storyId);
        GitNames.requireBranch(targetBranch);
        try {
            snapshots.delete(mirror, agentId);
            sparse.keep(snapshots.of(agentId));
            Checkout.CheckedOut made = checkout.make(agentId, storyId, attempt, targetBranch);
            return workspace(
                    agentId, storyId, attempt, made.branch(), made.base().name(), targetBranch, sparse);
        } catch (IOException e) {
            throw new GitException("cannot make a workspace in " + projectDirectory.resolve(agentId) + ": " + e, e);
        }
    }

    /**
     * Puts the files of a branch into {@code <project directory>/<agentId>/}, from the mirror as it is, for an agent that only
     * reads: there is no branch of a story and no {@code .git}. What lay in that directory is deleted.
     *
     * @param agentId for example {@code architect-001}
     * @param targetBranch the branch to read
     * @return the full id of the commit that the files are of; {@link #emptyWorkspace} when nobody reads them any more
     * @throws GitException when git fails
     */
    public String checkoutForReading(String agentId, String targetBranch) {
        GitNames.requireId("agent", agentId);
        GitNames.requireBranch(targetBranch);
        try {
            return checkout.files(agentId, targetBranch).name();
        } catch (IOException e) {
            throw new GitException("cannot put files into " + projectDirectory.resolve(agentId) + ": " + e, e);
        }
    }

    /**
     * Deletes everything in an agent's directory, but not the directory itself, and what is remembered of its files.
     *
     * @param agentId for example {@code architect-001}
     * @throws GitException when something cannot be deleted
     */
    public void emptyWorkspace(String agentId) {
        Path directory = workspaceDirectory(agentId);
        try {
            if (Files.isDirectory(directory)) {
                SafeDirectory.empty(directory);
            }
            snapshots.delete(mirror, agentId);
        } catch (IOException e) {
            throw new GitException("the directory " + directory + " cannot be emptied: " + e, e);
        }
    }

    /**
     * Goes on with a workspace that an earlier process has made; its files stay as they are.
     *
     * @param agentId as for {@link #checkout}
     * @param storyId as for {@link #checkout}
     * @param attempt as for {@link #checkout}
     * @param branch what {@link Workspace#branch()} was; a push after that may have changed it
     * @param baseCommit what {@link Workspace#baseCommit()} was, after the last {@link Workspace#integrate()}
     * @param targetBranch as for {@link #checkout}
     * @return the workspace
     * @throws GitException when the directory, the mirror or the commit is not there any more
     */
    public Workspace reopen(
            String agentId, String storyId, int attempt, String branch, String baseCommit, String targetBranch) {
        GitNames.requireId("agent", agentId);
        GitNames.requireId("story", storyId);
        GitNames.requireBranch(branch);
        GitNames.requireBranch(targetBranch);
        Workspace workspace = mirror.locked(() -> {
            try (Repository repository = mirror.open()) {
                StoryBranches.keepBase(mirror, storyId, attempt, StoryCommits.require(repository, baseCommit));
            }
            String current = StoryBranches.current(mirror, storyId, attempt, branch);
            SnapshotObjects.removeEmpty(snapshots.of(agentId));
            SparseDirectories made = SparseDirectories.kept(snapshots.of(agentId));
            return workspace(agentId, storyId, attempt, current, baseCommit, targetBranch, made);
        });
        if (!Files.isDirectory(workspace.directory())) {
            throw new GitException("the workspace " + workspace.directory() + " is gone: check it out again", null);
        }
        return workspace;
    }

    private Workspace workspace(
            String agentId,
            String storyId,
            int attempt,
            String branch,
            String base,
            String targetBranch,
            SparseDirectories made) {
        return new Workspace(
                mirror,
                new Workspace.Place(
                        workspaceDirectory(agentId),
                        Checkout.staging(projectDirectory, agentId),
                        snapshots.of(agentId),
                        storyId,
                        attempt,
                        branch,
                        targetBranch,
                        made),
                Committer.of(agentId, options),
                secrets,
                new SnapshotCheckout(projectDirectory, checkout, agentId),
                base);
    }

    /**
     * Asks the real repository whether work was merged.
     *
     * @param targetBranch the branch it would be merged into
     * @param commits commits of a story; one is enough. Nothing else counts, whatever its message says
     * @return the commit that brought one of them into that branch
     */
    public Optional<String> findMerged(String targetBranch, Collection<String> commits) {
        GitNames.requireBranch(targetBranch);
        return mirror.locked(() -> {
            ObjectId tip = mirror.fetchBranch(targetBranch);
            try (Repository repository = mirror.open()) {
                return Optional.ofNullable(StoryCommits.merged(repository, tip, commits))
                        .map(ObjectId::name);
            }
        });
    }

    /**
     * Drops what the mirror keeps of a story whose work is over. What was pushed or merged stays.
     *
     * @param storyId the story
     * @param attempt the last attempt that is over
     */
    public void forget(String storyId, int attempt) {
        GitNames.requireId("story", storyId);
        if (Files.isDirectory(mirror.directory())) {
            mirror.locked(() -> {
                StoryBranches.forget(mirror, storyId, attempt);
                return storyId;
            });
        }
    }

    /**
     * Drops what the mirror keeps of stories that are over, as {@link #forget}.
     *
     * @param over says of a story's id whether nobody works on it any more
     */
    public void forgetAll(Predicate<String> over) {
        if (Files.isDirectory(mirror.directory())) {
            mirror.locked(() -> {
                for (String storyId : StoryBranches.stories(mirror)) {
                    if (over.test(storyId)) {
                        StoryBranches.forget(mirror, storyId, Integer.MAX_VALUE);
                    }
                }
                return over;
            });
        }
    }

    /**
     * Reads the files of a commit in the mirror, which agents cannot write.
     *
     * @param commit a full id
     * @param work is given the files, for as long as it runs
     * @return empty when the mirror does not have that commit, as after a forced push
     */
    public <T> Optional<T> readCommit(String commit, CommitTree.CommitWork<T> work) {
        try {
            return mirror.used(() -> CommitTree.read(mirror, commit, work));
        } catch (IOException e) {
            throw mirror.broken(e);
        }
    }

    /** The branches of stories in the real repository as the last {@link #refresh} found it, each with its tip. */
    public Map<String, String> storyBranches() {
        return mirror.locked(() -> StoryBranches.pushed(mirror));
    }

    /**
     * Where the mirror and the workspaces are.
     *
     * @return an absolute path
     */
    public Path projectDirectory() {
        return projectDirectory;
    }

    /**
     * Deletes what was being made for workspaces when an earlier process was killed. To be called while no agent runs.
     *
     * @throws GitException when it cannot be deleted
     */
    public void clearStaging() {
        try {
            SafeDirectory.deleteTree(Checkout.staging(projectDirectory));
            SafeDirectory.deleteTree(SnapshotCheckout.all(projectDirectory));
            GitProcess.clear(mirror.parent());
        } catch (IOException e) {
            throw new GitException(
                    "what is left in " + projectDirectory + "/.maestro or in " + mirror.parent()
                            + " cannot be deleted: " + e,
                    e);
        }
    }

    /**
     * The bare copy of the repository on this machine.
     *
     * @return its directory, which exists after {@link #refresh}
     */
    public Path mirror() {
        return mirror.directory();
    }

    /**
     * The real repository, as it was given.
     *
     * @return its URL, with credentials where the host gave them: not to be shown, logged or stored
     */
    public String url() {
        return url;
    }

    /**
     * The real repository, as it may be shown.
     *
     * @return its URL without credentials, or its path
     */
    public String displayUrl() {
        return remote.url();
    }
}
