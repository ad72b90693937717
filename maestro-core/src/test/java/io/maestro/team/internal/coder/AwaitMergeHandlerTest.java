package io.maestro.team.internal.coder;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.mockito.Mockito.mock;

import io.maestro.TestRepository;
import io.maestro.agent.Architect;
import io.maestro.agent.Limits;
import io.maestro.environment.Workplace;
import io.maestro.environment.internal.LocalEnvironments;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.git.Forge;
import io.maestro.git.Forge.Outcome;
import io.maestro.git.internal.GitRepository;
import io.maestro.git.internal.Workspace;
import io.maestro.prompt.internal.Prompts;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Store;
import io.maestro.secrets.SecretRedactor;
import io.maestro.settings.PeopleOptions;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.story.TestOutcome;
import io.maestro.team.internal.architect.Effects;
import io.maestro.team.internal.dispatch.MergeTurns;
import io.maestro.team.internal.machine.Events;
import io.maestro.team.internal.machine.ParkedException;
import io.maestro.team.internal.story.StoryProgress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How long a story waits for a forge, whatever times that and the host name. */
@Timeout(60)
class AwaitMergeHandlerTest {
    private static final Duration ENDLESS = Duration.ofSeconds(Long.MAX_VALUE);
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

    private GitRepository git;
    private Store store;
    private StoryAttempt run;
    private final ForgeBell bell = new ForgeBell(Duration.ofNanos(1));
    private Runnable asked = () -> {};

    /** A story whose change was reviewed and committed. */
    @BeforeEach
    void commit() throws Exception {
        store = Store.sqlite(directory.resolve("record.db"), text -> text);
        store.beginSession(new AuditLog.Session("session", "url", Instant.now(), 1, null));
        TestRepository repository = TestRepository.create(directory, Map.of("README.md", "r"));
        git = new GitRepository(directory.resolve("project"), repository.url());
        Workspace workspace = git.checkout("coder-001", "042", 1, git.refresh());
        Files.writeString(workspace.directory().resolve("a.txt"), "good");
        Workspace.Snapshot snapshot = workspace.snapshot();
        StoryProgress progress = new StoryProgress();
        progress.work().committed(workspace.commit(snapshot, "Title", ""));
        progress.work().reviewed(snapshot.tree());
        run = TestRun.of(STORY, 1, progress, CoderState.AWAIT_MERGE);
        run.sandbox()
                .reopened(
                        workspace,
                        new LocalEnvironments(
                                        path -> LocalExecutor.builder(path).build(), git.projectDirectory(), List::of)
                                .open(new Workplace("coder-001", "042", 1, workspace.directory(), List.of())));
        store.saveStory(run.toRecord(CoderState.AWAIT_MERGE));
    }

    @AfterEach
    void close() {
        store.close();
    }

    private CoderState handle(Duration parkAfter, Outcome... answers) {
        Queue<Outcome> left = new ArrayDeque<>(List.of(answers));
        Forge forge = new Forge() {
            @Override
            public String id() {
                return "slow";
            }

            @Override
            public Optional<String> propose(Proposal proposal) {
                return Optional.empty();
            }

            @Override
            public Outcome merge(Proposal proposal) {
                asked.run();
                return left.remove();
            }
        };
        Limits limits = Limits.builder().parkAfter(parkAfter).build();
        Events events = new Events(List.of());
        try (Effects effects = new Effects(
                store, PeopleOptions.defaults(), () -> ARCHITECT, limits, text -> text, events, storyId -> {})) {
            return new AwaitMergeHandler(
                            effects,
                            new StoryProposal(git, new Prompts(), text -> text),
                            forge,
                            bell,
                            mock(MergeTurns.class),
                            mock(AheadTests.class),
                            store,
                            limits)
                    .handle(run)
                    .state();
        }
    }

    /** Links, mentions, commands and a fence's end: of a model in the summary, of a test in its output. */
    @Test
    void nothingThatAgentsAndTestsSayIsMoreThanTextInAProposal() {
        String evil =
                "Fixes #1 @ann <details> [a](https://x.org)\n/approve\n```\n[skip ci] \u202e ghp_0123456789abcdefghijABCDEFGHIJ012345";
        run.turns().summarised(evil);
        run.work().tested(String.valueOf(run.work().reviewedTree()), TestOutcome.PASSED, "tests passed", evil);
        Forge.Proposal proposal = new StoryProposal(git, new Prompts(), SecretRedactor.withDefaults()).of(run);
        assertThat(proposal.text())
                .contains(
                        "## What\n\nFixes · `#1` `@ann` `<details>` `[a](https://x.org)`\n`/approve`\n",
                        "\n````text\nFixes · #1 @ann")
                .contains("\n /approve\n```\n(skip ci) \\u202e [REDACTED:github-token]\n````\n")
                .doesNotContain("ghp_");
        assertThat(proposal.description()).contains("Fixes · #1", "(skip ci) \\u202e [REDACTED:github-token]");
        assertThat(new StoryProposal(git, new Prompts(), SecretRedactor.withDefaults()).reason(evil))
                .doesNotContain("ghp_", "\n/");
    }

    @Test
    void anEndlessTimeOfAForgeParksTheStory() {
        ParkedException parked = catchThrowableOfType(
                ParkedException.class, () -> handle(Duration.ofMinutes(10), new Outcome.Pending(ENDLESS)));
        assertThat(parked.until()).isNotDone();
    }

    @Test
    void anEndlessTimeOfTheHostParksNoStory() {
        Outcome soon = new Outcome.Pending(Duration.ofMillis(1));
        assertThat(handle(ENDLESS, soon, soon, new Outcome.Merged("1".repeat(40), false)))
                .isEqualTo(CoderState.DONE);
    }

    /** Also one that comes while the forge is asked. */
    @Test
    void aRingEndsAWait() {
        asked = bell::ring;
        Outcome tomorrow = new Outcome.Pending(Duration.ofDays(1));
        assertThat(handle(ENDLESS, tomorrow, tomorrow, new Outcome.Merged("1".repeat(40), false)))
                .isEqualTo(CoderState.DONE);
    }

    @Test
    void aRingWakesAParkedStory() {
        ParkedException parked = catchThrowableOfType(
                ParkedException.class, () -> handle(Duration.ofMinutes(10), new Outcome.Pending(ENDLESS)));
        bell.ring();
        assertThat(parked.until()).isDone();
    }

    @Test
    void ringsThatComeSoonAreOneLaterRing() throws Exception {
        ForgeBell slow = new ForgeBell(Duration.ofHours(1));
        CompletableFuture<?> first = slow.next();
        slow.ring();
        assertThat(first).isDone();
        CompletableFuture<?> second = slow.next();
        slow.ring();
        slow.ring();
        assertThat(second).isNotDone();

        ForgeBell quick = new ForgeBell(Duration.ofMillis(20));
        quick.ring();
        CompletableFuture<?> next = quick.next();
        quick.ring();
        Object unused = next.get(30, TimeUnit.SECONDS);
        assertThat(quick.next()).isNotDone();
    }
}
