package io.maestro.docker.internal.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.docker.ContainerRequest;
import io.maestro.docker.ContainerState;
import io.maestro.docker.DockerException;
import io.maestro.docker.DockerExecutor;
import io.maestro.docker.JobStatus;
import io.maestro.docker.ProvisionedContainer;
import io.maestro.docker.ProvisioningReport;
import io.maestro.docker.RunningContainer;
import io.maestro.docker.internal.Container;
import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.Labels;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** A container of {@link Sandboxes}. What this life has not made is looked up in the container when it is needed. */
public final class Sandbox implements ProvisionedContainer {
    /** Shorter values are no secrets but words. */
    private static final int SHORTEST_SECRET = 8;

    /** How much of a job's output one answer has. */
    private static final int JOB_OUTPUT = 64 << 10;

    /** In place: an engine mounts the file. */
    private static final String HOSTS = """
            set -f
            rest=$(while IFS= read -r line; do
                keep=yes
                for name in "$@"; do
                    case " $(echo $line) " in *" $name "*) keep= ;; esac
                done
                [ -z "$keep" ] || printf '%s\\n' "$line"
            done < /etc/hosts)
            added=$(cat)
            printf '%s\\n%s\\n' "$rest" "$added" > /etc/hosts
            """;

    private final Sandboxes sandboxes;
    private final Engine engine;
    private final Container container;
    private final RunningContainer running;
    private final @Nullable ProvisioningReport report;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Parts parts;

    /**
     * What commands need.
     *
     * @param directory where they run
     * @param user runs them as the container's user
     * @param root runs them as root
     * @param variables what they get
     * @param services what runs beside the container
     */
    record Parts(
            String directory,
            DockerExecutor user,
            DockerExecutor root,
            Map<String, String> variables,
            Optional<SandboxServices> services) {}

    /** @param parts null to look them up */
    Sandbox(Sandboxes sandboxes, Container container, @Nullable Parts parts, @Nullable ProvisioningReport report) {
        this.sandboxes = sandboxes;
        this.engine = sandboxes.engine();
        this.container = container;
        this.running = sandboxes.view(container);
        this.parts = parts;
        this.report = report;
    }

    static DockerExecutor executor(
            RunningContainer container, String user, String directory, Map<String, String> variables) {
        return container.executor(settings -> {
            settings.user(user).workingDirectory(directory);
            variables.forEach(settings::variable);
        });
    }

    private Parts parts() {
        sandboxes.state().requireGoesOn(container.id(), name());
        lock.lock();
        try {
            Parts known = parts;
            if (known == null) {
                DockerExecutor root =
                        running.executor(settings -> settings.user("0:0").workingDirectory("/"));
                Map<String, String> variables = Variables.read(root);
                String directory = container.labels().getOrDefault(Labels.DIRECTORY, ContainerRequest.WORKSPACE);
                known = new Parts(
                        directory, executor(running, user(), directory, variables), root, variables, Optional.empty());
                parts = known;
            }
            return known;
        } finally {
            lock.unlock();
        }
    }

    Container inside() {
        return container;
    }

    @Override
    public String name() {
        return Sandboxes.nameOf(container);
    }

    @Override
    public Optional<String> purpose() {
        return Optional.of(container.labels().getOrDefault(Labels.PURPOSE, "")).filter(text -> !text.isEmpty());
    }

    @Override
    public String user() {
        return container.labels().getOrDefault(Labels.USER, "0:0");
    }

    @Override
    public Optional<ProvisioningReport> report() {
        return Optional.ofNullable(report);
    }

    @Override
    public RunningContainer container() {
        return running;
    }

    @Override
    public DockerExecutor executor() {
        return parts().user();
    }

    @Override
    public DockerExecutor rootExecutor() {
        if (!sandboxes.rules().allowRoot()) {
            throw new IllegalArgumentException(
                    "commands as root are not allowed here; whoever sets the rules allows them"
                            + " by allowRoot. What needs root while a container is made belongs to its set-up commands");
        }
        return parts().root();
    }

    @Override
    public String interactiveCommand() {
        String shell = "[ ! -r " + Variables.SCRIPT + " ] || . " + Variables.SCRIPT + "; cd "
                + Variables.quoted(parts().directory()) + "; exec \"$(command -v bash || echo sh)\"";
        List<String> words = engine.cli()
                .client()
                .with(List.of("exec", "-it", "--user", user(), container.name(), "sh", "-c", shell));
        return String.join(
                " ",
                words.stream()
                        .map(word -> word.matches("[A-Za-z0-9_./:=@-]+") ? word : Variables.quoted(word))
                        .toList());
    }

    @Override
    public ContainerState state() {
        JsonNode object = engine.describe(container)
                .orElseThrow(() -> new DockerException("the container '" + name() + "' is gone", null));
        boolean runs = object.path("State").path("Running").asBoolean();
        Map<Integer, String> ports = new TreeMap<>();
        object.path("NetworkSettings").path("Ports").properties().forEach(port -> {
            JsonNode at = port.getValue().path(0);
            if (!at.isMissingNode()) {
                ports.put(
                        Integer.valueOf(port.getKey().replaceAll("/.*", "")),
                        at.path("HostIp").asText() + ":" + at.path("HostPort").asText());
            }
        });
        String network = object.path("HostConfig").path("NetworkMode").asText();
        return new ContainerState(
                name(),
                purpose(),
                container.id(),
                container.imageId(),
                runs,
                runs
                        ? Optional.empty()
                        : Optional.of(object.path("State").path("ExitCode").asInt()),
                object.path("Created").asText(),
                container.labels().getOrDefault(Labels.NETWORK, network),
                ports,
                runs ? new TreeSet<>(parts().variables().keySet()) : new TreeSet<>(),
                user(),
                runs ? parts().services().map(SandboxServices::states).orElse(List.of()) : List.of(),
                isPersistent());
    }

