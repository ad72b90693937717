package io.maestro.docker.internal;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.docker.DockerException;
import io.maestro.docker.internal.Inspector.ObjectKind;
import io.maestro.exec.ExecResult;
import io.maestro.internal.Uninterrupted;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;

/**
 * Stops and removes what instances have made: the label is looked at first, unless the thing was made here, and afterwards
 * whether it is gone. An interrupt does not keep it from its work. Safe for use by several threads.
 */
final class Remover {
    /** What a container gets to end by itself. */
    static final Duration GRACE = Duration.ofSeconds(2);

    /** What may be otherwise a moment later. */
    private static final Pattern PASSING = Pattern.compile("(?i)already in progress|device or resource busy"
            + "|unable to remove filesystem|could not kill|tried to kill container|did not receive an exit event"
            + "|container state improper|stopping|in use|active endpoints|being used");

    /** How often is tried to remove what is not a container: mostly a container of somebody else still needs it. */
    private static final int ATTEMPTS = 5;

    /** The longest pause between two attempts is 3.2 s. */
    private static final int PAUSES = 5;

    private final DockerCli cli;
    private final Inspector inspector;
    private final Duration limit;

    /** By id, or by a name that nobody else would choose: whose these are need not be looked up. */
    private final Set<String> made = ConcurrentHashMap.newKeySet();

    /** @param limit for each command, and for the attempts to remove a container, the last of which may exceed it */
    Remover(DockerCli cli, Inspector inspector, Duration limit) {
        this.cli = cli;
        this.inspector = inspector;
        this.limit = limit;
    }

    /** To be told what the engine has just made for this instance, by its id or its unique name. */
    void made(String idOrName) {
        made.add(idOrName);
    }

    /** Whether {@link #made} was told so, and it was not removed here since. */
    boolean hasMade(String idOrName) {
        return made.contains(idOrName);
    }

    /** By TERM, and after {@link #GRACE} by KILL. Fine when it does not run. */
    void stop(String container, String instanceId) {
        Uninterrupted.run(() -> {
            if (own(ObjectKind.CONTAINER, container, instanceId).isEmpty()) {
                return;
            }
            List<String> words = List.of("stop", "--time", Long.toString(GRACE.toSeconds()), container);
            ExecResult result = cli.run(cli.command(words).timeLimit(limit).build());
            Optional<JsonNode> left = inspector.find(ObjectKind.CONTAINER, container);
            if (left.isPresent() && left.get().path("State").path("Running").asBoolean()) {
                throw cli.failure(result, words.toArray(String[]::new));
            }
        });
    }

    /**
     * Removes a thing when it is the given instance's; a container is killed and its anonymous volumes go too. Fine when it is
     * not there.
     *
     * @return whether there was something to remove
     * @throws DockerException when it is another's, or still there after some attempts
     */
    boolean remove(ObjectKind kind, String idOrName, String instanceId) {
        return Uninterrupted.get(() -> {
            if (made.contains(idOrName)) {
                removeSurely(kind, idOrName);
                made.remove(idOrName);
                return true;
            }
            Optional<JsonNode> found = own(kind, idOrName, instanceId);
            if (kind == ObjectKind.IMAGE && found.isPresent() && cli.host().isPodman()) {
                requireUnused(id(kind, found.get()));
            }
            found.ifPresent(object -> removeSurely(kind, id(kind, object)));
            return found.isPresent();
        });
    }

    /** Podman would remove the containers, too, where docker refuses. */
    private void requireUnused(String image) {
        String users = cli.output("ps", "--all", "--quiet", "--filter", "ancestor=" + image);
        if (!users.isEmpty()) {
            throw new DockerException(
                    "the image " + image + " is used by containers, so it is not removed: "
                            + String.join(", ", users.lines().toList()),
                    null);
        }
    }

    /**
     * Removes a thing whose label was looked at.
     *
     * @throws DockerException when it is still there after some attempts
     */
    void removeSurely(ObjectKind kind, String id) {
        List<String> words = words(kind, id);
        long begin = System.nanoTime();
        for (int attempt = 1; ; attempt++) {
            ExecResult result = cli.run(cli.command(words).timeLimit(limit).build());
            if (inspector.find(kind, id).isEmpty()) {
                return;
            }
            boolean mayPass = result.succeeded()
                    || result.ending() != ExecResult.Ending.EXITED
                    || PASSING.matcher(result.stderr().text()).find();
            // Attempts are counted, since a slow engine uses up any short time with one of them.
            boolean enough = System.nanoTime() - begin >= limit.toNanos()
                    ? attempt > 1
                    : kind != ObjectKind.CONTAINER && attempt >= ATTEMPTS;
            if (!mayPass || enough) {
                throw cli.failure(result, words.toArray(String[]::new));
            }
            pause(attempt);
        }
    }

    /** Waits 0.2 s, 0.4 s and so on up to 3.2 s; an interrupt ends the wait and is set again at the end of it all. */
    private static void pause(int attempt) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100L << Math.min(attempt, PAUSES)));
    }

    private List<String> words(ObjectKind kind, String id) {
        List<String> words = new ArrayList<>(List.of(kind.word(), "rm"));
        if (kind == ObjectKind.CONTAINER) {
            words.addAll(List.of("--force", "--volumes"));
            if (cli.host().isPodman()) {
                words.addAll(List.of("--time", "0"));
            }
        } else if (kind == ObjectKind.IMAGE) {
            words.add("--force");
        }
        words.add(id);
        return words;
    }

    private Optional<JsonNode> own(ObjectKind kind, String idOrName, String instanceId) {
        Optional<JsonNode> found = inspector.find(kind, idOrName);
        found.ifPresent(object -> requireOwner(kind, idOrName, object, instanceId));
        return found;
    }

    /**
     * Refuses what is not an instance's.
     *
     * @throws DockerException when it does not carry its label
     */
    static void requireOwner(ObjectKind kind, String idOrName, JsonNode object, String instanceId) {
        Map<String, String> labels = Json.texts(Inspector.labels(kind, object));
        if (!instanceId.equals(labels.get(Labels.instance(kind)))) {
            throw new DockerException(
                    "the " + kind.word() + " " + idOrName + " was not made by this instance (" + instanceId
                            + "), so it is not touched",
                    null);
        }
    }

    /** What a thing is removed by. */
    static String id(ObjectKind kind, JsonNode object) {
        if (kind == ObjectKind.VOLUME) {
            return object.path("Name").asText();
        }
        return object.path(object.has("Id") ? "Id" : "id").asText();
    }
}
