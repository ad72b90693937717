package io.maestro.team.internal.coder;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.TestRepository;
import io.maestro.agent.Architect;
import io.maestro.agent.Limits;
import io.maestro.environment.Workplace;
import io.maestro.environment.internal.LocalEnvironments;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.git.internal.GitRepository;
import io.maestro.git.internal.Workspace;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Store;
import io.maestro.settings.PeopleOptions;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.story.TestOutcome;
import io.maestro.team.internal.architect.Effects;
import io.maestro.team.internal.machine.Events;
import io.maestro.team.internal.story.StoryProgress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the architect approves is what is merged, in the next life too. */
class ReviewedTreeTest {
    private static final Story STORY =
            Story.builder("042", "Title").content("Content").build();

    private static final Architect ARCHITECT = new Architect() {
        @Override
        public String id() {
            return "approving";
        }

        @Override
        public Reply reply(Request request) {
            return new Reply(request.id(), Decision.APPROVED, "");
        }
    };

    @TempDir
    Path directory;

    private static StoryAttempt run(StoryProgress progress, Workspace workspace, GitRepository git) {
        String report = progress.work().testReport();
        progress.work().tested(workspace.snapshot().tree(), TestOutcome.PASSED, "passed", report);
        StoryAttempt run = TestRun.of(STORY, 1, progress, CoderState.CODE_REVIEW);
        run.sandbox()
                .reopened(
                        workspace,
                        new LocalEnvironments(
                                        path -> LocalExecutor.builder(path).build(), git.projectDirectory(), List::of)
                                .open(new Workplace("coder-001", "042", 1, workspace.directory(), List.of())));
        return run;
    }

    @Test
    void anApprovalInTheRecordDoesNotApproveWhatWasWrittenSince() throws Exception {
        TestRepository repository = TestRepository.create(directory, Map.of("README.md", "r"));
        GitRepository git = new GitRepository(directory.resolve("project"), repository.url());
        Workspace workspace = git.checkout("coder-001", "042", 1, git.refresh());
        Path file = workspace.directory().resolve("a.txt");
        try (Store store = Store.sqlite(directory.resolve("record.db"), text -> text);
                Effects effects = new Effects(
                        store,
                        PeopleOptions.defaults(),
                        () -> ARCHITECT,
                        Limits.defaults(),
                        text -> text,
                        new Events(List.of()),
                        storyId -> {})) {
            store.beginSession(new AuditLog.Session("session", "url", Instant.now(), 1, null));
            CodeReviewHandler review = new CodeReviewHandler(effects, store);
            StoryProgress first = StoryProgress.fromJson("{\"step\":5}");
            Files.writeString(file, "good");
            assertThat(review.handle(run(first, workspace, git)).state()).isEqualTo(CoderState.PREPARE_MERGE);

            // Killed before the change of state was in the record.
            StoryProgress same =
                    StoryProgress.fromJson(store.story("042").orElseThrow().data());
            assertThat(review.handle(run(same, workspace, git)).state()).isEqualTo(CoderState.PREPARE_MERGE);

            StoryProgress changed =
                    StoryProgress.fromJson(store.story("042").orElseThrow().data());
            Files.writeString(file, "evil");
            assertThat(review.handle(run(changed, workspace, git)).state()).isEqualTo(CoderState.CODING);
            assertThat(changed.guidance().untold())
                    .singleElement()
                    .asString()
                    .contains("have changed since the architect");

            // And once more, when that was not in the record either.
            StoryProgress again =
                    StoryProgress.fromJson(store.story("042").orElseThrow().data());
            assertThat(review.handle(run(again, workspace, git)).state()).isEqualTo(CoderState.CODING);
        }
    }

