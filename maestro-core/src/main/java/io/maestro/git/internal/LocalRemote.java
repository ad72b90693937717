package io.maestro.git.internal;

import io.maestro.git.GitException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** What can be said beforehand about a repository that lies on this machine. */
final class LocalRemote {
    private LocalRemote() {}

    /**
     * A repository with a working copy refuses pushes to the branch that is checked out there, unless told otherwise:
     * found out before a story is worked on, not after.
     */
    static void requireNotCheckedOut(RemoteUrl remote, Mirror mirror, String branch) {
        if (remote.localPath().isEmpty()
                || !Files.isDirectory(remote.localPath().get())) {
            return;
        }
        Path path = remote.localPath().get();
        String directory = "--git-dir=" + (Files.exists(path.resolve(".git")) ? path.resolve(".git") : path);
        Path here = mirror.parent();
        GitCli git = mirror.git();
        String ref = "refs/heads/" + branch;
        GitCli.GitResult checkedOut =
                git.remote(here, remote, directory, "for-each-ref", "--format=%(worktreepath)", "--", ref);
        if (checkedOut.exitCode() != 0 || checkedOut.out().isBlank()) {
            return;
        }
        // For the HEAD of a bare repository git names the repository itself.
        if (!Files.exists(path.resolve(".git")) && isSame(path, checkedOut.out().strip())) {
            return;
        }
        String policy = git.remote(here, remote, directory, "config", "--get", "receive.denyCurrentBranch")
                .out()
                .strip();
        if (!policy.equals("ignore") && !policy.equals("warn") && !policy.equals("updateInstead")) {
            throw new GitException(
                    "the branch '" + branch + "' is checked out in "
                            + checkedOut.out().strip()
                            + ", so git takes no push to it: use a bare clone (git clone --bare " + remote
                            + " <directory>) or another target branch",
                    null);
        }
    }

    private static boolean isSame(Path path, String other) {
        try {
            return Files.isSameFile(path, Path.of(other));
        } catch (IOException | InvalidPathException e) {
            return false;
        }
    }
}
