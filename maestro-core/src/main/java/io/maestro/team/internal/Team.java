package io.maestro.team.internal;

import io.maestro.agent.AgentStatus;
import io.maestro.agent.Architect;
import io.maestro.agent.Limits;
import io.maestro.agent.internal.Todos;
import io.maestro.chat.internal.ChatLog;
import io.maestro.event.MaestroEvent;
import io.maestro.event.MaestroListener;
import io.maestro.git.StaleBranch;
import io.maestro.git.internal.GitRepository;
import io.maestro.inbox.Inbox;
import io.maestro.internal.Uninterrupted;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Store;
import io.maestro.runtime.ToolRuntime;
import io.maestro.runtime.internal.WorkspaceView;
import io.maestro.settings.Settings;
import io.maestro.story.Spec;
import io.maestro.story.Story;
import io.maestro.team.internal.agent.program.CoderProgram;
import io.maestro.team.internal.agent.program.ProgramDriver;
import io.maestro.team.internal.agent.program.ProgramServices;
import io.maestro.team.internal.architect.ArchitectAgent;
import io.maestro.team.internal.architect.ArchitectSandbox;
import io.maestro.team.internal.architect.Effects;
import io.maestro.team.internal.architect.RequestNotices;
import io.maestro.team.internal.architect.ToolApprovals;
import io.maestro.team.internal.coder.CoderAgent;
import io.maestro.team.internal.coder.CoderContexts;
import io.maestro.team.internal.coder.CoderDriver;
import io.maestro.team.internal.coder.CoderServices;
import io.maestro.team.internal.coder.ContainerTracker;
import io.maestro.team.internal.coder.ForgeBell;
import io.maestro.team.internal.coder.ModelDriver;
import io.maestro.team.internal.coder.StaleBranches;
import io.maestro.team.internal.coder.StoryAttempt;
import io.maestro.team.internal.coder.WorkspaceCleanup;
import io.maestro.team.internal.coder.Workspaces;
import io.maestro.team.internal.dispatch.CancelWatch;
import io.maestro.team.internal.dispatch.CoderNames;
import io.maestro.team.internal.dispatch.Dispatcher;
import io.maestro.team.internal.dispatch.LeaseKeeper;
import io.maestro.team.internal.dispatch.MergeTurns;
import io.maestro.team.internal.dispatch.RunningStory;
import io.maestro.team.internal.dispatch.WorkspaceMarkers;
import io.maestro.team.internal.loop.AgentNotes;
import io.maestro.team.internal.loop.ChatInbox;
import io.maestro.team.internal.loop.Resources;
import io.maestro.team.internal.loop.ToolLoop;
import io.maestro.team.internal.machine.Events;
import io.maestro.team.internal.spec.RunningSpec;
import io.maestro.team.internal.spec.SpecAgent;
import io.maestro.team.internal.spec.SpecDispatcher;
import io.maestro.team.internal.spec.SpecServices;
import io.maestro.team.internal.story.StoryRows;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Coders and architect at work: puts them together and takes them apart. Safe for use by several threads. */
public final class Team implements AutoCloseable {
    private static final String ARCHITECT = "architect-001";

    /** Bytes of a diff for a person to read. */
    private static final int MOST_DIFF = 1_000_000;

    private final Resources resources;
    private final @Nullable CoderProgram program;
    private final WorkspaceMarkers markers;

    /** By story; of those that are worked on here. */
    private final Map<String, StoryAttempt> runs = new ConcurrentHashMap<>();

    private final AgentsAtWork atWork = new AgentsAtWork(ARCHITECT);
    private final AgentNotes notes;
    private final ToolApprovals approvals;
    private final ToolRuntime runtime;
    private final ArchitectSandbox sandbox;
    private final @Nullable ArchitectAgent architectAgent;
    private final Effects effects;
    private final RequestNotices notices;
    private final ForgeBell bell;
    private final LeaseKeeper leases;
    private final MergeTurns turns;
    private final Dispatcher dispatcher;
    private final SpecDispatcher specs;
    private final CancelWatch cancelWatch;

