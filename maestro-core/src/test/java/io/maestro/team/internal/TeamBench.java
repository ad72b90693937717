package io.maestro.team.internal;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.TestRepository;
import io.maestro.agent.Architect;
import io.maestro.agent.Limits;
import io.maestro.agent.internal.Todos;
import io.maestro.agent.spi.AgentProvider;
import io.maestro.builtin.internal.BuiltinTools;
import io.maestro.chat.internal.ChatRoom;
import io.maestro.environment.Environments;
import io.maestro.environment.internal.LocalEnvironments;
import io.maestro.event.MaestroListener;
import io.maestro.exec.Executor;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.git.Forge;
import io.maestro.git.LocalForge;
import io.maestro.git.internal.GitRepository;
import io.maestro.inbox.Inbox;
import io.maestro.llm.LlmClient;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Store;
import io.maestro.runtime.ToolPolicy;
import io.maestro.runtime.ToolRegistry;
import io.maestro.secrets.Redactor;
import io.maestro.settings.AgentOptions;
import io.maestro.settings.CommandOptions;
import io.maestro.settings.PeopleOptions;
import io.maestro.settings.Settings;
import io.maestro.settings.ToolOptions;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.team.internal.agent.program.CoderProgram;
import io.maestro.team.internal.dispatch.RunningStory;
import io.maestro.team.internal.dispatch.WorkspaceMarkers;
import io.maestro.team.internal.loop.Resources;
import io.maestro.team.internal.story.StoryProgress;
import io.maestro.telemetry.Telemetry;
import io.maestro.testing.TestSettings;
import io.maestro.testkit.ScriptedLlm;
import io.maestro.tools.ToolFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** A project with a real repository and a real record, on which one team after the other works; each may be killed. */
public final class TeamBench {
    final Path directory;
    final TestRepository repository;
    final List<MaestroListener> listeners = new ArrayList<>();
    Telemetry telemetry = Telemetry.NONE;
    Limits.Builder limits = Limits.builder().suspendInterval(Duration.ofMillis(1));
    LlmClient coder = ScriptedLlm.builder("coder").build();
    /** In the place of the model, when there is one. */
    AgentProvider mode;

    LlmClient architectModel = ScriptedLlm.builder("architect").build();
    Architect architect;
    Redactor redactor = text -> text;
    Set<Architect.Kind> people = Set.of();
    Set<Architect.Kind> fourEyes = Set.of();
    Forge forge = new LocalForge();
    Function<Path, Executor> executors =
            workspace -> LocalExecutor.builder(workspace).build();
    /** In the place of the executors, when there are some. */
    Environments environments;

    int maxCoders = 1;
    final List<ToolFactory> tools = new ArrayList<>();
    final List<ToolPolicy> policies = new ArrayList<>();
    private int lives;

    TeamBench(Path directory) {
        this.directory = directory;
        this.repository = TestRepository.create(
                directory, Map.of("README.md", "a project", "check.sh", "! grep -L good *.txt | grep ."));
    }

    Path project() {
        return directory.resolve("project");
    }

    /** The record, while nobody lives. */
    Store record() {
        return Store.sqlite(project().resolve(".maestro/maestro.db"), redactor);
    }

    int lives() {
        return lives;
    }

    /** A life that ends when its story comes into a state. */
    void killedIn(CoderState state, Story story) {
        try (Life life = life(seen -> MortalStore.after(seen, MortalStore.Death.into(state)))) {
            life.dies(story);
        }
    }

    /** The tree that the architect has seen cannot be restored, and the workspace of a killed life not be used: its object is gone. */
    void losesReviewedTree(String storyId) {
        changes(storyId, progress -> progress.work().reviewed("0123456789".repeat(4)));
    }

