package io.maestro.docker.internal.compose;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.docker.ContainerSpec;
import io.maestro.docker.DockerHost;
import io.maestro.docker.ImageBuild;
import io.maestro.docker.Mount;
import io.maestro.docker.internal.DockerCli;
import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.Instance;
import io.maestro.docker.internal.KnownSecrets;
import io.maestro.docker.internal.Labels;
import io.maestro.docker.internal.workspace.BoundWorkspace;
import io.maestro.docker.testing.Leavings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

/** An instance of its own with a workspace per agent; what it started is gone after {@link #close}, or the test fails. */
final class ComposeFixture implements AutoCloseable {
    static final String BUSYBOX = "maestro-test/busybox:latest";

    final DockerCli cli = new DockerCli(DockerHost.local());
    final Path directory;
    final Instance instance;
    final List<String> guests = new ArrayList<>();
    private final Map<String, ComposeStack> stacks = new LinkedHashMap<>();

    ComposeFixture(Path directory) {
        this.directory = directory;
        this.instance = new Instance(Instance.newId(), Instance.newId(), directory);
    }

    Path workspace(String agentId) throws IOException {
        return Files.createDirectories(directory.resolve("workspaces").resolve(agentId));
    }

    /** What the agent's commands are given, and nobody else. */
    static final String SECRET = "planted-4c1f09$7e";

    /** Writes a file of an agent's workspace. */
    Path write(String agentId, String path, String content) throws IOException {
        Path file = workspace(agentId).resolve(path);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, content);
    }

    /** As whom services write to the workspace. */
    String owner = "0:0";

    ComposeStack stack(String agentId) throws IOException {
        return stack(agentId, ComposeRules.standard());
    }

    ComposeStack stack(String agentId, ComposeRules rules) throws IOException {
        Path workspace = workspace(agentId);
        StackOwner stackOwner = new StackOwner(
                workspace,
                Mount.bind(workspace, BoundWorkspace.TARGET),
                owner,
                directory.resolve("state"),
                rules,
                Optional.of("story-7"),
                () -> guests,
                images());
        ComposeStack stack = new ComposeStack(cli, instance, agentId, stackOwner);
        stacks.put(agentId, stack);
        return stack;
    }

    /** The id of an image that a service may run: every one of the engine's. */
    UnaryOperator<String> found = this::find;

    private String find(String name) {
        if (!ContainerSpec.isImageName(name)) {
            throw new IllegalArgumentException("'" + name + "' names no image");
        }
        return new Engine(cli, instance)
                .image(name)
                .orElseThrow(() -> new IllegalArgumentException("there is no image '" + name + "'"))
                .id();
    }

    /** These, and builds with nothing around them. */
    StackImages images() {
        return new StackImages() {
            @Override
            public KnownSecrets secrets() {
                return new KnownSecrets(List.of(SECRET), text -> text);
            }

            @Override
            public String find(String name) {
                return found.apply(name);
            }

            @Override
            public void build(Build build, Map<String, String> labels) {
                ImageBuild.Builder image = ImageBuild.builder(build.root())
                        .context(build.context())
                        .dockerfile(build.dockerfile())
                        .tag(build.tag());
                labels.forEach(image::label);
                build.arguments().forEach(image::argument);
                new Engine(cli, instance).build(image.build());
            }
        };
    }

    /** What the engine has of the instance, of every kind. */
    List<String> leftovers() {
        String label = Labels.INSTANCE + "=" + instance.id();
        List<String> all = new ArrayList<>();
        for (String kind : List.of("container", "network", "volume", "image")) {
            Leavings.find(cli, kind, "label", label).forEach(id -> all.add(kind + " " + id));
        }
        // Also what compose might have made without the instance's labels.
        for (String kind : List.of("container", "volume", "network")) {
            Leavings.find(cli, kind, "name", "maestro-" + instance.id().substring(0, 8))
                    .forEach(id -> all.add(kind + " " + id));
        }
        return all;
    }

    /** Runs a command in a container of a service. */
    String exec(ComposeStack stack, String service, String... command) {
        String id = stack.status().stream()
                .filter(state -> state.service().equals(service))
                .findFirst()
                .orElseThrow()
                .id();
        List<String> words = new ArrayList<>(List.of("exec", id));
        words.addAll(List.of(command));
        return cli.output(words.toArray(String[]::new));
    }

    /** Polls for something that happens soon; two minutes at most. */
    static void await(String what, BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + 120_000_000_000L;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("time for: " + what).isLessThan(deadline);
            Thread.sleep(50);
        }
    }

    void downAll() {
        stacks.values().forEach(ComposeStack::down);
        stacks.clear();
    }

    @Override
    public void close() {
        downAll();
        assertThat(leftovers()).isEmpty();
    }
}
