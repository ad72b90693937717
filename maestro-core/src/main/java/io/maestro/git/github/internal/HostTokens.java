package io.maestro.git.github.internal;

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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The token that this machine has for a server: in the variables that GitHub's own program {@code gh} reads, or in the hands of
 * that program. A token for github.com is given to no other server. Safe for use by several threads.
 */
public final class HostTokens implements TokenSource {
    private static final Logger LOG = LoggerFactory.getLogger(HostTokens.class);
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final int LONGEST = 4096;

    /** How long what the program has said is believed. */
    private static final Duration KEPT = Duration.ofMinutes(5);

    private final Map<String, String> environment;
    private final List<String> program;
    private final Lock lock = new ReentrantLock();
    private @Nullable Answer answer;

    private record Answer(String host, Optional<String> token, long at) {}

    /**
     * Reads variables and asks {@code gh}.
     *
     * @param environment the variables of the process
     */
    public HostTokens(Map<String, String> environment) {
        this(environment, List.of("gh", "auth", "token", "--hostname"));
    }

    HostTokens(Map<String, String> environment, List<String> program) {
        this.environment = Map.copyOf(environment);
        this.program = List.copyOf(program);
    }

    @Override
    public Optional<String> token(String host) {
        boolean cloud = host.equals("github.com") || host.endsWith(".ghe.com");
        List<String> names =
                cloud ? List.of("GH_TOKEN", "GITHUB_TOKEN") : List.of("GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN");
        for (String name : names) {
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
        Threads.newWaitingFactory("maestro-gh")
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
            LOG.info("gh gave no token for {} within {} s", host, LIMIT.toSeconds());
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
