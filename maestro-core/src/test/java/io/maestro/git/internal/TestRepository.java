package io.maestro.git.internal;

import io.maestro.files.internal.RawName;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A real bare repository with a clone through which a test plays the other people who work on it. */
final class TestRepository {
    final Path bare;
    final Path clone;

    private TestRepository(Path bare, Path clone) {
        this.bare = bare;
        this.clone = clone;
    }

    /** Without any commit. */
    static TestRepository empty(Path directory) throws IOException {
        Files.createDirectories(directory);
        TestRepository repository = new TestRepository(directory.resolve("app.git"), directory.resolve("people"));
        git(directory, "init", "-q", "--bare", "--initial-branch=main", repository.bare.toString());
        return repository;
    }

    /** With a main branch that holds README.md and src/App.java. */
    static TestRepository create(Path directory) throws IOException {
        TestRepository repository = empty(directory);
        git(directory, "clone", "-q", repository.bare.toString(), repository.clone.toString());
        git(repository.clone, "checkout", "-q", "-B", "main");
        repository.commit("First", Map.of("README.md", "# App\n\none\ntwo\nthree\n", "src/App.java", "class App {}\n"));
        return repository;
    }

    /** Commits these files alone on main, as somebody else, and pushes. */
    String commit(String message, Map<String, String> files) throws IOException {
        for (Map.Entry<String, String> file : files.entrySet()) {
            write(clone, file.getKey(), file.getValue());
            git(clone, "add", "--", file.getKey());
        }
        return commitAdded(message);
    }

    String commitAll(String message) throws IOException {
        git(clone, "add", "--all");
        return commitAdded(message);
    }

    private String commitAdded(String message) throws IOException {
        git(clone, "commit", "-q", "-m", message);
        git(clone, "push", "-q", "origin", "HEAD");
        return git(clone, "rev-parse", "HEAD").strip();
    }

    String pull(String branch) throws IOException {
        git(clone, "fetch", "-q", "--prune");
        git(clone, "checkout", "-q", "-B", branch, "origin/" + branch);
        return git(clone, "rev-parse", "HEAD").strip();
    }

    String file(String branch, String path) throws IOException {
        return git(bare, "show", branch + ":" + path);
    }

    static void write(Path root, String path, String content) throws IOException {
        // Not by the text: the JVM of the tests may have a locale without umlauts.
        Path file = root.resolve(RawName.path(RawName.ofText(path)));
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
    }

    static String git(Path directory, String... arguments) throws IOException {
        Run run = run(directory, arguments);
        if (run.exitCode != 0) {
            throw new IOException("git " + List.of(arguments) + " in " + directory + ": " + run.output);
        }
        return run.output;
    }

    record Run(int exitCode, String output) {}

    static Run run(Path directory, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("git", "-c", "protocol.file.allow=always"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("GIT_"));
        builder.environment()
                .putAll(Map.of(
                        "GIT_CONFIG_GLOBAL", "/dev/null",
                        "GIT_CONFIG_NOSYSTEM", "1",
                        "GIT_AUTHOR_NAME", "People",
                        "GIT_AUTHOR_EMAIL", "people@example.org",
                        "GIT_COMMITTER_NAME", "People",
                        "GIT_COMMITTER_EMAIL", "people@example.org"));
        Process process = builder.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IOException("git hangs: " + List.of(arguments));
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        return new Run(process.exitValue(), output);
    }
}
