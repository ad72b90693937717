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
import io.maestro.git.Forge;
import io.maestro.git.LocalForge;
import io.maestro.git.hosted.ScriptedPull.Person;
import io.maestro.git.hosted.ScriptedPull.Verdict;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.testing.Full;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What other people do to a repository while a story waits to be merged. */
@Full("a story each; RequestContract and PeopleContract have the same without one")
@Timeout(120)
class DisturbedStoryTest {
    @TempDir
    Path directory;

    private TestRepository repository;
    private ScriptedGitHub server;

    @BeforeEach
    void open() {
        repository = TestRepository.create(directory, Map.of("README.md", "r", "a.txt", "old\n"));
        server = new ScriptedGitHub(repository);
    }

    @AfterEach
    void close() {
        assertThat(server.unknown).isEmpty();
        server.close();
    }

    private static Story story(String id) {
        return Story.builder(id, "Write a").content("It is needed.").express().build();
    }

    private static ScriptedLlm coder() {
        return ScriptedLlm.builder("coder")
                .turn(write("new\n"))
                .turn(done("wrote a.txt"))
                .build();
    }

    private Maestro maestro(ScriptedLlm coder, Forge forge) {
        return Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository.url())
                .coderModel(coder)
                .architect(new Approving())
                .testCommand("cat a.txt")
                .forge(forge)
                .maxCoders(2)
                .limits(Limits.builder().parkAfter(Duration.ofMillis(1)).build())
                .tools(tools -> tools.discover(false))
                .build();
    }

    private Forge approved() {
        return server.forge().merge(MergePolicy.WHEN_APPROVED).build();
    }

    private void approve() {
        server.review(1, "ann", Person.MEMBER, Verdict.APPROVED, server.head(1), "");
    }

    @Test
    void twoCodersTouchTheSameLines() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch merged = new CountDownLatch(1);
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .story(
                        "1",
                        turns -> turns.turn(request -> {
                                    await(server, () -> begun.getCount() == 0);
                                    return write("one\n");
                                })
                                .turn(done("wrote a.txt")))
                .story(
                        "2",
                        turns -> turns.turn(request -> {
                                    begun.countDown();
                                    return write("two\n");
                                })
                                .turn(request -> {
                                    await(server, () -> merged.getCount() == 0);
                                    return done("wrote a.txt");
                                })
                                .turn(Reply.toolCall("read_file", Map.of("path", "a.txt")))
                                .turn(request -> {
                                    assertThat(request.messages().toString())
                                            .contains("<<<<<<<", "one", "two", ">>>>>>>");
                                    return write("one and two\n");
                                })
                                .turn(done("wrote a.txt")))
                .build();
        try (Maestro maestro =
                maestro(coder, server.forge().merge(MergePolicy.AUTO).build())) {
            Submission<StoryResult> first = maestro.submit(story("1"));
            Submission<StoryResult> second = maestro.submit(story("2"));
            assertThat(first.await().outcome()).isEqualTo(Outcome.MERGED);
            merged.countDown();
            StoryResult result = second.await();
            assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.MERGED);
        }
        assertThat(repository.show("main", "a.txt")).isEqualTo("one and two");
        assertThat(server.pulls()).hasSize(2);
    }

    @Test
    void theTargetMovesWhileAPersonReads() throws Exception {
        try (Maestro maestro = maestro(coder(), approved())) {
            Submission<StoryResult> story = maestro.submit(story("1"));
            await(server, () -> server.count("reviews 200") > 0);
            repository.commit("other", Map.of("b.txt", "b"));
            approve();
            assertThat(story.await().outcome()).isEqualTo(Outcome.MERGED);
        }
        assertThat(repository.git("ls-tree", "--name-only", "main")).contains("b.txt");
        assertThat(repository.show("main", "a.txt")).isEqualTo("new");
        assertThat(server.pulls()).hasSize(1);
    }

    /** Git's own words, and a hook in the place of a server's rule. */
    @Test
    void theTargetIsProtectedUntilSomebodyMendsThat() throws Exception {
        Path bare = Path.of(repository.url().replaceFirst("^file://", ""));
        Path hook = Files.createDirectories(bare.resolve("hooks")).resolve("update");
        Files.writeString(hook, "#!/bin/sh\n[ \"$1\" != refs/heads/main ] || { touch refused; exit 1; }\n");
        assertThat(hook.toFile().setExecutable(true)).isTrue();
        try (Maestro maestro = maestro(coder(), new LocalForge())) {
            Submission<StoryResult> story = maestro.submit(story("1"));
            await(server, () -> Files.exists(bare.resolve("refused")));
            assertThat(repository.git("branch", "--list", "maestro/*")).contains("maestro/story-1");
            Files.delete(hook);
            // It would be tried again in five minutes.
            await(server, () -> {
                maestro.forgeChanged();
                return !repository.git("branch", "--list", "maestro/*").contains("maestro/story-1");
            });
            assertThat(story.await().outcome()).isEqualTo(Outcome.MERGED);
        }
        assertThat(repository.show("main", "a.txt")).isEqualTo("new");
    }

    @Test
    void aPersonClosesTheRequest() throws Exception {
        try (Maestro maestro = maestro(coder(), approved())) {
            Submission<StoryResult> story = maestro.submit(story("1"));
            await(server, () -> server.count("reviews 200") > 0);
            server.closes(1, "ann");
            StoryResult result = story.await();
            assertThat(result.outcome()).isEqualTo(Outcome.REJECTED);
            assertThat(result.error().orElseThrow()).contains("was closed by ann");
        }
        assertThat(repository.git("branch", "--list", "maestro/*")).contains("maestro/story-1");
    }

    @Test
    void aPersonPushesToTheBranchWithForce() throws Exception {
        try (Maestro maestro = maestro(coder(), approved())) {
            Submission<StoryResult> story = maestro.submit(story("1"));
            await(server, () -> server.count("reviews 200") > 0);
            String theirs = repository.commit("other", Map.of("b.txt", "b"));
            repository.git("update-ref", "refs/heads/main", theirs + "^");
            repository.git("update-ref", "refs/heads/maestro/story-1", theirs);
            StoryResult result = story.await();
            assertThat(result.outcome()).isEqualTo(Outcome.REJECTED);
            assertThat(result.error().orElseThrow()).contains("somebody has pushed " + theirs);
        }
        assertThat(server.count("merge")).isZero();
    }

    @Test
    void theTargetBranchIsRenamedAndComesBack() throws Exception {
        try (Maestro maestro = maestro(coder(), approved())) {
            Submission<StoryResult> story = maestro.submit(story("1"));
            await(server, () -> server.count("reviews 200") > 0);
            server.renames("main", "trunk");
            approve();
            long reads = server.count("read");
            // What is found in the middle of a look would be looked at again in five minutes.
            await(server, () -> {
                maestro.forgeChanged();
                return server.count("read") > reads + 1;
            });
            assertThat(server.count("merge")).isZero();
            server.renames("trunk", "main");
            await(server, () -> {
                maestro.forgeChanged();
                return server.count("merge 200") > 0;
            });
            assertThat(story.await().outcome()).isEqualTo(Outcome.MERGED);
        }
        assertThat(server.pulls()).hasSize(1);
    }
}
