package io.maestro.docker.internal.preflight;

import io.maestro.docker.DockerUnavailableException;
import io.maestro.docker.PreflightReport;
import io.maestro.docker.PreflightReport.Finding;
import io.maestro.docker.PreflightReport.Status;
import io.maestro.docker.PreflightReport.Subject;
import io.maestro.docker.internal.DockerCli;
import io.maestro.docker.internal.EngineFacts;
import io.maestro.error.MaestroException;
import io.maestro.exec.ExecException;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.local.LocalExecutor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.ToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One look at an engine. For one use. */
public final class EngineChecks {
    /** Below it, the first larger image fails. */
    private static final long LEAST_DISK = 1L << 30;

    private static final long ENOUGH_DISK = 5L << 30;
    private static final long ENOUGH_MEMORY = 2L << 30;
    private static final Duration START = Duration.ofMinutes(1);
    private static final String APIS = "{{.Client.APIVersion}} {{.Server.APIVersion}}";
    private static final int MOST_PORTS = 10;

    /** A line of the kernel's table for what listens on another address than 127.0.0.0/8 and ::1. */
    private static final Pattern LISTENER = Pattern.compile(
            "\\s*\\d+: (?!(?:0{16}FFFF0000)?[0-9A-F]{6}7F:|0{24}01000000:)[0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:[0-9A-F]{4} 0A ");

    private static final Pattern DENIED = Pattern.compile("(?i)permission denied");

    private final DockerCli cli;
    private final Platform platform;
    private final boolean mends;
    private final ToLongFunction<Path> free;
    private final Path proc;
    private final boolean podman;
    private final List<Finding> findings = new ArrayList<>();

    /**
     * Looks at nothing yet.
     *
     * @param cli the engine
     * @param platform in whose words to say what to do
     * @param mends whether an engine that does not run is started
     */
    public EngineChecks(DockerCli cli, Platform platform, boolean mends) {
        this(cli, platform, mends, EngineChecks::freeBytes, Path.of("/proc"));
    }

    EngineChecks(DockerCli cli, Platform platform, boolean mends, ToLongFunction<Path> free, Path proc) {
        this.cli = cli;
        this.platform = platform;
        this.mends = mends;
        this.free = free;
        this.proc = proc;
        this.podman = cli.host().isPodman();
    }

    private static long freeBytes(Path path) {
        try {
            return Files.getFileStore(path).getUsableSpace();
        } catch (IOException e) {
            return -1;
        }
    }

    /** All that can be looked at. */
    public PreflightReport report() {
        if (hasClient() && answers()) {
            look();
        }
        return new PreflightReport(findings);
    }

    private void add(Subject subject, Status status, String detail, @Nullable String guidance) {
        findings.add(new Finding(subject, status, detail, Optional.ofNullable(guidance), Optional.empty()));
    }

    private boolean hasClient() {
        try {
            add(Subject.CLIENT, Status.OK, cli.output("--version"), null);
            return true;
        } catch (MaestroException e) {
            add(Subject.CLIENT, Status.FAILED, String.valueOf(e.getMessage()), platform.installEngine(podman));
            return false;
        }
    }

    private boolean answers() {
        String failure = failure();
        if (!failure.isEmpty() && mends && !DENIED.matcher(failure).find() && start()) {
            failure = failure();
            if (failure.isEmpty()) {
                findings.add(new Finding(
                        Subject.ENGINE,
                        Status.OK,
                        "it answers",
                        Optional.empty(),
                        Optional.of("it did not run, and was started by systemd")));
                add(Subject.PERMISSIONS, Status.OK, "this user may use it", null);
                return true;
            }
        }
        if (DENIED.matcher(failure).find()) {
            add(Subject.ENGINE, Status.INFORMATION, "it is there", null);
            add(
                    Subject.PERMISSIONS,
                    Status.FAILED,
                    "this user may not use it: " + failure,
                    "sudo usermod -aG docker $USER, then log in again; whoever is in that group is as good as root");
            return false;
        }
        if (!failure.isEmpty()) {
            add(Subject.ENGINE, Status.FAILED, failure, platform.startEngine(podman));
            return false;
        }
        add(Subject.ENGINE, Status.OK, "it answers", null);
        add(Subject.PERMISSIONS, Status.OK, "this user may use it", null);
        return true;
    }

