package io.maestro.team.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.Mockito.mock;

import io.maestro.agent.Limits;
import io.maestro.environment.internal.LocalEnvironments;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.git.LocalForge;
import io.maestro.git.internal.GitRepository;
import io.maestro.llm.Usage;
import io.maestro.project.internal.ProjectTests;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Store;
import io.maestro.runtime.ToolRegistry;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.team.internal.coder.AttemptStarter;
import io.maestro.team.internal.coder.CoderDriver;
import io.maestro.team.internal.coder.SetupHandler;
import io.maestro.team.internal.coder.StoryAttempt;
import io.maestro.team.internal.coder.TestRuns;
import io.maestro.team.internal.coder.Workspaces;
import io.maestro.team.internal.dispatch.MergeTurns;
import io.maestro.team.internal.dispatch.ServiceChecks;
import io.maestro.team.internal.dispatch.WorkspaceMarkers;
import io.maestro.team.internal.loop.Resources;
import io.maestro.team.internal.machine.Events;
import io.maestro.team.internal.machine.StopSignal;
import io.maestro.team.internal.story.StoryProgress;
import io.maestro.team.internal.story.StoryRows;
import io.maestro.telemetry.Telemetry;
import io.maestro.testing.TestSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mockito.Mockito;

/** A host that is killed again and again, each time on a new disk. */
class MoneyAcrossLivesTest {
    private static final Limits LIMITS = Limits.builder().tokensPerStory(100).build();

    @TempDir
    Path directory;

    private static AuditLog.StoryRecord row(int attempt, CoderState state, StoryProgress progress) {
        return new AuditLog.StoryRecord(
                "042",
                "session",
                "Title",
                "Content",
                "APP",
                true,
                state,
                attempt,
                "coder-001",
                "maestro/story-042",
                null,
                null,
                progress.toJson(),
                null,
                List.of(),
                Instant.now());
    }

    private static void say(Store store, int attempt) {
        store.recordMessage(new AuditLog.Message(
                "session",
                "042",
                attempt,
                "coder-001",
                "CODING",
                1,
                "assistant",
                "[]",
                "m",
                null,
                40,
                0,
                0,
                0,
                Instant.now()));
    }

    /** What was said may be megabytes; a result is often made where others wait. */
    @Test
    void whatAStoryHasCostIsKnownWithoutReadingWhatWasSaid() {
        try (Store store = Store.sqlite(directory.resolve("record.db"), text -> text)) {
            store.beginSession(new AuditLog.Session("session", "url", Instant.now(), 1, null));
            say(store, 1);
            say(store, 1);
            AuditLog silent = mock(AuditLog.class, call -> {
                assertThat(call.getMethod().getName()).isNotEqualTo("messages");
                return delegatesTo(store).answer(call);
            });

            StoryResult result = StoryRows.result(
                    silent, (model, usage) -> Optional.empty(), row(1, CoderState.DONE, new StoryProgress()));

            assertThat(result.usage().inputTokens()).isEqualTo(80);
        }
    }

    @Test
    void attemptsThatNobodyHasAskedForHaveOneBudgetTogether() {
        Story story = Story.builder("042", "Title").content("Content").express().build();
        try (Store store = Store.sqlite(directory.resolve("record.db"), text -> text)) {
            store.beginSession(new AuditLog.Session("session", "url", Instant.now(), 1, null));
            WorkspaceMarkers marks = new WorkspaceMarkers(directory);
            GitRepository git = new GitRepository(directory, "file:///nowhere");
            Resources resources = new Resources(
                    TestSettings.of(text -> text, set -> {}),
                    "session",
                    git,
                    new LocalEnvironments(
                            workspace -> LocalExecutor.builder(workspace).build(), git.projectDirectory(), List::of),
                    store,
                    ToolRegistry.builder().build(),
                    Map.of(),
                    Telemetry.NONE);
            SetupHandler setup = new SetupHandler(
                    resources,
                    new ServiceChecks(List.of(), new LocalForge(), store),
                    new Workspaces(),
                    marks,
                    Mockito.mock(CoderDriver.class),
                    new TestRuns(
                            new ProjectTests(null, null, Duration.ofMinutes(1)),
                            Mockito.mock(MergeTurns.class),
                            store,
                            text -> text,
                            new Events(List.of())));
            AttemptStarter starter =
                    new AttemptStarter(store, setup, marks, LIMITS, (model, usage) -> Optional.empty(), "session");
            StoryProgress progress = new StoryProgress();
            progress.budget().grant();
            progress.budget().worked(Duration.ofMinutes(1));
            progress.returnBy(CoderState.BUDGET_REVIEW);
            progress.returnBy(CoderState.CODE_REVIEW);
            for (int attempt = 1; attempt <= 3; attempt++) {
                say(store, attempt);
                store.saveStory(row(attempt, CoderState.CODING, progress));
                StoryAttempt next =
                        starter.start(row(attempt, CoderState.CODING, progress), story, "coder-001", new StopSignal());

                assertThat(next.attempt()).isEqualTo(attempt + 1);
                assertThat(next.meter().usage()).isEqualTo(new Usage(40L * attempt, 0, 0, 0));
                assertThat(next.meter().grants()).isEqualTo(1);
                assertThat(next.meter().elapsed()).isGreaterThanOrEqualTo(Duration.ofMinutes(1));
                progress =
                        StoryProgress.fromJson(store.story("042").orElseThrow().data());
                assertThat(progress.returnedBy(CoderState.BUDGET_REVIEW)).isEqualTo(1);
                assertThat(progress.returnedBy(CoderState.CODE_REVIEW)).isZero();
            }
            assertThat(StoryRows.result(store, (model, usage) -> Optional.empty(), row(4, CoderState.ERROR, progress))
                            .usage())
                    .isEqualTo(new Usage(120, 0, 0, 0));
            // Somebody runs the story again: that is a new budget.
            StoryProgress again = StoryRows.nextAttempt(row(4, CoderState.ERROR, progress));
            StoryAttempt run = starter.start(row(5, CoderState.WAITING, again), story, "coder-001", new StopSignal());
            assertThat(run.meter().usage()).isEqualTo(Usage.NONE);
            assertThat(run.meter().grants()).isZero();
        }
    }

    @Test
    void whatWasBeingWrittenWhenAProcessWasKilledIsNoMark() throws Exception {
        WorkspaceMarkers marks = new WorkspaceMarkers(directory);
        marks.set(new WorkspaceMarkers.WorkspaceMarker("coder-001", "042", "id-1"));
        Files.writeString(directory.resolve(".maestro/workspaces/.coder-002"), "043 id-2\n");
        assertThat(marks.all()).containsExactly(new WorkspaceMarkers.WorkspaceMarker("coder-001", "042", "id-1"));
    }
}
