package io.maestro.docker.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files that git takes for a repository whose first commit it must fetch, by a command of the repository's choice. */
public final class GitTrap {
    private final Path canary;

    /** @param canary what the command writes */
    public GitTrap(Path canary) {
        this.canary = canary;
    }

    /** Sets it in a directory, which is made. */
    public Path in(Path directory) throws IOException {
        for (String name : new String[] {"objects", "refs/heads"}) {
            Files.createDirectories(directory.resolve(name));
        }
        Files.writeString(directory.resolve("objects/keep"), "");
        Files.writeString(directory.resolve("HEAD"), "ref: refs/heads/main\n");
        Files.writeString(directory.resolve("refs/heads/main"), "1".repeat(40) + "\n");
        Files.writeString(directory.resolve("config"), """
                [core]
                	repositoryformatversion = 1
                	bare = false
                	worktree = .
                [extensions]
                	partialClone = evil
                [remote "evil"]
                	url = .
                	promisor = true
                	uploadpack = "id > '%s'; false"
                """.formatted(canary));
        return directory;
    }

    /** Whether the command has run. */
    public boolean wentOff() {
        return Files.exists(canary);
    }

    /** As if it had not. */
    public void reset() throws IOException {
        Files.deleteIfExists(canary);
    }
}
