package io.maestro.docker.internal;

import io.maestro.docker.DockerException;
import io.maestro.docker.DockerHost;
import io.maestro.docker.DockerUnavailableException;
import io.maestro.error.MaestroException;
import io.maestro.exec.ExecException;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.local.LocalExecutor;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Runs the client of a container engine: arguments as a list, never through a shell, and never with a secret among them. Safe
 * for use by several threads.
 */
public final class DockerCli {
    /** For what the engine does at once; a machine under load may need a while all the same. */
    public static final Duration QUICK = Duration.ofSeconds(60);

    /** For an engine's first answer: one that takes longer hangs. */
    public static final Duration FIRST = Duration.ofSeconds(15);

    /** What clients say when nobody answers. */
    private static final Pattern DOWN = Pattern.compile("(?i)cannot connect to the docker daemon|error during connect"
            + "|is the docker daemon running|cannot connect to podman|unable to connect to podman|connection refused"
            + "|docker desktop is not running|i/o timeout|connection error: desc = ");

    /** The parts of an engine, without those that do not answer it. Podman has no such list. */
    private static final List<String> PARTS =
            List.of("version", "--format", "{{range .Server.Components}}{{.Name}} {{end}}");

    /** Commands on these that run no program and ask no registry. */
    private static final Set<String> OBJECTS = Set.of("container", "image", "volume", "network");

    private static final Set<String> ASKING = Set.of("inspect", "ls", "rm", "kill", "stop");

    /** The exit code of a command that could not be run. */
    private static final int NOT_RUN = 126;

    private final DockerHost host;
    private final ClientCommand client;
    private final Path directory;
    private final ClosingTime closing;
    private final LocalExecutor executor;

    /** The client of a host. */
    public DockerCli(DockerHost host) {
        this(host, new ClosingTime());
    }

    /** The same, whose calls end before the time to close is over. */
    public DockerCli(DockerHost host, ClosingTime closing) {
        this(host, Path.of(System.getProperty("java.io.tmpdir")), closing);
    }

    private DockerCli(DockerHost host, Path directory, ClosingTime closing) {
        this.host = host;
        this.closing = closing;
        this.client = ClientCommand.of(host);
        this.directory = directory;
        LocalExecutor.Builder local =
                LocalExecutor.builder(directory).environment(ClientCommand.ENGINE_VARIABLES.toArray(String[]::new));
        ClientCommand.SWITCHES.forEach(local::variable);
        this.executor = local.build();
    }

    /**
     * The same client with commands of its own: run in a directory that exists, and found there by {@link #endLeftovers} when
     * the JVM that began them was killed.
     */
    public DockerCli in(Path directory) {
        return new DockerCli(host, directory, closing);
    }

    /** Where its commands run and leave their files. */
    public Path directory() {
        return directory;
    }

    /** Ends commands that an earlier JVM began {@link #in} this directory and that still run. */
    public void endLeftovers() {
        executor.endLeftovers();
    }

    /** The time that is left where something is closed. */
    public ClosingTime closing() {
        return closing;
    }

    /** Which engine it talks to. */
    public DockerHost host() {
        return host;
    }

    /** The client as a command, to be started where its streams are needed. */
    public ClientCommand client() {
        return client;
    }

    /** A command, to be given a time limit, input and so on. */
    public ExecRequest.Builder command(List<String> arguments) {
        return ExecRequest.command(client.with(arguments)).timeLimit(QUICK);
    }

    /**
     * A command that builds. No other may, because this one runs in a directory of Maestro's and sees no git but that of {@link
     * ClientCommand#building}.
     *
     * @param own a directory that no agent can write, for this command only
     */
    public ExecRequest.Builder building(List<String> arguments, Path own) throws IOException {
        ExecRequest.Builder command = command(arguments).workingDirectory(own.toString());
        ClientCommand.building(own).forEach(command::environment);
        return command;
    }

    /** The same for an agent: without the logins of the engine's user. */
    public ExecRequest.Builder confined(List<String> arguments, Path own) throws IOException {
        ExecRequest.Builder command = building(arguments, own);
        ClientCommand.withoutLogins(own).forEach(command::environment);
        return command;
    }

