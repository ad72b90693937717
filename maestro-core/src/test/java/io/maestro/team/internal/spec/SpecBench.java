package io.maestro.team.internal.spec;

import io.maestro.TestRepository;
import io.maestro.agent.Limits;
import io.maestro.agent.internal.Todos;
import io.maestro.builtin.internal.BuiltinTools;
import io.maestro.chat.internal.ChatLog;
import io.maestro.environment.RecordingEnvironments;
import io.maestro.event.MaestroEvent;
import io.maestro.git.internal.GitRepository;
import io.maestro.llm.LlmClient;
import io.maestro.prompt.internal.Prompts;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Store;
import io.maestro.runtime.ToolRegistry;
import io.maestro.runtime.ToolRuntime;
import io.maestro.settings.AgentOptions;
import io.maestro.story.ArchitectState;
import io.maestro.story.Spec;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.team.internal.architect.ArchitectSandbox;
import io.maestro.team.internal.dispatch.LeaseKeeper;
import io.maestro.team.internal.dispatch.StoryDispatch;
import io.maestro.team.internal.loop.AgentNotes;
import io.maestro.team.internal.loop.ChatInbox;
import io.maestro.team.internal.loop.Resources;
import io.maestro.team.internal.loop.ToolLoop;
import io.maestro.team.internal.machine.Events;
import io.maestro.team.internal.machine.StopCause;
import io.maestro.team.internal.machine.StopSignal;
import io.maestro.telemetry.Telemetry;
import io.maestro.testing.TestSettings;
import io.maestro.testkit.Reply;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An architect on a real repository with a real record, and coders that do what the test says. */
final class SpecBench implements AutoCloseable {
    static final Spec SPEC = Spec.builder("s", "Greetings")
            .content("# Greetings\n\nGreet everybody, in every language.")
            .build();

    final Path directory;
    final TestRepository repository;
    final Store store;
    final List<MaestroEvent> events = Collections.synchronizedList(new ArrayList<>());
    Limits.Builder limits = Limits.builder().suspendInterval(Duration.ofMillis(1));
    int retries = 2;
    Consumer<MaestroEvent> listener = event -> {};
    /** The repository, if not the real one. */
    @Nullable
    String url;

    /** Those of the last life. */
    LeaseKeeper leases;

    private final List<ToolRuntime> runtimes = new ArrayList<>();
    private int lives;
    private @Nullable ArchitectState interruptOn;

    /** Of the agent whose thread is interrupted there; null when nobody of Maestro's interrupts it. */
    @Nullable
    StopSignal stop = new StopSignal();

    SpecBench(Path directory) {
        this.directory = directory;
        this.repository = TestRepository.create(directory, Map.of("README.md", "It greets.", "src/Greeter", "Hello"));
        this.store = Store.sqlite(directory.resolve("record.db"), text -> text.replace("hunter2", "***"));
        this.leases = leases("life-0");
    }

    private LeaseKeeper leases(String session) {
        return new LeaseKeeper(store.leases(), session, Duration.ofHours(1), true);
    }

    Path architectDirectory() {
        return directory.resolve("project/architect-001");
    }

    final RecordingEnvironments environments = new RecordingEnvironments();

    FakeStoryDispatch dispatch(Map<String, Outcome> outcomes) {
        return new FakeStoryDispatch(store, outcomes);
    }

    SpecAgent agent(LlmClient model, StoryDispatch dispatch) {
        return agent(model, dispatch, store);
    }

    /** The architect of a new life; it sees the store so. */
    SpecAgent agent(LlmClient model, StoryDispatch dispatch, Store seen) {
        String session = "life-" + ++lives;
        leases.close();
        leases = leases(session);
        store.beginSession(new AuditLog.Session(session, repository.url(), Instant.now(), 1, null));
        Events listeners = new Events(List.of(this::onEvent));
        ToolRuntime runtime = ToolRuntime.builder()
                .record(seen::recordToolExecution)
                .redactor(text -> text)
                .listener(listeners)
                .build();
        runtimes.add(runtime);
        Prompts prompts = new Prompts();
        Limits built = limits.storyRetries(retries).build();
        GitRepository git = new GitRepository(directory.resolve("project"), url == null ? repository.url() : url);
        Resources resources = new Resources(
                TestSettings.of(
                        text -> text.replace("hunter2", "***"),
                        set -> set.change(AgentOptions.class, agents -> agents.architectModel(model))
                                .limits(built)),
                session,
                git,
                environments,
                seen,
                ToolRegistry.builder().builtIn(BuiltinTools.all()).build(),
                Map.of(),
                Telemetry.NONE);
        return new SpecAgent(new SpecServices(
                "architect-001",
                resources,
                new ToolLoop(runtime, prompts, listeners, built, session),
                listeners,
                leases,
                dispatch,
                new AgentNotes(new ChatInbox(new ChatLog(store)), new Todos(store, text -> text)),
                new ArchitectSandbox(environments, git, "architect-001", 2)));
    }

    List<ArchitectState> path() {
        List<ArchitectState> path = new ArrayList<>(List.of(ArchitectState.WAITING));
        store.specTransitions(SPEC.id()).forEach(transition -> path.add(transition.to()));
        return path;
    }

    List<String> transitions() {
        return store.specTransitions(SPEC.id()).stream()
                .map(transition -> transition.from() + "->" + transition.to())
                .toList();
    }

    /** Interrupts the thread that the architect works on when it comes into a state. */
    void interruptOn(@Nullable ArchitectState state) {
        interruptOn = state;
    }

    private void onEvent(MaestroEvent event) {
        events.add(event);
        listener.accept(event);
        if (event instanceof MaestroEvent.SpecStateChanged changed && changed.to() == interruptOn) {
            if (stop != null) {
                stop.set(StopCause.CANCELLED);
            }
            Thread.currentThread().interrupt();
        }
    }

    /** Stories {@code A}, {@code B} and so on, in that order: {@code "B<A"} depends on A. */
    static Reply submit(String... stories) {
        return Reply.toolCall(
                "submit_stories",
                Map.of(
                        "requirements",
                        Arrays.stream(stories)
                                .map(story -> story.split("<"))
                                .map(parts -> Map.of(
                                        "title",
                                        parts[0],
                                        "description",
                                        "Do " + parts[0] + ".",
                                        "acceptance_criteria",
                                        List.of(parts[0] + " works"),
                                        "dependencies",
                                        List.of(parts).subList(1, parts.length)))
                                .toList()));
    }

    static Reply edit(String description) {
        return Reply.toolCall(
                "story_edit", Map.of("description", description, "acceptance_criteria", List.of("it works now")));
    }

    static Reply giveUp(String reason) {
        return Reply.toolCall("story_give_up", Map.of("reason", reason));
    }

    @Override
    public void close() {
        leases.close();
        runtimes.forEach(ToolRuntime::close);
        store.close();
    }
}
