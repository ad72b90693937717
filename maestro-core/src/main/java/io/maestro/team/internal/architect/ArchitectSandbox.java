package io.maestro.team.internal.architect;

import io.maestro.environment.Environment;
import io.maestro.environment.Environments;
import io.maestro.environment.Phase;
import io.maestro.environment.Workplace;
import io.maestro.error.MaestroException;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import io.maestro.git.internal.GitRepository;
import io.maestro.internal.PrivateFiles;
import io.maestro.internal.Uninterrupted;
import io.maestro.runtime.ToolRegistry;
import io.maestro.runtime.internal.DefaultToolContext;
import io.maestro.team.internal.dispatch.CoderNames;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolDefinition;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The architect's own environment, in which it runs commands that only read. There is one where environments isolate, and
 * the first command makes it. Safe for use by several threads.
 */
public final class ArchitectSandbox implements AutoCloseable {
    private static final String SHELL = "shell";

    private final Environments environments;
    private final GitRepository git;
    private final String architectId;
    private final int coders;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Environment environment;
    private boolean closed;

    /**
     * Nothing is made yet.
     *
     * @param coders how many workspaces there may be
     */
    public ArchitectSandbox(Environments environments, GitRepository git, String architectId, int coders) {
        this.environments = environments;
        this.git = git;
        this.architectId = architectId;
        this.coders = Math.min(coders, CoderNames.MOST);
    }

    /** Lets tools run commands in the directory of an agent: a coder, or the architect itself. */
    public void letIn(DefaultToolContext.Builder context, String agentId) {
        if (environments.isolates()) {
            context.executor(new In(git.workspaceDirectory(agentId)));
        }
    }

    /** The names of the tools of an audience of the architect's. A shell is not for it where it could change something. */
    public Set<String> tools(ToolRegistry registry, ToolAudience audience) {
        return registry.definitions().stream()
                .filter(tool ->
                        tool.audiences().contains(audience) || tool.name().equals(SHELL) && environments.isolates())
                .map(ToolDefinition::name)
                .collect(Collectors.toUnmodifiableSet());
    }

    private Environment entered() {
        lock.lock();
        try {
            Environment entered = opened();
            entered.enter(Phase.ARCHITECT);
            return entered;
        } finally {
            lock.unlock();
        }
    }

    private Environment opened() {
        lock.lock();
        try {
            if (closed) {
                throw new MaestroException("the environment of " + architectId + " is closed");
            }
            Environment known = environment;
            if (known == null) {
                known = environments.open(
                        new Workplace(architectId, null, 0, made(git.workspaceDirectory(architectId)), readable()));
                environment = known;
            }
            return known;
        } finally {
            lock.unlock();
        }
    }

    /** Directories that are made after the environment could not be seen in it. */
    private List<Path> readable() {
        List<Path> readable = new ArrayList<>();
        for (int number = 1; number <= coders; number++) {
            readable.add(made(git.workspaceDirectory(CoderNames.of(number))));
        }
        readable.add(git.mirror());
        return readable;
    }

    private static Path made(Path directory) {
        try {
            return PrivateFiles.makeOwn(directory);
        } catch (IOException e) {
            throw new MaestroException("the directory " + directory + " cannot be made: " + e, e);
        }
    }

    @Override
    public void close() {
        Environment known;
        lock.lock();
        try {
            closed = true;
            known = environment;
            environment = null;
        } finally {
            lock.unlock();
        }
        if (known != null) {
            Uninterrupted.closing("the environment of " + architectId, known);
        }
    }

    /** Runs commands in a directory of this machine, wherever that is in the environment. */
    private final class In implements Executor {
        private final Path directory;

        In(Path directory) {
            this.directory = directory;
        }

        @Override
        public ExecResult run(ExecRequest request) {
            Environment entered = entered();
            String base = entered.locate(directory);
            String wanted = request.workingDirectory().orElse("");
            ExecRequest.Builder there = ExecRequest.command(request.command())
                    .workingDirectory(wanted.isEmpty() ? base : wanted.startsWith("/") ? wanted : base + "/" + wanted)
                    .stdin(request.stdin())
                    .timeLimit(request.timeLimit())
                    .outputLimit(request.outputLimit());
            request.environment().forEach(there::environment);
            request.user().ifPresent(there::user);
            return entered.executor().run(there.build());
        }

        @Override
        public String workingDirectory() {
            return opened().locate(directory);
        }
    }
}