    /**
     * Puts the team together, and clears away what an earlier life has left.
     *
     * @param opened settings and what was opened; the team closes the environments
     * @param listeners who watches
     * @param program works in PLANNING and CODING; closed by the team; null for the coders' model
     * @throws io.maestro.error.MaestroException when something of an earlier life cannot be ended or removed; the environments
     *     are the caller's to close then
     */
    public Team(Resources opened, List<MaestroListener> listeners, @Nullable CoderProgram program) {
        Workspaces workspaces = new Workspaces();
        this.resources = opened.with(WorkspaceView.class, workspaces);
        this.program = program;
        Settings settings = resources.settings();
        Store store = resources.store();
        GitRepository git = resources.git();
        this.markers = new WorkspaceMarkers(git.projectDirectory());
        markers.deleteUnfinished();
        WorkspaceCleanup cleanup = new WorkspaceCleanup(git, markers, store);
        resources.environments().endLeftovers(openAttempts());
        cleanup.afterAnEarlierLife();
        // Nobody reads there yet.
        git.emptyWorkspace(ARCHITECT);
        Events events = new Events(listeners, this::tell, resources.telemetry());
        this.approvals =
                new ToolApprovals(this::effects, store, runs, settings.people().decides(Architect.Kind.TOOL_CALL));
        ToolRuntime.Builder calls = ToolRuntime.builder()
                .record(store::recordToolExecution)
                .redactor(settings.redactor())
                .approver(approvals)
                .listener(events)
                .telemetry(resources.telemetry())
                .tracker(new ContainerTracker(store, runs));
        settings.tools().policies().forEach(calls::policy);
        this.runtime = calls.build();
        this.notes = new AgentNotes(new ChatInbox(new ChatLog(store)), new Todos(store, settings.redactor()));
        // What was not finished by an earlier life keeps its workspace, beside those at work.
        this.sandbox = new ArchitectSandbox(
                resources.environments(),
                git,
                ARCHITECT,
                settings.agents().maxCoders() + markers.all().size());
        ToolLoop loop = new ToolLoop(
                runtime,
                resources.prompts(),
                events,
                settings.limits(),
                resources.sessionId(),
                settings.agents()::temperature);
        this.architectAgent = settings.people().needModel()
                ? new ArchitectAgent(ARCHITECT, resources, loop, runs, notes, sandbox)
                : null;
        this.notices = RequestNotices.of(
                git.url(), settings.forge(), new Inbox(store.requests(), this::inboxAnswered), settings.redactor());
        this.bell = new ForgeBell(notices::ring);
        this.effects = new Effects(
                store,
                settings.people(),
                () -> architectAgent,
                settings.limits(),
                settings.redactor(),
                events,
                this::forget,
                notices);
        this.leases = new LeaseKeeper(
                store.leases(),
                resources.sessionId(),
                settings.record().leaseTime(),
                settings.record().dataSource().isPresent());
        this.turns = new MergeTurns(
                store.merges(),
                leases,
                resources.sessionId(),
                settings.commands().testsAhead(),
                events);
        CoderServices coderServices = new CoderServices(
                resources, events, notes, effects, driver(loop, events), bell, turns, workspaces, markers);
        this.dispatcher = new Dispatcher(
                store,
                leases,
                settings.redactor(),
                resources.sessionId(),
                settings.git().targetBranch().orElse(null),
                new CoderNames(store, markers, settings.agents().maxCoders()),
                new CoderAgent(coderServices, cleanup, runs, this::ended),
                story -> StoryRows.result(store, settings.agents().prices()::cost, story));
        dispatcher.listen(events);
        this.specs = new SpecDispatcher(
                new SpecAgent(new SpecServices(ARCHITECT, resources, loop, events, leases, dispatcher, notes, sandbox)),
                store,
                dispatcher,
                leases);
        this.cancelWatch = new CancelWatch(store.cancellations(), List.of(specs::ends, dispatcher::ends));
    }

    /** The attempts that may go on, by story. */
    private Map<String, Integer> openAttempts() {
        return resources.store().openStories().stream()
                .collect(Collectors.toMap(AuditLog.StoryRecord::id, AuditLog.StoryRecord::attempt));
    }

    private Effects effects() {
        return effects;
    }

    private CoderDriver driver(ToolLoop loop, Events events) {
        CoderContexts contexts = new CoderContexts(resources, notes);
        return program == null
                ? new ModelDriver(
                        loop, resources.settings().agents().coderModel().orElseThrow(), contexts, notes)
                : new ProgramDriver(new ProgramServices(program, runtime, contexts, resources, notes, events));
    }

