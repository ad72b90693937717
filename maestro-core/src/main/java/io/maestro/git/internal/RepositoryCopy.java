package io.maestro.git.internal;

import io.maestro.git.GitException;
import java.nio.file.Path;
import java.util.List;

/**
 * A bare copy of a whole repository, to play with. Credentials in its URL stand in no command line and no file, as everywhere
 * where {@link GitCli} runs git. Not safe for use by several threads.
 */
public final class RepositoryCopy {
    private final Path directory;
    private final RemoteUrl remote;
    private final GitCli git = new GitCli(GitTimes.DEFAULT);

    /**
     * Clones a repository.
     *
     * @param url of the repository, which is only read
     * @param parent an existing directory; the copy is {@code origin.git} in it
     * @throws GitException when it cannot be cloned; the message says why
     */
    public RepositoryCopy(String url, Path parent) {
        this.remote = RemoteUrl.parse(url);
        this.directory = parent.resolve("origin.git");
        GitCli.GitResult cloned = git.remote(
                parent,
                remote,
                "clone",
                "--quiet",
                "--progress",
                "--bare",
                "--template=",
                "--",
                remote.url(),
                directory.toString());
        if (cloned.exitCode() != 0) {
            throw RemoteFailure.of("cannot clone " + remote, cloned, false);
        }
    }

    /** Where it is. */
    public Path directory() {
        return directory;
    }

    /** The secrets in the URL of the repository. */
    public List<String> secrets() {
        return remote.secrets();
    }

    /** Sets a branch, made when missing, to a commit. */
    public void setBranch(String branch, String commit) {
        git.local(directory, "update-ref", "refs/heads/" + branch, commit).orThrow("cannot set the branch " + branch);
    }

    /** Makes a branch the default one. */
    public void setDefault(String branch) {
        git.local(directory, "symbolic-ref", "HEAD", "refs/heads/" + branch)
                .orThrow("cannot make " + branch + " the default branch");
    }

    /**
     * The id of a commit's tree.
     *
     * @throws GitException when there is no such commit
     */
    public String tree(String commit) {
        return git.local(directory, "rev-parse", "--verify", "--quiet", commit + "^{tree}")
                .orThrow("there is no commit " + commit)
                .strip();
    }
}
