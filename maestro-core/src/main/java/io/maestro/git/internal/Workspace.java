package io.maestro.git.internal;

import io.maestro.files.internal.SafeDirectory;
import io.maestro.git.GitException;
import io.maestro.git.internal.diff.TreeDiff;
import io.maestro.internal.PrivateFiles;
import io.maestro.internal.RawName;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.Repository;
import org.jspecify.annotations.Nullable;

/**
 * The directory in which one agent works on one attempt of a story. The host reads it as plain files and makes trees,
 * commits and pushes from them in the mirror; what the agent does in its {@code .git}, deleting it included, has no effect.
 * Safe for use by several threads.
 */
public final class Workspace {
    private final Mirror mirror;
    private final Place place;
    private final SecretCheck secrets;
    private final AttemptBranch branch;
    private final SnapshotReader snapshots;
    private final SnapshotCheckout checkout;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile String baseCommit;

    /** What stays the same for the life of a workspace. */
    record Place(
            Path directory,
            Path staging,
            Path objects,
            String storyId,
            int attempt,
            String branch,
            String targetBranch,
            SparseDirectories sparse) {
        String ref() {
            return StoryBranches.ref(storyId, attempt, branch);
        }

        Place on(String other) {
            return new Place(directory, staging, objects, storyId, attempt, other, targetBranch, sparse);
        }
    }

    Workspace(
            Mirror mirror,
            Place place,
            Committer committer,
            SecretCheck secrets,
            SnapshotCheckout checkout,
            String baseCommit) {
        this.mirror = mirror;
        this.place = place;
        this.secrets = secrets;
        this.branch = new AttemptBranch(mirror, place, committer);
        this.snapshots = new SnapshotReader(mirror, place);
        this.checkout = checkout;
        this.baseCommit = baseCommit;
    }

    /**
     * What lay in a workspace at one moment, kept as long as the workspace is.
     *
     * @param tree the id of its tree
     * @param baseCommit what it is compared with
     * @param empty whether nothing differs from the base
     */
    public record Snapshot(String tree, String baseCommit, boolean empty) {}

    /**
     * How the target branch's news came into a workspace.
     *
     * @param before what lay there before
     * @param after that merged with the target branch's tip, and compared with it; the same as before when the target
     *     branch has not moved. It is made in the mirror: what an agent writes at that moment is not in it
     * @param conflicts the paths in conflict, each with the version that lies there now; empty when all went well
     * @param said git's words about them
     */
    public record Integration(Snapshot before, Snapshot after, Map<String, String> conflicts, List<String> said) {}

    /**
     * Where the files are.
     *
     * @return an absolute path
     */
    public Path directory() {
        return place.directory();
    }

    /** The branch of this attempt, as in {@code maestro/story-042}. The first {@link #push()} may change it. */
    public String branch() {
        return branch.name();
    }

    /**
     * The commit of the target branch that the files are compared with. {@link #integrate()} changes it, so whoever wants
     * to {@linkplain GitRepository#reopen reopen} the workspace later notes it after that.
     *
     * @return a commit's full id
     */
    public String baseCommit() {
        return baseCommit;
    }

    /** The name of the branch that the work is to be merged into. */
    public String targetBranch() {
        return place.targetBranch();
    }

    /** The directories that the workspace has of its repository; empty when it has all of it. */
    public List<String> sparseDirectories() {
        return place.sparse().texts();
    }

    /** The paths of the submodules that its repository has; they are not checked out. */
    public List<String> submodules() {
        try (Repository repository = mirror.open();
                ObjectReader reader = repository.newObjectReader()) {
            ObjectId base = StoryCommits.tree(repository, baseCommit);
            return TreeEntry.find(reader, base, Constants.DOT_GIT_MODULES) == null
                    ? List.of()
                    : TreeEntry.flatten(reader, base).entrySet().stream()
                            .filter(entry -> entry.getValue().isSubmodule())
                            .map(entry -> RawName.shown(entry.getKey()))
                            .toList();
        } catch (IOException e) {
            throw mirror.broken(e);
        }
    }

