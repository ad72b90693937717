package io.maestro.docker.internal;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.docker.ContainerSpec;
import io.maestro.docker.ContainerStartException;
import io.maestro.docker.ContainerStartException.Reason;
import io.maestro.docker.DockerException;
import io.maestro.docker.Mount;
import io.maestro.exec.ExecResult;
import io.maestro.internal.Uninterrupted;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Makes containers and sees to it that they work. Safe for use by several threads. */
final class Starter {
    /** An engine under load needs seconds where it mostly needs milliseconds. */
    private static final Duration START = Duration.ofSeconds(60);

    private static final Duration ANSWER = Duration.ofSeconds(30);

    /** Static programs that work as an init process, where podman's own is not installed. */
    private static final List<Path> INITS = List.of(
            Path.of("/usr/bin/catatonit"),
            Path.of("/usr/bin/tini-static"),
            Path.of("/usr/libexec/docker/docker-init"),
            Path.of("/usr/bin/docker-init"));

    /** Podman has the same exit code for a working directory that is not there. */
    private static final Pattern NO_PROGRAM = Pattern.compile(
            "(?i)executable file not found|no such file or directory|permission denied|exec format error|was not found");

    private final Engine engine;
    private final DockerCli cli;
    private final AtomicReference<@Nullable String> initPath = new AtomicReference<>();

    /** By the id of an image, with which it never changes. */
    private final Map<String, Image.Inherited> inherited = new ConcurrentHashMap<>();

    /** Whether the engine has the right to keep a container from being ended where memory runs out. */
    private final AtomicBoolean spares = new AtomicBoolean(true);

    Starter(Engine engine) {
        this.engine = engine;
        this.cli = engine.cli();
    }

    Container start(String agentId, ContainerSpec spec, @Nullable Container other, Container.Grants grants) {
        String name = engine.instance().uniqueName(agentId, spec.role());
        boolean known = inherited.containsKey(spec.image());
        String imageId = known ? spec.image() : requireImage(spec.image());
        spec.mounts().forEach(this::require);
        if (other == null) {
            requireNetwork(spec.network());
        }
        boolean works = false;
        try {
            // The engine would go on without its client, and make the container after it was looked for.
            ExecResult made = Uninterrupted.get(() -> run(agentId, spec, name, imageId, other, grants));
            String id = made.stdout().text().strip();
            if (!made.succeeded()) {
                if (known && made.ending() == ExecResult.Ending.EXITED) {
                    requireImage(imageId);
                }
                throw refused(spec, name, made);
            }
            if (Thread.currentThread().isInterrupted()) {
                throw cancelled(spec, name);
            }
            check(spec, name, id);
            works = true;
            engine.remover().made(id);
            Map<String, String> labels = RunArguments.labels(spec, engine.instance(), agentId, without(imageId));
            return new Container(id, name, imageId, agentId, spec.role(), spec.workingDirectory(), labels);
        } finally {
            if (!works) {
                engine.remover()
                        .remove(
                                Inspector.ObjectKind.CONTAINER,
                                name,
                                engine.instance().id());
            }
        }
    }

    /** The id of an image, of which it is known then what containers must not have. */
    private String requireImage(String image) {
        JsonNode object = engine.inspector()
                .find(Inspector.ObjectKind.IMAGE, image)
                .orElseThrow(() -> new ContainerStartException(
                        Reason.IMAGE_MISSING,
                        "there is no image '" + image + "' on " + cli.host().name()
                                + ", and none is pulled; build it, or choose one that is there",
                        null));
        String id = Inspector.imageId(object.path("Id").asText());
        try {
            inherited.put(id, Image.Inherited.of(object));
        } catch (IllegalArgumentException e) {
            throw new ContainerStartException(Reason.REFUSED, String.valueOf(e.getMessage()), null);
        }
        return id;
    }

    private Image.Inherited without(String imageId) {
        return Objects.requireNonNull(inherited.get(imageId), imageId);
    }

