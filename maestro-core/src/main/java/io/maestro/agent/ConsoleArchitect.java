package io.maestro.agent;

import io.maestro.error.MaestroException;
import io.maestro.internal.HiddenCharacters;
import io.maestro.internal.Threads;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.Reader;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A person at a terminal in the place of the architect's model. Requests are shown one after the other; the first word of a
 * reply is the decision, what follows it up to a line with a single dot is the message. What agents have written cannot
 * command the terminal: control characters are shown as codes. Safe for use by several threads.
 */
public final class ConsoleArchitect implements Architect {
    private static final String RULE = "-".repeat(72);

    private static final String GO_ON = "next";

    /** Ends the input in the queue of lines, which takes no null. */
    private static final Optional<String> END = Optional.empty();

    private final String id;
    private final BufferedReader in;
    private final PrintStream out;
    private final ReentrantLock talking = new ReentrantLock();
    private final BlockingQueue<Optional<String>> lines = new LinkedBlockingQueue<>();
    private @Nullable Thread reading;

    /** A request was taken back from a person who may be typing the reply to it. */
    private boolean withdrawn;

    /**
     * Creates an architect.
     *
     * @param id who replies, for the record
     * @param in where replies are read, for example a reader of {@code System.in}; read ahead by a thread of its own, and not
     *     closed
     * @param out where requests are shown
     */
    public ConsoleArchitect(String id, Reader in, PrintStream out) {
        this.id = Objects.requireNonNull(id, "id");
        this.in = new BufferedReader(in);
        this.out = Objects.requireNonNull(out, "out");
    }

    @Override
    public String id() {
        return id;
    }

    /**
     * Shows the request and reads the reply.
     *
     * @throws MaestroException when the input has ended, or the thread was interrupted
     */
    @Override
    public Reply reply(Request request) {
        try {
            talking.lockInterruptibly();
            try {
                start();
                forgetReplyToAnother(request);
                show(request);
                return request.kind() == Kind.QUESTION ? answer(request) : decision(request);
            } catch (InterruptedException e) {
                withdrawn = true;
                throw e;
            } finally {
                talking.unlock();
            }
        } catch (InterruptedException e) {
            out.println("(request " + request.id() + " is withdrawn)");
            Thread.currentThread().interrupt();
            throw new MaestroException("interrupted before " + id + " replied to request " + request.id(), e);
        }
    }

    /** A blocked read hears no interrupt, so it must not be made by the thread that waits for the reply. */
    private void start() {
        if (reading == null) {
            reading = Threads.platformFactory("maestro-console").newThread(this::readAll);
            reading.start();
        }
    }

    private void readAll() {
        try {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                lines.add(Optional.of(line));
            }
        } catch (IOException e) {
            out.println("The input cannot be read any more: " + e);
        } finally {
            lines.add(END);
        }
    }

    /** What is typed for a request that is withdrawn must not decide on the next one. */
    private void forgetReplyToAnother(Request request) throws InterruptedException {
        while (withdrawn) {
            out.println("The request before was withdrawn. Type " + GO_ON + " to see the next one:");
            withdrawn = !line(request).strip().equals(GO_ON);
        }
    }

    private static String inOneLine(String text) {
        return HiddenCharacters.shown(text).replace('\n', ' ');
    }

    private void show(Request request) {
        out.println(RULE);
        out.println(request.kind() + " of " + request.coderId() + " for story " + request.storyId() + ": "
                + inOneLine(request.storyTitle()) + " (request " + request.id() + ")");
        fact("story", request.storyContent());
        request.facts().forEach(this::fact);
        out.println(RULE);
    }

    private void fact(String name, String text) {
        out.println();
        out.println("## " + inOneLine(name));
        // An agent's text may look like this class's: only headings begin at the margin.
        HiddenCharacters.shown(text).lines().forEach(line -> out.println("| " + line));
    }

    private Reply answer(Request request) throws InterruptedException {
        while (true) {
            out.println("Your answer; end it with a line that is a single dot:");
            String message = message(line(request));
            if (!message.isBlank()) {
                return new Reply(request.id(), Decision.APPROVED, message);
            }
        }
    }

    private Reply decision(Request request) throws InterruptedException {
        while (true) {
            out.println("approve, changes or reject, and why; end it with a line that is a single dot:");
            String[] first = line(request).strip().split("\\s+", 2);
            Decision decision = decision(first[0]);
            if (decision == null) {
                out.println("'" + first[0] + "' is no decision.");
                continue;
            }
            String message = message(first.length == 1 ? "" : first[1]);
            if (decision == Decision.APPROVED || !message.isBlank()) {
                return new Reply(request.id(), decision, message);
            }
            out.println("Say why.");
        }
    }

    private static @Nullable Decision decision(String word) {
        return switch (word.toLowerCase(Locale.ROOT)) {
            case "a", "approve", "approved", "y", "yes" -> Decision.APPROVED;
            case "c", "changes", "needs_changes" -> Decision.NEEDS_CHANGES;
            case "r", "reject", "rejected" -> Decision.REJECTED;
            default -> null;
        };
    }

    private String message(String first) throws InterruptedException {
        StringBuilder message = new StringBuilder(first);
        for (Optional<String> line = lines.take(); ; line = lines.take()) {
            if (line.isEmpty()) {
                // The end of the input ends a message as well; the next request finds it again.
                lines.add(END);
                return message.toString().strip();
            }
            if (line.get().strip().equals(".")) {
                return message.toString().strip();
            }
            message.append(message.isEmpty() ? "" : "\n").append(line.get());
        }
    }

    private String line(Request request) throws InterruptedException {
        Optional<String> line = lines.take();
        if (line.isEmpty()) {
            lines.add(END);
            throw new MaestroException(
                    "the input of " + id + " has ended; nobody can reply to request " + request.id());
        }
        return line.get();
    }
}