    /** Why the engine does not answer; empty when it does. */
    private String failure() {
        try {
            ExecResult result = cli.run(cli.command(List.of("info", "--format", "{{.}}"))
                    .timeLimit(DockerCli.FIRST)
                    .build());
            String said = result.stderr().text().strip();
            boolean told = result.ending() == ExecResult.Ending.EXITED && !said.isEmpty();
            return result.succeeded()
                    ? ""
                    : told ? said : String.valueOf(cli.failure(result, "info").getMessage());
        } catch (DockerUnavailableException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** Never asks for a password. */
    private boolean start() {
        if (podman || cli.host().url().isPresent() || cli.host().context().isPresent()) {
            return false;
        }
        try {
            return LocalExecutor.builder(Path.of(System.getProperty("java.io.tmpdir")))
                    .build()
                    .run(ExecRequest.command("systemctl", "--no-ask-password", "start", "docker")
                            .timeLimit(START)
                            .build())
                    .succeeded();
        } catch (ExecException e) {
            // No systemd.
            return false;
        }
    }

    private void look() {
        EngineFacts facts;
        try {
            facts = EngineFacts.ask(cli);
        } catch (DockerUnavailableException e) {
            add(Subject.ENGINE, Status.FAILED, String.valueOf(e.getMessage()), platform.startEngine(podman));
            return;
        }
        versions(facts);
        facts.warnings()
                .forEach(
                        warning -> add(
                                Subject.LIMITS,
                                Status.WARNING,
                                warning,
                                "containers are not held to that limit until the machine's kernel or the engine is set up for it"));
        plugin(Subject.COMPOSE, "compose", "compose_up and compose_down are not offered");
        if (!podman) {
            plugin(Subject.BUILDX, "buildx", "images are built by the engine's older builder, where it has one");
        }
        disk(facts);
        memory(facts);
        add(
                Subject.ROOTLESS,
                Status.INFORMATION,
                facts.rootless() ? "the engine runs as an ordinary user" : "the engine runs as root",
                null);
        add(
                Subject.GPU,
                Status.INFORMATION,
                facts.gpus().isEmpty() ? "none that the engine tells of" : String.join(", ", facts.gpus()),
                facts.gpus().isEmpty()
                        ? "where this machine has one: install the NVIDIA Container Toolkit, "
                                + (podman
                                        ? "and write its CDI specification: nvidia-ctk cdi generate"
                                        : "and restart the engine")
                        : null);
        if (facts.storage().isPresent()) {
            user();
            listeners();
        }
    }

    /** Containers run as the owner of the workspace, so that the kernel takes their processes for that user's own. */
    private void user() {
        String most = read("sys/fs/inotify/max_user_instances").strip();
        if (most.isEmpty()) {
            return;
        }
        boolean mapped = !podman
                && cli.run("info", "--format", "{{json .SecurityOptions}}")
                        .stdout()
                        .text()
                        .contains("name=userns");
        add(
                Subject.USER,
                mapped ? Status.OK : Status.WARNING,
                mapped
                        ? "the engine gives its containers users of their own"
                        : "a container can use up the " + most
                                + " inotify instances of the user that owns the workspace:"
                                + " editors, tail -f and build tools of that user fail then",
                mapped ? null : "run Maestro as a user of its own, or let the engine map users (userns-remap)");
    }

    /** By the kernel's table, without a look at what a firewall says. */
    private void listeners() {
        SortedSet<Integer> ports = new TreeSet<>();
        for (String table : List.of("net/tcp", "net/tcp6")) {
            read(table)
                    .lines()
                    .map(LISTENER::matcher)
                    .filter(Matcher::lookingAt)
                    .forEach(found -> {
                        ports.add(Integer.parseInt(found.group(1), 16));
                    });
        }
        if (ports.isEmpty()) {
            return;
        }
        String shown = ports.stream().limit(MOST_PORTS).map(String::valueOf).collect(Collectors.joining(", "));
        add(
                Subject.LISTENERS,
                Status.WARNING,
                "containers with the network open reach what listens on this machine beyond 127.0.0.1: port " + shown
                        + (ports.size() > MOST_PORTS ? " and " + (ports.size() - MOST_PORTS) + " more" : ""),
                "let it listen on 127.0.0.1, close it to the bridges of the engine by a firewall, or give the agents a"
                        + " list of names as their network");
    }

    /** Empty where there is no such file, as on another system. */
    private String read(String file) {
        try {
            return Files.readString(proc.resolve(file));
        } catch (IOException e) {
            return "";
        }
    }

    private void versions(EngineFacts facts) {
        if (podman) {
            add(Subject.VERSIONS, Status.OK, "podman " + facts.version(), null);
            return;
        }
        try {
            String[] apis = cli.output("version", "--format", APIS).split(" ", -1);
            boolean old = !facts.atLeast(20, 10);
            add(
                    Subject.VERSIONS,
                    old ? Status.WARNING : Status.OK,
                    "engine " + facts.version() + " with API " + apis[1] + ", client with API " + apis[0],
                    old ? "install an engine from 20.10 on: older ones are not tested" : null);
        } catch (MaestroException e) {
            add(
                    Subject.VERSIONS,
                    Status.FAILED,
                    String.valueOf(e.getMessage()),
                    "install a client and an engine whose APIs fit: " + platform.installEngine(false));
        }
    }

    private void plugin(Subject subject, String name, String without) {
        ExecResult result = cli.run(name, "version");
        if (result.succeeded()) {
            add(
                    subject,
                    Status.OK,
                    result.stdout().text().strip().lines().findFirst().orElse(""),
                    null);
        } else {
            add(
                    subject,
                    Status.WARNING,
                    "there is no " + name + ": " + without,
                    podman ? platform.installPodmanCompose() : platform.installPlugin(name));
        }
    }

    private void disk(EngineFacts facts) {
        Path storage = facts.storage().orElse(null);
        long bytes = storage == null ? -1 : free.applyAsLong(storage);
        if (bytes < 0) {
            add(Subject.DISK, Status.INFORMATION, "the engine keeps everything on another machine", null);
            return;
        }
        add(
                Subject.DISK,
                bytes < LEAST_DISK ? Status.FAILED : bytes < ENOUGH_DISK ? Status.WARNING : Status.OK,
                gigabytes(bytes) + " are free in " + storage,
                bytes < ENOUGH_DISK
                        ? "see what is used by '" + cli.host().program() + " system df', and make room"
                        : null);
    }

    private void memory(EngineFacts facts) {
        if (facts.memory() > 0) {
            boolean little = facts.memory() < ENOUGH_MEMORY;
            add(
                    Subject.MEMORY,
                    little ? Status.WARNING : Status.OK,
                    "the engine's machine has " + gigabytes(facts.memory()),
                    little ? "a coder's container may take 2 GB: set smaller limits, or give the machine more" : null);
        }
    }

    private static String gigabytes(long bytes) {
        return String.format(Locale.ROOT, "%.1f GB", bytes / (double) (1L << 30));
    }
}
