package io.maestro.bench;

import io.maestro.Maestro;
import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmException;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.story.Story;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Ways to begin work on a small repository; each time in a new directory. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class Starts {
    private Path directory;
    private Path origin;
    private Path project;
    private Maestro maestro;

    /** Makes the repository. */
    @Setup(Level.Trial)
    public void makeRepository() throws Exception {
        directory = Files.createTempDirectory("maestro-bench");
        origin = directory.resolve("origin.git");
        Path work = directory.resolve("work");
        run("git", "init", "--quiet", "--initial-branch=main", work.toString());
        for (int i = 0; i < 100; i++) {
            Files.writeString(
                    Files.createDirectories(work.resolve("d" + i % 10)).resolve("f" + i), "line\n".repeat(50));
        }
        run("git", "-C", work.toString(), "add", "--all");
        run(
                "git",
                "-C",
                work.toString(),
                "-c",
                "user.name=b",
                "-c",
                "user.email=b@example.org",
                "commit",
                "-qm",
                "first");
        run("git", "clone", "--quiet", "--bare", work.toString(), origin.toString());
    }

    /** A new place. */
    @Setup(Level.Invocation)
    public void makeProject() throws IOException {
        project = Files.createTempDirectory(directory, "project");
    }

    /** From the builder to the moment in which the coders' model is asked. */
    @Benchmark
    public Object maestro() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        maestro = Maestro.builder()
                .projectDirectory(project)
                .repository(origin.toString())
                .coderModel(new FirstRequest(asked))
                .build();
        Object story =
                maestro.submit(Story.builder("1", "A story").content("Do it").build());
        if (!asked.await(1, TimeUnit.MINUTES)) {
            throw new IllegalStateException("the model is not asked");
        }
        return story;
    }

    /** What nobody could do without: git makes a mirror and a checkout. */
    @Benchmark
    public Object git() throws Exception {
        run(
                "git",
                "clone",
                "--quiet",
                "--mirror",
                origin.toString(),
                project.resolve("mirror").toString());
        run(
                "git",
                "clone",
                "--quiet",
                project.resolve("mirror").toString(),
                project.resolve("work").toString());
        return project;
    }

    /** Ends the work. */
    @TearDown(Level.Invocation)
    public void close() throws IOException {
        if (maestro != null) {
            maestro.close();
            maestro = null;
        }
        delete(project);
    }

    /** Removes all. */
    @TearDown(Level.Trial)
    public void removeAll() throws IOException {
        delete(directory);
    }

    private static void delete(Path tree) throws IOException {
        try (Stream<Path> paths = Files.walk(tree)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    private static void run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(List.of(command)).inheritIO().start();
        if (process.waitFor() != 0) {
            throw new IOException(List.of(command) + " failed");
        }
    }

    /** A model that says when it is asked, and refuses. */
    private record FirstRequest(CountDownLatch asked) implements LlmClient {
        @Override
        public String model() {
            return "bench";
        }

        @Override
        public LlmResponse complete(LlmRequest request) {
            asked.countDown();
            throw new LlmException("this was all", null);
        }
    }
}
