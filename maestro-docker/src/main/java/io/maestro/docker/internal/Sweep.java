package io.maestro.docker.internal;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.docker.DockerException;
import io.maestro.docker.DockerUnavailableException;
import io.maestro.docker.internal.Inspector.ObjectKind;
import io.maestro.internal.Uninterrupted;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes what instances have left on an engine: containers, those of compose too, networks, volumes and images of builds that
 * were not finished. It trusts labels only, and goes on after a failure. An interrupt does not keep it from its work. Safe for use by several threads.
 */
public final class Sweep {
    private static final Logger LOG = LoggerFactory.getLogger(Sweep.class);

    /** A network or a volume in use cannot be removed, so containers come first. */
    private static final List<ObjectKind> ORDER = List.of(ObjectKind.CONTAINER, ObjectKind.NETWORK, ObjectKind.VOLUME);

    private final Engine engine;
    private final Predicate<Map<String, String>> keep;

    /** @param keep by its labels, what is spared although it is a leftover */
    public Sweep(Engine engine, Predicate<Map<String, String>> keep) {
        this.engine = engine;
        this.keep = keep;
    }

    /** One found thing. */
    private record Found(ObjectKind kind, String id, String name, Map<String, String> labels) {
        static Found of(ObjectKind kind, JsonNode object) {
            String name = object.path(object.has("Name") ? "Name" : "name").asText();
            return new Found(
                    kind,
                    Remover.id(kind, object),
                    name.startsWith("/") ? name.substring(1) : name,
                    Json.texts(Inspector.labels(kind, object)));
        }

        String label(String key) {
            return labels.getOrDefault(key, "");
        }
    }

    /** What a sweep writes down as it goes. */
    private static final class Notes {
        private final List<String> removed = new ArrayList<>();
        private final List<String> failed = new ArrayList<>();

        SweepReport report() {
            return new SweepReport(removed, failed);
        }
    }

    /**
     * Removes what earlier lives of this instance have left.
     *
     * @throws DockerException when something of it is left, after everything was tried
     * @throws DockerUnavailableException when the engine does not answer
     */
    public SweepReport atStart() {
        String session = engine.instance().sessionId();
        SweepReport report = sweepOwn(found -> !found.label(Labels.SESSION).equals(session));
        BaseNames.removeLeft(engine, engine.instance().id());
        EndedBuilds.removeLeft(engine, engine.instance().id());
        if (!report.failed().isEmpty()) {
            throw new DockerException(
                    "what an earlier run has left on " + engine.cli().host().name()
                            + " cannot be removed; remove it by hand, or see what holds it: "
                            + String.join("; ", report.failed()),
                    null);
        }
        return report;
    }

    /**
     * Removes all that this instance has made.
     *
     * @throws DockerUnavailableException when the engine does not answer
     */
    public SweepReport atClose() {
        SweepReport report = sweepOwn(found -> true);
        EndedBuilds.removeLeft(engine, engine.instance().id());
        return report;
    }

    private SweepReport sweepOwn(Predicate<Found> which) {
        return Uninterrupted.get(() -> {
            Notes notes = new Notes();
            removeAll(engine.instance().id(), which, notes);
            return notes.report();
        });
    }

    /**
     * Removes what other instances have left whose project directory is on this machine, which have given no sign of life for
     * two minutes, and whose lock nobody holds. What cannot be known to be dead is not touched.
     *
     * @throws DockerUnavailableException when the engine does not answer
     */
    public SweepReport ofTheDead() {
        return Uninterrupted.get(() -> {
            Notes notes = new Notes();
            Map<String, String> projects = new LinkedHashMap<>();
            for (ObjectKind kind : ORDER) {
                for (Found found : find(kind, Labels.INSTANCE)) {
                    projects.putIfAbsent(found.label(Labels.INSTANCE), found.label(Labels.PROJECT));
                }
            }
            projects.remove(engine.instance().id());
            projects.forEach((id, project) -> removeIfDead(id, project, notes));
            return notes.report();
        });
    }

    private void removeIfDead(String instanceId, String project, Notes notes) {
        if (!project.startsWith("/") || project.indexOf('\0') >= 0) {
            return;
        }
        ProjectFiles files = new ProjectFiles(Path.of(project).normalize());
        if (!files.seemsDead(instanceId)) {
            return;
        }
        Optional<ProjectLockFile> lock = ProjectLockFile.tryLock(files.project());
        if (lock.isEmpty()) {
            return;
        }
        try (ProjectLockFile held = lock.get()) {
            // It may have come back to life before the lock was taken.
            if (files.seemsDead(instanceId)) {
                LOG.info("the instance {} in {} is dead; what it has left is removed", instanceId, project);
                removeAll(instanceId, found -> found.label(Labels.PROJECT).equals(project), notes);
                BaseNames.removeLeft(engine, instanceId);
                EndedBuilds.removeLeft(engine, instanceId);
            }
        }
    }

    private void removeAll(String instanceId, Predicate<Found> which, Notes notes) {
        for (ObjectKind kind : ORDER) {
            for (Found found : find(kind, Labels.INSTANCE + "=" + instanceId)) {
                if (which.test(found) && !keep.test(found.labels())) {
                    remove(found, notes);
                }
            }
        }
    }

    private List<Found> find(ObjectKind kind, String label) {
        Inspector inspector = engine.inspector();
        return inspector.all(kind, inspector.labelled(kind, label)).stream()
                .map(object -> Found.of(kind, object))
                .toList();
    }

    private void remove(Found found, Notes notes) {
        String what = found.kind().word() + " " + found.name();
        try {
            engine.remover().removeSurely(found.kind(), found.id());
            notes.removed.add(what);
            LOG.info("removed the {} of {}", what, found.label(Labels.AGENT));
        } catch (DockerException e) {
            notes.failed.add(what + ": " + e.getMessage());
            LOG.warn("the {} cannot be removed: {}", what, e.getMessage());
        }
    }
}
