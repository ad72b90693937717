package io.maestro.git.internal;

import io.maestro.internal.RawName;
import java.io.IOException;
import java.io.OutputStream;
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
        io.maestro.TestRepository.makeBare(repository.bare);
        return repository;
    }

    /** With a main branch that holds README.md and src/App.java. */
    static TestRepository create(Path directory) throws IOException {
        TestRepository repository = empty(directory);
        repository.first(Map.of("README.md", "# App\n\none\ntwo\nthree\n", "src/App.java", "class App {}\n"));
        git(directory, "clone", "-q", "--template=", repository.bare.toString(), repository.clone.toString());
        return repository;
    }

    /** By one process, where a commit that is pushed takes a dozen: nearly every test of this package begins with it. */
    private void first(Map<String, String> files) throws IOException {
        StringBuilder stream = new StringBuilder("commit refs/heads/main\ncommitter People <people@example.org> now\n")
                .append("data 6\nFirst\n\n");
        files.forEach((path, content) -> stream.append("M 100644 inline " + path + "\n")
                .append("data " + content.length() + "\n" + content + "\n"));
        Run run = fed(bare, stream.toString(), "fast-import", "--quiet", "--date-format=now");
        if (run.exitCode != 0) {
            throw new IOException(run.output);
        }
    }

    /** Commits these files alone on main, as somebody else, and pushes. */
    String commit(String message, Map<String, String> files) throws IOException {
        List<String> add = new ArrayList<>(List.of("add", "--"));
        for (Map.Entry<String, String> file : files.entrySet()) {
            write(clone, file.getKey(), file.getValue());
            add.add(file.getKey());
        }
        git(clone, add.toArray(String[]::new));
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
        return fed(directory, "", arguments);
    }

    private static Run fed(Path directory, String input, String... arguments) throws IOException {
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
        try (OutputStream stdin = process.getOutputStream()) {
            stdin.write(input.getBytes(StandardCharsets.UTF_8));
        }
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
