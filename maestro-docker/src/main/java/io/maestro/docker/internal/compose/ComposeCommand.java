package io.maestro.docker.internal.compose;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.docker.DockerException;
import io.maestro.docker.internal.DockerCli;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The compose plugin of the client. It sees files of one directory that no agent can write, and nothing of the host's environment
 * but what the client needs to find its engine.
 */
final class ComposeCommand {
    private static final Duration CONFIG_LIMIT = Duration.ofSeconds(60);

    /** What is kept of its output; a canonical file that is longer is refused. */
    private static final int CONFIG_BYTES = 8 << 20;

    private static final ObjectMapper JSON = new ObjectMapper();

    private final DockerCli cli;
    private final String project;
    private final Path directory;

    /** For a project that keeps its files in a directory. */
    ComposeCommand(DockerCli cli, String project, Path directory) {
        this.cli = cli;
        this.project = project;
        this.directory = directory;
    }

    /** Fails when there is no compose for this engine. */
    void requireAvailable() {
        if (cli.host().isPodman()) {
            throw new DockerException(
                    "compose is not available with podman on " + cli.host().name()
                            + "; start the services as processes in your own container instead",
                    null);
        }
        ExecResult result = cli.run("compose", "version", "--short");
        if (!result.succeeded()) {
            throw new DockerException(
                    "compose is not available on " + cli.host().name()
                            + ": the client has no compose plugin; start the services as processes in your own container",
                    null);
        }
    }

    /** What compose understands of a file in the tree; it has all profiles. */
    JsonNode config(Path tree, Path file, String variables) throws IOException {
        Path variableFile = Files.writeString(directory.resolve("variables.env"), variables);
        List<String> words = words(file, tree, variableFile);
        words.addAll(List.of("--profile", "*", "config", "--format", "json"));
        ExecResult result = cli.run(request(words, CONFIG_LIMIT, CONFIG_BYTES));
        if (!result.succeeded()) {
            throw new ComposeRefusedException(
                    "docker compose config",
                    switch (result.ending()) {
                        case EXITED -> withoutPaths(result.stderr().text(), tree);
                        case TIMED_OUT -> "it did not end in " + CONFIG_LIMIT.toSeconds() + " s; make the file simpler";
                        case CANCELLED -> "it was cancelled";
                    });
        }
        if (result.stdout().omittedBytes() > 0) {
            throw new ComposeRefusedException("docker compose config", "the file says too much; make it smaller");
        }
        try {
            return JSON.readTree(result.stdout().bytes());
        } catch (JsonProcessingException e) {
            throw new DockerException("'docker compose config' printed no JSON; update the compose plugin", e);
        }
    }

    /** Starts services, all of them when none is named; fails or not, its result says it. */
    ExecResult up(Path file, List<String> services, Duration limit) throws IOException {
        Path none = Files.writeString(directory.resolve("none.env"), "");
        List<String> words = words(file, directory, none);
        words.addAll(List.of("up", "--detach", "--remove-orphans", "--no-build", "--pull", "never", "--timeout", "2"));
        words.add("--");
        words.addAll(services);
        return cli.run(request(words, limit, 64 * 1024));
    }

    private List<String> words(Path file, Path projectDirectory, Path variables) {
        return new ArrayList<>(List.of(
                "compose",
                "--ansi",
                "never",
                "--progress",
                "plain",
                "--file",
                file.toString(),
                "--project-directory",
                projectDirectory.toString(),
                "--env-file",
                variables.toString(),
                "--project-name",
                project));
    }

    private ExecRequest request(List<String> words, Duration limit, int output) throws IOException {
        return cli.confined(words, directory)
                .environment("COMPOSE_EXPERIMENTAL_GIT_REMOTE", "false")
                .environment("COMPOSE_EXPERIMENTAL_OCI_REMOTE", "false")
                .environment("COMPOSE_MENU", "false")
                .timeLimit(limit)
                .outputLimit(output)
                .build();
    }

    /** A message of compose's as the agent knows the files, for the places where they lie mean nothing to it. */
    String withoutPaths(String message, @Nullable Path tree) {
        String text = message.strip();
        if (tree != null) {
            text = text.replace(tree + "/", "").replace(tree.toString(), ".");
        }
        return text.replace(directory.toString(), "…");
    }
}
