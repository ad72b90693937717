package io.maestro.claude;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.claude.internal.run.McpLink;
import io.maestro.claude.testing.RealClaude;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.mcp.McpConnection;
import io.maestro.testkit.api.ApiScript;
import io.maestro.testkit.api.StubApi;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;

/** The real CLI, a stub of the API, a workspace and a home for one test. */
final class CliBench implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    final Path workspace;
    final Path home;
    final StubApi api;
    final String session = UUID.randomUUID().toString();
    final List<ClaudeEvent> events = new CopyOnWriteArrayList<>();
    final AtomicLong nanos = new AtomicLong();

    CliBench(Path directory, ApiScript script) {
        try {
            workspace = Files.createDirectories(directory.resolve("workspace"));
            home = Files.createDirectories(directory.resolve("home"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        api = StubApi.start(script);
    }

    /** The clock is the test's. */
    ClaudeCode.Builder claude() {
        return ClaudeCode.builder(LocalExecutor.builder(workspace).build())
                .program(RealClaude.program().toString())
                .model("claude-sonnet-4-5")
                .home(home.toString())
                .stateDirectory(state().toString())
                .api(new ApiAccess(api.baseUrl(), RealClaude.KEY, Optional.empty()))
                .environment("CLAUDE_CODE_MAX_RETRIES", "0")
                .clock(nanos::get)
                .listener(events::add);
    }

    Path state() {
        return home.resolve("state");
    }

    static ClaudeResult await(ClaudeRun run) {
        return run.await(Duration.ofMinutes(2)).orElseThrow(() -> new AssertionError("it does not end"));
    }

    static void until(BooleanSupplier condition) {
        long end = System.nanoTime() + Duration.ofMinutes(1).toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("it does not come about");
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    <T extends ClaudeEvent> List<T> events(Class<T> type) {
        return events.stream().filter(type::isInstance).map(type::cast).toList();
    }

    /** A server with one tool, written by hand: not the one of the library. */
    static McpLink server(String tool, Function<String, String> answer) {
        return new McpLink.Channel(toClient -> new McpConnection() {
            @Override
            public void receive(String message) {
                Thread thread = new Thread(() -> answer(message, tool, answer, toClient), "test-server");
                thread.setDaemon(true);
                thread.start();
            }

            @Override
            public void close() {}
        });
    }

    private static void answer(String text, String tool, Function<String, String> answer, Consumer<String> toClient) {
        try {
            JsonNode message = JSON.readTree(text);
            if (!message.has("id")) {
                return;
            }
            ObjectNode reply = HandMadeServer.answer(
                    message,
                    "2025-06-18",
                    tool,
                    call -> answer.apply(
                            call.path("_meta").path("claudecode/toolUseId").asText()));
            toClient.accept(reply.toString());
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Nothing of the run lives on: no process has the home in its environment. */
    boolean isQuiet() {
        return ProcessHandle.allProcesses().noneMatch(process -> {
            Path environment = Path.of("/proc", Long.toString(process.pid()), "environ");
            try {
                return Files.readString(environment, java.nio.charset.StandardCharsets.ISO_8859_1)
                        .contains(home.toString());
            } catch (IOException e) {
                return false;
            }
        });
    }

    @Override
    public void close() {
        api.close();
    }
}
