package io.maestro;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A real bare repository for tests, and git on the side of whoever looks at it. */
public final class TestRepository {
    private final Path bare;

    private TestRepository(Path bare) {
        this.bare = bare;
    }

    /** A repository with these files on its branch main. */
    public static TestRepository create(Path directory, Map<String, String> files) {
        Path bare = directory.resolve("origin.git");
        git(directory, "init", "--quiet", "--bare", "--initial-branch=main", bare.toString());
        TestRepository repository = new TestRepository(bare);
        repository.commit("first", files);
        return repository;
    }

    /** The repository that {@link #create} made in this directory. */
    public static TestRepository existing(Path directory) {
        return new TestRepository(directory.resolve("origin.git"));
    }

    public String url() {
        return bare.toString();
    }

    /** Commits files to main, as a colleague would: in a clone of its own that is pushed. */
    public String commit(String message, Map<String, String> files) {
        try {
            Path clone = Files.createTempDirectory(bare.getParent(), "clone");
            git(bare.getParent(), "clone", "--quiet", bare.toString(), clone.toString());
            git(clone, "checkout", "--quiet", "-B", "main");
            for (Map.Entry<String, String> file : files.entrySet()) {
                Path path = clone.resolve(file.getKey());
                Files.createDirectories(path.getParent());
                Files.writeString(path, file.getValue());
            }
            git(clone, "add", "--all");
            git(clone, "-c", "user.name=C", "-c", "user.email=c@example.org", "commit", "--quiet", "-m", message);
            git(clone, "push", "--quiet", "origin", "main");
            return git(clone, "rev-parse", "HEAD");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** The content of a file on a branch. */
    public String show(String branch, String path) {
        return git(bare, "show", branch + ":" + path);
    }

    /** Runs git in the bare repository. */
    public String git(String... arguments) {
        return git(bare, arguments);
    }

    /** Merges a branch into main, as somebody does by hand. */
    public String merge(String branch) {
        String merge = git(
                        "-c",
                        "user.name=C",
                        "-c",
                        "user.email=c@example.org",
                        "commit-tree",
                        "-p",
                        "main",
                        "-p",
                        branch,
                        "-m",
                        "By hand",
                        git("merge-tree", "--write-tree", "main", branch).strip())
                .strip();
        git("update-ref", "refs/heads/main", merge);
        return merge;
    }

    /** Runs git and returns what it prints; anything but success fails the test. */
    public static String git(Path directory, String... arguments) {
        List<String> command = new ArrayList<>(List.of("git"));
        command.addAll(List.of(arguments));
        try {
            Process process = new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int exit = process.waitFor();
            if (exit != 0) {
                throw new AssertionError(command + " ended with " + exit + ": " + output);
            }
            return output.strip();
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
