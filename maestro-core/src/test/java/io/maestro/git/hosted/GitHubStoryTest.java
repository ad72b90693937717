package io.maestro.git.hosted;

import static io.maestro.git.hosted.StoryTurns.await;
import static io.maestro.git.hosted.StoryTurns.done;
import static io.maestro.git.hosted.StoryTurns.write;
import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.Approving;
import io.maestro.Maestro;
import io.maestro.Submission;
import io.maestro.TestRepository;
import io.maestro.agent.Limits;
import io.maestro.event.MaestroEvent;
import io.maestro.event.MaestroListener;
import io.maestro.git.MergeMethod;
import io.maestro.git.hosted.ScriptedPull.Person;
import io.maestro.git.hosted.ScriptedPull.Verdict;
import io.maestro.git.hosted.internal.Check;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.testing.Full;
import io.maestro.testkit.ScriptedLlm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A story from its first commit to the merge by a pull request. */
@Timeout(120)
class GitHubStoryTest {
    private static final Story STORY =
            Story.builder("8", "Write a").content("It is needed.").express().build();

    @TempDir
    Path directory;

    @Test
    void aRedCheckAThreadAndAnApprovalLeadToOneMerge() throws Exception {
        TestRepository repository = TestRepository.create(directory, Map.of("README.md", "r"));
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(write("bad"))
                .turn(done("wrote ghp_0123456789abcdefghijABCDEFGHIJ012345 into a.txt"))
                .turn(request -> {
                    assertThat(request.messages().toString()).contains("- build: failure", "Assertion broke");
                    return write("good");
                })
                .turn(done("mended a.txt"))
                .turn(request -> {
                    assertThat(request.messages().toString()).contains("src/A.java:12", "Why not better?");
                    return write("better");
                })
                .turn(done("bettered a.txt"))
                .build();
        AtomicInteger waits = new AtomicInteger();
        List<String> commits = new CopyOnWriteArrayList<>();
        try (ScriptedGitHub server = new ScriptedGitHub(repository)) {
            MaestroListener listener = event -> {
                if (event instanceof MaestroEvent.StateChanged changed
                        && changed.to() == CoderState.AWAIT_MERGE
                        && changed.from() == CoderState.PREPARE_MERGE) {
                    String head = server.head(1);
                    commits.add(head);
                    int round = waits.incrementAndGet();
                    String log = "Assertion broke\n##[error]exit code 1\n";
                    server.check(
                            head,
                            "build",
                            round == 1 ? Check.CheckState.RED : Check.CheckState.GREEN,
                            round == 1 ? log : "");
                    if (round == 2) {
                        server.thread(1, "ann", Person.MEMBER, "Why not better?");
                    }
                }
            };
            HostedForge forge = server.forge()
                    .merge(MergePolicy.WHEN_APPROVED)
                    .method(MergeMethod.SQUASH)
                    .labels("maestro")
                    .build();
            try (Maestro maestro = Maestro.builder()
                    .projectDirectory(directory.resolve("project"))
                    .repository(repository.url())
                    .coderModel(coder)
                    .architect(new Approving())
                    .testCommand("cat a.txt")
                    .forge(forge)
                    .listener(listener)
                    .limits(Limits.builder().parkAfter(Duration.ofMillis(1)).build())
                    .tools(tools -> tools.discover(false))
                    .build()) {
                Submission<StoryResult> story = maestro.submit(Story.builder("7", "Write a")
                        .content("It is needed.")
                        .express()
                        .build());
                await(server, () -> waits.get() == 3);
                long asked = server.count("threads");
                await(server, () -> server.count("threads") > asked + 2);
                assertThat(server.count("merge")).isZero();
                server.review(1, "ann", Person.MEMBER, Verdict.APPROVED, server.head(1), "");

                StoryResult result = story.await();

                assertThat(result.outcome()).as("%s", result).isEqualTo(StoryResult.Outcome.MERGED);
                assertThat(maestro.auditLog().toString()).doesNotContain(ScriptedServer.TOKEN);
            }
            assertThat(server.unknown).isEmpty();
            assertThat(server.pulls()).hasSize(1);
            ScriptedPull pull = server.pull(1);
            assertThat(pull.title).isEqualTo("Write a");
            assertThat(pull.body)
                    .contains(
                            "## What\n\nbettered a.txt", "## Why\n\nIt is needed.", "## How it was tested", "Story `7`")
                    .doesNotContain("ghp_");
            assertThat(pull.labels).containsExactly("maestro");
            assertThat(pull.notes).as("no person is asked").isEmpty();
            assertThat(pull.threads.get(0).resolved).isTrue();
            assertThat(pull.threads.get(0).comments).hasSize(2);
            assertThat(repository.show("main", "a.txt")).isEqualTo("better");
            assertThat(repository.git("rev-list", "--count", "main")).isEqualTo("2");
            assertThat(commits)
                    .isNotEmpty()
                    .allSatisfy(commit -> assertThat(repository.git("log", "-1", "--format=%B", commit))
                            .startsWith("Story 7: Write a\n\n")
                            .doesNotContain("ghp_")
                            .endsWith("\n\nAssisted-by: coder\nMaestro-Story: 7\nMaestro-Attempt: 1"));
            assertThat(repository.git("branch", "--list", "maestro/*")).isEmpty();
        }
    }

