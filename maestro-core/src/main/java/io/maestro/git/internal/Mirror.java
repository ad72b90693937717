package io.maestro.git.internal;

import io.maestro.files.internal.SafeDirectory;
import io.maestro.git.GitException;
import io.maestro.git.GitUnavailableException;
import io.maestro.git.internal.lock.MirrorLock;
import io.maestro.git.internal.lock.StaleLocks;
import io.maestro.internal.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.storage.file.FileRepositoryBuilder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A bare copy of the real repository on this machine, which agents cannot write. Branches of the real repository are
 * {@code refs/heads/*} here; what Maestro makes itself lies under {@code refs/maestro/}, which no update touches.
 * Whoever changes a ref or adds an object does it in {@link #locked}; who depends on an object to stay that perhaps no ref
 * reaches does it in {@link #used}. Nothing ever deletes a mirror; {@link MirrorUpkeep} keeps it small.
 */
final class Mirror {
    private static final Logger LOG = LoggerFactory.getLogger(Mirror.class);
    private static final Duration LOCK_LIMIT = Duration.ofMinutes(20);

    private final Path directory;
    private final Path parent;
    private final RemoteUrl remote;
    private final GitCli git;
    private final AtomicBoolean prepared = new AtomicBoolean();
    private volatile boolean answered;
    private final ReentrantReadWriteLock uses = new ReentrantReadWriteLock(true);

    Mirror(Path directory, RemoteUrl remote, GitCli git) {
        this.directory = directory;
        this.parent = ParentDirectory.of(directory);
        this.remote = remote;
        this.git = git.in(parent);
    }

    Path directory() {
        return directory;
    }

    /** The directory that the mirror lies in: one that holds no repository of somebody else's. */
    Path parent() {
        return parent;
    }

    RemoteUrl remote() {
        return remote;
    }

    GitCli git() {
        return git;
    }

    /** Work done on the mirror while its lock is held. */
    interface Locked<T> {
        T run() throws IOException;
    }

    /**
     * Does something while no other thread and no other process changes the mirror. Not reentrant. What a holder left that
     * was killed or failed is cleaned up by the next one; a file beside the mirror says that there is nothing to look for.
     */
    <T> T locked(Locked<T> work) {
        Path clean = directory.resolveSibling(directory.getFileName() + ".clean");
        try {
            for (boolean waited = false; ; waited = true) {
                Duration wait = Duration.ZERO;
                try (MirrorLock lock = MirrorLock.acquire(directory, LOCK_LIMIT)) {
                    if (!Files.deleteIfExists(clean) && Files.isDirectory(directory)) {
                        wait = StaleLocks.remove(directory, waited);
                    }
                    if (wait.isZero()) {
                        T result = work.run();
                        Files.createFile(clean);
                        return result;
                    }
                }
                // Not with the lock: who else waits for it might need nothing of what is locked.
                Thread.sleep(wait.toMillis() + 1);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new GitException("cancelled while waiting for the mirror " + directory, e);
        } catch (IOException e) {
            throw broken(e);
        }
    }

    /**
     * Does something while nothing is dropped from the mirror. The lock of the mirror is neither needed nor taken in there:
     * who drops something has that one first.
     */
    <T> T used(Locked<T> work) throws IOException {
        try {
            uses.readLock().lockInterruptibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new GitException("cancelled while waiting for the mirror " + directory, e);
        }
        try {
            return work.run();
        } finally {
            uses.readLock().unlock();
        }
    }

    /** Keeps out who drops something, as {@link #used} does. */
    Lock using() {
        return uses.readLock();
    }

    /** Keeps {@link #used} and {@link #using} out. Lock of the mirror held. */
    Lock alone() {
        return uses.writeLock();
    }

    /** Opens the mirror for reading, and for adding objects with its lock held; the caller closes it. */
    Repository open() {
        // What refs refer to outlives a power failure.
        return open(new FileRepositoryBuilder(), true);
    }

    /**
     * Opens the mirror with another place for new objects, for which no lock is needed; the caller closes it.
     *
     * @param objects a directory, made when missing
     * @param more directories of which objects are read, too
     */
    Repository open(Path objects, Path... more) throws IOException {
        PrivateFiles.makeMissing(objects);
        FileRepositoryBuilder builder = new FileRepositoryBuilder().setObjectDirectory(objects.toFile());
        builder.addAlternateObjectDirectory(objects().toFile());
        for (Path read : more) {
            builder.addAlternateObjectDirectory(read.toFile());
        }
        return open(builder, false);
    }

    /** Where its objects are, by a path that JGit does not recognise as a part of a repository, which it would keep open in a static cache. */
    Path objects() {
        return directory.resolve("objects").resolve(".");
    }

    private Repository open(FileRepositoryBuilder builder, boolean durable) {
        // Whoever comes meanwhile prepares it, too, and is not ahead of it.
        if (!prepared.get()) {
            JGitGlobals.prepare(directory);
            prepared.set(true);
        }
        try {
            Repository repository = builder.setGitDir(directory.toFile())
                    .setBare()
                    .setMustExist(true)
                    .build();
            repository.getConfig().setBoolean("core", null, "fsyncObjectFiles", durable);
            repository.getConfig().setBoolean("core", null, "fsyncRefFiles", true);
            return repository;
        } catch (IOException e) {
            throw new GitException(
                    "the mirror " + directory + " of " + remote + " cannot be opened (" + e.getMessage()
                            + "); refresh the repository first",
                    e);
        }
    }

    GitException broken(IOException e) {
        return new GitException("the mirror " + directory + " of " + remote + " cannot be used: " + e, e);
    }

    /**
     * The name of the target branch of the real repository, asked now, after the directory above was made; the lock is not needed.
     *
     * @param branch null for the repository's default branch
     * @throws GitException when work could not be merged into it
     */
    String target(@Nullable String branch) {
        if (branch != null) {
            GitNames.requireBranch(branch);
        }
        try {
            PrivateFiles.makeOwn(parent);
        } catch (IOException e) {
            throw new GitException("cannot make the directory " + parent + ": " + e, e);
        }
        String target = listRemote().target(remote, branch);
        LocalRemote.requireNotCheckedOut(remote, this, target);
        return target;
    }

    /** The branches of the real repository, asked now; the lock is not needed. */
    RemoteBranches listRemote() {
        // Not in the mirror, which may not exist yet; but in a directory that holds no repository of somebody else's.
        GitCli.GitResult result = talk(parent, "ls-remote", "--symref", "--", remote.url(), "HEAD", "refs/heads/*");
        if (result.exitCode() != 0) {
            throw RemoteFailure.of("cannot read the repository " + remote, result, wasReached());
        }
        return RemoteBranches.parse(result.out());
    }

    /**
     * Makes the mirror when there is none; a new one appears whole or not at all. Otherwise brings all its branches and tags up to
     * date. Lock held.
     */
    void createOrFetch(String defaultBranch) throws IOException {
        if (Files.isDirectory(directory)) {
            fetchAll(directory);
            return;
        }
        create(defaultBranch, this::fetchAll);
    }

    /** Makes a mirror that has only the last commit of a branch, to look at. Lock held. */
    void createShallow(String branch) throws IOException {
        String ref = "refs/heads/" + branch;
        create(branch, made -> fetchInto(made, List.of("--depth=1"), "+" + ref + ":" + ref));
    }

    private void create(String defaultBranch, Consumer<Path> fetch) throws IOException {
        Path unfinished = directory.resolveSibling(directory.getFileName() + ".new");
        SafeDirectory.deleteTree(unfinished);
        git.local(
                        parent,
                        "init",
                        "--quiet",
                        "--bare",
                        "--template=",
                        "--initial-branch=" + defaultBranch,
                        "--",
                        unfinished.toString())
                .orThrow("cannot make a mirror of " + remote);
        fetch.accept(unfinished);
        Files.move(unfinished, directory);
    }

    private void fetchAll(Path mirror) {
        fetchInto(mirror, List.of(), "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*");
    }

    /** Brings one branch up to date. Lock held. */
    ObjectId fetchBranch(String branch) throws IOException {
        String ref = "refs/heads/" + branch;
        fetchInto(directory, List.of(), "+" + ref + ":" + ref);
        return tip(branch);
    }

    /** The branch, or null for the default one, as the real repository had it when it was last fetched. Lock held. */
    Optional<String> lastKnown(@Nullable String branch) throws IOException {
        try (Repository repository = open()) {
            String name = branch == null ? Repository.shortenRefName(repository.getFullBranch()) : branch;
            return Optional.ofNullable(resolve("refs/heads/" + name)).map(tip -> name);
        }
    }

    /** The tip of a branch, as the real repository had it when it was last fetched. */
    ObjectId tip(String branch) throws IOException {
        ObjectId tip = resolve("refs/heads/" + branch);
        if (tip == null) {
            throw new GitException("the repository " + remote + " has no branch '" + branch + "'", null);
        }
        return tip;
    }

    private void fetchInto(Path mirror, List<String> options, String... refspecs) {
        List<String> arguments = new ArrayList<>(List.of(
                "--git-dir=" + mirror,
                "fetch",
                "--quiet",
                "--progress",
                "--prune",
                "--no-tags",
                "--no-write-fetch-head",
                // Of a shallow repository, git would leave out all branches.
                "--update-shallow",
                "--no-recurse-submodules"));
        arguments.addAll(options);
        arguments.addAll(List.of("--", remote.url()));
        arguments.addAll(List.of(refspecs));
        GitCli.GitResult result = talk(mirror, arguments.toArray(String[]::new));
        if (result.exitCode() != 0) {
            throw RemoteFailure.of("cannot fetch from " + remote, result, wasReached());
        }
    }

    private GitCli.GitResult talk(Path in, String... arguments) {
        try {
            GitCli.GitResult result = git.remote(in, remote, arguments);
            answered |= result.exitCode() == 0;
            return result;
        } catch (GitUnavailableException e) {
            throw RemoteFailure.silent(e, wasReached());
        }
    }

    /** Whether the real repository was reached before: something was fetched from it, or it has answered in this process. */
    private boolean wasReached() {
        return answered || Files.isDirectory(directory);
    }

    /**
     * Pushes a commit as a fast-forward, and notes in the mirror that the real repository has it. Lock held.
     *
     * @param makes whether the branch is to be made: one that somebody else has made by now is left alone
     * @return false when the branch of the real repository has commits that the pushed one lacks, or is there and was to be made
     */
    boolean push(ObjectId commit, String branch, boolean makes) throws IOException {
        String ref = "refs/heads/" + branch;
        List<String> arguments = new ArrayList<>(List.of("--", remote.url(), commit.name() + ":" + ref));
        if (makes) {
            arguments.add(0, "--force-with-lease=" + ref + ":");
        }
        GitCli.GitResult result = push(arguments.toArray(String[]::new));
        if (result.exitCode() != 0) {
            if (RemoteFailure.movedOn(result.out())) {
                return false;
            }
            throw RemoteFailure.of(
                    "the repository " + remote + " did not take the branch '" + branch + "'", result, wasReached());
        }
        update(ref, commit);
        return true;
    }

    /**
     * Asks whether the real repository would take a push, without pushing. Hooks and rules of a server are not asked. Lock held.
     *
     * @return why not; empty when it would
     */
    Optional<String> refusesPush(ObjectId commit, String branch) {
        GitCli.GitResult result = push("--dry-run", "--", remote.url(), commit.name() + ":refs/heads/" + branch);
        return result.exitCode() == 0
                ? Optional.empty()
                : Optional.of(String.valueOf(RemoteFailure.of("a push of a branch is refused", result, wasReached())
                        .getMessage()));
    }

    /**
     * Deletes a branch of the real repository whose commits are merged, so that a repository does not grow slower with each
     * story. What cannot be deleted, or has other commits by now, stays: nothing is lost with it. Lock held.
     *
     * @param merged what the branch must be at
     */
    void deletePushed(String branch, ObjectId merged) throws IOException {
        String ref = "refs/heads/" + branch;
        if (resolve(ref) == null) {
            return;
        }
        try {
            GitCli.GitResult result =
                    push("--force-with-lease=" + ref + ":" + merged.name(), "--", remote.url(), ":" + ref);
            if (result.exitCode() == 0) {
                delete(ref);
            } else {
                LOG.info(
                        "the merged branch '{}' stays in {}: {}",
                        branch,
                        remote,
                        RemoteFailure.pushRefusals(result.out()));
            }
        } catch (GitException e) {
            LOG.info("the merged branch '{}' may stay in {}: {}", branch, remote, e.getMessage());
        }
    }

    private GitCli.GitResult push(String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                "--git-dir=" + directory,
                "push",
                "--progress",
                "--porcelain",
                "--no-verify",
                "--no-follow-tags",
                "--recurse-submodules=no",
                "--no-signed"));
        command.addAll(List.of(arguments));
        return talk(directory, command.toArray(String[]::new));
    }

    @Nullable
    ObjectId resolve(String ref) throws IOException {
        try (Repository repository = open()) {
            Ref found = repository.exactRef(ref);
            return found == null ? null : found.getObjectId();
        }
    }

    /** Sets a ref of the mirror, whatever it was before. Lock held. */
    void update(String ref, ObjectId commit) throws IOException {
        try (Repository repository = open()) {
            RefUpdate update = repository.updateRef(ref);
            update.setNewObjectId(commit);
            update.disableRefLog();
            check(ref, update.forceUpdate());
        }
    }

    /** Removes a ref of the mirror. Lock held. */
    void delete(String ref) throws IOException {
        try (Repository repository = open()) {
            RefUpdate update = repository.updateRef(ref);
            update.setForceUpdate(true);
            check(ref, update.delete());
        }
    }

    private void check(String ref, RefUpdate.Result result) {
        switch (result) {
            case NEW, FORCED, FAST_FORWARD, NO_CHANGE -> {}
            default ->
                throw new GitException("cannot set " + ref + " in the mirror " + directory + ": " + result, null);
        }
    }
}
