package io.maestro;

import io.maestro.agent.Agent;
import io.maestro.agent.Architect;
import io.maestro.agent.internal.Todos;
import io.maestro.agent.spi.AgentProject;
import io.maestro.agent.spi.AgentProvider;
import io.maestro.budget.internal.CostControl;
import io.maestro.builtin.internal.BuiltinTools;
import io.maestro.environment.Environment;
import io.maestro.environment.EnvironmentFactory;
import io.maestro.environment.EnvironmentProject;
import io.maestro.environment.Environments;
import io.maestro.environment.Equipment;
import io.maestro.environment.Phase;
import io.maestro.environment.Workplace;
import io.maestro.environment.internal.LocalEnvironments;
import io.maestro.error.MaestroException;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.files.internal.SafeDirectory;
import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmStreamListener;
import io.maestro.llm.Usage;
import io.maestro.project.internal.ProjectTests;
import io.maestro.prompt.internal.Prompts;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Store;
import io.maestro.runtime.ToolRegistry;
import io.maestro.runtime.ToolRuntime;
import io.maestro.runtime.internal.ContextParts;
import io.maestro.runtime.internal.TimedApprover;
import io.maestro.runtime.internal.WorkspaceView;
import io.maestro.secrets.Redactor;
import io.maestro.team.internal.agent.program.ProgramContext.AgentServices;
import io.maestro.team.internal.agent.solo.ModelWorker;
import io.maestro.team.internal.agent.solo.ProgramWorker;
import io.maestro.team.internal.agent.solo.SoloAgent;
import io.maestro.team.internal.agent.solo.SoloServices;
import io.maestro.team.internal.agent.solo.SoloWorker;
import io.maestro.team.internal.loop.Meter;
import io.maestro.team.internal.loop.Resources;
import io.maestro.team.internal.loop.Signals;
import io.maestro.team.internal.loop.TracedExecutor;
import io.maestro.team.internal.loop.UsageTotals;
import io.maestro.team.internal.machine.EventQueues;
import io.maestro.team.internal.machine.Events;
import io.maestro.tools.AgentTools;
import io.maestro.tools.ToolAudience;
import io.maestro.tools.ToolDefinition;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Puts an agent that works alone together. */
final class AgentAssembly {
    private final AgentBuilder set;
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    AgentAssembly(AgentBuilder set) {
        this.set = set;
    }

    Agent build() {
        Path directory = directory();
        if (set.model == null && set.program == null) {
            throw new MaestroException("an agent needs somebody who thinks: call model(…) or program(…)");
        }
        if (set.model != null) {
            CostControl.requirePrices(set.limits, set.prices::cost, Map.of("the agent's model", set.model.model()));
        }
        Redactor redactor = set.knownRedactor();
        EnvironmentFactory sandbox =
                set.environment.factory(set.tools.classLoader(), redactor).orElse(null);
        ToolSetup tools = new ToolSetup(set.tools, set.web, redactor);
        ToolRegistry registry = tools.registry(BuiltinTools.alone());
        try {
            return agent(directory, redactor, registry, tools, sandbox);
        } catch (RuntimeException | Error e) {
            closeAll(e);
            throw e;
        }
    }

    private Path directory() {
        if (set.directory == null) {
            throw new MaestroException("an agent needs a directory to work in: call directory(…)");
        }
        Path directory = set.directory.toAbsolutePath().normalize();
        if (!Files.isDirectory(directory)) {
            throw new MaestroException("the agent's directory " + directory
                    + " is not there, or is no directory: make it, or name another one");
        }
        return directory;
    }

    private Agent agent(
            Path directory,
            Redactor redactor,
            ToolRegistry registry,
            ToolSetup setup,
            @Nullable EnvironmentFactory sandbox) {
        String sessionId = UUID.randomUUID().toString();
        Path own = ownDirectory();
        Store store = store(own, redactor);
        store.beginSession(new AuditLog.Session(
                sessionId,
                directory.toString(),
                Instant.now(),
                ProcessHandle.current().pid(),
                null));
        AgentProvider provider = set.program == null
                ? null
                : opened(set.program.open(new AgentProject(
                        own, sessionId, Optional.empty(), set.programSettings, System.getenv(), redactor)));
        Environments environments = environments(sandbox, own, sessionId, redactor, store);
        environments.tools().forEach(registry::register);
        Runnable borrowed = setup.borrow(registry, own, true, System.getenv());
        opened.push(borrowed::run);
        setup.requirePossible(registry, Map.of(ToolAudience.CODER_CODING, Set.of("done")));
        Environment environment = environments.open(new Workplace(
                set.id,
                set.id,
                SoloServices.ATTEMPT,
                directory,
                List.of(),
                provider == null ? Equipment.NONE : provider.equipment(set.id)));
        // Nobody goes on with its work.
        opened.push(environment::remove);
        environment.enter(Phase.CODING);
        Prompts prompts = new Prompts();
        AtomicInteger calls = new AtomicInteger();
        EventQueues queues = opened(new EventQueues());
        Events events = new Events(queues.of(set.listeners), event -> {}, set.telemetry);
        Meter meter = meter(store, sessionId);
        AgentTools tools = tools(directory, registry, services(setup, redactor, store, environments), environment);
        ToolRuntime.Builder parts = ToolRuntime.builder()
                .record(store::recordToolExecution)
                .redactor(redactor)
                .approver(opened(new TimedApprover(
                        set.approver, set.limits.replyTime(Architect.Kind.TOOL_CALL), meter::pause, meter::work)))
                .listener(events)
                .telemetry(set.telemetry)
                .tracker((invocation, answer) -> {
                    if (invocation.parentCallId() == null) {
                        calls.incrementAndGet();
                    }
                });
        set.tools.policies().forEach(parts::policy);
        ToolRuntime runtime = opened(parts.build());
        SoloServices services = new SoloServices(
                set.id,
                set.role,
                sessionId,
                instructions(prompts, tools, provider == null),
                environment,
                new AgentServices(runtime, tools, Signals.ANY, prompts, store, redactor, set.limits, events),
                meter,
                set.stream);
        SoloWorker worker =
                provider == null ? new ModelWorker(services, model()) : new ProgramWorker(services, provider);
        return new SoloAgent(services, worker, calls, queues::await, () -> {
            store.endSession(sessionId, Instant.now());
            closeAll(null);
        });
    }

