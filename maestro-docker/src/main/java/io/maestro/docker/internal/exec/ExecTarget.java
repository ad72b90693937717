package io.maestro.docker.internal.exec;

import io.maestro.docker.CommandLostException;
import io.maestro.docker.DockerUnavailableException;
import io.maestro.docker.internal.ClientCommand;
import io.maestro.docker.internal.Image;
import io.maestro.error.MaestroException;
import io.maestro.exec.ExecException;
import io.maestro.internal.Threads;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A container and how to reach it.
 *
 * @param client the client of its engine
 * @param container its name or id
 * @param exclusive whether nothing but commands runs there, beside the process that it was started with: then what is of no
 *     command is ended, and what cannot be ended is ended with the container
 */
public record ExecTarget(ClientCommand client, String container, boolean exclusive) {
    private static final Logger LOG = LoggerFactory.getLogger(ExecTarget.class);

    private static final Duration MOMENT = Duration.ofSeconds(1);
    private static final Duration SHORT = Duration.ofSeconds(30);

    /** Refuses what is no name, and what the CLI would take for an option. */
    public ExecTarget {
        if (!container.matches("[A-Za-z0-9][A-Za-z0-9_.-]*")) {
            throw new IllegalArgumentException("not a name or id of a container: '" + container + "'");
        }
    }

    /**
     * Starts a shell in the container.
     *
     * @param user as whom; null for the container's own user
     * @param script what it runs
     * @param arguments of the script
     * @return the CLI
     * @throws ExecException when there is no CLI
     */
    Process shell(@Nullable String user, String script, String... arguments) {
        List<String> words = new ArrayList<>(List.of("exec", "-i"));
        if (user != null) {
            words.addAll(List.of("--user", user));
        }
        words.addAll(List.of(container, Image.SHELL, "-c", script, "sh"));
        words.addAll(List.of(arguments));
        try {
            return client.start(words);
        } catch (IOException e) {
            throw noCli(e);
        }
    }

    private ExecException noCli(IOException e) {
        return new ExecException(
                "cannot run '" + client.program() + "' on this machine (" + e.getMessage()
                        + "); install it, or choose another CLI",
                e);
    }

    /**
     * Why something went wrong, as the engine tells.
     *
     * @param what what went wrong, the beginning of the message
     * @param complaint what the CLI said, or nothing
     */
    MaestroException failure(String what, String complaint) {
        String said = complaint.isEmpty() ? "" : "; " + client.program() + " says: " + shortened(complaint);
        Answer answer = state();
        if (answer.code() == 0) {
            return new ExecException(
                    what + "; " + this + " is '" + answer.text().strip() + "'" + said, null);
        }
        String text = answer.text().toLowerCase(Locale.ROOT);
        if (text.contains("no such container")
                || text.contains("no such object")
                || text.contains("no container with name")) {
            return new ExecException(what + "; " + this + " does not exist (any more); make it again", null);
        }
        return new DockerUnavailableException(
                what + "; the engine behind '" + client + "' does not answer: " + shortened(answer.text())
                        + "; start it, then try again",
                null);
    }

    private Answer state() {
        return ask(List.of("container", "inspect", "--format", "{{.State.Status}}", container), SHORT);
    }

    /**
     * The same for a command that may have begun, so that nobody runs it again unasked. Commands end before the engine writes down
     * that their container has, so it is asked for a moment.
     */
    MaestroException lost(String what, String complaint) {
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < MOMENT.toNanos()
                && state().text().strip().equals("running")
                && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
        }
        MaestroException failure = failure(what, complaint);
        return failure instanceof ExecException
                ? new CommandLostException(String.valueOf(failure.getMessage()), failure.getCause())
                : failure;
    }

    private static String shortened(String text) {
        String line = text.strip().replaceAll("\\s+", " ");
        return line.length() <= 500 ? line : line.substring(0, 500) + "...";
    }

    /**
     * Runs the CLI to its end.
     *
     * @param arguments its arguments
     * @param limit after how long it is killed
     * @return both its outputs, and its exit code or -1
     */
    Answer ask(List<String> arguments, Duration limit) {
        try {
            return answer(client.start(arguments), limit);
        } catch (IOException e) {
            throw noCli(e);
        }
    }

    /** The last word of what the shells are told. */
    String alone() {
        return exclusive ? "yes" : "no";
    }

    /**
     * Ends the container, if it is exclusive: processes in it could not be ended, or that cannot be known.
     *
     * @return whether it was ended
     */
    boolean endIfExclusive(String why) {
        if (!exclusive) {
            return false;
        }
        LOG.warn("{} is ended: {}", this, why);
        return ask(List.of("kill", container), SHORT).code() == 0;
    }

    /** Waits for a CLI that reads nothing and prints little; an interruption does not end it. */
    static Answer answer(Process process, Duration limit) {
        ThreadFactory threads = Threads.platformFactory("maestro-docker-ask");
        CompletableFuture<String> out = new CompletableFuture<>();
        CompletableFuture<String> err = new CompletableFuture<>();
        threads.newThread(() -> out.complete(read(process.getInputStream()))).start();
        threads.newThread(() -> err.complete(read(process.getErrorStream()))).start();
        boolean interrupted = false;
        long deadline = System.nanoTime() + limit.toNanos();
        boolean ended = false;
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            // It is gone already.
        }
        while (!ended) {
            try {
                ended = process.waitFor(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (!ended) {
            process.destroyForcibly();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        String text = ended ? out.join() + err.join() : "no answer within " + limit.toSeconds() + " s";
        return new Answer(ended ? process.exitValue() : -1, text);
    }

    private static String read(InputStream in) {
        try {
            return new String(in.readNBytes(1 << 16), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }

    /** What a CLI printed, and its exit code. */
    record Answer(int code, String text) {}

    /** The container, as messages name it. */
    @Override
    public String toString() {
        return "container " + container;
    }
}
