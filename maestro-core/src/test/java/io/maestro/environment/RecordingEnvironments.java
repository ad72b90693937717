package io.maestro.environment;

import io.maestro.exec.ExecProcess;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Environments that are none: commands run by a local executor. They write down what is asked of them, one line each, such
 * as {@code enter 042/1 CODING}, and fail where they are told to.
 */
public final class RecordingEnvironments implements EnvironmentFactory, Environments {
    public final List<String> calls = Collections.synchronizedList(new ArrayList<>());
    public final List<EnvironmentProject> projects = Collections.synchronizedList(new ArrayList<>());
    public final List<Workplace> places = Collections.synchronizedList(new ArrayList<>());
    /** How checks go, one after the other; without one, they pass. */
    public final Deque<ImageCheck> checks = new ArrayDeque<>();

    public final List<ToolFactory> tools = new ArrayList<>();
    public final Map<Class<?>, Object> services = new HashMap<>();
    public volatile boolean isolates;
    /** The attempts that were open when a session began. */
    public volatile Map<String, Integer> openAttempts = Map.of();
    /** Whether commands reach anything by a network. */
    public volatile boolean reachable = true;
    /** What becomes of the executors. */
    public volatile UnaryOperator<Executor> executors = executor -> executor;
    /** Sees each call while it is made. */
    public volatile Consumer<String> watcher = call -> {};

    private final Map<String, Deque<RuntimeException>> failures = new ConcurrentHashMap<>();

    /** What the next commands that are run fail with. */
    public final Queue<RuntimeException> commandFailures = new ConcurrentLinkedQueue<>();

    /** Fails the next calls that are written down so. */
    public RecordingEnvironments fails(String call, RuntimeException... with) {
        failures.put(call, new ArrayDeque<>(List.of(with)));
        return this;
    }

    /** What was asked for, of those calls that begin so. */
    public List<String> calls(String... beginnings) {
        synchronized (calls) {
            return calls.stream()
                    .filter(call -> List.of(beginnings).stream().anyMatch(call::startsWith))
                    .toList();
        }
    }

    /** What was opened and neither closed nor removed; each is so once. */
    public List<String> open() {
        List<String> open = new ArrayList<>();
        for (String call : calls("open ", "close ", "remove ")) {
            if (call.startsWith("open ")) {
                open.add(call.substring("open ".length()));
            } else if (!open.remove(call.substring(call.indexOf(' ') + 1))) {
                throw new AssertionError(call + " without an open one in " + calls);
            }
        }
        return open;
    }

    private void called(String call) {
        calls.add(call + (Thread.currentThread().isInterrupted() ? " interrupted" : ""));
        watcher.accept(call);
        Deque<RuntimeException> with = failures.get(call);
        RuntimeException failure = with == null ? null : with.poll();
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public String id() {
        return "recording";
    }

    @Override
    public Environments open(EnvironmentProject project) {
        projects.add(project);
        called("begin");
        return this;
    }

    @Override
    public void endLeftovers(Map<String, Integer> openAttempts) {
        this.openAttempts = openAttempts;
        called("leftovers");
    }

    @Override
    public boolean mayReach(Phase phase, String host, int port, boolean tls) {
        return reachable;
    }

    @Override
    public boolean isolates() {
        return isolates;
    }

    @Override
    public List<ToolFactory> tools() {
        return tools;
    }

    @Override
    public Map<Class<?>, Object> services() {
        return services;
    }

    @Override
    public Environment open(Workplace place) {
        String who = place.storyId() == null ? place.agentId() : place.storyId() + "/" + place.attempt();
        called("open " + who);
        places.add(place);
        Executor executor =
                executors.apply(LocalExecutor.builder(place.directory()).build());
        return new Environment() {
            private boolean closed;

            @Override
            public void enter(Phase phase) {
                called("enter " + who + " " + phase);
            }

            @Override
            public Executor executor() {
                return new Executor() {
                    @Override
                    public ExecResult run(ExecRequest request) {
                        RuntimeException failure = commandFailures.poll();
                        if (failure != null) {
                            throw failure;
                        }
                        return executor.run(request);
                    }

                    @Override
                    public ExecProcess start(ExecRequest request) {
                        return executor.start(request);
                    }

                    @Override
                    public void endLeftovers() {
                        executor.endLeftovers();
                    }

                    @Override
                    public String workingDirectory() {
                        return executor.workingDirectory();
                    }
                };
            }

            @Override
            public void resume(String image) {
                called("resume " + who + " " + image);
            }

            @Override
            public <T> T runFresh(Path checkout, @Nullable String image, Function<Executor, T> commands) {
                called("fresh " + who + (image == null ? "" : " " + image));
                RuntimeException failure = commandFailures.poll();
                if (failure != null) {
                    throw failure;
                }
                return commands.apply(
                        executors.apply(LocalExecutor.builder(checkout).build()));
            }

            @Override
            public ImageCheck check(String image, Path checkout) {
                called("check " + who + " " + image);
                ImageCheck check = checks.poll();
                return check == null ? new ImageCheck(true, image, "it starts") : check;
            }

            @Override
            public void adopt(String image) {
                called("adopt " + who + " " + image);
            }

            @Override
            public void close() {
                end("close ");
            }

            @Override
            public void remove() {
                end("remove ");
            }

            private void end(String how) {
                if (!closed) {
                    closed = true;
                    called(how + who);
                }
            }
        };
    }

    @Override
    public void close() {
        called("end");
    }

    /** A {@code container_update} that answers what it is asked to. */
    public static ToolFactory updateTool() {
        return changeTool("container_update");
    }

    /** A {@code container_switch} that answers what it is asked to. */
    public static ToolFactory switchTool() {
        return changeTool("container_switch");
    }

    private static ToolFactory changeTool(String name) {
        return new ToolFactory() {
            @Override
            public ToolDefinition definition() {
                return ToolDefinition.builder(name)
                        .description("Chooses an image")
                        .input(schema -> schema.requiredString("image", "An image")
                                .optionalString("answer", "error, rolled_back or nameless"))
                        .offeredTo(ToolAudience.CODER_CODING)
                        .build();
            }

            @Override
            public Tool create(ToolContext context) {
                return call -> {
                    String image = call.arguments().string("image");
                    String answer = call.arguments().optionalString("answer").orElse("");
                    ToolResult.Builder result = ToolResult.builder("chosen " + image);
                    if (!answer.equals("nameless")) {
                        result.data("image", image);
                    }
                    if (answer.equals("rolled_back")) {
                        result.data("rolled_back", true);
                    }
                    return (answer.equals("error") ? result.error() : result).build();
                };
            }
        };
    }
}
