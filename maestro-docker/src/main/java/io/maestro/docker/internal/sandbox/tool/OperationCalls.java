package io.maestro.docker.internal.sandbox.tool;

import io.maestro.docker.ContainerState;
import io.maestro.docker.DockerException;
import io.maestro.docker.DockerExecutor;
import io.maestro.docker.DockerUnavailableException;
import io.maestro.docker.JobStatus;
import io.maestro.docker.PreflightReport;
import io.maestro.docker.ProvisionedContainer;
import io.maestro.docker.ProvisioningReport;
import io.maestro.docker.internal.sandbox.Jobs;
import io.maestro.docker.internal.sandbox.Sandbox;
import io.maestro.docker.internal.sandbox.Sandboxes;
import io.maestro.docker.internal.sandbox.tool.ToolAccess.Grant;
import io.maestro.exec.ExecException;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.secrets.Redactor;
import io.maestro.secrets.internal.ShownText;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolArguments;
import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolResult;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/** The calls of one agent. What it has made and does not want to stay is removed with it. */
public final class OperationCalls implements Tool {
    private static final int OUTPUT_LIMIT = 24 << 10;
    private static final int DEFAULT_SECONDS = 300;

    private final Sandboxes sandboxes;
    private final ToolAccess access;
    private final RequestReader requests;
    private final Supplier<PreflightReport> preflight;
    private final Redactor redactor;
    private final AtomicBoolean ready = new AtomicBoolean();

    /**
     * The calls of one agent.
     *
     * @param sandboxes makes its containers
     * @param access what it gets at
     * @param preflight says what is missing where none can be made
     * @param redactor takes secrets out of what is cut
     */
    public OperationCalls(
            Sandboxes sandboxes, ToolAccess access, Supplier<PreflightReport> preflight, Redactor redactor) {
        this.sandboxes = sandboxes;
        this.access = access;
        this.requests = new RequestReader(sandboxes.rules(), access);
        this.preflight = preflight;
        this.redactor = redactor;
    }

    @Override
    public ToolResult execute(ToolCall call) throws InterruptedException {
        ToolArguments given = call.arguments();
        String word = given.string("operation");
        if (!List.of(Operation.words()).contains(word)) {
            return ToolResult.error(
                    "there is no operation '" + word + "'; there are " + String.join(", ", Operation.words()));
        }
        Operation operation = Operation.of(word);
        try {
            operation.require(given.asMap());
            return run(operation, call, given);
        } catch (IllegalArgumentException
                | IllegalStateException
                | ArithmeticException
                | UncheckedIOException
                | DockerException
                | ExecException e) {
            return ToolResult.error(operation.word() + ": " + e.getMessage());
        } catch (DockerUnavailableException e) {
            return ToolResult.error(operation.word() + ": " + e.getMessage() + "\n" + preflight.get());
        }
    }

    private ToolResult run(Operation operation, ToolCall call, ToolArguments given) throws InterruptedException {
        return switch (operation) {
            case PREFLIGHT -> preflight();
            case GUIDE -> ToolResult.ok(ContainersDefinition.text("guide.md"));
            case CREATE -> create(call, given);
            case RESTORE -> restore(call, given);
            case LIST -> list();
            case STATUS -> status(container(given), given.bool("health_check", false));
            case EXEC -> exec(container(given), call, given);
            case EXEC_INTERACTIVE_HINT -> ToolResult.ok(container(given).interactiveCommand());
            case EXEC_BACKGROUND -> background(container(given), given);
            case EXEC_POLL -> {
                Sandbox container = container(given);
                Jobs.Page page = container.jobPage(
                        given.string("job_id"), given.optionalInteger("offset").orElse(0));
                yield job(
                        page.status(),
                        ShownText.part(
                                page.before(),
                                page.status().output(),
                                page.after(),
                                text -> redactor.redact(container.concealed(text))));
            }
            case EXEC_CANCEL -> {
                yield job(container(given).cancelJob(given.string("job_id")), "");
            }
            case DESTROY -> destroy(container(given));
            case DESTROY_ALL -> destroyAll(given.bool("confirm", false));
            case COPY_IN -> copyIn(container(given), given);
            case COPY_OUT -> copyOut(container(given), given);
            case SNAPSHOT -> {
                access.require(Grant.SNAPSHOTS);
                yield snapshot(container(given), given.string("name"));
            }
            case CREATE_NETWORK -> createNetwork(given);
            case DESTROY_NETWORK -> {
                sandboxes.destroyNetwork(given.string("name"));
                yield ToolResult.ok("The network '" + given.string("name") + "' is removed.");
            }
            case ADD_HOSTS -> addHosts(container(given), given);
            case WAIT_HEALTHY -> waitHealthy(container(given), given);
            case CACHE_CLEAR -> {
                access.require(Grant.SHARED);
                List<String> removed = sandboxes.clearCaches(given.optionalString("purpose"));
                yield ToolResult.builder(
                                removed.isEmpty()
                                        ? "There was nothing to remove."
                                        : "Removed: " + String.join(", ", removed))
                        .data("removed", removed)
                        .build();
            }
        };
    }

