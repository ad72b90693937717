package io.maestro.docker.internal.sandbox;

import io.maestro.error.MaestroException;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.local.LocalExecutor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What the host's user has: variables, a name, tokens, an SSH agent. Asked when it is needed. Immutable. */
public final class HostUser {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private static final long MOST_KNOWN_HOSTS = 1 << 20;

    private final Map<String, String> variables;
    private final @Nullable Path home;

    /**
     * A host.
     *
     * @param variables its environment
     * @param home the home directory of its user; null for none
     */
    public HostUser(Map<String, String> variables, @Nullable Path home) {
        this.variables = Map.copyOf(variables);
        this.home = home;
    }

    /** The one that this JVM runs on. */
    public static HostUser ofThisJvm() {
        String home = System.getProperty("user.home", "");
        return new HostUser(System.getenv(), home.isEmpty() ? null : Path.of(home));
    }

    Map<String, String> variables() {
        return variables;
    }

    /** A value of git's configuration of the user, with all that it includes. */
    Optional<String> git(String key) {
        return output(List.of("git", "config", "--global", "--includes", "--get", key));
    }

    /** A token for GitHub: of a variable, or of the GitHub CLI where it is logged in. */
    Optional<String> gitHubToken() {
        for (String name : List.of("GH_TOKEN", "GITHUB_TOKEN")) {
            String value = variables.getOrDefault(name, "");
            if (!value.isBlank()) {
                return Optional.of(value.strip());
            }
        }
        return output(List.of("gh", "auth", "token"));
    }

    /** The keys of servers that the user knows. */
    Optional<byte[]> knownHosts() {
        if (home == null) {
            return Optional.empty();
        }
        Path file = home.resolve(".ssh/known_hosts");
        try {
            return Files.isRegularFile(file) && Files.size(file) <= MOST_KNOWN_HOSTS
                    ? Optional.of(Files.readAllBytes(file))
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** The socket of the user's SSH agent. */
    Optional<Path> sshAgent() {
        return Optional.ofNullable(variables.get("SSH_AUTH_SOCK"))
                .filter(path -> path.startsWith("/"))
                .map(Path::of)
                .filter(Files::exists);
    }

    /** What a program of the host prints; empty where it is not there, or fails. */
    private Optional<String> output(List<String> command) {
        if (home == null || !Files.isDirectory(home)) {
            return Optional.empty();
        }
        try {
            LocalExecutor.Builder local = LocalExecutor.builder(home);
            variables.forEach((name, value) -> {
                if (name.matches("[A-Za-z_][A-Za-z0-9_]*")) {
                    local.variable(name, value);
                }
            });
            ExecResult result = local.variable("HOME", home.toString())
                    .build()
                    .run(ExecRequest.command(command).timeLimit(LIMIT).build());
            return Optional.of(result.stdout().text().strip()).filter(text -> result.succeeded() && !text.isEmpty());
        } catch (MaestroException e) {
            return Optional.empty();
        }
    }
}
