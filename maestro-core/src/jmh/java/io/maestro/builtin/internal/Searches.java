package io.maestro.builtin.internal;

import io.maestro.files.internal.FileWalk;
import io.maestro.files.internal.Globs;
import io.maestro.files.internal.SafeDirectory;
import io.maestro.internal.Effort;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
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

/**
 * Ways to search 200 MB in 20,000 files, of which the twenty thousandth part matches. {@code io.maestro.bench.SearchBench} runs
 * them.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class Searches {
    private static final int FILES = 20_000;
    private static final int BYTES = 10_000;
    private static final String[] WORDS =
            "public static final class void return import int new List for while try catch throw null value path file"
                    .split(" ");

    /** What is searched for; the basic syntax of grep's {@code -E}. */
    @Param("needle_[0-9]+")
    public String pattern;

    /** How, in grep's words: {@code E} or {@code F}, and {@code i} where case does not count. */
    @Param("E")
    public String options;

    private Path directory;

    /** Makes the tree and its repository. */
    @Setup(Level.Trial)
    public void makeTree() throws Exception {
        directory = Files.createTempDirectory("maestro-bench");
        Files.writeString(directory.resolve(".gitignore"), "target/\n*.class\n*.log\n.idea/\n");
        Random random = new Random(1);
        for (int i = 0; i < FILES; i++) {
            StringBuilder text = new StringBuilder(BYTES + 100);
            while (text.length() < BYTES) {
                text.append("    ".repeat(random.nextInt(4)));
                for (int n = random.nextInt(12); n > 0; n--) {
                    text.append(WORDS[random.nextInt(WORDS.length)]).append(n % 4 == 0 ? "(" : " ");
                }
                text.append(";\n");
            }
            if (i % 1_000 == 7) {
                text.append("// needle_").append(i).append('\n');
            }
            Path below = directory.resolve("m" + i % 20 + "/src/p" + i / 20 % 50);
            Files.writeString(Files.createDirectories(below).resolve("F" + i + ".java"), text);
        }
        output("git", "init", "--quiet");
        output("git", "add", "--all");
    }

    /** The search of {@code search_files}. */
    @Benchmark
    public String searchFiles() throws IOException {
        LineSearch search = new LineSearch(
                LinePattern.of(pattern, options.contains("F"), options.contains("i")),
                Globs.of("**"),
                "",
                0,
                new Effort("matching files with the glob", Long.MAX_VALUE),
                text -> text);
        FileWalk.walk(directory, Integer.MAX_VALUE, true, search);
        return requireFound(search.answer(true));
    }

    /** GNU's. */
    @Benchmark
    public String grep() throws Exception {
        return requireFound(output("grep", "-rn" + options, "--exclude-dir=.git", pattern, "."));
    }

    /** Git's, by its index and with a thread for each core. */
    @Benchmark
    public String gitGrep() throws Exception {
        return requireFound(output("git", "grep", "-n" + options, pattern));
    }

    private static String requireFound(String found) {
        if (found.lines().count() != FILES / 1_000) {
            throw new IllegalStateException("found " + found);
        }
        return found;
    }

    private String output(String... command) throws Exception {
        Process process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (InputStream in = process.getInputStream()) {
            String output = new String(in.readAllBytes());
            process.waitFor();
            return output;
        }
    }

    /** Nothing stays. */
    @TearDown(Level.Trial)
    public void deleteAll() throws IOException {
        SafeDirectory.deleteTree(directory);
    }
}
