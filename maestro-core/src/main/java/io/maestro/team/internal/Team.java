package io.maestro.team.internal;

import io.maestro.agent.Architect;
import io.maestro.agent.CoderState;
import io.maestro.audit.Redactor;
import io.maestro.audit.Store;
import io.maestro.builtin.internal.ProjectTests;
import io.maestro.builtin.internal.Todos;
import io.maestro.builtin.internal.WorkspaceView;
import io.maestro.chat.internal.ChatLog;
import io.maestro.environment.Equipment;
import io.maestro.event.MaestroEvent;
import io.maestro.prompt.internal.Prompts;
import io.maestro.runtime.ToolRuntime;
import io.maestro.story.Spec;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.team.internal.StateHandler.Next;
import java.nio.file.Files;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Coders and architect at work: gives stories to free coders and sees them to their end. Safe for use by several threads.
 */
public final class Team implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Team.class);
    private static final String ARCHITECT = "architect-001";

    private final TeamConfig config;
    private final WorkspaceMarks marks;
    private final Workspaces workspaces = new Workspaces();
    /** By story; of those that are worked on here. */
    private final Map<String, StoryRun> runs = new ConcurrentHashMap<>();

    private final SharedNotes notes;
    private final ToolRuntime runtime;
    private final ArchitectSandbox sandbox;
    private final @Nullable ArchitectAgent architectAgent;
    private final Effects effects;
    private final CoderAgent coder;
    private final StoryStarter starter;
    private final Dispatcher dispatcher;
    private final SpecRuns specs;

    /**
     * Puts the team together, and clears away what an earlier life has left.
     *
     * @throws io.maestro.error.MaestroException when something of an earlier life cannot be ended or removed; the environments
     *     are the caller's to close then
     */
    public Team(TeamConfig config) {
        this.config = config;
        this.marks = new WorkspaceMarks(config.git().projectDirectory());
        config.environments().endLeftovers();
        emptyFinished();
        Events events = new Events(config.listeners(), this::tellTicket);
        this.runtime = ToolRuntime.builder()
                .store(config.store())
                .redactor(config.redactor())
                .policy(config.policy())
                .listener(events)
                .tracker(new ContainerTracker(config.store(), runs))
                .build();
        this.notes = new SharedNotes(
                new ChatInbox(new ChatLog(config.store())), new Todos(config.store(), config.redactor()));
        Prompts prompts = config.prompts();
        ProjectTests tests =
                new ProjectTests(config.testCommand(), config.limits().testTime());
        Map<Class<?>, Object> services = new HashMap<>(config.services());
        services.put(WorkspaceView.class, workspaces);
        services.put(ProjectTests.class, tests);
        services.put(Redactor.class, config.redactor());
        // What was not finished by an earlier life keeps its workspace, beside those at work.
        this.sandbox = new ArchitectSandbox(
                config.environments(),
                config.git(),
                ARCHITECT,
                config.maxCoders() + marks.all().size());
        ToolLoop loop = new ToolLoop(runtime, prompts, events, config.limits(), config.sessionId(), this::temperature);
        this.architectAgent = config.architect() == null ? architect(loop, prompts, services) : null;
        Architect architect = architectAgent == null ? config.architect() : architectAgent;
        this.effects = new Effects(
                config.store(), Objects.requireNonNull(architect), config.limits(), config.redactor(), events);
        SetupHandler setup = new SetupHandler(
                config.git(), config.targetBranch(), workspaces, marks, config.environments(), this::equipment);
        TestRuns testRuns = new TestRuns(tests, config.store(), config.redactor(), events);
        Desks desks = new Desks(config.registry(), prompts, config.store(), config.redactor(), services, notes);
        this.coder = coder(events, setup, testRuns, thinking(loop, desks, events));
        this.starter = new StoryStarter(
                config.store(), setup, marks, config.limits(), config.prices()::cost, config.sessionId());
        this.dispatcher = new Dispatcher(
                config.store(),
                config.redactor(),
                config.sessionId(),
                config.targetBranch(),
                config.maxCoders(),
                config.leaseTime(),
                new CoderNames(config.store(), marks),
                this::work,
                story -> KnownStory.result(config.store(), config.prices()::cost, story));
        dispatcher.listen(events);
        this.specs =
                new SpecRuns(new SpecAgent(specParts(loop, prompts, events, services)), config.store(), dispatcher);
    }

    private SpecParts specParts(ToolLoop loop, Prompts prompts, Events events, Map<Class<?>, Object> services) {
        return new SpecParts(
                ARCHITECT,
                config.sessionId(),
                config.architectModel(),
                loop,
                config.registry(),
                prompts,
                config.store(),
                config.redactor(),
                events,
                services,
                config.git(),
                config.targetBranch(),
                new DispatchedStories(dispatcher),
                config.limits(),
                notes,
                sandbox,
                config.prices()::cost,
                config.limits().storyRetries());
    }

    /**
     * An earlier life may have been killed between the end of a story and this, or while it made a workspace, which has no mark
     * then. What is marked and not done is kept: to go on with, or to be looked at.
     */
    private void emptyFinished() {
        config.git().clearStaging();
        for (int number = 1; number <= CoderNames.MOST; number++) {
            String agentId = CoderNames.of(number);
            Optional<WorkspaceMarks.Mark> mark = marks.of(agentId);
            if (mark.filter(this::isOver).isPresent()
                    || mark.isEmpty() && Files.isDirectory(config.git().workspaceDirectory(agentId))) {
                empty(agentId);
            }
        }
        // Nobody reads there yet.
        config.git().emptyWorkspace(ARCHITECT);
    }

    /** The story is done, or its row knows nothing of this workspace: its process was killed before it could say so. */
    private boolean isOver(WorkspaceMarks.Mark mark) {
        return config.store()
                .story(mark.storyId())
                .filter(story -> story.state() == CoderState.DONE
                        || !mark.workspaceId().equals(StoryProgress.fromJson(story.data()).workspaceId))
                .isPresent();
    }

    private ArchitectAgent architect(ToolLoop loop, Prompts prompts, Map<Class<?>, Object> services) {
        return new ArchitectAgent(
                ARCHITECT,
                config.sessionId(),
                config.architectModel(),
                loop,
                config.registry(),
                prompts,
                config.store(),
                config.redactor(),
                services,
                runs,
                notes,
                sandbox);
    }

    private Equipment equipment(String agentId) {
        CoderProgram program = config.coderProgram();
        return program == null ? Equipment.NONE : program.mode().equipment(agentId);
    }

    private Thinking thinking(ToolLoop loop, Desks desks, Events events) {
        CoderProgram program = config.coderProgram();
        if (program == null) {
            return new ModelThinking(loop, Objects.requireNonNull(config.coderModel(), "coderModel"), desks, notes);
        }
        return new ProgramThinking(new ProgramParts(
                program,
                runtime,
                desks,
                config.prompts(),
                config.store(),
                config.redactor(),
                config.limits(),
                notes,
                events,
                config.environments().isolates()));
    }

    private CoderAgent coder(Events events, SetupHandler setup, TestRuns tests, Thinking thinking) {
        Rounds rounds = new Rounds(config.limits());
        SuspendHandler suspend = new SuspendHandler(config.limits());
        Map<CoderState, StateHandler> handlers = new EnumMap<>(CoderState.class);
        handlers.put(CoderState.WAITING, this::take);
        handlers.put(CoderState.SETUP, setup);
        handlers.put(CoderState.PLANNING, new PlanningHandler(thinking));
        handlers.put(CoderState.PLAN_REVIEW, new PlanReviewHandler(effects));
        handlers.put(CoderState.CODING, new CodingHandler(thinking, rounds));
        handlers.put(CoderState.TESTING, new TestingHandler(tests));
        handlers.put(CoderState.CODE_REVIEW, new CodeReviewHandler(effects, config.store()));
        handlers.put(CoderState.QUESTION, new QuestionHandler(effects));
        handlers.put(CoderState.BUDGET_REVIEW, new BudgetReviewHandler(effects, config.limits()));
        handlers.put(CoderState.PREPARE_MERGE, new PrepareMergeHandler(config.git(), config.forge(), tests));
        handlers.put(
                CoderState.AWAIT_MERGE, new AwaitMergeHandler(effects, config.git(), config.forge(), config.store()));
        handlers.put(CoderState.SUSPEND, suspend);
        return new CoderAgent(handlers, suspend, rounds, config.store(), config.redactor(), events);
    }

    private Next take(StoryRun run) {
        notes.begin(run);
        return new Next(CoderState.SETUP, "taken by " + run.agentId);
    }

    private OptionalDouble temperature(String state) {
        Double value = config.temperatures().get(state);
        return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
    }

    private void tellTicket(MaestroEvent event) {
        dispatcher.tell(event);
        specs.tell(event);
    }

    /** Takes a story in; see {@code Maestro.submit}. */
    public Ticket submit(Story story) {
        return dispatcher.submit(story);
    }

    /** Sees a story that is in the record to its end. */
    public Ticket watch(String storyId) {
        return dispatcher.watch(storyId);
    }

    /** Takes a specification in; see {@code Maestro.submitSpec}. */
    public SpecTicket submit(Spec spec) {
        return specs.submit(spec);
    }

    /** Goes on with all specifications of the record that have not ended. */
    public List<SpecTicket> resumeSpecs() {
        return config.store().specs().stream()
                .filter(spec -> !spec.state().isFinal())
                .map(spec -> specs.resume(Spec.builder(spec.id(), spec.title())
                        .content(spec.content())
                        .build()))
                .toList();
    }

    /** Goes on with all stories of the record that have not ended, and whose specification, if they have one, has. */
    public List<Ticket> resumeStories() {
        Set<String> open = config.store().specs().stream()
                .filter(spec -> !spec.state().isFinal())
                .map(Store.SpecRecord::id)
                .collect(Collectors.toSet());
        return config.store().stories().stream()
                .filter(story -> !story.state().isFinal() && (story.specId() == null || !open.contains(story.specId())))
                .map(story -> dispatcher.watch(story.id()))
                .toList();
    }

    private StoryResult work(Store.StoryRecord row, Story story, String agentId) {
        StoryRun run = starter.start(row, story, agentId);
        runs.put(story.id(), run);
        try {
            return coder.run(run);
        } finally {
            release(run);
            runs.remove(story.id(), run);
        }
    }

    private void release(StoryRun run) {
        // They work in the environment.
        ProgramThinking.end(run);
        EnvironmentEnd.of(run);
        if (architectAgent != null) {
            architectAgent.forget(run.story.id());
        }
        if (run.workspace != null) {
            // Without one, somebody else may work under that name: it may be another process's.
            workspaces.close(run.agentId, run.workspace);
        }
        if (run.state == CoderState.DONE && (run.workspace != null || isMarkedFor(run))) {
            empty(run.agentId);
        }
    }

    /** An earlier attempt of the story has worked there; this one was found merged before it had a workspace. */
    private boolean isMarkedFor(StoryRun run) {
        return marks.of(run.agentId)
                .filter(mark -> mark.storyId().equals(run.story.id()))
                .isPresent();
    }

    private void empty(String agentId) {
        try {
            marks.empty(agentId, config.git().workspaceDirectory(agentId));
        } catch (RuntimeException e) {
            // The next story empties it again; what was merged is merged.
            LOG.warn("the workspace of {} could not be emptied: {}", agentId, e.getMessage());
        }
    }

    /** Cancels what runs and waits for its end, then removes what commands ran in. */
    @Override
    public void close() {
        try {
            specs.close();
            dispatcher.close();
            effects.close();
            runtime.close();
        } finally {
            if (config.coderProgram() != null) {
                EnvironmentEnd.close(
                        "the coder mode " + config.coderProgram().id(),
                        config.coderProgram().mode());
            }
            sandbox.close();
            EnvironmentEnd.close("what commands ran in", config.environments());
        }
    }
}
