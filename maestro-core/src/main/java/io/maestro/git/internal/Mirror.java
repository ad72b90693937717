package io.maestro.git.internal;

import io.maestro.files.internal.SafeDirectory;
import io.maestro.git.GitException;
import io.maestro.git.GitUnavailableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.storage.file.FileRepositoryBuilder;
import org.jspecify.annotations.Nullable;

/**
 * A bare copy of the real repository on this machine, which agents cannot write. Branches of the real repository are
 * {@code refs/heads/*} here; what Maestro makes itself lies under {@code refs/maestro/}, which no update touches.
 * Whoever changes a ref does it in {@link #locked}. Objects may be added without it. Nothing ever deletes a mirror.
 */
public final class Mirror {
    private static final Duration LOCK_LIMIT = Duration.ofMinutes(20);

    private static final Pattern UNREACHABLE = Pattern.compile("Could not resolve host|name resolution"
            + "|Connection (refused|timed out|reset|closed)|Operation timed out|Failed to connect|Couldn't connect"
            + "|Network is unreachable|No route to host|returned error: (429|5\\d\\d)|HTTP (429|5\\d\\d)|early EOF"
            + "|unexpected disconnect|Recv failure|transfer closed|kex_exchange_identification|SSL_ERROR_SYSCALL");

    private static final Pattern DENIED = Pattern.compile(
            "could not read (Username|Password)|Authentication failed|Permission denied|returned error: 40[13]");

    private final Path directory;
    private final Path parent;
    private final RemoteUrl remote;
    private final GitCli git;

    Mirror(Path directory, RemoteUrl remote, GitCli git) {
        this.directory = directory;
        this.parent = ParentDirectory.of(directory);
        this.remote = remote;
        this.git = git;
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

    /** Does something while no other thread and no other process changes the mirror. Not reentrant. */
    <T> T locked(Locked<T> work) {
        try (MirrorLock lock = MirrorLock.acquire(directory, LOCK_LIMIT)) {
            if (Files.isDirectory(directory)) {
                StaleLocks.remove(directory);
            }
            return work.run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new GitException("cancelled while waiting for the mirror " + directory, e);
        } catch (IOException e) {
            throw broken(e);
        }
    }

    /** Opens the mirror for reading and for adding objects; the caller closes it. */
    Repository open() {
        try {
            return new FileRepositoryBuilder()
                    .setGitDir(directory.toFile())
                    .setBare()
                    .setMustExist(true)
                    .build();
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

    /** The branches of the real repository, asked now; the lock is not needed. */
    RemoteBranches listRemote() {
        // Not in the mirror, which may not exist yet; but in a directory that holds no repository of somebody else's.
        GitCli.Result result =
                git.remote(parent, remote, "ls-remote", "--symref", "--", remote.url(), "HEAD", "refs/heads/*");
        if (result.exitCode() != 0) {
            throw remoteFailure("cannot read the repository " + remote, result);
        }
        return RemoteBranches.parse(result.out());
    }

    /** Makes the mirror when there is none. It appears whole or not at all. Lock held. */
    void createIfMissing(String defaultBranch) throws IOException {
        if (Files.isDirectory(directory)) {
            return;
        }
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
        fetchInto(unfinished, "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*");
        Files.move(unfinished, directory);
    }

    /** Brings all branches and tags up to date. Lock held. */
    void fetchAll() {
        fetchInto(directory, "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*");
    }

    /** Brings one branch up to date. Lock held. */
    ObjectId fetchBranch(String branch) throws IOException {
        String ref = "refs/heads/" + branch;
        fetchInto(directory, "+" + ref + ":" + ref);
        ObjectId tip = resolve(ref);
        if (tip == null) {
            throw new GitException("the repository " + remote + " has no branch '" + branch + "'", null);
        }
        return tip;
    }

    private void fetchInto(Path mirror, String... refspecs) {
        List<String> arguments = new ArrayList<>(List.of(
                "--git-dir=" + mirror,
                "fetch",
                "--quiet",
                "--progress",
                "--prune",
                "--no-tags",
                "--no-write-fetch-head",
                "--no-recurse-submodules",
                "--",
                remote.url()));
        arguments.addAll(List.of(refspecs));
        GitCli.Result result = git.remote(mirror, remote, arguments.toArray(String[]::new));
        if (result.exitCode() != 0) {
            throw remoteFailure("cannot fetch from " + remote, result);
        }
    }

    /**
     * Pushes a commit as a fast-forward, and notes in the mirror that the real repository has it. Lock held.
     *
     * @return false when the branch of the real repository has commits that the pushed one lacks
     */
    boolean push(ObjectId commit, String branch) throws IOException {
        String ref = "refs/heads/" + branch;
        GitCli.Result result = git.remote(
                directory,
                remote,
                "--git-dir=" + directory,
                "push",
                "--progress",
                "--porcelain",
                "--no-verify",
                "--no-follow-tags",
                "--recurse-submodules=no",
                "--no-signed",
                "--",
                remote.url(),
                commit.name() + ":" + ref);
        if (result.exitCode() != 0) {
            if (PushReport.movedOn(result.out())) {
                return false;
            }
            throw remoteFailure("the repository " + remote + " did not take the branch '" + branch + "'", result);
        }
        update(ref, commit);
        return true;
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

    private RuntimeException remoteFailure(String what, GitCli.Result result) {
        String message = what + ": " + result.details();
        String report = PushReport.reason(result.out());
        if (!report.isEmpty()) {
            message += " (" + report + ")";
        }
        if (UNREACHABLE.matcher(result.err()).find()) {
            return new GitUnavailableException(message, null);
        }
        if (DENIED.matcher(result.err()).find()) {
            message += "; check that git on this machine can reach it without asking (a credential helper, an ssh key,"
                    + " or credentials in the URL)";
        }
        return new GitException(message, null);
    }
}
