package io.maestro.docker.internal;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.docker.DockerHost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The client of an engine, as a command: what every call of it begins with, and its whole environment. The client runs nothing
 * over files of a workspace: it is told not to ask git about what it builds, and the git that it would run takes no directory
 * for a repository only because it looks like one.
 *
 * @param words the program and its first arguments, for example {@code docker --context x}
 */
public record ClientCommand(List<String> words) {
    /** How the client finds its engine, its keys and its settings. */
    static final List<String> ENGINE_VARIABLES = List.of(
            "DOCKER_HOST",
            "DOCKER_CONTEXT",
            "DOCKER_CONFIG",
            "DOCKER_CERT_PATH",
            "DOCKER_TLS_VERIFY",
            "SSH_AUTH_SOCK",
            "CONTAINER_HOST",
            "CONTAINERS_CONF",
            "CONTAINERS_STORAGE_CONF",
            "XDG_RUNTIME_DIR");

    /** What any program needs, and the mark by which a Maestro around this one finds what was left running. */
    private static final List<String> COMMON_VARIABLES = List.of(
            "PATH",
            "HOME",
            "USER",
            "LOGNAME",
            "TMPDIR",
            "LANG",
            "LC_ALL",
            "XDG_CACHE_HOME",
            "XDG_CONFIG_HOME",
            "XDG_DATA_HOME",
            "MAESTRO_EXEC_ID");

    /**
     * What every call is told. Each version of buildx, also the one in compose, knows the first; some know the others. The
     * clients are programs in Go that end after milliseconds: they need not collect garbage before they have 16 MiB of it,
     * which is a sixth of the processor time of {@code docker exec} and a quarter of that of {@code podman ps}.
     */
    static final Map<String, String> SWITCHES = Map.of(
            "BUILDX_GIT_INFO", "false",
            "BUILDX_GIT_LABELS", "false",
            "BUILDX_GIT_CHECK_DIRTY", "false",
            "COMPOSE_BAKE", "false",
            "GIT_CONFIG_NOSYSTEM", "1",
            "GIT_CONFIG_GLOBAL", "/dev/null",
            "GIT_CONFIG_COUNT", "1",
            "GIT_CONFIG_KEY_0", "safe.bareRepository",
            "GIT_CONFIG_VALUE_0", "explicit",
            "GOGC", "400");

    private static final String GIT_SETTINGS = """
            [safe]
            	bareRepository = explicit
            [core]
            	fsmonitor = false
            	hooksPath = /dev/null
            [protocol]
            	allow = never
            """;

    /** Copies. */
    public ClientCommand {
        words = List.copyOf(words);
        if (words.isEmpty()) {
            throw new IllegalArgumentException("the client of an engine must name a program, is empty");
        }
    }

    /** The client of a host. */
    public static ClientCommand of(DockerHost host) {
        List<String> words = new ArrayList<>(List.of(host.program()));
        boolean podman = host.isPodman();
        host.context().ifPresent(context -> words.addAll(List.of(podman ? "--connection" : "--context", context)));
        host.url().ifPresent(url -> words.addAll(List.of(podman ? "--url" : "--host", url)));
        host.tlsDirectory()
                .ifPresent(keys -> words.addAll(List.of(
                        "--tlsverify",
                        "--tlscacert",
                        keys.resolve("ca.pem").toString(),
                        "--tlscert",
                        keys.resolve("cert.pem").toString(),
                        "--tlskey",
                        keys.resolve("key.pem").toString())));
        return new ClientCommand(words);
    }

    /**
     * What a call that builds is told beside {@link #SWITCHES}. Newer clients pass git only a few variables, among them the one
     * that names a file.
     *
     * @param directory that no agent can write; the file is written there
     */
    static Map<String, String> building(Path directory) throws IOException {
        Path settings = Files.writeString(directory.resolve("git.config"), GIT_SETTINGS);
        return Map.of("GIT_CONFIG_GLOBAL", settings.toString());
    }

    /**
     * What a call is told that works for an agent, beside {@link #building}: the user's contexts and plugins, but nobody's
     * logins, and no proxy with a password.
     *
     * @param directory that no agent can write; files are written there
     */
    static Map<String, String> withoutLogins(Path directory) throws IOException {
        Path own = Files.createDirectories(directory.resolve("client"));
        String configured = System.getenv("DOCKER_CONFIG");
        Path users = configured == null || configured.isEmpty()
                ? Path.of(System.getProperty("user.home"), ".docker")
                : Path.of(configured);
        Map<String, Object> kept = new LinkedHashMap<>();
        Path file = users.resolve("config.json");
        if (Files.isReadable(file)) {
            JsonNode settings = Json.parse(Files.readString(file));
            for (String name : List.of("currentContext", "cliPluginsExtraDirs")) {
                if (settings.has(name)) {
                    kept.put(name, settings.get(name));
                }
            }
        }
        Files.writeString(own.resolve("config.json"), Json.write(kept));
        for (String name : List.of("contexts", "cli-plugins")) {
            Path link = own.resolve(name);
            if (Files.exists(users.resolve(name)) && !Files.isSymbolicLink(link)) {
                Files.createSymbolicLink(link, users.resolve(name).toAbsolutePath());
            }
        }
        Path logins = Files.writeString(directory.resolve("logins.json"), "{}");
        return Map.of("DOCKER_CONFIG", own.toString(), "REGISTRY_AUTH_FILE", logins.toString());
    }

    /** The program. */
    public String program() {
        return words.get(0);
    }

    /** A whole command. */
    public List<String> with(List<String> arguments) {
        List<String> command = new ArrayList<>(words);
        command.addAll(arguments);
        return command;
    }

    /**
     * Starts the program. Of this program's environment it sees what it needs, and no secrets.
     *
     * @param arguments what follows {@link #words}
     * @return the process, whose streams are pipes
     * @throws IOException when the system refuses
     */
    public Process start(List<String> arguments) throws IOException {
        Set<String> seen = new HashSet<>(COMMON_VARIABLES);
        seen.addAll(ENGINE_VARIABLES);
        ProcessBuilder builder = new ProcessBuilder(with(arguments));
        builder.environment().keySet().retainAll(seen);
        builder.environment().putAll(SWITCHES);
        return builder.start();
    }

    @Override
    public String toString() {
        return String.join(" ", words);
    }
}