    private ExecResult run(
            String agentId,
            ContainerSpec spec,
            String name,
            String imageId,
            @Nullable Container other,
            Container.Grants grants) {
        if (!spec.role().equals(BuildLimits.ROLE) || engine.facts().rootless() || !spares.get()) {
            return run(agentId, spec, name, imageId, other, grants, List.of());
        }
        // Commands of a build share its memory, and whatever takes it all shall not end what holds the limits.
        ExecResult spared = run(agentId, spec, name, imageId, other, grants, List.of("--oom-score-adj", "-1000"));
        if (spared.succeeded() || spared.ending() != ExecResult.Ending.EXITED) {
            return spared;
        }
        engine.remover()
                .remove(Inspector.ObjectKind.CONTAINER, name, engine.instance().id());
        ExecResult result = run(agentId, spec, name, imageId, other, grants, List.of());
        spares.set(!result.succeeded());
        return result;
    }

    private ExecResult run(
            String agentId,
            ContainerSpec spec,
            String name,
            String imageId,
            @Nullable Container other,
            Container.Grants grants,
            List<String> options) {
        ExecResult result = tryRun(agentId, spec, name, imageId, other, grants, options);
        if (!result.succeeded()
                && result.stderr().text().contains("container-init binary not found")
                && initPath.get() == null) {
            Optional<Path> init = INITS.stream().filter(Files::isExecutable).findFirst();
            if (init.isPresent()) {
                initPath.set(init.get().toString());
                engine.remover()
                        .remove(
                                Inspector.ObjectKind.CONTAINER,
                                name,
                                engine.instance().id());
                return tryRun(agentId, spec, name, imageId, other, grants, options);
            }
        }
        return result;
    }

    private ExecResult tryRun(
            String agentId,
            ContainerSpec spec,
            String name,
            String imageId,
            @Nullable Container other,
            Container.Grants grants,
            List<String> options) {
        RunArguments arguments =
                new RunArguments(spec, engine.facts(), initPath.get(), other, grants, without(imageId));
        List<String> words = new ArrayList<>(arguments.words(engine.instance(), agentId, name, imageId));
        // After the word that makes a container.
        words.addAll(1, options);
        return cli.run(cli.command(words)
                .stdin(arguments.environment())
                .timeLimit(START)
                .build());
    }

    /** The engine would make a volume that nobody knows, or a directory. */
    private void require(Mount mount) {
        if (mount.kind() == Mount.Kind.VOLUME
                && engine.inspector()
                        .find(Inspector.ObjectKind.VOLUME, mount.source())
                        .isEmpty()) {
            throw new ContainerStartException(
                    Reason.REFUSED,
                    "there is no volume '" + mount.source() + "' on "
                            + cli.host().name() + "; create it first",
                    null);
        }
    }

    /** A network can be meant by a part of its id too, and so can the host's. */
    private void requireNetwork(String network) {
        if (network.equals("none")
                || network.equals("bridge")
                || engine.remover().hasMade(network)) {
            return;
        }
        JsonNode found = engine.inspector()
                .find(Inspector.ObjectKind.NETWORK, network)
                .orElseThrow(() -> new ContainerStartException(
                        Reason.REFUSED,
                        "there is no network '" + network + "' on " + cli.host().name() + "; create it first",
                        null));
        String driver = found.path(found.has("Driver") ? "Driver" : "driver").asText();
        if (driver.equals("host")) {
            throw new ContainerStartException(
                    Reason.REFUSED, "the network '" + network + "' is the host's, which no container gets", null);
        }
    }

    private ContainerStartException refused(ContainerSpec spec, String name, ExecResult made) {
        String said = made.stderr().text().strip();
        return switch (made.ending()) {
            case CANCELLED -> cancelled(spec, name);
            case TIMED_OUT ->
                new ContainerStartException(
                        Reason.NO_ANSWER,
                        what(spec, name) + " was not made: the engine took more than " + START.toSeconds() + " s",
                        null);
            case EXITED ->
                isNoProgram(made.exitCode().orElse(0))
                                && NO_PROGRAM.matcher(said).find()
                        ? noProgram(spec, name, said)
                        : new ContainerStartException(
                                Reason.REFUSED, what(spec, name) + " was refused by the engine: " + said, null);
        };
    }

