package io.maestro.docker.internal;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.docker.ContainerSpec;
import io.maestro.exec.ExecResult;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What one instance does on one engine. The only place where containers, images, volumes and networks are made: each gets
 * the instance's labels. Safe for use by several threads.
 */
public final class Engine {
    private final DockerCli cli;
    private final Instance instance;
    private final Inspector inspector;
    private final Remover remover;
    private final Starter starter;
    private final AtomicReference<@Nullable EngineFacts> facts = new AtomicReference<>();

    /** The engine that a client reaches. */
    public Engine(DockerCli cli, Instance instance) {
        this.cli = cli;
        this.instance = instance;
        this.inspector = new Inspector(cli);
        this.remover = new Remover(cli, inspector, instance, DockerCli.QUICK);
        this.starter = new Starter(this);
    }

    /** Its client. */
    public DockerCli cli() {
        return cli;
    }

    /** Whose work it does. */
    public Instance instance() {
        return instance;
    }

    /** What the engine says about itself; asked for once. */
    public EngineFacts facts() {
        EngineFacts known = facts.get();
        if (known == null) {
            known = EngineFacts.ask(cli);
            facts.set(known);
        }
        return known;
    }

    Inspector inspector() {
        return inspector;
    }

    Remover remover() {
        return remover;
    }

    /**
     * Makes and starts a container under a unique name, and checks that it runs and a shell in it answers.
     *
     * @param agentId whom it is for
     * @return the container, running
     * @throws io.maestro.docker.ContainerStartException when it cannot be made, ends at once or has no shell, with what it
     *     logged; nothing of it is left then
     */
    public Container start(String agentId, ContainerSpec spec) {
        return starter.start(agentId, spec);
    }

    /** Stops a container: by TERM, and two seconds later by KILL. Fine when it does not run. */
    public void stop(Container container) {
        remover.stop(container);
    }

    /** Removes a container with its anonymous volumes; fine when it is gone already, refused when it is not this instance's. */
    public void remove(Container container) {
        remover.remove(container);
    }

    /** Whether it runs. */
    public boolean isRunning(Container container) {
        return inspector
                .find(Inspector.Kind.CONTAINER, container.id())
                .map(object -> object.path("State").path("Running").asBoolean())
                .orElse(false);
    }

    /** The last lines of what a container's own process printed, on both streams. */
    public String logs(Container container, int lines) {
        return logs(container.id(), lines);
    }

    String logs(String id, int lines) {
        ExecResult result = cli.run("logs", "--tail", Integer.toString(lines), id);
        return result.stdout().text() + result.stderr().text();
    }

    /**
     * Looks an image up on the engine; nothing is pulled.
     *
     * @return empty when it is not there
     */
    public Optional<Image> image(String name) {
        if (!ContainerSpec.isImageName(name)) {
            return Optional.empty();
        }
        return inspector.find(Inspector.Kind.IMAGE, name).map(Engine::image);
    }

    private static Image image(JsonNode object) {
        return new Image(
                Inspector.imageId(object.path("Id").asText()),
                Json.texts(Inspector.labels(Inspector.Kind.IMAGE, object)));
    }

    /** Attaches a container to a network, or does nothing when it is. */
    public void connect(Container container, String network) {
        ExecResult result = cli.run("network", "connect", network, container.id());
        if (!result.succeeded() && !result.stderr().text().contains("already")) {
            throw cli.failure(result, "network", "connect", network, container.name());
        }
    }

    /** All containers of this instance, of all its lives, running or not. */
    public List<Container> containers() {
        List<String> ids = inspector.labelled(Inspector.Kind.CONTAINER, Labels.INSTANCE + "=" + instance.id());
        return inspector.all(Inspector.Kind.CONTAINER, ids).stream()
                .map(Engine::container)
                .toList();
    }

    private static Container container(JsonNode object) {
        JsonNode labels = Inspector.labels(Inspector.Kind.CONTAINER, object);
        String name = object.path("Name").asText();
        return new Container(
                object.path("Id").asText(),
                name.startsWith("/") ? name.substring(1) : name,
                Inspector.imageId(object.path("Image").asText()),
                labels.path(Labels.AGENT).asText(),
                labels.path(Labels.ROLE).asText());
    }
}
