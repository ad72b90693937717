package io.maestro.docker.internal.environment;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.docker.DockerEnvironments;
import io.maestro.docker.internal.DockerCli;
import io.maestro.docker.internal.Labels;
import io.maestro.docker.testing.Leavings;
import io.maestro.docker.testing.TestImages;
import io.maestro.environment.EnvironmentProject;
import io.maestro.environment.Equipment;
import io.maestro.environment.Workplace;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.record.AuditLog;
import io.maestro.secrets.SecretRedactor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;

/** A project with a workspace on a real engine; nothing of it is left when it is closed. */
public final class Bench implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    public final Path directory;
    public final Path workspace;
    public final TestImages test;
    public final String base;
    private final DockerCli cli;
    private final List<DockerProject> projects = new ArrayList<>();

    /** What containers have asked for. */
    public final Queue<AuditLog.NetworkConnection> connections = new ConcurrentLinkedQueue<>();

    /** A project in a directory. */
    public Bench(Path directory, TestImages test, String base) {
        this.directory = directory;
        this.test = test;
        this.base = base;
        this.cli = test.cli();
        this.workspace = workspace("coder-001");
    }

    public DockerCli cli() {
        return cli;
    }

    /** The directory of an agent, made. */
    public Path workspace(String agent) {
        try {
            Path made = Files.createDirectories(directory.resolve(agent));
            Files.createDirectories(made.resolve(".git"));
            return made;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public Path write(String path, String text) {
        try {
            Path file = workspace.resolve(path);
            Files.createDirectories(file.getParent());
            return Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The attempts that a later life goes on with. */
    public Map<String, Integer> openAttempts = Map.of("7", 1);

    public DockerProject open(Map<String, Object> settings) {
        return open(settings, DockerEnvironments.builder(), Map.of());
    }

    /** A life of the project. */
    public DockerProject open(
            Map<String, Object> settings, DockerEnvironments.Builder code, Map<String, String> variables) {
        Map<String, Object> all = new LinkedHashMap<>(settings);
        all.putIfAbsent("base", base);
        // Otherwise each life tries a bind mount first, in a container.
        all.putIfAbsent("workspace", "bind");
        all.putIfAbsent("allowed_images", List.of("maestro-test/*", "localhost/maestro-test/*"));
        if (cli.host().isPodman()) {
            all.putIfAbsent("engine", "podman");
        }
        boolean first = !Files.exists(directory.resolve(".maestro"));
        DockerProject project = (DockerProject) code.build()
                .open(new EnvironmentProject(
                        directory,
                        UUID.randomUUID().toString(),
                        directory.resolve("mirror.git"),
                        all,
                        variables,
                        SecretRedactor.builder().build(),
                        connections::add));
        projects.add(project);
        // Of no earlier life there is anything.
        if (!first) {
            project.endLeftovers(openAttempts);
        }
        return project;
    }

    public Workplace place(String story) {
        return new Workplace("coder-001", story, 1, workspace, List.of());
    }

    /** The same for a program that needs something beside the workspace. */
    public Workplace place(String story, int attempt, Equipment equipment) {
        return new Workplace("coder-001", story, attempt, workspace, List.of(), equipment);
    }

    public static StoryEnvironment environment(DockerProject project, Workplace place) {
        return (StoryEnvironment) project.open(place);
    }

    /** What the engine knows of a container. */
    public JsonNode inspect(String container) {
        try {
            return JSON.readTree(cli.output("container", "inspect", container)).get(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static String sh(StoryEnvironment environment, String line) {
        ExecResult result = environment.executor().run(ExecRequest.shell(line).build());
        return (result.stdout().text() + result.stderr().text()).strip();
    }

    /** Everything with the project's labels, without the code under test. The safe image has the label of its base. */
    @Override
    public void close() {
        projects.forEach(DockerProject::close);
        Set<String> ids =
                projects.stream().map(project -> project.instance().id()).collect(Collectors.toSet());
        ids.forEach(id -> Leavings.remove(cli, id));
    }

    /** Ids of what the project has running or stopped, without what measures disks: that comes and goes each minute. */
    public List<String> containers(DockerProject project) {
        Set<String> measuring = new HashSet<>(measuring());
        List<String> all = Leavings.find(cli, "container", project.instance().id());
        measuring.addAll(measuring());
        return all.stream().filter(id -> !measuring.contains(id)).toList();
    }

    private List<String> measuring() {
        return Leavings.find(cli, "container", "label", Labels.ROLE + "=disk");
    }

    /** The id of the project's running container with another label, too. */
    public String running(DockerProject project, String label) {
        return cli.output(
                "ps",
                "-q",
                "--filter",
                "label=" + label,
                "--filter",
                "label=" + Labels.INSTANCE + "=" + project.instance().id());
    }

    /** Names of the volumes that the project has. */
    public List<String> volumes(DockerProject project) {
        return Leavings.find(cli, "volume", project.instance().id());
    }

    public List<String> networks(DockerProject project) {
        return Leavings.find(cli, "network", project.instance().id());
    }

    /** Ids of the images that the project has built. */
    public List<String> images(DockerProject project) {
        return Leavings.find(cli, "image", project.instance().id());
    }
}