    /**
     * Records what lies in the directory now: changed, new (not ignored) and deleted files, whether the agent has
     * committed them or not. Submodules stay the commits that they were; what is changed
     * in one is a problem. Files that nobody has changed since the last time are
     * not read again. An interrupt ends it.
     *
     * @return the record
     * @throws WorkspaceProblem when something cannot be committed, such as a repository inside the workspace or a file of
     *     more than 100 MB
     */
    public Snapshot snapshot() {
        return locked(() -> snapshots.read(baseCommit));
    }

    /**
     * As {@link #snapshot()}, but each file is read: what a process has written through mapped memory shows nowhere else. For
     * what is to be reviewed.
     *
     * @return the record
     * @throws WorkspaceProblem as {@link #snapshot()}
     */
    public Snapshot snapshotForReview() {
        return locked(() -> snapshots.readAll(baseCommit));
    }

    /** The base of a snapshot, compared with itself. */
    public Snapshot base(Snapshot snapshot) {
        String commit = snapshot.baseCommit();
        return inMirror(
                repository -> new Snapshot(StoryCommits.tree(repository, commit).name(), commit, true));
    }

    /**
     * The unified diff from the base to a snapshot, with new files in it. Lines of more than 4,000 characters are cut, or with a
     * path shown in several. What a reader would not see is escaped.
     *
     * @param snapshot what {@link #snapshot()} returned
     * @param path a file or directory of the repository, taken literally; null for everything
     * @param firstLine the first line of the diff that is wanted, from 1
     * @param maxCharacters the length of what is returned, at least 5,000; where the diff goes on, the last line says how to
     *     get the rest
     * @return the diff, empty when nothing differs
     * @throws IllegalArgumentException when the path leads out of the repository
     */
    public String diff(Snapshot snapshot, @Nullable String path, long firstLine, int maxCharacters) {
        String literal = path == null ? null : CommitTree.normalize(path);
        return inMirror(repository -> TreeDiff.unified(
                repository,
                StoryCommits.tree(repository, snapshot.baseCommit()),
                ObjectId.fromString(snapshot.tree()),
                literal == null || literal.isEmpty() ? null : literal,
                firstLine,
                maxCharacters));
    }

    /**
     * What shows a person the whole of {@link #diff}, as long as the workspace is kept.
     *
     * @param snapshot what {@link #snapshot()} returned
     * @return a line for {@code sh} where this process runs
     */
    public String diffCommand(Snapshot snapshot) {
        // Hooks, textconv programs and external diffs of the user's have no say in it, as in the diff that is shown.
        return "GIT_OBJECT_DIRECTORY=" + quoted(place.objects()) + " GIT_ALTERNATE_OBJECT_DIRECTORIES="
                + quoted(mirror.directory().resolve("objects")) + " git --git-dir=" + quoted(mirror.directory())
                + " diff --no-ext-diff --no-textconv " + snapshot.baseCommit() + " " + snapshot.tree();
    }