    /**
     * Runs a command made by {@link #command}; whatever it ends with is a result.
     *
     * @throws DockerUnavailableException when the engine does not answer, or the client is not there
     */
    public ExecResult run(ExecRequest request) {
        ExecResult result;
        try {
            result = executor.run(inTime(request));
        } catch (ExecException e) {
            throw new DockerUnavailableException(
                    "the client '" + host.program() + "' cannot be run; install it or name another one: "
                            + e.getMessage(),
                    e);
        }
        String said = said(result);
        // One that was killed may have said anything.
        if (result.ending() == ExecResult.Ending.EXITED
                && !result.succeeded()
                && isDown(said)
                && (asksOnly(request) || !answers())) {
            throw unavailable(said, null);
        }
        return result;
    }

    /** Whether nobody but the client can have said it: also when the engine is back before it is asked whether it answers. */
    private boolean asksOnly(ExecRequest request) {
        List<String> words = request.command();
        int first = client.with(List.of()).size();
        return words.size() > first + 1 && OBJECTS.contains(words.get(first)) && ASKING.contains(words.get(first + 1));
    }

    /** What went wrong; dockerd writes why it could not run a command where that would have written. */
    private static String said(ExecResult result) {
        boolean notRun = result.exitCode().orElse(0) == NOT_RUN;
        return notRun
                ? result.stderr().text() + result.stdout().text()
                : result.stderr().text();
    }

    /**
     * A program in a container, and a registry's fault, may be told in the words for an engine that is down. One whose
     * containerd is down answers, but runs nothing: dockerd takes ten seconds to start it again.
     */
    private boolean answers() {
        ExecResult parts = executor.run(inTime(command(PARTS).build()));
        String names = parts.stdout().text();
        return parts.succeeded()
                ? !names.contains("Engine") || names.contains("containerd")
                : executor.run(inTime(command(List.of("version")).build())).succeeded();
    }

    private ExecRequest inTime(ExecRequest request) {
        Duration left = closing.left(request.timeLimit());
        if (left.equals(request.timeLimit())) {
            return request;
        }
        if (left.isZero()) {
            throw new DockerUnavailableException(
                    "the engine of " + host.name() + " is not asked any more: the time to close is over", null);
        }
        ExecRequest.Builder shorter = ExecRequest.command(request.command())
                .timeLimit(left)
                .stdin(request.stdin())
                .outputLimit(request.outputLimit());
        request.environment().forEach(shorter::environment);
        request.workingDirectory().ifPresent(shorter::workingDirectory);
        return shorter.build();
    }

    /** Whether what the client said means that nobody answers. */
    static boolean isDown(String said) {
        return DOWN.matcher(said).find();
    }

    /** An exception that says that nobody answers, with what the client said. */
    DockerUnavailableException unavailable(String said, @Nullable Throwable cause) {
        return new DockerUnavailableException(
                "the engine of " + host.name() + " does not answer; start it, or correct its address: " + said.strip(),
                cause);
    }

    /** Runs a quick command; whatever it ends with is a result. */
    public ExecResult run(String... arguments) {
        return run(command(Arrays.asList(arguments)).build());
    }

    /**
     * Runs a quick command that must succeed.
     *
     * @return what it printed, without the white space around
     * @throws DockerException when it fails
     * @throws DockerUnavailableException when the engine does not answer, or not in time
     */
    public String output(String... arguments) {
        ExecResult result = run(arguments);
        if (!result.succeeded()) {
            throw failure(result, arguments);
        }
        return result.stdout().text().strip();
    }

    /**
     * An exception that says which command failed and what the engine said. An engine that has not answered a quick command in
     * time is one that does not answer: it may hang.
     */
    public MaestroException failure(ExecResult result, String... arguments) {
        String what = "'" + host.program() + " " + String.join(" ", arguments) + "' on " + host.name();
        return switch (result.ending()) {
            case EXITED ->
                new DockerException(
                        what + " failed with exit code " + result.exitCode().orElse(-1) + ": "
                                + result.stderr().text().strip(),
                        null);
            case TIMED_OUT ->
                new DockerUnavailableException(
                        what + " did not end in time; see whether the engine hangs, and start it again", null);
            case CANCELLED -> new DockerException(what + " was cancelled", null);
        };
    }
}
