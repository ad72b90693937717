package io.maestro.testkit;

import io.maestro.error.MaestroException;
import io.maestro.runtime.internal.WorkspaceView;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A directory with a git repository, for an agent in a test. What was there at the beginning is committed; the diff is against that.
 */
final class GitWorkspace implements WorkspaceView {
    private static final String EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
    private static final String CONFIG =
            "[core]\n\trepositoryformatversion = 0\n\tbare = false\n[user]\n\tname = Test\n\temail = test@example.org\n";
    private static final int LIMIT_SECONDS = 60;

    private final String agentId;
    private final Path directory;
    private final String base;

    /** Makes a repository of a directory, unless it is one: then its newest commit is what the work is compared with. */
    GitWorkspace(String agentId, Path directory) {
        this.agentId = agentId;
        this.directory = directory;
        try {
            if (!Files.exists(directory.resolve(".git"))) {
                make();
            }
            this.base = hasCommits() ? git(Map.of(), "rev-parse", "HEAD").strip() : EMPTY_TREE;
        } catch (IOException e) {
            throw new MaestroException("no workspace can be made in " + directory + ": " + e.getMessage(), e);
        }
    }

    /** What {@code git init} does, without a program: a test makes many of them. */
    private void make() throws IOException {
        boolean empty;
        try (Stream<Path> files = Files.list(directory)) {
            empty = files.findAny().isEmpty();
        }
        Path git = Files.createDirectories(directory.resolve(".git"));
        Files.createDirectories(git.resolve("objects"));
        Files.createDirectories(git.resolve("refs/heads"));
        Files.writeString(git.resolve("HEAD"), "ref: refs/heads/main\n");
        Files.writeString(git.resolve("config"), CONFIG);
        if (!empty) {
            git(Map.of(), "add", "--all");
            git(Map.of(), "commit", "--quiet", "--message", "What was there");
        }
    }

    private boolean hasCommits() {
        return Files.exists(directory.resolve(".git/refs/heads/main"))
                || Files.exists(directory.resolve(".git/packed-refs"));
    }

    @Override
    public Set<String> coders() {
        return Set.of(agentId);
    }

    @Override
    public Optional<Path> directory(String coderId) {
        return coderId.equals(agentId) ? Optional.of(directory) : Optional.empty();
    }

    @Override
    public Optional<String> diff(String coderId, @Nullable String path, long firstLine, int maxCharacters) {
        if (!coderId.equals(agentId)) {
            return Optional.empty();
        }
        try {
            // An index of its own: that of the workspace stays as the tool has left it.
            Path index = Files.createTempDirectory("maestro-index-").resolve("index");
            try {
                Map<String, String> own = Map.of("GIT_INDEX_FILE", index.toString());
                git(own, "add", "--all");
                List<String> command = new ArrayList<>(List.of("diff", "--cached", base));
                if (path != null) {
                    command.addAll(List.of("--", path));
                }
                String diff = git(own, command.toArray(String[]::new))
                        .lines()
                        .skip(firstLine - 1)
                        .map(line -> line + "\n")
                        .collect(Collectors.joining());
                return Optional.of(diff.substring(0, Math.min(diff.length(), maxCharacters)));
            } finally {
                Files.deleteIfExists(index);
                Files.deleteIfExists(index.getParent());
            }
        } catch (IOException e) {
            throw new MaestroException("the work in " + directory + " cannot be compared: " + e.getMessage(), e);
        }
    }

    private String git(Map<String, String> environment, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("git"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
        // Nobody's own settings.
        builder.environment().put("GIT_CONFIG_NOSYSTEM", "1");
        builder.environment().put("GIT_CONFIG_GLOBAL", "/dev/null");
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException(String.join(" ", command) + ": " + output);
            }
            return output;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(String.join(" ", command) + " was interrupted", e);
        } finally {
            process.destroyForcibly();
        }
    }
}