    /** Changes what the record has of a story, while nobody lives. */
    void changes(String storyId, Consumer<StoryProgress> change) {
        try (Store record = record()) {
            AuditLog.StoryRecord row = record.story(storyId).orElseThrow();
            StoryProgress progress = StoryProgress.fromJson(row.data());
            change.accept(progress);
            record.leases().releaseAllBut("nobody");
            record.saveStory(new AuditLog.StoryRecord(
                    row.id(),
                    row.sessionId(),
                    row.title(),
                    row.content(),
                    row.type(),
                    row.express(),
                    row.state(),
                    row.attempt(),
                    row.agentId(),
                    row.branch(),
                    row.mergeCommit(),
                    row.error(),
                    progress.toJson(),
                    row.specId(),
                    row.dependsOn(),
                    row.updatedAt()));
        }
    }

    Life life() {
        return life(store -> store);
    }

    /** A team that sees its record so. */
    Life life(UnaryOperator<Store> view) {
        return new Life(view);
    }

    public static Story story(String id) {
        return Story.builder(id, "Story " + id).content("Make it good.").build();
    }

    static Story express(String id) {
        return Story.builder(id, "Story " + id)
                .content("Make it good.")
                .express()
                .build();
    }

    /** One life of a process. */
    final class Life implements AutoCloseable {
        final Store store = record();
        final Team team;
        final Inbox inbox;

        private Life(UnaryOperator<Store> view) {
            String session = "life-" + ++lives;
            store.beginSession(new AuditLog.Session(session, repository.url(), Instant.now(), 1, null));
            store.leases().releaseAllBut(session);
            Store seen = view.apply(store);
            ToolRegistry registry =
                    ToolRegistry.builder().builtIn(BuiltinTools.all()).build();
            tools.forEach(registry::register);
            if (environments != null) {
                environments.tools().forEach(registry::register);
            }
            GitRepository git = new GitRepository(project(), repository.url());
            Todos todos = new Todos(seen, text -> text);
            Settings settings = TestSettings.of(redactor, this::set);
            Resources resources = new Resources(
                    settings,
                    session,
                    git,
                    environments == null
                            ? new LocalEnvironments(
                                    executors,
                                    git.projectDirectory(),
                                    () -> new WorkspaceMarkers(git.projectDirectory()).leftInUse())
                            : environments,
                    seen,
                    registry,
                    Map.of(ChatRoom.class, new ChatRoom(seen, text -> text, event -> {}, session), Todos.class, todos),
                    telemetry);
            team = new Team(
                    resources, List.copyOf(listeners), mode == null ? null : new CoderProgram("scripted", mode));
            inbox = new Inbox(seen.requests(), team::inboxAnswered);
        }

        private void set(Settings.Builder set) {
            set.change(
                            AgentOptions.class,
                            agents -> agents.coderModel(coder)
                                    .architectModel(architectModel)
                                    .maxCoders(maxCoders))
                    .forge(forge)
                    .limits(limits.build())
                    .change(CommandOptions.class, commands -> commands.test("sh check.sh"));
            for (ToolPolicy policy : policies) {
                set.change(ToolOptions.class, tools -> tools.policy(policy));
            }
            if (architect != null) {
                set.change(PeopleOptions.class, people -> people.architect(architect));
            }
            if (!people.isEmpty()) {
                set.change(
                        PeopleOptions.class,
                        options -> options.decide(people.iterator().next(), people.toArray(Architect.Kind[]::new)));
            }
            if (!fourEyes.isEmpty()) {
                set.change(
                        PeopleOptions.class,
                        options ->
                                options.fourEyes(fourEyes.iterator().next(), fourEyes.toArray(Architect.Kind[]::new)));
            }
        }

        StoryResult run(Story story) {
            return end(team.submit(story, event -> {}));
        }

        /** The end of a story; a process that was killed on the way says so. */
        StoryResult end(RunningStory running) {
            try {
                return running.done().get(60, TimeUnit.SECONDS);
            } catch (ExecutionException e) {
                if (e.getCause() instanceof RuntimeException known) {
                    throw known;
                }
                throw new AssertionError(e);
            } catch (InterruptedException | TimeoutException e) {
                throw new AssertionError(e);
            }
        }

        /** Is killed on the way. */
        void dies(Story story) {
            assertThatThrownBy(() -> run(story)).isInstanceOf(DyingStore.KilledException.class);
        }

        @Override
        public void close() {
            try {
                team.close();
            } finally {
                store.close();
            }
        }
    }
}
