package io.maestro.git.hosted.internal;

import io.maestro.internal.Threads;
import java.io.IOException;
import java.io.InputStream;
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
 * The token that this machine has for a server: in the variables that the product's own program reads, or in the hands of that
 * program. A token of one server is given to no other. Safe for use by several threads.
 */
public final class HostTokens implements TokenSource {
    private static final Logger LOG = LoggerFactory.getLogger(HostTokens.class);
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final int LONGEST = 4096;

    /** How long what the program has said is believed. */
    private static final Duration KEPT = Duration.ofMinutes(5);

    private final Map<String, String> environment;
    private final Function<String, List<String>> names;
    private final List<String> program;
    private final Lock lock = new ReentrantLock();
    private @Nullable Answer answer;

    private record Answer(String host, Optional<String> token, long at) {}

    /**
     * Reads variables and asks a program.
     *
     * @param environment the variables of the process
     * @param names which of them hold the token for a server
     * @param program a command that prints the token for a server, whose name is its last argument; empty for none
     */
    public HostTokens(Map<String, String> environment, Function<String, List<String>> names, List<String> program) {
        this.environment = Map.copyOf(environment);
        this.names = names;
        this.program = List.copyOf(program);
    }

    @Override
    public Optional<String> token(String host) {
        for (String name : names.apply(host)) {
            String value = environment.getOrDefault(name, "");
            if (!value.isBlank()) {
                return Optional.of(value.strip());
            }
        }
        return program.isEmpty() ? Optional.empty() : asked(host);
    }

    private Optional<String> asked(String host) {
        lock.lock();
        try {
            Answer last = answer;
            if (last == null || !last.host().equals(host) || System.nanoTime() - last.at() > KEPT.toNanos()) {
                last = new Answer(host, ask(host), System.nanoTime());
                answer = last;
            }
            return last.token();
        } finally {
            lock.unlock();
        }
    }

    /** What it says is a secret and stands in no message. */
    private Optional<String> ask(String host) {
        Process process;
        try {
            List<String> command = new ArrayList<>(program);
            command.add(host);
            ProcessBuilder builder = new ProcessBuilder(command);
            builder.redirectError(ProcessBuilder.Redirect.DISCARD);
            process = builder.start();
        } catch (IOException e) {
            return Optional.empty();
        }
        CompletableFuture<String> output = new CompletableFuture<>();
        Threads.newWaitingFactory("maestro-token")
                .newThread(() -> read(process.getInputStream(), output))
                .start();
        try {
            process.getOutputStream().close();
            String token = output.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS).strip();
            boolean ended = process.waitFor(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
            return ended && process.exitValue() == 0 && !token.isEmpty() ? Optional.of(token) : Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } catch (IOException | ExecutionException | TimeoutException e) {
            LOG.info("{} gave no token for {} within {} s", program.get(0), host, LIMIT.toSeconds());
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