    private static ContainerStartException cancelled(ContainerSpec spec, String name) {
        return new ContainerStartException(
                Reason.CANCELLED, what(spec, name) + " was not started: the thread was interrupted", null);
    }

    private static boolean isNoProgram(int exitCode) {
        return exitCode == 126 || exitCode == 127;
    }

    private static ContainerStartException noProgram(ContainerSpec spec, String name, String said) {
        String program = spec.command().get(0);
        return program.equals(Image.SHELL)
                ? new ContainerStartException(
                        Reason.NO_SHELL,
                        what(spec, name) + " cannot run: its image has no POSIX shell (sh), which is needed; choose an"
                                + " image that has one. The engine said: " + said,
                        null)
                : new ContainerStartException(
                        Reason.ENDED,
                        what(spec, name) + " cannot run: its image has no program '" + program
                                + "' that can be run. The engine said: " + said,
                        null);
    }

    private static String what(ContainerSpec spec, String name) {
        return "the container " + name + " from '" + spec.image() + "'";
    }

    private void check(ContainerSpec spec, String name, String id) {
        ExecResult answer = cli.run(cli.command(List.of("exec", id, Image.SHELL, "-c", ":"))
                .timeLimit(ANSWER)
                .build());
        Optional<JsonNode> found = engine.inspector().find(Inspector.ObjectKind.CONTAINER, id);
        JsonNode state = found.map(object -> object.path("State")).orElseThrow(() -> gone(spec, name));
        if (!state.path("Running").asBoolean()) {
            throw ended(spec, name, id, state);
        }
        if (answer.succeeded()) {
            return;
        }
        String said = answer.stderr().text().strip() + answer.stdout().text().strip();
        throw switch (answer.ending()) {
            case EXITED ->
                isNoProgram(answer.exitCode().orElse(0))
                        ? new ContainerStartException(
                                Reason.NO_SHELL,
                                what(spec, name)
                                        + " runs, but has no POSIX shell (sh), which is needed; choose an image"
                                        + " that has one. The engine said: " + said,
                                null)
                        : new ContainerStartException(
                                Reason.NO_ANSWER, what(spec, name) + " runs, but no command in it: " + said, null);
            case TIMED_OUT ->
                new ContainerStartException(
                        Reason.NO_ANSWER,
                        what(spec, name) + " runs, but its shell did not answer within " + ANSWER.toSeconds() + " s",
                        null);
            case CANCELLED -> new ContainerStartException(Reason.NO_ANSWER, what(spec, name) + " was cancelled", null);
        };
    }

    private static DockerException gone(ContainerSpec spec, String name) {
        return new ContainerStartException(
                Reason.ENDED, what(spec, name) + " was removed by somebody else as soon as it was made", null);
    }

    private String logs(String id) {
        try {
            return engine.logs(id, 20);
        } catch (DockerException e) {
            return "";
        }
    }

    private ContainerStartException ended(ContainerSpec spec, String name, String id, JsonNode state) {
        String logs = Uninterrupted.get(() -> logs(id)).strip();
        int exitCode = state.path("ExitCode").asInt();
        if (isNoProgram(exitCode)) {
            return noProgram(spec, name, logs);
        }
        String error = state.path("Error").asText();
        return new ContainerStartException(
                Reason.ENDED,
                what(spec, name) + " ended at once with exit code " + exitCode
                        + (state.path("OOMKilled").asBoolean() ? ", out of memory" : "")
                        + (error.isEmpty() ? "" : " (" + error + ")")
                        + (logs.isEmpty() ? "; it logged nothing" : "; it logged:\n" + logs),
                null);
    }
}