    @Override
    public void copyIn(Path source, String target) {
        new ContainerFiles(engine, container).copyIn(source, target, user());
    }

    @Override
    public void copyOut(String source, Path target) {
        List<String> unused = new ContainerFiles(engine, container).copyOut(source, target, true);
    }

    /** Copies out to a name in a directory; no link there is followed. */
    public void copyOutAs(String source, Path target) {
        Path directory = Objects.requireNonNull(target.getParent());
        List<String> unused = new ContainerFiles(engine, container)
                .copyOutAs(source, directory, String.valueOf(target.getFileName()), true);
    }

    @Override
    public String snapshot(String name) {
        if (!ContainerRequest.isName(name)) {
            throw new IllegalArgumentException(
                    "'" + name + "' is no name for a snapshot: lower-case letters, digits and" + " dashes make one");
        }
        return sandboxes.images().take(container, name);
    }

    @Override
    public void addHosts(Map<String, String> hosts) {
        StringBuilder lines = new StringBuilder();
        ContainerRequest.Builder checked = ContainerRequest.builder();
        hosts.forEach((host, address) -> {
            checked.host(host, address);
            if (address.equals("host-gateway")) {
                throw new IllegalArgumentException(
                        "host-gateway is known only while a container is made; give an address");
            }
            lines.append(address).append('\t').append(host).append('\n');
        });
        List<String> words = new ArrayList<>(List.of("sh", "-c", HOSTS, "sh"));
        words.addAll(hosts.keySet());
        ExecResult result = parts().root()
                .run(ExecRequest.command(words)
                        .stdin(lines.toString().getBytes(StandardCharsets.UTF_8))
                        .build());
        if (!result.succeeded()) {
            throw new DockerException("the hosts of '" + name() + "' are as they were: " + Steps.why(result), null);
        }
    }

    @Override
    public Health waitHealthy(String command, Duration pause, int attempts) throws InterruptedException {
        if (attempts < 1 || pause.isNegative()) {
            throw new IllegalArgumentException(
                    "there must be 1 attempt or more, and no negative pause, not " + attempts + " and " + pause);
        }
        String last = "";
        for (int attempt = 1; attempt <= attempts; attempt++) {
            ExecResult result = executor()
                    .run(ExecRequest.shell(command)
                            .timeLimit(pause.plusSeconds(5))
                            .build());
            if (result.succeeded()) {
                return new Health(true, attempt, result.stdout().text().strip());
            }
            last = Steps.why(result);
            if (Thread.interrupted()) {
                throw new InterruptedException("interrupted while waiting for '" + name() + "'");
            }
            if (attempt < attempts) {
                Thread.sleep(pause.toMillis());
            }
        }
        return new Health(false, attempts, last);
    }

    /** Whether it is to stay when whoever has made it ends. */
    public boolean isPersistent() {
        return !container.labels().getOrDefault(Labels.KEEP, "").isEmpty();
    }

    /** Whether files of the host can be changed in it. */
    public boolean mountsWritable() {
        return engine.describe(container)
                .map(object -> object.path("Mounts"))
                .filter(mounts -> StreamSupport.stream(mounts.spliterator(), false)
                        .anyMatch(mount -> mount.path("Type").asText().equals("bind")
                                && mount.path("RW").asBoolean()))
                .isPresent();
    }

    /** What a command printed, without the values of the host's variables that it was given. */
    public String concealed(String text) {
        List<String> given =
                List.of(container.labels().getOrDefault(Labels.GIVEN, "").split(",", -1));
        String shown = text;
        // The longest first, as one may be a part of another.
        List<Map.Entry<String, String>> values = parts().variables().entrySet().stream()
                .filter(variable ->
                        variable.getValue().length() >= SHORTEST_SECRET && given.contains(variable.getKey()))
                .sorted(Comparator.comparingInt(variable -> -variable.getValue().length()))
                .toList();
        for (Map.Entry<String, String> variable : values) {
            shown = shown.replace(variable.getValue(), "[REDACTED:" + variable.getKey() + "]");
        }
        return shown;
    }

    private Jobs jobsOf() {
        Parts known = parts();
        return new Jobs(engine.cli().host(), container.id(), user(), known.directory(), known.variables());
    }

    @Override
    public String startJob(String command) {
        return jobsOf().start(command, null, null);
    }

    /** The same as root. */
    public String startRootJob(String command) {
        DockerExecutor unused = rootExecutor();
        return jobsOf().start(command, "0:0", null);
    }

    @Override
    public JobStatus job(String id, long offset) {
        return jobsOf().poll(id, offset, JOB_OUTPUT);
    }

    /** The same with what stands around the output. */
    public Jobs.Page jobPage(String id, long offset) {
        return jobsOf().page(id, offset, JOB_OUTPUT);
    }

    @Override
    public JobStatus cancelJob(String id) {
        return jobsOf().cancel(id);
    }

    @Override
    public List<JobStatus> jobs() {
        return jobsOf().list();
    }

    @Override
    public void destroy() {
        running.remove();
        sandboxes.state().forget(container.id());
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Sandbox that && container.id().equals(that.container.id());
    }

    @Override
    public int hashCode() {
        return container.id().hashCode();
    }

    @Override
    public String toString() {
        return "ProvisionedContainer[" + name() + "]";
    }
}