    private static String quoted(Path path) {
        String text = path.toAbsolutePath().toString();
        return text.matches("[\\w./:+-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
    }

    /**
     * How much of each file differs between the base and a snapshot.
     *
     * @param snapshot what {@link #snapshot()} returned
     * @return a line per file, at most 200, and one for the sum
     */
    public String diffStat(Snapshot snapshot) {
        return inMirror(repository -> TreeDiff.stat(
                repository,
                StoryCommits.tree(repository, snapshot.baseCommit()),
                ObjectId.fromString(snapshot.tree())));
    }

    /**
     * Looks for what must not be committed, so that it can be taken out before anybody reviews it: secrets that a snapshot adds to
     * its base, and conflict markers of {@link #integrate()}. What has some is never {@linkplain #commit committed}.
     *
     * @param snapshot what {@link #snapshot()} returned
     * @throws WorkspaceProblem when there are some; it says where
     */
    public void requireCommittable(Snapshot snapshot) {
        inMirror(repository -> {
            ObjectId base = StoryCommits.tree(repository, snapshot.baseCommit());
            ObjectId tree = ObjectId.fromString(snapshot.tree());
            secrets.require(repository, base, tree);
            try (ObjectReader reader = repository.newObjectReader()) {
                TreeMerge.Conflict.requireResolved(
                        place.objects(), reader, snapshots.lastMerge(snapshot.baseCommit(), base), tree);
            }
            return place;
        });
    }

    /**
     * Commits a snapshot on the story's branch in the mirror. A story is one commit on its base; only when an earlier one was pushed
     * is the new one made on top of that, for nothing is ever pushed with force. The same snapshot gives the same commit again.
     *
     * @param snapshot what {@link #snapshot()} returned
     * @param subject the first line of the message
     * @param body the rest of the message; may be empty
     * @param trailers what comes before the trailers Maestro-Story and Maestro-Attempt, as in {@code Assisted-by: x}
     * @return the commit's full id
     * @throws GitException when the snapshot is empty
     * @throws WorkspaceProblem when it is not {@linkplain #requireCommittable committable}
     */
    public String commit(Snapshot snapshot, String subject, String body, String... trailers) {
        if (snapshot.empty()) {
            throw new GitException("nothing to commit: " + place.directory() + " is as it was checked out", null);
        }
        requireCommittable(snapshot);
        return branch.commit(snapshot, subject, body, List.of(trailers));
    }

    /**
     * Notes what was committed before the workspace was reopened.
     *
     * @param commit the last commit
     * @param bases what {@link #baseCommit()} was until then: where one was taken back by force, it does not return with the next commit
     */
    public void goOnFrom(String commit, Collection<String> bases) {
        branch.goOnFrom(commit, bases);
    }

    /**
     * Pushes the commit to the story's branch of the real repository. May be called again. Where somebody else has made a branch of
     * that name since it was reserved, the story takes the next free one.
     *
     * @throws GitException when nothing was committed, or somebody else has pushed to the branch on top of the story's commits;
     *     GitUnavailableException when the repository cannot be reached or does not take it
     */
    public void push() {
        branch.push();
    }

    /**
     * Brings the target branch's news into the files. When it has moved, its tip is merged into what lies in the directory
     * and becomes the base, as {@code git merge} does it in a checkout.
     *
     * @return what came of it
     * @throws WorkspaceProblem as {@link #snapshot()}; also when an ignored file is where a new one must go. The base and the
     *     files are the old ones then, and the call can be repeated
     */
    public Integration integrate() {
        return locked(() -> {
            ObjectId tip = mirror.locked(() -> {
                ObjectId fetched = mirror.fetchBranch(place.targetBranch());
                StoryBranches.keepBase(mirror, place.storyId(), place.attempt(), fetched);
                return fetched;
            });
            Snapshot ours = snapshots.read(baseCommit);
            if (tip.name().equals(baseCommit)) {
                return new Integration(ours, ours, Map.of(), List.of());
            }
            return mirror.used(() -> integrate(ours, tip));
        });
    }

    /**
     * What the files will be together with what a branch will hold that does not yet: as {@link #integrate()}, but nothing is
     * written into the directory.
     *
     * @param tree {@link Snapshot#tree()} of the story's work
     * @param predicted the tree of the branch; see {@link #share}
     * @return empty when the two are in conflict
     */
    public Optional<Snapshot> integrated(String tree, String predicted) {
        return locked(() -> mirror.used(() -> integrated(ObjectId.fromString(tree), ObjectId.fromString(predicted))));
    }

    private Optional<Snapshot> integrated(ObjectId tree, ObjectId theirs) throws IOException {
        try (Repository repository = mirror.open(place.objects());
                ObjectReader reader = repository.newObjectReader();
                ObjectInserter inserter = repository.newObjectInserter()) {
            ObjectId base = StoryCommits.tree(repository, baseCommit);
            TreeMerge.MergedTree merge = merge(repository, reader, inserter, base, tree, theirs);
            return merge.conflicts().isEmpty()
                    ? Optional.of(new Snapshot(
                            merge.tree().name(), baseCommit, merge.tree().equals(base)))
                    : Optional.empty();
        }
    }

    /**
     * Whether {@link #integrate()} would find a conflict now; nothing is written into the directory.
     *
     * @param tree {@link Snapshot#tree()} of the story's work
     */
    public boolean isInConflict(String tree) {
        return locked(() -> {
            ObjectId tip = mirror.locked(() -> mirror.fetchBranch(place.targetBranch()));
            return !tip.name().equals(baseCommit)
                    && mirror.used(() ->
                            integrated(ObjectId.fromString(tree), tree(tip)).isEmpty());
        });
    }

    private ObjectId tree(ObjectId commit) throws IOException {
        try (Repository repository = mirror.open()) {
            return StoryCommits.tree(repository, commit);
        }
    }

    /** Lets other workspaces of this repository on this machine read the tree of a snapshot. */
    public void share(Snapshot snapshot) {
        locked(() -> mirror.locked(() -> {
            try (Repository repository = mirror.open();
                    Repository own = mirror.open(place.objects());
                    ObjectReader reader = own.newObjectReader();
                    ObjectInserter inserter = repository.newObjectInserter()) {
                SnapshotObjects.copy(
                        reader, repository.getObjectDatabase(), inserter, ObjectId.fromString(snapshot.tree()));
                inserter.flush();
            }
            return place;
        }));
    }

    private TreeMerge.MergedTree merge(
            Repository repository,
            ObjectReader reader,
            ObjectInserter inserter,
            ObjectId base,
            ObjectId ours,
            ObjectId theirs)
            throws IOException {
        return base.equals(ours)
                ? TreeMerge.replace(reader, ours, theirs)
                : TreeMerge.merge(
                        mirror,
                        place.objects(),
                        repository,
                        inserter,
                        base,
                        new TreeMerge.Side(ours, branch()),
                        new TreeMerge.Side(theirs, place.targetBranch()));
    }

    private Integration integrate(Snapshot ours, ObjectId tip) throws IOException {
        try (Repository repository = mirror.open(place.objects())) {
            ObjectId theirs = StoryCommits.tree(repository, tip);
            TreeMerge.MergedTree merge = bringIn(
                    place.directory(),
                    repository,
                    StoryCommits.tree(repository, ObjectId.fromString(baseCommit)),
                    ObjectId.fromString(ours.tree()),
                    theirs,
                    theirs);
            snapshots.noteMerge(tip.name(), merge.tree());
            baseCommit = tip.name();
            Map<String, String> conflicts = new TreeMap<>();
            merge.conflicts().forEach(conflict -> conflicts.put(RawName.shown(conflict.path()), conflict.content()));
            return new Integration(
                    ours, SnapshotReader.of(repository, tip.name(), theirs, merge.tree()), conflicts, merge.said());
        }
    }

    /**
     * Makes the files what they were in a snapshot, whatever an {@link #integrate()} that was killed has left. What git
     * ignores stays as it is.
     *
     * @param tree {@link Snapshot#tree()} of a snapshot with the same base
     * @throws WorkspaceProblem as {@link #integrate()}
     */
    public void restore(String tree) {
        locked(() -> {
            ObjectId now = ObjectId.fromString(snapshots.readCleared(baseCommit).tree());
            ObjectId wanted = ObjectId.fromString(tree);
            try (Repository repository = mirror.open(place.objects())) {
                bringIn(place.directory(), repository, now, now, wanted, StoryCommits.tree(repository, baseCommit));
            }
            return place;
        });
    }

    /**
     * Does something with a clone of its own in which the files of a snapshot lie and nothing else: nothing that git ignores, and
     * nothing that the agent has put into its {@code .git}. It is deleted afterwards.
     *
     * @param snapshot what {@link #snapshot()} returned
     * @param work is given the directory, which no agent can reach
     * @return what the work returns
     */
    public <T> T inCheckout(Snapshot snapshot, Function<Path, T> work) {
        Path directory = checkout.directory();
        try {
            locked(() -> {
                checkout.make(directory, place, snapshot.baseCommit());
                try (Repository repository = mirror.open(place.objects())) {
                    ObjectId base = StoryCommits.tree(repository, snapshot.baseCommit());
                    bringIn(directory, repository, base, base, ObjectId.fromString(snapshot.tree()), base);
                }
                return place;
            });
            return work.apply(directory);
        } finally {
            checkout.delete(directory);
        }
    }

    /** Merges, and writes all that came of it or nothing; the directory is compared with the last tree afterwards. */
    private TreeMerge.MergedTree bringIn(
            Path directory, Repository repository, ObjectId base, ObjectId ours, ObjectId theirs, ObjectId comparedWith)
            throws IOException {
        SafeDirectory.deleteTree(place.staging());
        PrivateFiles.makeMissing(place.staging());
        try (ObjectReader reader = repository.newObjectReader();
                ObjectInserter inserter = repository.newObjectInserter()) {
            TreeMerge.MergedTree merge = merge(repository, reader, inserter, base, ours, theirs);
            if (!merge.conflicts().isEmpty()) {
                TreeMerge.Conflict.keep(place.objects(), merge.conflicts());
            }
            TreeMerge.MergedTree there = place.sparse().present(reader, comparedWith, merge);
            WorkTreeWriter writer = new WorkTreeWriter(directory, place.staging(), reader, "the target branch");
            try {
                writer.apply(there.writes(), there.deletes());
            } catch (WorkspaceProblem e) {
                // A part of it would count as the story's own, also when the tip is taken back by force.
                TreeMerge.MergedTree undo =
                        place.sparse().present(reader, base, TreeMerge.replace(reader, merge.tree(), ours));
                writer.apply(undo.writes(), undo.deletes());
                throw e;
            }
            return merge;
        } finally {
            SafeDirectory.deleteTree(place.staging());
        }
    }

    /** Deletes everything in the directory, but not the directory itself: a container may have it mounted. */
    public void empty() {
        locked(() -> {
            SafeDirectory.empty(place.directory());
            return place;
        });
    }

    /** How many files the last snapshot has read. */
    int filesRead() {
        return snapshots.filesRead();
    }

    private <T> T locked(Mirror.Locked<T> work) {
        try {
            lock.lockInterruptibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw cancelled(e);
        }
        try {
            return work.run();
        } catch (CancellationException | ClosedByInterruptException e) {
            throw cancelled(e);
        } catch (FileSystemException e) {
            throw new GitException(
                    "the workspace " + place.directory() + " cannot be read or written (" + e
                            + "); an agent that is another user, such as root in a container, may own the file",
                    e);
        } catch (IOException e) {
            throw mirror.broken(e);
        } finally {
            lock.unlock();
        }
    }

    private GitException cancelled(Exception cause) {
        return new GitException("cancelled while working on the files in " + place.directory(), cause);
    }

    private interface InMirror<T> {
        T run(Repository repository) throws IOException;
    }

    private <T> T inMirror(InMirror<T> work) {
        try (Repository repository = mirror.open(place.objects())) {
            return work.run(repository);
        } catch (CancellationException e) {
            throw cancelled(e);
        } catch (IOException e) {
            throw mirror.broken(e);
        }
    }

    /** Story, branch and directory. */
    @Override
    public String toString() {
        return "story " + place.storyId() + " on " + branch() + " in " + place.directory();
    }
}
