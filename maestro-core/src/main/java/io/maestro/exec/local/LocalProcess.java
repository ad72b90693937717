package io.maestro.exec.local;

import io.maestro.exec.ExecProcess;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.internal.RunningProcess;
import io.maestro.exec.internal.ShutdownHook;
import io.maestro.internal.Uninterrupted;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Starts a command that its caller talks with, and ends its tree. */
final class LocalProcess implements RunningProcess.Hooks {
    private final ExecRequest request;
    private final String cookie;
    private final long startTicks = Proc.now();
    private final ShutdownHook hook = new ShutdownHook(() -> end(new Uninterrupted()));

    /** What was seen of the command while it ran, by id and start. */
    private final Map<Long, Long> known = new ConcurrentHashMap<>();

    /** Null until it has been started. */
    private volatile @Nullable Process process;

    private LocalProcess(ExecRequest request, String cookie) {
        this.request = request;
        this.cookie = cookie;
    }

    static ExecProcess start(
            ExecRequest request,
            Path directory,
            String cookie,
            List<String> arguments,
            Map<String, @Nullable String> environment) {
        LocalProcess local = new LocalProcess(request, cookie);
        ProcessBuilder builder = new ProcessBuilder(arguments).directory(directory.toFile());
        environment.forEach((name, value) -> {
            if (value == null) {
                builder.environment().remove(name);
            } else {
                builder.environment().put(name, value);
            }
        });
        Process started;
        try {
            started = builder.start();
        } catch (IOException e) {
            local.hook.remove();
            throw LocalCommand.notStarted(request, directory, e);
        }
        local.process = started;
        return new RunningProcess(
                started,
                started.getInputStream(),
                started.getErrorStream(),
                request.stdin(),
                request.timeLimit(),
                local);
    }

    private ProcessTree tree() {
        return LocalCommand.tree(process, cookie, startTicks, known);
    }

    /** Once it has exited, a child without its environment and session has nothing that leads to it. */
    @Override
    public void inputEnds() {
        tree().alive();
    }

    @Override
    public void end(Uninterrupted uninterrupted) {
        LocalCommand.end(request, tree(), uninterrupted);
    }

    @Override
    public void afterExit(Uninterrupted uninterrupted) {
        end(uninterrupted);
        hook.remove();
    }
}
