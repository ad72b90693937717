package io.maestro.docker.internal.compose;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.docker.DockerException;
import io.maestro.docker.internal.DockerCli;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.internal.PrivateFiles;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The compose plugin of the client. It sees files of one directory that no agent can write. What replaces variables of an agent's
 * file sees nothing of the host's environment; what starts services sees what the client needs to find its engine, and replaces
 * nothing any more.
 */
final class ComposeCommand {
    private static final Duration CONFIG_LIMIT = Duration.ofSeconds(60);

    /** What is kept of its output; a canonical file that is longer is refused. */
    private static final int CONFIG_BYTES = 8 << 20;

    private static final List<String> REMOTE_OFF =
            List.of("COMPOSE_EXPERIMENTAL_GIT_REMOTE", "COMPOSE_EXPERIMENTAL_OCI_REMOTE", "COMPOSE_MENU");

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

    /** What compose understands of a file in the tree; it has all profiles. No engine is asked. */
    JsonNode config(Path tree, Path file, String variables) throws IOException {
        Path variableFile = Files.writeString(directory.resolve("variables.env"), variables);
        // Names, directories and sockets of the host would be the value of ${HOME} and the like.
        List<String> words = new ArrayList<>(List.of("env", "-i"));
        words.addAll(REMOTE_OFF.stream().map(name -> name + "=false").toList());
        words.addAll(List.of(program(), "--config", settings().toString()));
        words.addAll(words(file, tree, variableFile));
        words.addAll(List.of("--profile", "*", "config", "--format", "json"));
        ExecResult result = cli.run(ExecRequest.command(words)
                .timeLimit(CONFIG_LIMIT)
                .outputLimit(CONFIG_BYTES)
                .build());
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
        ExecRequest.Builder request =
                cli.confined(words, directory).timeLimit(limit).outputLimit(output);
        REMOTE_OFF.forEach(name -> request.environment(name, "false"));
        return request.build();
    }

    /** The client's full path: without a search path nobody finds it. */
    private String program() {
        String program = cli.host().program();
        if (program.contains("/")) {
            return program;
        }
        for (String part : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1)) {
            Path candidate = Path.of(part).resolve(program);
            if (!part.isEmpty() && Files.isExecutable(candidate)) {
                return candidate.toAbsolutePath().toString();
            }
        }
        return program;
    }

    /** Settings of the client without logins, proxies and contexts: where the user has plugins, and nothing else. */
    private Path settings() throws IOException {
        Path settings = PrivateFiles.makeMissing(directory.resolve("client-of-config"));
        Map<String, String> environment = System.getenv();
        String own = environment.getOrDefault(
                "DOCKER_CONFIG", environment.getOrDefault("HOME", System.getProperty("user.home")) + "/.docker");
        List<String> plugins = new ArrayList<>(
                List.of(Path.of(own, "cli-plugins").toAbsolutePath().toString()));
        Path configured = Path.of(own, "config.json");
        if (Files.isRegularFile(configured)) {
            try {
                JSON.readTree(configured.toFile())
                        .path("cliPluginsExtraDirs")
                        .forEach(one -> plugins.add(one.asText()));
            } catch (JsonProcessingException e) {
                throw new DockerException("the client's settings " + configured + " are no JSON; correct them", e);
            }
        }
        Files.write(settings.resolve("config.json"), JSON.writeValueAsBytes(Map.of("cliPluginsExtraDirs", plugins)));
        return settings;
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