    /** Who works now, by names; see {@code Maestro.agents}. */
    public List<AgentStatus> agents() {
        return atWork.list(runs.keySet());
    }

    /** What stories have left in the real repository; see {@code Maestro.staleBranches}. */
    public List<StaleBranch> staleBranches() {
        String unused = resources.git().refresh();
        return StaleBranches.of(
                resources.git().storyBranches(), resources.store().stories());
    }

    /** What people may do with stories and specifications. */
    public MonitorSource.StoryControls work() {
        return new SteeredWork(resources.store(), dispatcher, turns, specs);
    }

    /** What may be spent, with the times that people have. */
    public Limits limits() {
        return resources.settings().limits();
    }

    /** Somebody may have answered in this process; see {@code Maestro.inbox}. */
    public void inboxAnswered() {
        effects.inboxAnswered();
    }

    /** What a merged commit has changed; see {@code Maestro.report}. */
    public Optional<String> mergedDiff(String commit) {
        return resources.git().readCommit(commit, tree -> tree.diff(MOST_DIFF)).map(resources.redactor()::redact);
    }

    /** Something has happened at the forge; see {@code Maestro.forgeChanged}. */
    public void forgeChanged() {
        bell.ring();
    }

    private void tell(MaestroEvent event) {
        atWork.onEvent(event);
        dispatcher.tell(event);
        specs.tell(event);
    }

    /** Nobody waits any more for what the architect may still think about a story. */
    private void ended(String storyId) {
        atWork.forget(storyId);
        effects.forget(storyId);
        approvals.forget(storyId);
        forget(storyId);
    }

    private void forget(String storyId) {
        if (architectAgent != null) {
            architectAgent.forget(storyId);
        }
    }

    /** Takes a story in, with someone who is told of it; see {@code Maestro.submit}. */
    public RunningStory submit(Story story, MaestroListener listener) {
        return dispatcher.submit(story, listener);
    }

    /** Goes on with a story that has ended in ERROR; see {@code Maestro.resume}. */
    public RunningStory reopen(String storyId, int grants) {
        return dispatcher.reopen(storyId, grants);
    }

    /** Sees a story that is in the record to its end. */
    public RunningStory watch(String storyId) {
        return dispatcher.watch(storyId, event -> {});
    }

    /** Takes a specification in, with someone who is told of it and its stories; see {@code Maestro.submitSpec}. */
    public RunningSpec submit(Spec spec, MaestroListener listener) {
        return specs.submit(spec, listener);
    }

    /** Goes on with all specifications of the record that have not ended, with someone who is told of them and their stories. */
    public List<RunningSpec> resumeSpecs(MaestroListener listener) {
        return resources.store().openSpecs().stream()
                .map(spec -> specs.resume(
                        Spec.builder(spec.id(), spec.title())
                                .content(spec.content())
                                .build(),
                        listener))
                .toList();
    }

    /**
     * Goes on with all stories of the record that have not ended, and whose specification, if they have one, has; with someone
     * who is told of them.
     */
    public List<RunningStory> resumeStories(MaestroListener listener) {
        Set<String> open = resources.store().openSpecs().stream()
                .map(AuditLog.SpecRecord::id)
                .collect(Collectors.toSet());
        return resources.store().openStories().stream()
                .filter(story -> story.specId() == null || !open.contains(story.specId()))
                .map(story -> dispatcher.watch(story.id(), listener))
                .toList();
    }

    /** Whether the calling thread is that of a story or a specification, which cannot wait for its own end. */
    public boolean runsHere() {
        return dispatcher.runsHere() || specs.runsHere();
    }

    /** Stops what runs, which stays where it stands, waits until it has stopped, and leaves what commands ran in. */
    @Override
    public void close() {
        try {
            cancelWatch.close();
            turns.close();
            specs.close();
            dispatcher.close();
            effects.close();
            notices.close();
            runtime.close();
        } finally {
            leases.close();
            if (program != null) {
                Uninterrupted.closing("the coder mode " + program.id(), program.mode());
            }
            sandbox.close();
            Uninterrupted.closing("what commands ran in", resources.environments());
        }
    }
}
