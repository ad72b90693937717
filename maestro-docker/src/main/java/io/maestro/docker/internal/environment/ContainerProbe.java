package io.maestro.docker.internal.environment;

import io.maestro.docker.DockerException;
import io.maestro.docker.internal.Container;
import io.maestro.docker.internal.DockerCli;
import io.maestro.docker.internal.Engine;
import io.maestro.environment.Phase;
import io.maestro.exec.ExecException;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Tries whether a container can be worked in, and whether it ends when it is asked to. */
final class ContainerProbe {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int SECONDS_TO_STOP = 5;
    /** How a process ends by KILL. */
    private static final String KILLED = "137";

    /** A line for each fault. Needs nothing but a shell; removes what it writes. */
    private static final String SCRIPT = """
            cd /workspace 2>/dev/null || { echo "the workspace is not at /workspace"; exit 0; }
            [ "$1" = empty ] || [ -e .git ] || echo "the workspace at /workspace does not show its files"
            t=.maestro-check-$$-$2
            if [ "$3" = write ]; then
              if (: > "$t") 2>/dev/null; then rm -f "$t" || echo "files in /workspace cannot be deleted"
              else echo "the user $(id -u 2>/dev/null) cannot write to /workspace"; fi
            fi
            if (: > "/tmp/$t") 2>/dev/null; then rm -f "/tmp/$t"
            else echo "the user $(id -u 2>/dev/null) cannot write to /tmp"; fi
            if [ -z "$4" ] || (: > "$4/$t") 2>/dev/null; then [ -z "$4" ] || rm -f "$4/$t"
            else echo "the user $(id -u 2>/dev/null) cannot write to $4"; fi
            """;

    private ContainerProbe() {}

    /**
     * What is wrong with a container; empty when an agent can work in it.
     *
     * @param stateDirectory where programs keep their state, if they do
     */
    static List<String> faults(Executor executor, Phase phase, boolean hasGit, Optional<String> stateDirectory) {
        ExecResult result;
        try {
            result = executor.run(ExecRequest.command(
                            "sh",
                            "-c",
                            SCRIPT,
                            "sh",
                            hasGit ? "full" : "empty",
                            Long.toHexString(System.nanoTime()),
                            phase == Phase.CODING ? "write" : "read",
                            stateDirectory.orElse(""))
                    .workingDirectory("/")
                    .timeLimit(LIMIT)
                    .build());
        } catch (ExecException e) {
            return List.of("no command can be run: " + e.getMessage());
        }
        if (!result.succeeded()) {
            return List.of("a simple command "
                    + switch (result.ending()) {
                        case TIMED_OUT -> "did not end within " + LIMIT.toSeconds() + " s";
                        case CANCELLED -> "was cancelled";
                        case EXITED ->
                            "failed with exit code " + result.exitCode().orElse(-1) + ": "
                                    + result.stderr().text().strip();
                    });
        }
        return result.stdout().text().lines().filter(line -> !line.isBlank()).toList();
    }

    /**
     * Stops a container and starts it again.
     *
     * @throws DockerException when it had to be killed, or does not run again
     */
    static void restart(Engine engine, Container container) {
        DockerCli cli = engine.cli();
        ExecResult stopped = cli.run("stop", "--time", Integer.toString(SECONDS_TO_STOP), container.id());
        if (!stopped.succeeded()) {
            throw new DockerException(
                    "a container from it cannot be stopped: "
                            + stopped.stderr().text().strip(),
                    null);
        }
        if (cli.output("inspect", "--type", "container", "--format", "{{.State.ExitCode}}", container.id())
                .equals(KILLED)) {
            throw new DockerException(
                    "a container from it cannot be stopped: it does not end within " + SECONDS_TO_STOP
                            + " s of TERM and had to be killed; its sh must not ignore signals",
                    null);
        }
        cli.output("start", container.id());
        if (!engine.isRunning(container)) {
            throw new DockerException("a container from it does not run again after it was stopped", null);
        }
    }
}
