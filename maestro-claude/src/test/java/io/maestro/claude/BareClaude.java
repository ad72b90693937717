package io.maestro.claude;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.claude.testing.RealClaude;
import io.maestro.exec.ExecProcess;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.local.LocalExecutor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * The real CLI without anything of ours between it and the test, but the parser: so facts stay facts. A shell is its parent, which
 * writes down its process id, and after its end whether the process of {@code child.pid} still lives.
 */
final class BareClaude implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(90);

    private static final String PARENT = """
            sh -c 'echo $$ >"$PID_FILE.part"; mv "$PID_FILE.part" "$PID_FILE"; exec "$@"' sh "$@"
            code=$?
            if [ -s child.pid ]; then
                # One that is killed with it may need a moment.
                looks=0
                while kill -0 "$(cat child.pid)" 2>/dev/null && [ $looks -lt 30 ]; do sleep 0.1; looks=$((looks + 1)); done
                kill -0 "$(cat child.pid)" 2>/dev/null && echo alive >child.end || echo gone >child.end
            fi
            exit $code
            """;

    private final Duration limit;
    private final Path directory;
    private final Path pidFile;
    private final ExecProcess process;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final List<ClaudeEvent> events = new ArrayList<>();
    private final ClaudeStreamParser parser = new ClaudeStreamParser(events::add);
    private final Thread outReader;
    private final Thread errReader;

    private BareClaude(
            Duration limit, Path directory, String baseUrl, Map<String, String> more, List<String> arguments) {
        this.limit = limit;
        this.directory = directory;
        this.pidFile = directory.resolve("cli-" + System.nanoTime() + ".pid");
        List<String> command = new ArrayList<>(
                List.of("sh", "-c", PARENT, "sh", RealClaude.program().toString()));
        command.addAll(arguments);
        ExecRequest.Builder request =
                ExecRequest.command(command).timeLimit(limit).environment("PID_FILE", pidFile.toString());
        RealClaude.environment(directory.resolve("home"), baseUrl).forEach(request::environment);
        more.forEach(request::environment);
        process = LocalExecutor.builder(directory).build().start(request.build());
        outReader = reader(process.stdout(), true);
        errReader = reader(process.stderr(), false);
    }

    /** With any arguments. */
    static BareClaude start(Path directory, String baseUrl, Map<String, String> more, List<String> arguments) {
        return new BareClaude(LIMIT, directory, baseUrl, more, arguments);
    }

    /** Prints its events; the prompt is among the arguments, or said by {@link #say} with {@code --input-format}. */
    static BareClaude print(Path directory, String baseUrl, Map<String, String> more, String... arguments) {
        return print(LIMIT, directory, baseUrl, more, arguments);
    }

    /** The same for this long at most, and so long is waited for what it does. */
    static BareClaude print(
            Duration limit, Path directory, String baseUrl, Map<String, String> more, String... arguments) {
        List<String> all = new ArrayList<>(List.of(
                "-p",
                "--output-format",
                "stream-json",
                "--verbose",
                "--model",
                "claude-sonnet-4-5",
                "--dangerously-skip-permissions"));
        all.addAll(List.of(arguments));
        return new BareClaude(limit, directory, baseUrl, more, all);
    }

    private Thread reader(InputStream in, boolean stdout) {
        Thread thread = new Thread(() -> read(in, stdout), "bare-claude");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void read(InputStream in, boolean stdout) {
        byte[] buffer = new byte[8192];
        try {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                synchronized (events) {
                    (stdout ? out : err).write(buffer, 0, read);
                    if (stdout) {
                        parser.feed(buffer, 0, read);
                    }
                    events.notifyAll();
                }
            }
        } catch (IOException e) {
            // The process was ended.
        }
    }

    /** A line for its standard input. */
    void send(String line) {
        try {
            process.stdin().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            process.stdin().flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A message of the user, as a line; the text needs no escapes. */
    void say(String text) {
        send("{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"" + text + "\"}}");
    }

    /** The end of its standard input. */
    BareClaude closeStdin() {
        try {
            process.stdin().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    /** Sends a signal to the CLI alone. */
    void signal(String name) {
        await("a process id", () -> Files.exists(pidFile));
        try {
            Process kill = new ProcessBuilder(
                            "kill", "-" + name, Files.readString(pidFile).strip())
                    .inheritIO()
                    .start();
            assertThat(kill.waitFor()).isZero();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Waits for an event of this type, and gives the first. */
    <T extends ClaudeEvent> T await(Class<T> type) {
        await(type.getSimpleName(), () -> !events(type).isEmpty());
        return events(type).get(0);
    }

    /** Waits until this is so. */
    void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + limit.toNanos();
        synchronized (events) {
            while (!condition.getAsBoolean()) {
                if (System.nanoTime() > end) {
                    throw new AssertionError("no " + what + "; " + this);
                }
                try {
                    events.wait(20);
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        }
    }

    /** Waits for its end. */
    int exitCode() {
        ExecProcess.End end =
                process.await(limit.plusSeconds(30)).orElseThrow(() -> new AssertionError("it still runs; " + this));
        try {
            outReader.join(limit.toMillis());
            errReader.join(limit.toMillis());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        synchronized (events) {
            parser.end();
        }
        return end.exitCode().orElseThrow(() -> new AssertionError("it was killed; " + this));
    }

    List<ClaudeEvent> events() {
        synchronized (events) {
            return List.copyOf(events);
        }
    }

    <T extends ClaudeEvent> List<T> events(Class<T> type) {
        return events().stream().filter(type::isInstance).map(type::cast).toList();
    }

    /** The only result of a run. */
    ClaudeEvent.Result result() {
        List<ClaudeEvent.Result> results = events(ClaudeEvent.Result.class);
        assertThat(results).as(this::toString).hasSize(1);
        return results.get(0);
    }

    String stdout() {
        synchronized (events) {
            return out.toString(StandardCharsets.UTF_8);
        }
    }

    String stderr() {
        synchronized (events) {
            return err.toString(StandardCharsets.UTF_8);
        }
    }

    /** Whether the process of {@code child.pid} was there when the CLI had ended: alive or gone. */
    String childAtEnd() throws IOException {
        return Files.readString(directory.resolve("child.end")).strip();
    }

    @Override
    public void close() {
        process.close();
    }

    @Override
    public String toString() {
        return "stdout: " + stdout() + "\nstderr: " + stderr();
    }
}