    /** Commands of the coder go on while its tests run. */
    @Test
    void whatWasWrittenSinceTheTestsIsNotShown() throws Exception {
        TestRepository repository = TestRepository.create(directory, Map.of("README.md", "r"));
        GitRepository git = new GitRepository(directory.resolve("project"), repository.url());
        Workspace workspace = git.checkout("coder-001", "042", 1, git.refresh());
        try (Store store = Store.sqlite(directory.resolve("record.db"), text -> text);
                Effects effects = new Effects(
                        store,
                        PeopleOptions.defaults(),
                        () -> {
                            throw new AssertionError("asked");
                        },
                        Limits.defaults(),
                        text -> text,
                        new Events(List.of()),
                        storyId -> {})) {
            StoryProgress progress = new StoryProgress();
            Files.writeString(workspace.directory().resolve("a.txt"), "tested");
            StoryAttempt run = run(progress, workspace, git);
            Files.writeString(workspace.directory().resolve("a.txt"), "evil");
            assertThat(new CodeReviewHandler(effects, store).handle(run).state())
                    .isEqualTo(CoderState.CODING);
            assertThat(progress.guidance().untold())
                    .singleElement()
                    .asString()
                    .contains("have changed since the project's tests passed");
        }
    }

    /** What is tested is what is merged: not what git ignores, nor what the coder has done to its repository. */
    @Test
    void testsSeeTheSnapshotAndNothingElse() throws Exception {
        TestRepository repository =
                TestRepository.create(directory, Map.of("README.md", "r", ".gitignore", "target/\n", "old.txt", "o"));
        GitRepository git = new GitRepository(directory.resolve("project"), repository.url());
        Workspace workspace = git.checkout("coder-001", "042", 1, git.refresh());
        Path files = workspace.directory();
        Files.createDirectories(files.resolve("target"));
        Files.writeString(files.resolve("target/Forged.class"), "x");
        Files.writeString(files.resolve(".git/hooks-of-agent"), "x");
        Files.writeString(files.resolve("new.txt"), "n");
        Files.delete(files.resolve("old.txt"));
        Workspace.Snapshot snapshot = workspace.snapshot();
        Files.writeString(files.resolve("new.txt"), "evil");
        Path checkout = workspace.inCheckout(snapshot, there -> {
            assertThat(there.resolve("new.txt")).hasContent("n");
            assertThat(there.resolve("README.md")).hasContent("r");
            assertThat(there.resolve(".git/HEAD")).exists();
            assertThat(List.of("target", "old.txt", ".git/hooks-of-agent"))
                    .allSatisfy(name -> assertThat(there.resolve(name)).doesNotExist());
            return there;
        });
        assertThat(checkout).doesNotExist();
        assertThat(checkout.startsWith(files)).isFalse();
    }

    /** Long lines, and a long report of tests. */
    @Test
    void theArchitectCanReadWhatItIsAskedToReview() throws Exception {
        TestRepository repository = TestRepository.create(directory, Map.of("README.md", "r"));
        GitRepository git = new GitRepository(directory.resolve("project"), repository.url());
        Workspace workspace = git.checkout("coder-001", "042", 1, git.refresh());
        Files.writeString(workspace.directory().resolve("data.txt"), ("0123456789".repeat(300) + "\n").repeat(300));
        List<Architect.Request> asked = new ArrayList<>();
        Architect architect = new Architect() {
            @Override
            public String id() {
                return "counting";
            }

            @Override
            public Reply reply(Request request) {
                asked.add(request);
                return ARCHITECT.reply(request);
            }
        };
        try (Store store = Store.sqlite(directory.resolve("record.db"), text -> text);
                Effects effects = new Effects(
                        store,
                        PeopleOptions.defaults(),
                        () -> architect,
                        Limits.defaults(),
                        text -> text,
                        new Events(List.of()),
                        storyId -> {})) {
            store.beginSession(new AuditLog.Session("session", "url", Instant.now(), 1, null));
            StoryProgress progress = new StoryProgress();
            progress.work().tested("earlier", TestOutcome.PASSED, "passed", "test\n".repeat(10_000));
            new CodeReviewHandler(effects, store).handle(run(progress, workspace, git));
        }
        assertThat(asked).hasSize(1);
        assertThat(asked.get(0).facts())
                .hasSize(4)
                .allSatisfy((name, text) -> assertThat(text).hasSizeLessThan(20_100));
        assertThat(asked.get(0).facts().get(Architect.Request.DIFF))
                .contains("… cut here, in file 1 of 1. Call get_diff with first_line 13 ");
    }
}
