package io.maestro.git.hosted.internal;

import io.maestro.internal.Threads;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The token that this machine has for a server: in the variables that the product's own program reads, in the hands of that program,
 * or in those of git's credential helpers. A token of one server is given to no other. Safe for use by several threads.
 */
public final class HostTokens implements TokenSource {
    private static final Logger LOG = LoggerFactory.getLogger(HostTokens.class);
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final int LONGEST = 4096;
    private static final String PASSWORD = "password=";

    /** How long what the program has said is believed. */
    private static final Duration KEPT = Duration.ofMinutes(5);

    private final Map<String, String> environment;
    private final Function<String, List<String>> names;
    private final List<String> program;
    private final List<String> credentials;
    private final Lock lock = new ReentrantLock();
    private @Nullable TokenAnswer answer;

    private record TokenAnswer(String host, Optional<String> token, long at) {}

    /**
     * Reads variables and asks a program.
     *
     * @param environment the variables of the process
     * @param names which of them hold the token for a server
     * @param program a command that prints the token for a server, whose name is its last argument; empty for none
     */
    public HostTokens(Map<String, String> environment, Function<String, List<String>> names, List<String> program) {
        this(environment, names, program, List.of("git", "-c", "core.askPass=", "credential", "fill"));
    }

    HostTokens(
            Map<String, String> environment,
            Function<String, List<String>> names,
            List<String> program,
            List<String> credentials) {
        this.environment = Map.copyOf(environment);
        this.names = names;
        this.program = List.copyOf(program);
        this.credentials = List.copyOf(credentials);
    }

    @Override
    public Optional<String> token(String host) {
        for (String name : names.apply(host)) {
            String value = environment.getOrDefault(name, "");
            if (!value.isBlank()) {
                return Optional.of(value.strip());
            }
        }
        return asked(host);
    }

    private Optional<String> asked(String host) {
        lock.lock();
        try {
            TokenAnswer last = answer;
            if (last == null || !last.host().equals(host) || System.nanoTime() - last.at() > KEPT.toNanos()) {
                last = new TokenAnswer(host, ask(host), System.nanoTime());
                answer = last;
            }
            return last.token();
        } finally {
            lock.unlock();
        }
    }

    private Optional<String> ask(String host) {
        if (!program.isEmpty()) {
            List<String> command = new ArrayList<>(program);
            command.add(host);
            Optional<String> said = said(command, "").map(String::strip).filter(token -> !token.isEmpty());
            if (said.isPresent()) {
                return said;
            }
        }
        return said(credentials, "protocol=https\nhost=" + host + "\n\n")
                .flatMap(text -> text.lines()
                        .filter(line -> line.startsWith(PASSWORD))
                        .map(line -> line.substring(PASSWORD.length()))
                        .findFirst())
                .filter(token -> !token.isBlank());
    }

    /** What a program says is a secret and stands in no message. It asks nobody, and is run where no repository has settings. */
    private static Optional<String> said(List<String> command, String input) {
        Process process;
        try {
            ProcessBuilder builder = new ProcessBuilder(command);
            builder.directory(new File("/")).redirectError(ProcessBuilder.Redirect.DISCARD);
            builder.environment().keySet().removeIf(name -> name.startsWith("GIT_") || name.endsWith("_ASKPASS"));
            builder.environment().put("GIT_TERMINAL_PROMPT", "0");
            builder.environment().put("GCM_INTERACTIVE", "never");
            process = builder.start();
        } catch (IOException e) {
            return Optional.empty();
        }
        CompletableFuture<String> output = new CompletableFuture<>();
        Threads.newWaitingFactory("maestro-token")
                .newThread(() -> read(process.getInputStream(), output))
                .start();
        try {
            try (OutputStream in = process.getOutputStream()) {
                in.write(input.getBytes(StandardCharsets.UTF_8));
            } catch (IOException e) {
                // It does not read, or is gone: what it says tells.
            }
            String text = output.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
            boolean ended = process.waitFor(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
            return ended && process.exitValue() == 0 ? Optional.of(text) : Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } catch (ExecutionException | TimeoutException e) {
            LOG.info("{} gave no token within {} s", command.get(0), LIMIT.toSeconds());
            return Optional.empty();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private static void read(InputStream from, CompletableFuture<String> output) {
        try (from) {
            output.complete(new String(from.readNBytes(LONGEST), StandardCharsets.US_ASCII));
        } catch (IOException e) {
            output.completeExceptionally(e);
        }
    }

    /** None of the values. */
    @Override
    public String toString() {
        return "***";
    }
}
