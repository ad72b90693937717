package io.maestro.bench;

import io.maestro.files.internal.SafeDirectory;
import io.maestro.git.internal.GitRepository;
import io.maestro.git.internal.Workspace;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
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
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * How long it takes to bring in what others have merged, and to show a change of 20 files.
 *
 * <pre>mvn -q -Pbench -pl maestro-core -am test -Dbench.main=io.maestro.bench.MergeBench</pre>
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class MergeBench {
    private static final int CHANGED = 20;
    private static final int LINES = 100;

    /** How many files the repository has. */
    @Param("300")
    public int files;

    private Path directory;
    private Path origin;
    private GitRepository repository;
    private Workspace workspace;
    private Workspace.Snapshot snapshot;
    private int made;

    /**
     * Runs it.
     *
     * @param args the number of rounds
     * @throws RunnerException when one fails
     */
    public static void main(String[] args) throws RunnerException {
        int rounds = args.length == 0 ? 20 : Integer.parseInt(args[0]);
        for (int files : new int[] {300, 10_000}) {
            for (String way : new String[] {"integrate", "diff"}) {
                double time = Medians.of(new Runner(new OptionsBuilder()
                                .include("^" + MergeBench.class.getName() + "\\." + way + "$")
                                .param("files", String.valueOf(files))
                                .forks(1)
                                .warmupIterations(5)
                                .measurementIterations(rounds)
                                .shouldFailOnError(true)
                                .verbosity(VerboseMode.SILENT)
                                .build())
                        .runSingle());
                System.out.printf(Locale.ROOT, "%s of %d files: %.1f ms%n", way, files, time);
            }
        }
    }

    /** Makes the repository and its mirror. */
    @Setup(Level.Trial)
    public void makeRepository() throws Exception {
        directory = Files.createTempDirectory("maestro-bench");
        origin = directory.resolve("origin.git");
        git(directory, "", "init", "--quiet", "--bare", "--initial-branch=main", origin.toString());
        commit("", 0, files);
        repository = new GitRepository(directory.resolve("project"), origin.toString());
    }

    /** Makes a workspace with a change, which others have overtaken. */
    @Setup(Level.Iteration)
    public void makeChange() throws Exception {
        made++;
        workspace = repository.checkout("coder-001", "s" + made, 1, repository.refresh());
        for (int i = 0; i < CHANGED; i++) {
            Path file = workspace.directory().resolve(path(i));
            Files.writeString(file, Files.readString(file).replace("line 10 ", "ours " + made + " "));
        }
        snapshot = workspace.snapshot();
        commit("from refs/heads/main^0\n", CHANGED / 2, CHANGED);
    }

    /** Commits files, each with a line that is new. */
    private void commit(String from, int first, int count) throws Exception {
        StringBuilder stream = new StringBuilder("commit refs/heads/main\ncommitter x <x@x> now\ndata 1\nx\n" + from);
        for (int i = first; i < first + count; i++) {
            String text = text(i).replace("line 90 ", "theirs " + made + " ");
            stream.append("M 100644 inline " + path(i) + "\ndata " + text.length() + "\n" + text + "\n");
        }
        git(origin, stream.toString(), "fast-import", "--quiet", "--date-format=now");
    }

    private static String path(int file) {
        return "m" + file % 40 + "/p" + file / 40 % 20 + "/F" + file + ".java";
    }

    private static String text(int file) {
        StringBuilder text = new StringBuilder();
        for (int line = 0; line < LINES; line++) {
            text.append("line " + line + " of file " + file + "\n");
        }
        return text.toString();
    }

    private static void git(Path in, String input, String... arguments) throws Exception {
        String[] command = new String[arguments.length + 1];
        command[0] = "git";
        System.arraycopy(arguments, 0, command, 1, arguments.length);
        Process process = new ProcessBuilder(command)
                .directory(in.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (OutputStream out = process.getOutputStream()) {
            out.write(input.getBytes(StandardCharsets.UTF_8));
        }
        if (process.waitFor() != 0) {
            throw new IOException("git failed: " + String.join(" ", arguments));
        }
    }

    /** Fetches, merges and writes what others have changed. */
    @Benchmark
    public Object integrate() {
        return workspace.integrate();
    }

    /** What the reviewer is shown. */
    @Benchmark
    public Object diff() {
        return workspace.diffStat(snapshot) + workspace.diff(snapshot, null, 1, 20_000);
    }

    /** Deletes all. */
    @TearDown(Level.Trial)
    public void delete() throws IOException {
        SafeDirectory.deleteTree(directory);
    }
}
