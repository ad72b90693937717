package io.maestro.docker.internal.compose;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.docker.DockerException;
import io.maestro.docker.internal.DockerCli;
import io.maestro.docker.internal.Labels;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * What a stack has on its engine, found by labels alone: whatever became of its file, what carries the labels of the instance and
 * the agent is its own, and nothing else is touched.
 */
final class StackResources {
    /** Of the services that an agent has brought up. */
    static final String ROLE = "compose";

    /** Of those that are started for what is judged. */
    static final String TESTS_ROLE = "compose-tests";

    static final String SERVICE_LABEL = "com.docker.compose.service";

    private static final Duration REMOVAL_LIMIT = Duration.ofMinutes(3);
    private static final int ROUNDS = 5;
    private static final Pattern ANONYMOUS = Pattern.compile("[0-9a-f]{64}");
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String STATE =
            "{\"id\":{{json .ID}},\"name\":{{json .Name}},\"status\":{{json .State.Status}},"
                    + "\"exit\":{{.State.ExitCode}},\"health\":{{if .State.Health}}{{json .State.Health.Status}}{{else}}\"\"{{end}},"
                    + "\"service\":{{json (index .Config.Labels \"" + SERVICE_LABEL + "\")}}}";

    private final DockerCli cli;
    private final List<String> filters;

    StackResources(DockerCli cli, String instanceId, String agentId, String role) {
        this.cli = cli;
        this.filters = List.of(
                "--filter", "label=" + Labels.INSTANCE + "=" + instanceId,
                "--filter", "label=" + Labels.AGENT + "=" + agentId,
                "--filter", "label=" + Labels.ROLE + "=" + role);
    }

    /** The agents of an instance whose stacks have built images that are still there. */
    static Set<String> agentsWithImages(DockerCli cli, String instanceId, String role) {
        List<String> images = lines(
                cli,
                List.of("image", "ls", "--quiet", "--no-trunc"),
                List.of(
                        "--filter", "label=" + Labels.INSTANCE + "=" + instanceId,
                        "--filter", "label=" + Labels.ROLE + "=" + role));
        if (images.isEmpty()) {
            return Set.of();
        }
        return new TreeSet<>(lines(
                cli,
                List.of("image", "inspect", "--format", "{{index .Config.Labels \"" + Labels.AGENT + "\"}}"),
                images));
    }

    /** The containers, by service and name. */
    List<ServiceState> states() {
        return states(containers());
    }

    /** The same of containers that are known; what has gone is left out. */
    List<ServiceState> states(List<String> ids) {
        if (ids.isEmpty()) {
            return List.of();
        }
        List<ServiceState> states = new ArrayList<>();
        ExecResult result = cli.run(words(List.of("inspect", "--type", "container", "--format", STATE), ids));
        // One that has gone meanwhile makes it fail; the others are printed all the same.
        if (!result.succeeded()
                && !result.stderr().text().toLowerCase(Locale.ROOT).contains("no such")) {
            throw cli.failure(result, "inspect");
        }
        for (String line :
                result.stdout().text().lines().filter(text -> !text.isBlank()).toList()) {
            try {
                JsonNode state = JSON.readTree(line);
                states.add(new ServiceState(
                        state.path("service").asText(),
                        state.path("name").asText().replaceFirst("^/", ""),
                        state.path("id").asText(),
                        state.path("status").asText(),
                        state.path("health").asText().replace("none", ""),
                        state.path("exit").asInt()));
            } catch (JsonProcessingException e) {
                throw new DockerException("the engine described a container in words that are no JSON: " + line, e);
            }
        }
        states.sort(Comparator.comparing(ServiceState::service).thenComparing(ServiceState::container));
        return List.copyOf(states);
    }

    List<String> containers() {
        return lines(cli, List.of("ps", "--all", "--quiet", "--no-trunc"), filters);
    }

    List<String> networks() {
        return lines(cli, List.of("network", "ls", "--format", "{{.Name}}"), filters);
    }

    private List<String> volumes() {
        return lines(cli, List.of("volume", "ls", "--quiet"), filters);
    }

    private List<String> images() {
        return lines(cli, List.of("image", "ls", "--quiet", "--no-trunc"), filters);
    }