    /** Work that was approved is not lost by a token that was revoked meanwhile, and goes on when there is another. */
    @Full("a second story; GitHubRequestsTest has the same without one")
    @Test
    void aTokenThatIsRevokedIsWaitedFor() throws Exception {
        TestRepository repository = TestRepository.create(directory, Map.of("README.md", "r"));
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(write("good"))
                .turn(done("wrote a.txt"))
                .build();
        try (ScriptedGitHub server = new ScriptedGitHub(repository)) {
            MaestroListener listener = event -> {
                if (event instanceof MaestroEvent.StateChanged changed && changed.to() == CoderState.CODING) {
                    server.faults.add("*", ScriptedFaults.Kind.UNAUTHORIZED, Integer.MAX_VALUE);
                }
            };
            HostedForge forge = server.forge().timing(server.shortTiming()).build();
            try (Maestro maestro = maestro(repository, coder, forge, listener)) {
                Submission<StoryResult> story = maestro.submit(STORY);
                await(server, () -> server.count("list 401") > 3);
                server.faults.clear();

                assertThat(story.await().outcome()).isEqualTo(StoryResult.Outcome.MERGED);
            }
            assertThat(server.pulls()).hasSize(1);
        }
    }

    @Test
    void whatTheForgeDoesNotAllowIsKnownBeforeAModelIsPaid() throws Exception {
        TestRepository repository = TestRepository.create(directory, Map.of("README.md", "r"));
        ScriptedLlm coder = ScriptedLlm.builder("coder").build();
        try (ScriptedGitHub server = new ScriptedGitHub(repository)) {
            server.forbidsWriting();
            try (Maestro maestro = maestro(repository, coder, server.forge().build(), event -> {})) {
                StoryResult result = maestro.run(STORY);
                assertThat(result.outcome()).isEqualTo(StoryResult.Outcome.FAILED);
                assertThat(result.error().orElseThrow()).contains("may read acme/shop and not write to it");
            }
            assertThat(coder.requests()).isEmpty();
        }
    }

    @Test
    void theRequestOfACancelledStoryIsClosedAndOpenedAgainWhenItIsResumed() throws Exception {
        TestRepository repository = TestRepository.create(directory, Map.of("README.md", "r"));
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(write("good"))
                .turn(done("wrote a.txt"))
                .build();
        try (ScriptedGitHub server = new ScriptedGitHub(repository)) {
            HostedForge forge = server.forge().merge(MergePolicy.WHEN_APPROVED).build();
            try (Maestro maestro = maestro(repository, coder, forge, event -> {})) {
                Submission<StoryResult> story = maestro.submit(STORY);
                await(server, () -> server.count("reviews 200") > 0);
                story.cancel();
                assertThat(story.await().outcome()).isEqualTo(StoryResult.Outcome.CANCELLED);
            }
            assertThat(server.pull(1).open).isFalse();
            assertThat(server.pull(1).body)
                    .contains("The story has ended without being merged: in AWAIT_MERGE: the story was cancelled\n");
            assertThat(repository.git("branch", "--list", "maestro/*")).contains("maestro/story-8");

            ScriptedLlm other = ScriptedLlm.builder("coder")
                    .turn(write("better"))
                    .turn(done("bettered a.txt"))
                    .build();
            server.thread(1, "ann", Person.MEMBER, "Why not better?");
            try (Maestro maestro = maestro(repository, other, forge, event -> {})) {
                Submission<StoryResult> story = maestro.resume("8", 1);
                await(server, () -> server.pull(1).threads.get(0).resolved);
                server.review(1, "ann", Person.MEMBER, Verdict.APPROVED, server.head(1), "");
                assertThat(story.await().outcome()).isEqualTo(StoryResult.Outcome.MERGED);
            }
            assertThat(server.pulls()).hasSize(1);
            assertThat(repository.show("main", "a.txt")).isEqualTo("better");
        }
    }

    /** It would be asked again in an hour. */
    @Test
    void aWebhookWakesAStoryThatWaits() throws Exception {
        TestRepository repository = TestRepository.create(directory, Map.of("README.md", "r"));
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(write("good"))
                .turn(done("wrote a.txt"))
                .build();
        try (ScriptedGitHub server = new ScriptedGitHub(repository)) {
            HostedForge forge = server.forge()
                    .merge(MergePolicy.WHEN_APPROVED)
                    .pollInterval(Duration.ofHours(1))
                    .build();
            try (Maestro maestro = maestro(repository, coder, forge, event -> {})) {
                Submission<StoryResult> story = maestro.submit(STORY);
                await(server, () -> server.count("reviews 200") > 0);
                server.review(1, "ann", Person.MEMBER, Verdict.APPROVED, server.head(1), "");
                maestro.forgeChanged();
                maestro.forgeChanged();

                assertThat(story.await().outcome()).isEqualTo(StoryResult.Outcome.MERGED);
            }
        }
    }

    private Maestro maestro(TestRepository repository, ScriptedLlm coder, HostedForge forge, MaestroListener listener) {
        return Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository.url())
                .coderModel(coder)
                .architect(new Approving())
                .forge(forge)
                .listener(listener)
                .limits(Limits.builder().parkAfter(Duration.ofMillis(1)).build())
                .tools(tools -> tools.discover(false))
                .build();
    }
}
