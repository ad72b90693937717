package io.maestro.git.internal;

import io.maestro.files.internal.SafeDirectory;
import io.maestro.internal.PrivateFiles;
import io.maestro.internal.Uninterrupted;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A running process whose output goes to files, so that neither a full pipe nor a child that keeps a pipe open (an ssh
 * master) can block anybody. It is stuck when it shows no sign of life for as long as it may: a process that writes, or,
 * where that counts, one that computes, is not.
 */
final class GitProcess implements AutoCloseable {
    /** A process that shows signs of life for ever ends after this many times its limit. */
    static final int MOST = 24;

    private static final Duration GRACE = Duration.ofSeconds(2);

    private static final String OUTPUT = "maestro-git";

    private static final long POLL_MILLIS = 50;

    /** What git and a remote's git print about their progress. */
    private static final Pattern PROGRESS =
            Pattern.compile("(remote: )?[A-Z][A-Za-z ]+: +(\\d+%|\\d+, done).*" + "|(remote: )?Total \\d+ \\(delta.*");

    private final Path out;
    private final Path err;
    private final Process process;
    private final long start = System.nanoTime();

    private GitProcess(Path out, Path err, Process process) {
        this.out = out;
        this.err = err;
        this.process = process;
    }

    /**
     * Starts it.
     *
     * @param directory where its output goes to; null for the system's directory of temporary files
     */
    static GitProcess start(ProcessBuilder builder, @Nullable Path directory) throws IOException {
        Path out = output(directory, ".out");
        Path err = output(directory, ".err");
        try {
            Process process = builder.redirectOutput(out.toFile())
                    .redirectError(err.toFile())
                    .start();
            process.getOutputStream().close();
            return new GitProcess(out, err, process);
        } catch (IOException e) {
            delete(out, err);
            throw e;
        }
    }

    private static Path output(@Nullable Path directory, String suffix) throws IOException {
        return directory == null
                ? Files.createTempFile(OUTPUT, suffix)
                : Files.createTempFile(PrivateFiles.makeMissing(directory), OUTPUT, suffix);
    }

    /** A new directory for one use, which {@link #clear} deletes where that was killed. */
    static Path temporary(Path directory) throws IOException {
        return Files.createTempDirectory(PrivateFiles.makeMissing(directory), OUTPUT);
    }

    /** Deletes what processes have left in a directory whose Maestro was killed. None may run. */
    static void clear(Path directory) throws IOException {
        if (Files.isDirectory(directory)) {
            try (DirectoryStream<Path> left = Files.newDirectoryStream(directory, OUTPUT + "*")) {
                for (Path file : left) {
                    SafeDirectory.deleteTree(file);
                }
            }
        }
    }

    /** How waiting for a process ended. */
    enum End {
        /** It ended by itself. */
        ENDED,
        /** It shows no sign of life. */
        STUCK,
        /** It has run for {@link #MOST} times its limit. */
        ENDLESS,
        /** It has printed more than it may. */
        TOO_LOUD
    }

    /**
     * Waits for the end.
     *
     * @param limit how long it may show no sign of life
     * @param computing whether using the processor is one
     * @param maxOut how many bytes it may print
     */
    End await(Duration limit, boolean computing, long maxOut) throws IOException, InterruptedException {
        long seen = 0;
        long alive = start;
        long looked = start;
        while (!process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
            long now = System.nanoTime();
            if (Files.size(out) > maxOut) {
                return End.TOO_LOUD;
            }
            if (now - looked < limit.toNanos() / 10) {
                continue;
            }
            looked = now;
            long signs = Files.size(out) + Files.size(err) + (computing ? processorMillis() : 0);
            if (signs != seen) {
                seen = signs;
                alive = now;
            } else if (now - alive > limit.toNanos()) {
                return End.STUCK;
            }
            if (now - start > limit.toNanos() * MOST) {
                return End.ENDLESS;
            }
        }
        return Files.size(out) > maxOut ? End.TOO_LOUD : End.ENDED;
    }

    private long processorMillis() {
        return Stream.concat(Stream.of(process.toHandle()), process.descendants())
                .mapToLong(handle ->
                        handle.info().totalCpuDuration().map(Duration::toMillis).orElse(0L))
                .sum();
    }

    /**
     * Ends it and its children: git's transports and helpers would go on without it. They are asked first, so that they remove
     * their lock files: a push to a directory runs in the repository of others, and would leave it locked for all.
     */
    void end() {
        List<ProcessHandle> all = Stream.concat(Stream.of(process.toHandle()), process.descendants())
                .toList();
        all.forEach(ProcessHandle::destroy);
        CompletableFuture<?>[] ends = all.stream().map(ProcessHandle::onExit).toArray(CompletableFuture[]::new);
        if (!Uninterrupted.isEnded(CompletableFuture.allOf(ends), GRACE)) {
            all.forEach(ProcessHandle::destroyForcibly);
        }
    }

    int exitCode() {
        return process.exitValue();
    }

    long millis() {
        return (System.nanoTime() - start) / 1_000_000;
    }

    String out(Charset charset) throws IOException {
        return new String(Files.readAllBytes(out), charset);
    }

    /** The end of what it said, without how far it had got in between. */
    String err(int max) throws IOException {
        String text = tail(err, 16 * max);
        StringBuilder said = new StringBuilder();
        for (String line : text.split("(?<=\n)", -1)) {
            String last = line.substring(line.stripTrailing().lastIndexOf('\r') + 1);
            if (!PROGRESS.matcher(last.strip()).matches()) {
                said.append(last);
            }
        }
        return said.substring(Math.max(0, said.length() - max));
    }

    private static String tail(Path file, int max) throws IOException {
        try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
            byte[] bytes = new byte[(int) Math.min(max, in.length())];
            in.seek(in.length() - bytes.length);
            in.readFully(bytes);
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }

    @Override
    public void close() throws IOException {
        delete(out, err);
    }

    private static void delete(Path out, Path err) throws IOException {
        Files.deleteIfExists(out);
        Files.deleteIfExists(err);
    }
}
