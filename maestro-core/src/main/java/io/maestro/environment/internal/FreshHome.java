package io.maestro.environment.internal;

import io.maestro.error.MaestroException;
import io.maestro.exec.ExecProcess;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import io.maestro.files.internal.SafeDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs commands on this machine with an empty home directory: settings that a command has left in the user's own, by intent or
 * not, do not change what the next one does. This is no isolation: whoever runs as the same user reaches everything. Programs
 * that ask the system for the user's home, as Java does, still find the real one.
 */
final class FreshHome implements Executor {
    private static final Logger LOG = LoggerFactory.getLogger(FreshHome.class);

    /** Where programs look for settings and state, below the home directory. */
    private static final Map<String, String> BELOW = Map.of(
            "XDG_CACHE_HOME", ".cache",
            "XDG_CONFIG_HOME", ".config",
            "XDG_DATA_HOME", ".local/share",
            "XDG_STATE_HOME", ".local/state");

    private final Executor inner;
    private final Path home;

    private FreshHome(Executor inner, Path home) {
        this.inner = inner;
        this.home = home;
    }

    /** The home directory is beside the checkout, and is deleted when the commands have ended. */
    static <T> T around(Executor inner, Path checkout, Function<Executor, T> commands) {
        Path home = checkout.resolveSibling(checkout.getFileName() + ".home");
        try {
            Files.createDirectories(home);
        } catch (IOException e) {
            throw new MaestroException("cannot make the directory " + home + ": " + e, e);
        }
        try {
            return commands.apply(new FreshHome(inner, home));
        } finally {
            try {
                SafeDirectory.deleteTree(home);
            } catch (IOException e) {
                LOG.warn("the directory {} cannot be deleted yet: {}", home, e.toString());
            }
        }
    }

    private ExecRequest at(ExecRequest request) {
        ExecRequest.Builder builder = ExecRequest.command(request.command())
                .environment("HOME", home.toString())
                .stdin(request.stdin())
                .timeLimit(request.timeLimit())
                .outputLimit(request.outputLimit());
        BELOW.forEach(
                (name, path) -> builder.environment(name, home.resolve(path).toString()));
        request.workingDirectory().ifPresent(builder::workingDirectory);
        request.user().ifPresent(builder::user);
        request.environment().forEach(builder::environment);
        return builder.build();
    }

    @Override
    public ExecResult run(ExecRequest request) {
        return inner.run(at(request));
    }

    @Override
    public ExecProcess start(ExecRequest request) {
        return inner.start(at(request));
    }

    @Override
    public void endLeftovers() {
        inner.endLeftovers();
    }

    @Override
    public String workingDirectory() {
        return inner.workingDirectory();
    }
}
