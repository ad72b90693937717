package io.maestro.docker.internal.exec;

import io.maestro.exec.ExecException;
import io.maestro.exec.ExecProcess;
import io.maestro.exec.internal.RunningProcess;
import io.maestro.exec.internal.ShutdownHook;
import io.maestro.internal.Threads;
import io.maestro.internal.Uninterrupted;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;

/** A command by an exec of its own whose streams the caller has. */
public final class StartedCommand implements RunningProcess.Hooks {
    private static final Duration ANSWER = Duration.ofSeconds(60);

    /** Of what the CLI says instead, this much is kept. */
    private static final int LONGEST_COMPLAINT = 1 << 13;

    private final ExecTarget target;
    private final ContainerCommand command;
    private final String mark;
    private final ShutdownHook hook;
    private volatile String session = "none";

    private StartedCommand(ExecTarget target, ContainerCommand command, String mark) {
        this.target = target;
        this.command = command;
        this.mark = mark;
        this.hook = new ShutdownHook(() -> Terminator.end(target, command.user(), mark, session));
    }

    /**
     * Starts a command.
     *
     * @param target the container
     * @param command what to run
     * @return the running command
     * @throws ExecException when it cannot be started
     */
    public static ExecProcess start(ExecTarget target, ContainerCommand command) {
        ProcessMarker marks = new ProcessMarker();
        StartedCommand started = new StartedCommand(target, command, ProcessMarker.THIS_JVM + marks.next());
        String startWord = marks.next();
        Process cli;
        try {
            cli = target.shell(command.user(), Scripts.ONCE);
        } catch (ExecException e) {
            started.hook.remove();
            throw e;
        }
        boolean running = false;
        try (Uninterrupted uninterrupted = new Uninterrupted()) {
            ThreadFactory threads = Threads.platformFactory("maestro-docker-start");
            InputStream stdout = new BufferedInputStream(cli.getInputStream(), 1 << 16);
            InputStream stderr = new BufferedInputStream(cli.getErrorStream(), 1 << 16);
            CompletableFuture<Beginning> out = new CompletableFuture<>();
            CompletableFuture<Beginning> err = new CompletableFuture<>();
            CompletableFuture<Void> written = new CompletableFuture<>();
            byte[] preamble = SingleExec.preamble(target, command, started.mark, startWord, marks.next(), false);
            threads.newThread(() -> out.complete(beginning(stdout, startWord, true)))
                    .start();
            threads.newThread(() -> err.complete(beginning(stderr, startWord, false)))
                    .start();
            threads.newThread(() -> write(cli.getOutputStream(), preamble, written))
                    .start();
            if (!uninterrupted.await(CompletableFuture.allOf(out, err, written), ANSWER)) {
                Terminator.end(target, command.user(), started.mark, "none");
                throw target.failure(
                        started.what() + ": its start was not reported within " + ANSWER.toSeconds() + " s", "");
            }
            started.begin(out.join(), err.join());
            running = true;
            return new RunningProcess(
                    cli,
                    stdout,
                    stderr,
                    command.request().stdin(),
                    command.request().timeLimit(),
                    started);
        } finally {
            if (!running) {
                started.hook.remove();
                cli.destroyForcibly();
            }
        }
    }

    private void begin(Beginning out, Beginning err) {
        String word = out.line().split(" ", 2)[0];
        if (!out.found() || !err.found()) {
            // The engine's own refusals come on the first stream.
            String said = (err.found() ? "" : err.line()) + "\n" + (out.found() ? "" : out.line());
            throw target.failure(what(), said.strip());
        }
        if (!word.equals("ok")) {
            throw Refusals.of(word, command.program(), command.directory(), target.toString());
        }
        session = SingleExec.session(out.line());
    }

    private String what() {
        return "cannot start '" + command.program() + "' in " + command.directory() + " of " + target;
    }

    private static void write(OutputStream input, byte[] preamble, CompletableFuture<Void> written) {
        try {
            input.write(preamble);
            input.flush();
        } catch (IOException e) {
            // There is no shell; the readers learn why.
        } finally {
            written.complete(null);
        }
    }

    /** Reads up to the word for the start, byte by byte: what follows is the caller's. */
    private static Beginning beginning(InputStream in, String word, boolean withLine) {
        StringBuilder text = new StringBuilder();
        String begin = (char) ProcessMarker.BEGIN + word;
        try {
            for (int b = in.read(); b >= 0 && text.length() < LONGEST_COMPLAINT; b = in.read()) {
                text.append((char) b);
                int at = text.indexOf(begin);
                if (at >= 0 && (!withLine || b == '\n')) {
                    return new Beginning(
                            true, text.substring(at + begin.length()).strip());
                }
            }
        } catch (IOException e) {
            // As if it had ended.
        }
        byte[] bytes = text.toString().getBytes(StandardCharsets.ISO_8859_1);
        return new Beginning(false, new String(bytes, StandardCharsets.UTF_8).strip());
    }

    /** What came first on a stream: the line of the start, or something else. */
    private record Beginning(boolean found, String line) {}

    @Override
    public void end(Uninterrupted uninterrupted) {
        Terminator.end(target, command.user(), mark, session);
    }

    @Override
    public void afterExit(Uninterrupted uninterrupted) {
        hook.remove(); // the shell in the container has seen to the rest
    }
}
