package io.maestro.bench;

import io.maestro.files.internal.SafeDirectory;
import io.maestro.git.Forge;
import io.maestro.git.LocalForge;
import io.maestro.git.internal.GitRepository;
import io.maestro.git.internal.Workspace;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.eclipse.jgit.api.Git;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Ways to a directory with the files of a repository, of 200 MB in 11,400 files unless said otherwise, that an agent can work and
 * commit in. {@link WorkspaceBench} runs them.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class Workspaces {
    private static final int BYTES = 13_500;

    /** How many are made one after the other. */
    @Param("1")
    public int count;

    /** How many files the repository has. */
    @Param("11400")
    public int files;

    /** How many stories were merged before. */
    @Param("0")
    public int stories;

    private Path directory;
    private GitRepository repository;
    private String target;
    private int made;

    /** Makes the repository and its mirror. */
    @Setup(Level.Trial)
    public void makeRepository() throws Exception {
        // In memory where there is such a directory: some file systems are slow for a while after many deletions.
        Path memory = Path.of("/dev/shm");
        directory = Files.isWritable(memory)
                ? Files.createTempDirectory(memory, "maestro-bench")
                : Files.createTempDirectory("maestro-bench");
        Path origin = directory.resolve("origin.git");
        run(directory, "git", "init", "--quiet", "--bare", "--initial-branch=main", origin.toString());
        Process process = new ProcessBuilder("git", "fast-import", "--quiet")
                .directory(origin.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        Random random = new Random(1);
        byte[] bytes = new byte[BYTES];
        try (OutputStream out = new BufferedOutputStream(process.getOutputStream(), 1 << 16)) {
            write(out, "commit refs/heads/main\ncommitter x <x@x> 1700000000 +0000\ndata 1\nx\n");
            for (int i = 0; i < files; i++) {
                random.nextBytes(bytes);
                byte[] text = Base64.getMimeEncoder().encode(bytes);
                write(out, "M 100644 inline m" + i % 40 + "/p" + i / 40 % 20 + "/F" + i + ".java\ndata " + text.length);
                out.write('\n');
                out.write(text);
                out.write('\n');
            }
        }
        if (process.waitFor() != 0) {
            throw new IOException("git fast-import failed");
        }
        repository = new GitRepository(directory.resolve("project"), origin.toString());
        target = repository.refresh();
        for (int i = 0; i < stories; i++) {
            merge("earlier-" + i);
        }
        if (stories > 0) {
            System.out.println("mirror " + (size(repository.mirror(), new HashSet<>()) >> 10) + " KB");
        }
    }

    /** A story with two files. */
    private void merge(String story) throws IOException {
        Workspace workspace = repository.checkout("coder-0", story, 1, target);
        for (String file : new String[] {"build/" + story.hashCode() % 50, "d/story.txt"}) {
            Files.createDirectories(workspace.directory().resolve(file).getParent());
            Files.writeString(workspace.directory().resolve(file), "by " + story + "\n");
        }
        String commit = workspace.commit(workspace.snapshot(), "A story", "");
        Forge.Outcome outcome = new LocalForge()
                .merge(new Forge.Proposal(
                        story,
                        1,
                        "A story",
                        "",
                        repository.mirror(),
                        repository.url(),
                        workspace.branch(),
                        commit,
                        workspace.baseCommit(),
                        target,
                        List.of()));
        if (!(outcome instanceof Forge.Outcome.Merged)) {
            throw new IllegalStateException("not merged: " + outcome);
        }
        repository.forget(story, 1);
        target = repository.refresh();
    }

    private static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
    }

    private static void run(Path directory, String... command) throws Exception {
        Process process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + " failed");
        }
    }

    /** Maestro's, whose objects are copies and only those that the branch reaches. */
    @Benchmark
    public void maestro() {
        for (int i = 0; i < count; i++) {
            repository.checkout("coder-" + i, "s" + ++made, 1, target);
        }
    }

    /** Git's, whose objects are hard links. */
    @Benchmark
    public void cloneLocal() throws Exception {
        cloned("--local");
    }

    /** Git's with copies. */
    @Benchmark
    public void cloneNoHardlinks() throws Exception {
        cloned("--no-hardlinks");
    }

    private void cloned(String way) throws Exception {
        for (int i = 0; i < count; i++) {
            run(directory, "git", "clone", "--quiet", way, repository.mirror().toString(), "clone-" + ++made);
        }
    }

    /** JGit's. */
    @Benchmark
    public void jgit() throws Exception {
        for (int i = 0; i < count; i++) {
            Git.cloneRepository()
                    .setURI(repository.mirror().toUri().toString())
                    .setDirectory(directory.resolve("clone-" + ++made).toFile())
                    .call()
                    .close();
        }
    }

    /** Prints what one takes on the disk, without what it shares with the mirror; then deletes it. */
    @TearDown(Level.Iteration)
    public void deleteClones() throws IOException {
        Set<Object> mirror = new HashSet<>();
        long unused = size(repository.mirror(), mirror);
        try (var all = Files.newDirectoryStream(directory, "clone-*")) {
            for (Path clone : all) {
                print(size(clone, mirror));
                SafeDirectory.deleteTree(clone);
            }
        }
        for (int i = 0; i < count; i++) {
            Path workspace = repository.workspaceDirectory("coder-" + i);
            if (Files.exists(workspace)) {
                print(size(workspace, mirror));
                SafeDirectory.deleteTree(workspace);
            }
        }
    }

    private static void print(long bytes) {
        System.out.println("disk " + (bytes >> 20) + " MB");
    }

    private static long size(Path root, Set<Object> seen) throws IOException {
        long[] size = new long[1];
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (seen.add(attributes.fileKey())) {
                    size[0] += attributes.size();
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return size[0];
    }

    /** Nothing stays. */
    @TearDown(Level.Trial)
    public void deleteAll() throws IOException {
        SafeDirectory.deleteTree(directory);
    }
}