    private ToolResult createNetwork(ToolArguments given) {
        String name = given.string("name");
        boolean inside = given.bool("internal", !access.grants().contains(Grant.NETWORK));
        if (!inside) {
            access.require(Grant.NETWORK);
        }
        sandboxes.createNetwork(name, inside);
        return ToolResult.ok("The network '" + name + "' is there; containers in it find each other by their names.");
    }

    private Sandbox container(ToolArguments given) {
        return sandboxes.get(given.string("container"));
    }

    private ToolResult preflight() {
        PreflightReport report = preflight.get();
        ToolResult.Builder result = ToolResult.builder(report.toString());
        return report.ready() ? result.build() : result.error().build();
    }

    private ToolResult create(ToolCall call, ToolArguments given) {
        if (!ready.get()) {
            PreflightReport report = preflight.get();
            if (!report.ready()) {
                return ToolResult.error("create: containers cannot be made here:\n" + report);
            }
            ready.set(true);
        }
        return made(call, given);
    }

    private ToolResult restore(ToolCall call, ToolArguments given) {
        String snapshot = given.string("snapshot");
        List<String> there = sandboxes.snapshots();
        if (!there.contains(snapshot)) {
            return ToolResult.error("restore: there is no snapshot '" + snapshot + "'; there are " + there);
        }
        return made(call, given);
    }

    private ToolResult made(ToolCall call, ToolArguments given) {
        ProvisionedContainer container = sandboxes.create(
                requests.of(given),
                step -> call.progress()
                        .step(step.name() + " " + step.status().name().toLowerCase(Locale.ROOT) + ": "
                                + step.detail()));
        ProvisioningReport report = container.report().orElseThrow();
        boolean good = report.succeeded();
        String text = (good
                        ? "The container '" + container.name() + "' is ready; its commands run as " + container.user()
                                + "."
                        : "The container '" + container.name() + "' runs, but not all that was asked for is in it.")
                + "\n" + report;
        ToolResult.Builder result = ToolResult.builder(text)
                .data("container", container.name())
                .data(
                        "provisioning_report",
                        report.steps().stream().map(OperationCalls::step).toList());
        return good ? result.build() : result.error().build();
    }

