package io.maestro.docker.internal.environment;

import io.maestro.docker.CommandLostException;
import io.maestro.docker.internal.Container;
import io.maestro.docker.internal.DockerCli;
import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.Image;
import io.maestro.docker.internal.workspace.BoundWorkspace;
import io.maestro.exec.ExecException;
import io.maestro.exec.ExecProcess;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs commands in a container that nobody else uses, each by an exec of the engine, whose word the exit code is: nothing in
 * the container can write a result. A command that is given up goes on until the container is removed; it reads no input. Safe for use by several
 * threads.
 */
final class PlainExecutor implements Executor {
    /** With this and more the engine, or a shell, says that a program was killed or never ran. */
    private static final int LEAST_OF_ENGINES = 125;

    private final Engine engine;
    private final Container container;
    private final Map<String, String> variables;

    /** @param variables what commands see; the names are such that a shell can set */
    PlainExecutor(Engine engine, Container container, Map<String, String> variables) {
        this.engine = engine;
        this.container = container;
        this.variables = variables;
    }

    @Override
    public ExecResult run(ExecRequest request) {
        List<String> words = new ArrayList<>(List.of(
                "exec", "--interactive", "--workdir", request.workingDirectory().orElse(workingDirectory())));
        request.user().ifPresent(user -> words.addAll(List.of("--user", user)));
        words.addAll(List.of(container.id(), Image.SHELL));
        DockerCli cli = engine.cli();
        ExecResult result = cli.run(cli.command(words)
                .stdin(script(request).getBytes(StandardCharsets.UTF_8))
                .timeLimit(request.timeLimit())
                .outputLimit(request.outputLimit())
                .build());
        if (result.ending() == ExecResult.Ending.EXITED
                && result.exitCode().orElse(0) >= LEAST_OF_ENGINES
                && !engine.isRunning(container)) {
            throw new CommandLostException(ContainerEnd.of(engine, container), null);
        }
        return result;
    }

    /** Read by the shell from its input: neither the client's command line nor the engine shows a variable, which may be a secret. */
    private String script(ExecRequest request) {
        Map<String, String> all = new LinkedHashMap<>(variables);
        all.putAll(request.environment());
        StringBuilder script = new StringBuilder();
        all.forEach((name, value) -> script.append("export ")
                .append(name)
                .append('=')
                .append(quoted(value))
                .append('\n'));
        script.append("exec");
        request.command().forEach(word -> script.append(' ').append(quoted(word)));
        return script.append(" </dev/null\n").toString();
    }

    private static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }

    @Override
    public ExecProcess start(ExecRequest request) {
        throw new ExecException("commands that are judged are run to their end", null);
    }

    @Override
    public void endLeftovers() {
        // They end with the container.
    }

    @Override
    public String workingDirectory() {
        return BoundWorkspace.TARGET;
    }
}
