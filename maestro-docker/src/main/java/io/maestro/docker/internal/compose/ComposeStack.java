package io.maestro.docker.internal.compose;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.docker.DockerException;
import io.maestro.docker.DockerUnavailableException;
import io.maestro.docker.internal.DockerCli;
import io.maestro.docker.internal.Instance;
import io.maestro.docker.internal.Labels;
import io.maestro.error.MaestroException;
import io.maestro.exec.ExecResult;
import io.maestro.files.internal.SafeDirectory;
import io.maestro.internal.PrivateFiles;
import io.maestro.internal.Threads;
import io.maestro.internal.Uninterrupted;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The services beside one agent's container: made of a compose file of its workspace, which is not trusted, and gone with
 * everything that belongs to them after {@link #down}. Safe for use by several threads; one starts or ends services at a
 * time.
 */
public final class ComposeStack {
    private static final Pattern AGENT = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");
    private static final Pattern PROJECT_PART = Pattern.compile("[a-z0-9_-]+");
    private static final Pattern SERVICE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}");
    private static final long POLL_MILLIS = 250;

    /** How long the end waits for a call that does not end: its time limit, and the engine's commands after that, are shorter. */
    private static final Duration LOCK_LIMIT = Duration.ofMinutes(2);

    private static final Duration REMOVAL_LIMIT = Duration.ofMinutes(15);

    /** How often in a row nothing may move before a service that has just started counts as running. */
    private static final int CALM_POLLS = 3;

    private static final int FAILURE_LINES = 40;
    private static final int FAILURE_BYTES = 4 * 1024;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final DockerCli cli;
    private final Instance instance;
    private final String agentId;
    private final StackOwner owner;
    private final String role;
    private final String project;
    private final Path directory;
    private final StackResources resources;
    private final ReentrantLock lock = new ReentrantLock();
    private final StartingThread starting = new StartingThread();

    /** Whether compose has answered; asked once, under the lock. */
    private boolean available;

    private volatile List<String> names = List.of();
    private volatile @Nullable Start start;

    /**
     * What was started.
     *
     * @param path of the file
     * @param services which services; empty for all
     */
    public record Start(String path, List<String> services) {
        /** For people. */
        @Override
        public String toString() {
            return services.isEmpty() ? path : path + " (" + String.join(", ", services) + ")";
        }
    }

    /**
     * The stack of an agent; nothing is started or looked at yet.
     *
     * @param agentId for example {@code coder-001}; one agent has one stack
     */
    public ComposeStack(DockerCli cli, Instance instance, String agentId, StackOwner owner) {
        this(cli, instance, agentId, owner, StackResources.ROLE);
    }

    /** The services for what is judged of an agent's work, beside those of the agent. */
    public static ComposeStack forTests(DockerCli cli, Instance instance, String agentId, StackOwner owner) {
        return new ComposeStack(cli, instance, agentId, owner, StackResources.TESTS_ROLE);
    }

    private ComposeStack(DockerCli cli, Instance instance, String agentId, StackOwner owner, String role) {
        if (!AGENT.matcher(agentId).matches()) {
            throw new IllegalArgumentException("'" + agentId + "' is no id of an agent; use letters, digits and '._-'");
        }
        this.cli = cli;
        this.instance = instance;
        this.agentId = agentId;
        this.owner = owner;
        this.role = role;
        this.project = project(instance, agentId, role);
        this.directory = owner.stateDirectory().toAbsolutePath().resolve(project);
        this.resources = new StackResources(cli, instance.id(), agentId, role);
    }

    /** The role stands before the id, where no name of an agent or a service can make one of the other. */
    private static String project(Instance instance, String agentId, String role) {
        String part = agentId;
        if (!PROJECT_PART.matcher(agentId).matches()) {
            // Compose knows only lower-case names, and 'A' must not be 'a'.
            String hash = HexFormat.of().toHexDigits(agentId.hashCode());
            part = agentId.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9_-]", "-") + "-" + hash;
        }
        String kind = role.equals(StackResources.ROLE) ? "" : "tests-";
        return "maestro-" + kind + instance.id().substring(0, 8) + "-" + part;
    }

    /**
     * Removes the images that stacks of earlier lives of an instance have left. The rest of them is removed by the {@linkplain
     * io.maestro.docker.internal.Sweep sweep} before, which knows no images.
     */
    public static void removeImages(DockerCli cli, Instance instance) {
        if (!cli.host().isPodman()) {
            for (String role : List.of(StackResources.ROLE, StackResources.TESTS_ROLE)) {
                StackResources.agentsWithImages(cli, instance.id(), role)
                        .forEach(agent -> new StackResources(cli, instance.id(), agent, role).removeAll());
            }
        }
    }

    /** The name of the compose project. */
    public String project() {
        return project;
    }

    /**
     * Starts what a file describes, or brings what runs up to date with it, and waits until all of it runs and is healthy. At
     * the time limit, and when the thread is interrupted, everything is brought down. The file's check and the builds of its images
     * are within the limit; what runs stays as it is when these are not done in time.
     *
     * @param path of the file, relative to the workspace or below {@code /workspace}
     * @param services which to start, with what they depend on; empty for all
     * @param limit more than zero
     * @return what runs; a failure leaves the rest running, to be looked at
     * @throws ComposeRefusedException when the file asks for what it does not get; nothing was changed
     * @throws DockerException when there is no compose, or the engine fails, or another call starts services all the time
     */
    public StackReport up(String path, List<String> services, Duration limit) throws InterruptedException {
        for (String service : services) {
            if (!SERVICE.matcher(service).matches()) {
                throw new ComposeRefusedException("services", "'" + service + "' is no name of a service");
            }
        }
        long deadline = System.nanoTime() + limit.toNanos();
        if (!lock.tryLock(limit.toNanos(), TimeUnit.NANOSECONDS)) {
            throw new DockerException(
                    "another call has been starting services for " + limit.toSeconds() + " s; wait for its end", null);
        }
        boolean late = false;
        starting.begins(deadline - System.nanoTime());
        try {
            return up(path, services, deadline, limit);
        } catch (RuntimeException | InterruptedException e) {
            late = !starting.endPreparing();
            if (!late) {
                throw e;
            }
            return new StackReport(
                    false,
                    "the services were not started: checking the file and building its images took more than "
                            + limit.toSeconds()
                            + " s; what ran before runs on; give more time, or make the file smaller",
                    List.of(),
                    List.of(),
                    Map.of());
        } finally {
            starting.ends();
            // The interrupt was that of the time, and has done its work.
            boolean unused = late && Thread.interrupted();
            lock.unlock();
        }
    }

    private StackReport up(String path, List<String> services, long deadline, Duration limit)
            throws InterruptedException {
        try {
            DockerCli own = prepared();
            ComposeCommand compose = new ComposeCommand(own, project, directory);
            if (!available) {
                compose.requireAvailable();
                available = true;
            }
            StackPlan plan = new StackPlan(owner, project, directory, labels(), own);
            ObjectNode effective = plan.effective(path, compose);
            for (String service : services) {
                if (!effective.path("services").has(service)) {
                    throw new ComposeRefusedException("services", "the file has no service '" + service + "'");
                }
            }
            plan.build();
            if (!starting.endPreparing()) {
                throw cancelled();
            }
            names = StackPlan.names(effective);
            start = new Start(path, List.copyOf(services));
            return started(compose, effective, plan.copies(), services, plan.notes(), deadline, limit);
        } catch (DockerException e) {
            // A command was cut short, and what it said about that is not worth reading.
            if (Thread.interrupted()) {
                throw cancelled();
            }
            throw e;
        } catch (IOException e) {
            throw new UncheckedIOException("the services could not be prepared: " + WorkspaceFiles.reason(e), e);
        }
    }

    private static InterruptedException cancelled() {
        return new InterruptedException("compose_up was cancelled; what was started is brought down");
    }

    /** A client whose commands are found again, in a directory of the stack's own. */
    private DockerCli prepared() throws IOException {
        return cli.in(PrivateFiles.makeMissing(directory));
    }

    private Map<String, String> labels() {
        Map<String, String> labels = new LinkedHashMap<>(instance.labels());
        labels.put(Labels.AGENT, agentId);
        owner.storyId().ifPresent(story -> labels.put(Labels.STORY, story));
        labels.put(Labels.ROLE, role);
        return labels;
    }

    private StackReport started(
            ComposeCommand compose,
            ObjectNode effective,
            WorkspaceCopies copies,
            List<String> services,
            List<String> notes,
            long deadline,
            Duration limit)
            throws IOException, InterruptedException {
        Path file = directory.resolve("effective.json");
        Files.write(file, JSON.writeValueAsBytes(effective));
        Set<String> before = resources.anonymousVolumes();
        boolean kept = false;
        try {
            Duration left = Duration.ofNanos(Math.max(1, deadline - System.nanoTime()));
            ExecResult result = compose.up(file, services, left);
            if (result.ending() == ExecResult.Ending.CANCELLED) {
                throw cancelled();
            }
            if (result.ending() == ExecResult.Ending.TIMED_OUT) {
                return timedOut(limit, notes);
            }
            String problem = "";
            if (!result.succeeded()) {
                String said = compose.withoutPaths(result.stderr().text(), null);
                problem = "docker compose failed:\n" + said.substring(Math.max(0, said.length() - FAILURE_BYTES));
            } else {
                Optional<List<ServiceState>> settled = settled(deadline);
                if (settled.isEmpty()) {
                    return timedOut(limit, notes);
                }
            }
            StackReport report = report(problem, notes);
            kept = true;
            if (result.succeeded()) {
                copies.deleteOthers();
            }
            before.removeAll(resources.anonymousVolumes());
            resources.removeVolumes(before);
            return report;
        } finally {
            if (!kept) {
                down();
            }
        }
    }

    private StackReport timedOut(Duration limit, List<String> notes) {
        List<ServiceState> states = resources.states();
        Map<String, String> logs = logsOf(states.stream()
                .filter(state -> !state.settled() || state.failed())
                .toList());
        return new StackReport(
                false,
                "the services were not ready after " + limit.toSeconds()
                        + " s and were brought down again; before that:\n" + lines(states),
                List.of(),
                notes,
                logs);
    }

    private static String lines(List<ServiceState> states) {
        return String.join("\n", states.stream().map(ServiceState::toString).toList());
    }

    /** Waits until nothing moves any more or something has failed; empty at the deadline. */
    private Optional<List<ServiceState>> settled(long deadline) throws InterruptedException {
        int calm = 0;
        // Compose has made them all; one that is started again keeps its id.
        List<String> containers = resources.containers();
        while (true) {
            List<ServiceState> states = resources.states(containers);
            if (states.stream().anyMatch(ServiceState::failed)) {
                return Optional.of(states);
            }
            calm = states.stream().allMatch(ServiceState::settled) ? calm + 1 : 0;
            if (calm >= CALM_POLLS) {
                return Optional.of(states);
            }
            if (System.nanoTime() - deadline > 0) {
                return Optional.empty();
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
    }

    private StackReport report(String failure, List<String> notes) {
        List<ServiceState> states = resources.states();
        List<ServiceState> failed = states.stream().filter(ServiceState::failed).toList();
        String problem = failure;
        if (problem.isEmpty() && !failed.isEmpty()) {
            problem = "not all services work: " + lines(failed);
        }
        List<String> unreached = resources.connect(owner.guests().get());
        if (problem.isEmpty() && !unreached.isEmpty()) {
            problem = "the services run, but your container could not join their network: " + unreached;
        }
        return new StackReport(problem.isEmpty(), problem, states, notes, logsOf(failed));
    }

    private Map<String, String> logsOf(List<ServiceState> states) {
        Map<String, String> logs = new LinkedHashMap<>();
        for (ServiceState state : states) {
            logs.put(state.container(), resources.logs(state.id(), FAILURE_LINES, FAILURE_BYTES));
        }
        return logs;
    }

    /** What there is, running or not; empty when nothing was started. */
    public List<ServiceState> status() {
        return resources.states();
    }

    /**
     * The last lines that a service printed.
     *
     * @param service its name
     * @param lines how many per container
     * @return by container; empty when there is none of that service
     */
    public Map<String, String> logs(String service, int lines) {
        Map<String, String> logs = new LinkedHashMap<>();
        for (ServiceState state : resources.states()) {
            if (state.service().equals(service)) {
                logs.put(state.container(), resources.logs(state.id(), lines, 24 * 1024));
            }
        }
        return logs;
    }

    /** The networks on which services are reached by their names; empty when nothing was started. */
    public List<String> networks() {
        return resources.networks();
    }

    /** The names by which services are reached that a start has asked for; empty when there are none, or no more. */
    public List<String> names() {
        return names;
    }

    /** What was last started; empty when nothing was, or no more. */
    public Optional<Start> start() {
        return Optional.ofNullable(start);
    }

    /** The name of the network of services that name none; it is there while such services are. */
    public String network() {
        return project + "_default";
    }

    /**
     * Lets a container reach the services; does nothing where there are none, or it does already. For a container that has
     * replaced another one; {@link #up} does it for those that are there.
     */
    public void connect(String containerId) {
        List<String> failures = resources.connect(List.of(containerId));
        if (!failures.isEmpty()) {
            throw new DockerException("the container could not join the network of the services: " + failures, null);
        }
    }

    /** Waits for whoever starts services; where time is short, for half of what is left of it. */
    private boolean isLocked() {
        Duration wait = cli.closing().left(LOCK_LIMIT.multipliedBy(2)).dividedBy(2);
        return Uninterrupted.until(
                System.nanoTime() + wait.toNanos(), nanos -> lock.tryLock(nanos, TimeUnit.NANOSECONDS));
    }

    /**
     * Removes containers, networks, volumes and images of the stack and what it keeps on this machine, whatever is left of
     * it, and whether or not the thread is interrupted. Others that are attached to its networks are detached. A second call
     * finds nothing to do.
     *
     * @throws DockerException when something is left
     */
    public void down() {
        boolean held = false;
        try (Uninterrupted waits = new Uninterrupted()) {
            // Whoever holds the lock for longer has hung; the end does not wait for that.
            // Where time is short, half of it is for the removal.
            held = isLocked();
            if (!held) {
                // Its client could make more services later, and it removes what it has made.
                starting.interrupt();
                held = isLocked();
            }
            // On a thread that nobody interrupts: an interruption would cut the engine's commands short.
            FutureTask<Boolean> removal = new FutureTask<>(this::removeAll);
            Threads.newWaitingFactory("maestro-compose-down-" + project)
                    .newThread(removal)
                    .start();
            Duration limit = cli.closing().left(REMOVAL_LIMIT);
            if (!waits.await(removal, limit)) {
                throw new DockerUnavailableException(
                        "the services of " + project + " were not gone after " + limit.toSeconds()
                                + " s; see whether the engine hangs",
                        null);
            }
            removal.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof MaestroException failure) {
                throw failure;
            }
            throw new DockerException("the services of " + project + " could not be removed", e.getCause());
        } catch (InterruptedException e) {
            throw new IllegalStateException("what has ended is not waited for", e);
        } finally {
            if (held) {
                lock.unlock();
            }
        }
    }

    private boolean removeAll() throws IOException {
        names = List.of();
        start = null;
        // The client of a JVM that was killed goes on by itself, and would make anew what is removed.
        if (Files.isDirectory(directory)) {
            cli.in(directory).endLeftovers();
        }
        resources.removeAll();
        SafeDirectory.deleteTree(directory);
        return true;
    }

    /** The project. */
    @Override
    public String toString() {
        return "ComposeStack[" + project + "]";
    }
}