    private static Map<String, Object> step(ProvisioningReport.Step step) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", step.name());
        map.put("status", step.status().name().toLowerCase(Locale.ROOT));
        map.put("detail", step.detail());
        if (step.error() != null) {
            map.put("error", step.error());
        }
        map.put("milliseconds", step.duration().toMillis());
        return map;
    }

    private ToolResult list() {
        List<Sandbox> all = sandboxes.list();
        List<String> networks = sandboxes.networkNames();
        List<String> snapshots = sandboxes.snapshots();
        StringBuilder text = new StringBuilder();
        for (Sandbox container : all) {
            text.append("container ").append(container.name());
            container.purpose().ifPresent(purpose -> text.append(", ").append(purpose));
            text.append(container.container().isRunning() ? ", runs" : ", does not run")
                    .append('\n');
        }
        networks.forEach(name -> text.append("network ").append(name).append('\n'));
        snapshots.forEach(name -> text.append("snapshot ").append(name).append('\n'));
        return ToolResult.builder(
                        text.isEmpty() ? "There are none." : text.toString().stripTrailing())
                .data("containers", all.stream().map(Sandbox::name).sorted().toList())
                .data("networks", networks)
                .data("snapshots", snapshots)
                .build();
    }

    private ToolResult status(Sandbox container, boolean healthCheck) {
        ContainerState state = container.state();
        Map<String, Object> data = new TreeMap<>();
        data.put("name", state.name());
        data.put("running", state.running());
        data.put("image", state.image());
        data.put("created", state.created());
        data.put("network", state.network());
        data.put("user", state.user());
        data.put("persistent", state.persistent());
        data.put("services", state.services());
        data.put("variables", List.copyOf(state.variables()));
        state.purpose().ifPresent(purpose -> data.put("purpose", purpose));
        state.exitCode().ifPresent(code -> data.put("exit_code", code));
        Map<String, Object> ports = new TreeMap<>();
        state.ports().forEach((port, at) -> ports.put(String.valueOf(port), at));
        data.put("ports", ports);
        if (state.running()) {
            data.put("jobs", container.jobs().stream().map(JobStatus::id).toList());
        }
        if (healthCheck) {
            data.put(
                    "healthy",
                    state.running()
                            && container.run(ExecRequest.shell(":").build()).succeeded());
        }
        StringBuilder text = new StringBuilder();
        data.forEach(
                (name, value) -> text.append(name).append(": ").append(value).append('\n'));
        ToolResult.Builder result = ToolResult.builder(text.toString().stripTrailing());
        data.forEach(result::data);
        return result.build();
    }

    private ToolResult exec(Sandbox container, ToolCall call, ToolArguments given) {
        Duration limit = call.commandLimit(
                Duration.ofSeconds(given.optionalInteger("timeout").orElse(DEFAULT_SECONDS)));
        boolean root = given.bool("as_root", false);
        if (root && container.mountsWritable()) {
            access.requireNoRoot("a command");
        }
        DockerExecutor executor = root ? container.rootExecutor() : container.executor();
        ExecRequest.Builder request =
                ExecRequest.shell(given.string("command")).timeLimit(limit).outputLimit(OUTPUT_LIMIT);
        given.optionalString("workdir").ifPresent(request::workingDirectory);
        ExecResult result = executor.run(request.build());
        StringBuilder text = new StringBuilder(
                switch (result.ending()) {
                    case EXITED -> "exit code " + result.exitCode().orElse(-1);
                    case TIMED_OUT -> "ended after " + limit.toSeconds() + " s; this is the output so far";
                    case CANCELLED -> "cancelled; this is the output so far";
                });
        append(text, "stdout", container.concealed(result.stdout().text()));
        append(text, "stderr", container.concealed(result.stderr().text()));
        ToolResult.Builder answer = ToolResult.builder(text.toString());
        result.exitCode().ifPresent(answer::exitCode);
        return result.ending() == ExecResult.Ending.EXITED
                ? answer.build()
                : answer.error().build();
    }

    private static void append(StringBuilder text, String name, String output) {
        if (!output.isEmpty()) {
            text.append("\n--- ").append(name).append(" ---\n").append(output.stripTrailing());
        }
    }

    private ToolResult background(Sandbox container, ToolArguments given) {
        boolean root = given.bool("as_root", false);
        if (root && container.mountsWritable()) {
            access.requireNoRoot("a command");
        }
        String id =
                root ? container.startRootJob(given.string("command")) : container.startJob(given.string("command"));
        return ToolResult.builder("The job " + id + " runs in '" + container.name() + "'; look at it by exec_poll.")
                .data("job_id", id)
                .build();
    }

    private static ToolResult job(JobStatus job, String output) {
        StringBuilder text = new StringBuilder("The job " + job.id() + " ").append(told(job));
        append(text, "output", output);
        ToolResult.Builder result = ToolResult.builder(text.toString())
                .data("state", job.state().name().toLowerCase(Locale.ROOT))
                .data("next_offset", job.nextOffset());
        job.exitCode().ifPresent(code -> result.data("exit_code", code));
        return result.build();
    }

    private static String told(JobStatus job) {
        String state = switch (job.state()) {
            case RUNNING -> "runs";
            case ENDED -> "has ended with exit code " + job.exitCode().orElse(-1);
            case CANCELLED -> "was cancelled, and nothing of it runs";
            case LOST -> "is gone and has left no exit code";
        };
        return state + "; it printed " + job.totalBytes() + " bytes"
                + (job.outputCut() ? ", and more that is not kept" : "");
    }

    private static ToolResult destroy(Sandbox container) {
        container.destroy();
        return ToolResult.ok("The container '" + container.name() + "' is removed.");
    }

    private ToolResult destroyAll(boolean confirmed) {
        List<Sandbox> all = sandboxes.list();
        List<String> names = all.stream().map(Sandbox::name).sorted().toList();
        if (!confirmed) {
            return ToolResult.error("destroy_all: confirm must be true; this removes " + names);
        }
        all.forEach(Sandbox::destroy);
        return ToolResult.builder("Removed: " + names).data("removed", names).build();
    }

    private ToolResult copyIn(Sandbox container, ToolArguments given) {
        Path source = access.name(given.string("host_path"));
        container.copyIn(source, given.string("container_path"));
        return ToolResult.ok("Copied to " + given.string("container_path") + " in '" + container.name() + "'.");
    }

    private ToolResult copyOut(Sandbox container, ToolArguments given) {
        access.require(Grant.CHANGES);
        container.copyOutAs(given.string("container_path"), access.name(given.string("host_path")));
        return ToolResult.ok("Copied to " + given.string("host_path") + ".");
    }

    private static ToolResult snapshot(Sandbox container, String name) {
        String id = container.snapshot(name);
        return ToolResult.builder("The snapshot '" + name + "' is there; make a container from it by restore.")
                .data("image", id)
                .build();
    }

    private static ToolResult addHosts(Sandbox container, ToolArguments given) {
        Map<String, String> hosts = new TreeMap<>();
        RequestReader.texts(given, "hosts", hosts::put);
        container.addHosts(hosts);
        return ToolResult.ok("'" + container.name() + "' resolves " + String.join(", ", hosts.keySet()) + ".");
    }

    private static ToolResult waitHealthy(Sandbox container, ToolArguments given) throws InterruptedException {
        ProvisionedContainer.Health health = container.waitHealthy(
                given.string("health_command"),
                Duration.ofSeconds(given.optionalInteger("interval").orElse(2)),
                Math.toIntExact(given.optionalInteger("retries").orElse(15)));
        String text = (health.healthy() ? "Healthy" : "Not healthy") + " after " + health.attempts() + " attempts";
        ToolResult.Builder result = ToolResult.builder(
                        health.detail().isEmpty() ? text : text + ": " + container.concealed(health.detail()))
                .data("healthy", health.healthy())
                .data("attempts", health.attempts());
        return health.healthy() ? result.build() : result.error().build();
    }

    @Override
    public void close() {
        sandboxes.end(Sandbox::isPersistent);
    }
}