    /** Nobody's listener changes how a client of the host's is asked. */
    private LlmClient model() {
        LlmClient model = Objects.requireNonNull(set.model);
        return set.stream.equals(LlmStreamListener.NONE) ? model : set.stream.attachedTo(model);
    }

    /** What the agent keeps while it lives. */
    private Path ownDirectory() {
        try {
            Path own = Files.createTempDirectory("maestro-agent-").toRealPath();
            opened.push(() -> SafeDirectory.deleteTree(own));
            return own;
        } catch (IOException e) {
            throw new MaestroException("no directory for the agent's record can be made: " + e, e);
        }
    }

    private Store store(Path own, Redactor redactor) {
        return opened(Store.sqlite(set.record != null ? set.record : own.resolve("record.db"), redactor));
    }

    private Environments environments(
            @Nullable EnvironmentFactory sandbox, Path own, String sessionId, Redactor redactor, Store store) {
        if (sandbox == null) {
            return opened(new LocalEnvironments(
                    set.environment
                            .executor()
                            .orElse(workspace -> LocalExecutor.builder(workspace)
                                    .environment(set.commands.passedVariables().toArray(String[]::new))
                                    .build()),
                    own,
                    List::of));
        }
        Map<String, String> variables = new HashMap<>(System.getenv());
        variables.keySet().retainAll(set.commands.passedVariables());
        return opened(sandbox.open(new EnvironmentProject(
                own,
                sessionId,
                own.resolve("mirror"),
                set.environment.container(),
                variables,
                redactor,
                store::recordConnection)));
    }

    private Map<Class<?>, Object> services(ToolSetup setup, Redactor redactor, Store store, Environments environments) {
        Map<Class<?>, Object> services = setup.services(environments);
        services.put(Todos.class, new Todos(store, redactor));
        services.put(ProjectTests.class, Resources.tests(set.commands, set.limits.testTime()));
        services.put(Redactor.class, redactor);
        return services;
    }

    private AgentTools tools(
            Path directory, ToolRegistry registry, Map<Class<?>, Object> services, Environment environment) {
        services.put(WorkspaceView.class, new OneWorkspace(set.id, directory));
        return opened(registry.agentTools(ContextParts.context(set.id, ToolAudience.CODER_CODING, set.id, services)
                .executor(new TracedExecutor(environment.executor(), set.telemetry))
                .build()));
    }

    private String instructions(Prompts prompts, AgentTools tools, boolean documented) {
        if (set.instructions != null) {
            return set.instructions;
        }
        String terminal = tools.list().stream()
                .filter(ToolDefinition::terminal)
                .map(tool -> "`" + tool.name() + "`")
                .sorted()
                .collect(Collectors.joining(", "));
        return prompts.render(
                "agent",
                Map.of("agentId", set.id, "terminal", terminal, "tools", documented ? tools.documentation() : ""));
    }

    private Meter meter(Store store, String sessionId) {
        return new Meter(
                set.limits,
                set.prices::cost,
                new UsageTotals(Usage.NONE, BigDecimal.ZERO, true),
                Duration.ZERO,
                0,
                new CostControl(store.spending(), sessionId, set.limits, set.prices::cost).story(set.id, null));
    }

    private <T extends AutoCloseable> T opened(T part) {
        opened.push(Objects.requireNonNull(part, "what a factory has opened"));
        return part;
    }

    /** Backwards: what was opened last may need what was opened before. */
    private void closeAll(@Nullable Throwable failure) {
        RuntimeException first = null;
        while (!opened.isEmpty()) {
            try {
                opened.pop().close();
            } catch (Exception e) {
                if (failure != null) {
                    failure.addSuppressed(e);
                } else if (first == null) {
                    first = new IllegalStateException(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    /** The directory of the only agent. */
    private record OneWorkspace(String id, Path place) implements WorkspaceView {
        @Override
        public Set<String> coders() {
            return Set.of(id);
        }

        @Override
        public Optional<Path> directory(String coderId) {
            return coderId.equals(id) ? Optional.of(place) : Optional.empty();
        }

        @Override
        public Optional<String> diff(String coderId, @Nullable String path, long firstLine, int maxCharacters) {
            return Optional.empty();
        }
    }
}
