package io.maestro.docker.internal.sandbox;

import io.maestro.docker.ContainerRequest;
import io.maestro.docker.ContainerRules;
import io.maestro.docker.DockerException;
import io.maestro.docker.Mount;
import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.KnownSecrets;
import io.maestro.docker.internal.compose.ComposeRefusedException;
import io.maestro.docker.internal.compose.ComposeRules;
import io.maestro.docker.internal.compose.ComposeStack;
import io.maestro.docker.internal.compose.StackImages;
import io.maestro.docker.internal.compose.StackOwner;
import io.maestro.docker.internal.compose.StackReport;
import io.maestro.docker.internal.sandbox.Steps.Outcome;
import io.maestro.files.internal.SafeDirectory;
import io.maestro.internal.PrivateFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The services beside one container: of a compose file that passes the same checks as an agent's. They end with the container.
 * Safe for use by several threads.
 */
final class SandboxServices {
    private static final Logger LOG = LoggerFactory.getLogger(SandboxServices.class);

    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final String FILE = "compose.yaml";

    private final ComposeStack stack;
    private final String path;
    private final @Nullable Path written;

    private SandboxServices(ComposeStack stack, String path, @Nullable Path written) {
        this.stack = stack;
        this.path = path;
        this.written = written;
    }

    /**
     * Whose they are.
     *
     * @param owner whose the container is
     * @param name the container's name
     * @param id the container's id
     * @param user as whom they write to the directory of the file, {@code uid:gid}
     */
    record Beside(String owner, String name, String id, String user) {
        /** As one agent, which has one stack. */
        String agent() {
            String part = (owner + "-" + name).replaceAll("[^A-Za-z0-9._-]", "-");
            return part.substring(0, Math.min(55, part.length())) + "-"
                    + HexFormat.of().toHexDigits((owner + " " + name).hashCode());
        }
    }

    /**
     * The services that a request asks for; nothing is started yet.
     *
     * @return empty when it asks for none
     */
    static Optional<SandboxServices> of(
            Engine engine, ContainerRules rules, Images images, ContainerRequest request, Beside beside) {
        if (request.composeContent().isEmpty() && request.composeFile().isEmpty()) {
            return Optional.empty();
        }
        Path state = engine.instance().project().resolve(".maestro").resolve("box-services");
        Optional<Path> written = request.composeContent()
                .map(text -> write(state.resolve("files").resolve(beside.agent()), text));
        Path file = written.or(request::composeFile).orElseThrow();
        Path directory = Objects.requireNonNull(file.getParent());
        StackOwner owner = new StackOwner(
                directory,
                Mount.bind(directory, "/workspace"),
                beside.user(),
                state.resolve("stacks"),
                ComposeRules.standard().atMost(rules.limits(), rules.maxContainers()),
                Optional.empty(),
                () -> List.of(beside.id()),
                images(images, request));
        return Optional.of(new SandboxServices(
                new ComposeStack(engine.cli(), engine.instance(), beside.agent(), owner),
                String.valueOf(file.getFileName()),
                written.map(Path::getParent).orElse(null)));
    }

    private static Path write(Path directory, String text) {
        try {
            // What services of an earlier life have left there is not written through.
            SafeDirectory.deleteTree(directory);
            // Closed to other users, but for the last one, which containers see.
            PrivateFiles.makeMissing(Objects.requireNonNull(directory.getParent()));
            Files.createDirectory(directory);
            return Files.writeString(
                    directory.resolve(FILE), text, StandardOpenOption.CREATE_NEW, LinkOption.NOFOLLOW_LINKS);
        } catch (IOException e) {
            throw new DockerException("the compose file cannot be written to " + directory + ": " + e, e);
        }
    }

    private static StackImages images(Images images, ContainerRequest request) {
        return new StackImages() {
            @Override
            public KnownSecrets secrets() {
                return new KnownSecrets(request.environment().values(), text -> text);
            }

            @Override
            public String find(String name) {
                try {
                    return images.ofStrangers(name).id();
                } catch (DockerException e) {
                    throw new IllegalArgumentException(e.getMessage(), e);
                }
            }

            @Override
            public void build(Build build, Map<String, String> labels) {
                throw new IllegalArgumentException("the service " + build.service()
                        + " is to be built, which is not done here; build its image first, and name it");
            }
        };
    }

    /** Starts them, and waits until they are healthy; the container joins their network. */
    Outcome start() {
        try {
            StackReport report = stack.up(path, List.of(), LIMIT);
            String detail = report.services().size() + " services: " + states()
                    + (report.notes().isEmpty() ? "" : "; " + String.join("; ", report.notes()));
            return report.ok()
                    ? Outcome.success(detail)
                    : Outcome.failed(detail, report.problem() + " " + report.logs());
        } catch (ComposeRefusedException | IllegalArgumentException | UncheckedIOException e) {
            return Outcome.failed("refused", String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Outcome.failed("interrupted", "nothing of the services is left");
        }
    }

    /** Their names and states. */
    List<String> states() {
        return stack.status().stream()
                .map(state -> state.service() + " " + state.status())
                .sorted()
                .toList();
    }

    /** Removes all of them with what belongs to them. */
    void end() {
        try {
            stack.down();
        } finally {
            Path directory = written;
            if (directory != null) {
                try {
                    SafeDirectory.deleteTree(directory);
                } catch (IOException e) {
                    LOG.debug("{} is left: {}", directory, e.toString());
                }
            }
        }
    }
}
