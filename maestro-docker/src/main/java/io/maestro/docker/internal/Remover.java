package io.maestro.docker.internal;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.docker.DockerException;
import io.maestro.exec.ExecResult;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;

/**
 * Stops and removes containers, but never one that is not this instance's. An interrupt does not keep it from its work. Safe
 * for use by several threads.
 */
final class Remover {
    /** What a container gets to end by itself. */
    static final Duration GRACE = Duration.ofSeconds(2);

    private static final Pattern PASSING = Pattern.compile("(?i)already in progress|device or resource busy"
            + "|unable to remove filesystem|could not kill|tried to kill container|did not receive an exit event"
            + "|container state improper|has dependent|stopping");

    private static final int ATTEMPTS = 5;

    private final DockerCli cli;
    private final Inspector inspector;
    private final Instance instance;
    private final Duration limit;

    Remover(DockerCli cli, Inspector inspector, Instance instance, Duration limit) {
        this.cli = cli;
        this.inspector = inspector;
        this.instance = instance;
        this.limit = limit;
    }

    /** By TERM, and after {@link #GRACE} by KILL. Fine when it does not run. */
    void stop(Container container) {
        Uninterrupted.run(() -> {
            if (own(container.id(), instance.id()).isEmpty()) {
                return;
            }
            ExecResult result =
                    cli.run(cli.command(List.of("stop", "--time", Long.toString(GRACE.toSeconds()), container.id()))
                            .timeLimit(limit)
                            .build());
            Optional<JsonNode> left = inspector.find(Inspector.Kind.CONTAINER, container.id());
            if (left.isPresent() && left.get().path("State").path("Running").asBoolean()) {
                throw cli.failure(result, "stop", container.name());
            }
        });
    }

    void remove(Container container) {
        Uninterrupted.run(() -> remove(container.id(), instance.id()));
    }

    /** What may have been made or not. */
    void removeByName(String name) {
        Uninterrupted.run(() -> remove(name, instance.id()));
    }

    /** Kills and removes a container with its anonymous volumes, when it is the given instance's. */
    void remove(String idOrName, String instanceId) {
        Optional<JsonNode> found = own(idOrName, instanceId);
        if (found.isEmpty()) {
            return;
        }
        String id = found.get().path("Id").asText();
        List<String> words = List.of("rm", "--force", "--volumes", id);
        for (int attempt = 1; ; attempt++) {
            ExecResult result = cli.run(cli.command(words).timeLimit(limit).build());
            if (inspector.find(Inspector.Kind.CONTAINER, id).isEmpty()) {
                return;
            }
            boolean mayPass = result.ending() == ExecResult.Ending.TIMED_OUT
                    || result.ending() == ExecResult.Ending.CANCELLED
                    || result.succeeded()
                    || PASSING.matcher(result.stderr().text()).find();
            if (!mayPass || attempt == ATTEMPTS) {
                throw cli.failure(result, words.toArray(String[]::new));
            }
            if (!Thread.interrupted()) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200L << attempt));
            }
        }
    }

    private Optional<JsonNode> own(String idOrName, String instanceId) {
        Optional<JsonNode> found = inspector.find(Inspector.Kind.CONTAINER, idOrName);
        found.ifPresent(object -> requireOwner(
                "container " + idOrName, Json.texts(Inspector.labels(Inspector.Kind.CONTAINER, object)), instanceId));
        return found;
    }

    static void requireOwner(String what, Map<String, String> labels, String instanceId) {
        if (!instanceId.equals(labels.get(Labels.INSTANCE))) {
            throw new DockerException(
                    "the " + what + " was not made by this instance (" + instanceId + "), so it is not touched", null);
        }
    }
}