    /** Volumes that images made for themselves; they carry no label, so they are known by who mounts them. */
    Set<String> anonymousVolumes() {
        List<String> ids = containers();
        Set<String> names = new TreeSet<>();
        if (!ids.isEmpty()) {
            String format = "{{range .Mounts}}{{if eq .Type \"volume\"}}{{println .Name}}{{end}}{{end}}";
            cli.run(words(List.of("inspect", "--type", "container", "--format", format), ids))
                    .stdout()
                    .text()
                    .lines()
                    .map(String::strip)
                    .filter(name -> ANONYMOUS.matcher(name).matches())
                    .forEach(names::add);
        }
        return names;
    }

    /** Removes volumes that nothing uses any more; those in use stay and go with their container. */
    void removeVolumes(Set<String> names) {
        if (!names.isEmpty()) {
            cli.run(words(List.of("volume", "rm"), List.copyOf(names)));
        }
    }

    /** Removes everything, however much is there; says what is left when that fails. */
    void removeAll() {
        ExecResult last = null;
        for (int round = 0; ; round++) {
            List<String> containers = containers();
            List<String> networks = networks();
            List<String> volumes = volumes();
            List<String> images = images();
            if (containers.isEmpty() && networks.isEmpty() && volumes.isEmpty() && images.isEmpty()) {
                return;
            }
            if (round == ROUNDS) {
                throw new DockerException(
                        "the services could not be brought down, left are the containers " + containers + ", networks "
                                + networks + ", volumes " + volumes + " and images " + images
                                + (last == null
                                        ? ""
                                        : "; the engine said: "
                                                + last.stderr().text().strip()),
                        null);
            }
            if (!containers.isEmpty()) {
                // They may write to the workspace; what ignores the signal is killed.
                cli.run(words(List.of("stop", "--time", "2"), containers));
                last = cli.run(words(List.of("rm", "--force", "--volumes"), containers));
            }
            for (String network : networks) {
                disconnectAll(network);
                last = cli.run(words(List.of("network", "rm"), List.of(network)));
            }
            if (!volumes.isEmpty()) {
                last = cli.run(words(List.of("volume", "rm", "--force"), volumes));
            }
            if (!images.isEmpty()) {
                last = cli.run(words(List.of("image", "rm", "--force"), images));
            }
        }
    }

    /** Attaches containers to all networks, or does nothing where they are; says which it could not. */
    List<String> connect(List<String> guests) {
        List<String> failures = new ArrayList<>();
        for (String network : networks()) {
            for (String guest : guests) {
                ExecResult result = cli.run("network", "connect", network, guest);
                if (!result.succeeded() && result.stderr().text().contains("private (none) mode")) {
                    cli.run("network", "disconnect", "none", guest);
                    result = cli.run("network", "connect", network, guest);
                }
                String error = result.stderr().text();
                if (!result.succeeded() && !error.contains("already exists")) {
                    failures.add(network + ": " + error.strip());
                }
            }
        }
        return failures;
    }

    private void disconnectAll(String network) {
        String attached = cli.run(
                        "network",
                        "inspect",
                        "--format",
                        "{{range $id, $c := .Containers}}{{println $id}}{{end}}",
                        network)
                .stdout()
                .text();
        for (String id : attached.lines()
                .map(String::strip)
                .filter(text -> !text.isEmpty())
                .toList()) {
            cli.run("network", "disconnect", "--force", network, id);
        }
    }

    private static List<String> lines(DockerCli cli, List<String> command, List<String> more) {
        List<String> words = new ArrayList<>(command);
        words.addAll(more);
        return cli.output(words.toArray(String[]::new))
                .lines()
                .map(String::strip)
                .filter(text -> !text.isEmpty())
                .distinct()
                .toList();
    }

    private ExecRequest words(List<String> command, List<String> more) {
        List<String> words = new ArrayList<>(command);
        words.addAll(more);
        return cli.command(words).timeLimit(REMOVAL_LIMIT).build();
    }

    /** The last lines of a container's output, both streams as they came. */
    String logs(String id, int lines, int bytes) {
        ExecResult result = cli.run(cli.command(Arrays.asList("logs", "--tail", String.valueOf(lines), id))
                .outputLimit(bytes)
                .build());
        String out = result.stdout().text().stripTrailing();
        String err = result.stderr().text().stripTrailing();
        return out.isEmpty() || err.isEmpty() ? out + err : out + "\n--- stderr ---\n" + err;
    }
}
