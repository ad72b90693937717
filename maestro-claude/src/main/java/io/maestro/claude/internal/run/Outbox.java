package io.maestro.claude.internal.run;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is said to the CLI, a line each, written by one thread: who says something never waits for a CLI that does not read.
 */
final class Outbox implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Outbox.class);

    private final OutputStream stdin;

    /** More than any answers of our tools: who lets it come to that stops the CLI, and asks for more on its output. */
    private static final long MOST_CHARACTERS = 16L * 1024 * 1024;

    private final AtomicLong waiting = new AtomicLong();

    /** Empty for the end. */
    private final LinkedBlockingQueue<Optional<String>> lines = new LinkedBlockingQueue<>();

    private volatile boolean broken;

    Outbox(OutputStream stdin) {
        this.stdin = stdin;
    }

    /** Says it soon; in vain when the CLI has ended. */
    void say(JsonNode line) {
        if (broken) {
            return;
        }
        String text = line.toString();
        if (waiting.addAndGet(text.length()) > MOST_CHARACTERS) {
            LOG.warn("the CLI does not read what it is told: its input ends");
            broken = true;
            lines.clear();
            close();
            return;
        }
        lines.add(Optional.of(text));
    }

    /** Says nothing more: the input ends after what has been said until now. */
    void close() {
        lines.add(Optional.empty());
    }

    @Override
    public void run() {
        try (stdin) {
            for (Optional<String> line = lines.take(); line.isPresent(); line = lines.take()) {
                stdin.write((line.get() + "\n").getBytes(StandardCharsets.UTF_8));
                stdin.flush();
                waiting.addAndGet(-line.get().length());
            }
        } catch (IOException e) {
            LOG.debug("the CLI does not listen any more: {}", e.toString());
        } catch (InterruptedException e) {
            throw new AssertionError("nobody knows this thread", e);
        } finally {
            broken = true;
            lines.clear();
        }
    }
}
