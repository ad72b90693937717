package io.maestro.examples.demo;

import io.maestro.error.MaestroException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The repository that the story works on.
 *
 * @param url where Maestro clones from and pushes to
 * @param workingCopy the user's repository that {@code url} is a bare copy of; empty when {@code url} is the real one
 * @param notice what the user is told at the end; may be empty
 */
record Origin(String url, Optional<Path> workingCopy, String notice) {
    private Origin(String url, Optional<Path> workingCopy) {
        this(url, workingCopy, "");
    }

    /** A new bare repository with the sample project. */
    static Origin sample(Git git, Path home) throws IOException {
        Path bare = home.resolve("origin.git");
        if (!Files.exists(bare)) {
            SampleProject.create(git, home.resolve("sample"), bare);
        }
        return new Origin(bare.toString(), Optional.empty());
    }

    /**
     * The user's repository. Nobody wants a branch moved that is checked out: a working copy is copied into a bare repository,
     * and gets the result as a new branch.
     */
    static Origin of(Git git, Path home, String repository) {
        Path path = Path.of(repository).toAbsolutePath().normalize();
        if (!Files.isDirectory(path)) {
            return new Origin(repository, Optional.empty());
        }
        if (!git.succeeds("-C", path.toString(), "rev-parse", "--git-dir")) {
            throw new MaestroException(path + " is no git repository");
        }
        if (isBare(git, path)) {
            return new Origin(path.toString(), Optional.empty());
        }
        Path top = Path.of(git.run("-C", path.toString(), "rev-parse", "--show-toplevel"));
        Path bare = home.resolve("origin.git");
        if (!Files.exists(bare)) {
            git.run("clone", "--quiet", "--bare", "--no-hardlinks", top.toString(), bare.toString());
        }
        return new Origin(bare.toString(), Optional.of(top));
    }

    /**
     * The user's repository for a script, which makes a change that nobody has asked for: it may not get into a repository
     * that others use. A working copy gets it as a new branch.
     */
    static Origin forScript(Git git, Path home, String repository) {
        Origin own = of(git, home, repository);
        if (own.workingCopy.isPresent()) {
            return own;
        }
        Path bare = home.resolve("origin.git");
        if (!Files.exists(bare)) {
            git.run("clone", "--quiet", "--bare", "--no-hardlinks", "--", own.url, bare.toString());
        }
        return new Origin(
                bare.toString(),
                Optional.empty(),
                "\nNothing was pushed to " + own.url + ", since a script has played the models; the result is in "
                        + bare + ". With --model a model does the story, and the result is pushed.");
    }

    private static boolean isBare(Git git, Path path) {
        return git.run("-C", path.toString(), "rev-parse", "--is-bare-repository")
                .equals("true");
    }

    /** Puts the merged commit into the user's working copy as a branch of its own, and says how to take it over. */
    Optional<String> takeBack(Git git, String id, String commit) {
        if (workingCopy.isEmpty() && !notice.isEmpty()) {
            return Optional.of(notice);
        }
        return workingCopy.map(path -> {
            String branch = "maestro/merged-" + id + "-" + commit.substring(0, 7);
            git.run("-C", url, "push", "--quiet", path.toString(), commit + ":refs/heads/" + branch);
            return "\nYour working copy and your branches are as they were; the result is on a new branch:\n"
                    + "  git -C '" + path + "' merge --ff-only " + branch;
        });
    }
}
