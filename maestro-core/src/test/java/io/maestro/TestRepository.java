package io.maestro;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
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
        TestRepository repository = existing(directory);
        makeBare(repository.bare);
        repository.fastImport("first", "", files);
        return repository;
    }

    /**
     * Makes an empty bare repository whose HEAD is main, as 'git init --bare' does, without a process; a push does not start a
     * collection of garbage there.
     */
    public static void makeBare(Path bare) {
        try {
            Files.createDirectories(bare.resolve("objects/pack"));
            Files.createDirectories(bare.resolve("refs/heads"));
            Files.writeString(bare.resolve("HEAD"), "ref: refs/heads/main\n");
            Files.writeString(bare.resolve("config"), """
                    [core]
                    \trepositoryformatversion = 0
                    \tbare = true
                    [receive]
                    \tautogc = false
                    """);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The repository that {@link #create} made in this directory. */
    public static TestRepository existing(Path directory) {
        return new TestRepository(directory.resolve("origin.git"));
    }

    public String url() {
        return bare.toString();
    }

    /** Commits files to main, as a colleague does who pushes. */
    public String commit(String message, Map<String, String> files) {
        return fastImport(message, "from refs/heads/main^0\n", files);
    }

    /** One process: a clone that is pushed takes a dozen, and is most of what a small test computes. */
    private String fastImport(String message, String from, Map<String, String> files) {
        StringBuilder stream = new StringBuilder("commit refs/heads/main\nmark :1\ncommitter C <c@example.org> now\n")
                .append(data(message + "\n"))
                .append(from);
        files.forEach((path, content) ->
                stream.append("M 100644 inline ").append(path).append('\n').append(data(content)));
        stream.append("get-mark :1\n");
        return run(bare, stream.toString(), "fast-import", "--quiet", "--date-format=now", "--cat-blob-fd=1");
    }

    private static String data(String text) {
        return "data " + text.getBytes(StandardCharsets.UTF_8).length + "\n" + text + "\n";
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
        return run(directory, "", arguments);
    }

    private static String run(Path directory, String input, String... arguments) {
        List<String> command = new ArrayList<>(List.of("git"));
        command.addAll(List.of(arguments));
        try {
            Process process = new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .start();
            try (OutputStream stdin = process.getOutputStream()) {
                stdin.write(input.getBytes(StandardCharsets.UTF_8));
            }
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
