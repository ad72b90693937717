package io.maestro.instructions.internal;

import io.maestro.TestRepository;
import io.maestro.git.internal.GitRepository;
import io.maestro.secrets.Redactor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Commits with what a repository can hold: files, links, submodules and bytes of all kinds, put into a mirror by one process each. */
public final class TestCommits {
    /** Takes out what stands behind {@code pw=}. */
    public static final Redactor REDACTOR = text -> text.replaceAll("pw=\\w+", "pw=[REDACTED:password]");

    private final GitRepository git;
    private int number;

    private TestCommits(GitRepository git) {
        this.git = git;
    }

    /** In the mirror of a repository of its own. */
    public static TestCommits in(Path directory) {
        TestRepository repository = TestRepository.create(directory, Map.of("README.md", "a project"));
        GitRepository git = new GitRepository(directory.resolve("project"), repository.url());
        git.refresh();
        return new TestCommits(git);
    }

    /** A commit with nothing in it. */
    public Commit commit() {
        return new Commit();
    }

    /** What is in a commit. */
    public final class Commit {
        private final ByteArrayOutputStream stream = new ByteArrayOutputStream();

        private Commit() {
            text("commit refs/heads/test-" + ++number + "\nmark :1\ncommitter C <c@example.org> now\ndata 0\n\n");
        }

        private void text(String text) {
            stream.writeBytes(text.getBytes(StandardCharsets.UTF_8));
        }

        private Commit entry(String mode, String path, byte[] content) {
            String quoted =
                    "\"" + path.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + "\"";
            text("M " + mode + " inline " + quoted + "\ndata " + content.length + "\n");
            stream.writeBytes(content);
            text("\n");
            return this;
        }

        public Commit file(String path, String content) {
            return bytes(path, content.getBytes(StandardCharsets.UTF_8));
        }

        public Commit bytes(String path, byte[] content) {
            return entry("100644", path, content);
        }

        public Commit link(String path, String target) {
            return entry("120000", path, target.getBytes(StandardCharsets.UTF_8));
        }

        public Commit submodule(String path) {
            text("M 160000 " + "1234567890".repeat(4) + " " + path + "\n");
            return this;
        }

        /** A skill with a description. */
        public Commit skill(String folder, String description) {
            return file(folder + "/SKILL.md", "---\ndescription: " + description + "\n---\nThe guide.\n");
        }

        /** A directory with so many of what is the same directory, and so on. */
        public Commit bomb(String path, int levels, int width) {
            String id = "100644 blob " + git("hash-object", "-w", "--stdin");
            for (int level = 0; level < levels; level++) {
                StringBuilder tree = new StringBuilder();
                for (int i = 0; i < width; i++) {
                    tree.append(id).append('\t').append(i).append('\n');
                }
                id = "040000 tree " + git(tree.toString().getBytes(StandardCharsets.UTF_8), "mktree");
            }
            text("M 040000 " + id.substring(id.length() - 40) + " " + path + "\n");
            return this;
        }

        /** Makes the commit; its full id. */
        public String make() {
            text("get-mark :1\n");
            return git(stream.toByteArray(), "fast-import", "--quiet", "--date-format=now", "--cat-blob-fd=1");
        }

        private String git(String... arguments) {
            return git(new byte[0], arguments);
        }

        private String git(byte[] input, String... arguments) {
            List<String> command = new ArrayList<>(List.of("git"));
            command.addAll(List.of(arguments));
            try {
                Process process = new ProcessBuilder(command)
                        .directory(git.mirror().toFile())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
                try (OutputStream stdin = process.getOutputStream()) {
                    stdin.write(input);
                }
                String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
                if (process.waitFor() != 0) {
                    throw new AssertionError(command + " failed: " + output);
                }
                return output;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        /** What it tells agents. */
        public Instructions tells() {
            return new RepositoryInstructions(git, REDACTOR, true, 150_000).at(make());
        }
    }

    /** The repository in whose mirror they are. */
    public GitRepository git() {
        return git;
    }
}
