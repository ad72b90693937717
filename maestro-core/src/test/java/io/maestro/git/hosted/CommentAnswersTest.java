package io.maestro.git.hosted;

import static io.maestro.git.hosted.StoryTurns.await;
import static io.maestro.git.hosted.StoryTurns.done;
import static io.maestro.git.hosted.StoryTurns.write;
import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.Approving;
import io.maestro.Maestro;
import io.maestro.MaestroBuilder;
import io.maestro.Submission;
import io.maestro.TestRepository;
import io.maestro.agent.Architect.Decision;
import io.maestro.agent.Architect.Kind;
import io.maestro.event.MaestroEvent;
import io.maestro.git.hosted.ScriptedPull.Person;
import io.maestro.inbox.Inbox;
import io.maestro.inbox.InboxAnswer;
import io.maestro.inbox.InboxItem;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.testing.Full;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** People decide below the pull request of a story. */
@Timeout(120)
class CommentAnswersTest {
    private static final Story STORY =
            Story.builder("8", "Write a").content("It is needed.").express().build();

    @TempDir
    Path directory;

    private TestRepository repository;
    private ScriptedGitHub server;
    private ScriptedLlm coder;

    @BeforeEach
    void open() {
        repository = TestRepository.create(directory, Map.of("README.md", "r"));
        server = new ScriptedGitHub(repository);
        coder = ScriptedLlm.builder("coder")
                .turn(write("good"))
                .turn(done("wrote a.txt"))
                .build();
    }

    @AfterEach
    void close() {
        assertThat(server.unknown).isEmpty();
        server.close();
    }

    private MaestroBuilder builder() {
        return Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository.url())
                .coderModel(coder)
                .architect(new Approving())
                .people(people -> people.decide(Kind.MERGE, Kind.QUESTION))
                .forge(server.forge().build())
                .tools(tools -> tools.discover(false));
    }

    /** What Maestro has written below the request that begins so, without the mark. */
    private List<String> notes(String beginning) {
        return server.ownNotes(1).stream()
                .map(text -> text.substring(text.indexOf('\n') + 1))
                .filter(text -> text.startsWith(beginning))
                .toList();
    }

    private void awaitNotes(String beginning, int count) {
        await(server, () -> notes(beginning).size() == count);
    }

    /** Comments are read at least once more. */
    private void awaitLook() {
        long looks = server.count("comments");
        await(server, () -> server.count("comments") > looks + 2);
    }

    private void say(String login, String text) {
        server.write(1, login, Person.MEMBER, text);
    }

    private static StoryResult merged(Submission<StoryResult> story) throws Exception {
        StoryResult result = story.await();
        assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.MERGED);
        return result;
    }

    @Test
    void onlyAPersonWhoMayWriteDecidesOnTheMerge() throws Exception {
        try (Maestro maestro = builder()
                .listener(event -> {
                    if (event instanceof MaestroEvent.StateChanged changed && changed.to() == CoderState.AWAIT_MERGE) {
                        say("ann", "/maestro approve before anybody has asked");
                    }
                })
                .build()) {
            Submission<StoryResult> story = maestro.submit(STORY);
            awaitNotes("**Maestro: MERGE**", 1);
            InboxItem item = maestro.inbox().pending().get(0);
            assertThat(notes("**Maestro: MERGE**").get(0))
                    .contains("request `" + item.id() + "` of story `8`", "Waits for people until")
                    .contains("The story ends in ERROR, since nobody has approved it.", "`/maestro changes <text>`")
                    .contains("```text\ncommit ");

            server.write(1, "eve", Person.STRANGER, "/maestro approve");
            server.write(1, "helper[bot]", Person.BOT, "/maestro approve");
            server.write(1, ScriptedServer.SELF, Person.SELF, "/maestro approve");
            long edited = server.write(1, "ann", Person.MEMBER, "nice");
            server.edit(edited, "/maestro approve");
            say("ann", "> /maestro approve\n\nnot yet");
            say("ann", "/maestro merge");
            awaitNotes("@ann: there is no such command", 1);
            awaitLook();
            assertThat(maestro.inbox().pending()).hasSize(1);
            assertThat(server.count("right")).as("nobody is asked about twice").isEqualTo(3);

            say("ann", "/maestro approve mind ghp_0123456789abcdefghijABCDEFGHIJ012345");
            StoryResult unused = merged(story);
            InboxItem over = maestro.inbox().find(item.id()).orElseThrow();
            assertThat(over.outcome().orElseThrow().person()).contains("ann");
            await(server, () -> notes("**Maestro: MERGE**").get(0).contains("`ann` has decided **APPROVED**"));
        }
        assertThat(notes("")).hasSize(3);
        assertThat(notes("**")).hasSize(1).allSatisfy(text -> assertThat(text).doesNotContain("ghp_"));
    }

    /** As it is while the coder works again: whatever is asked then is asked there. */
    @Test
    void theCoderAsksAgainBelowItsRequest() throws Exception {
        coder = ScriptedLlm.builder("coder")
                .turn(write("good"))
                .turn(done("wrote a.txt"))
                .turn(request -> {
                    assertThat(request.messages().toString()).contains("Use better words.");
                    return Reply.toolCall("ask_question", Map.of("question", "Which ```words```, @everybody?"));
                })
                .turn(request -> {
                    assertThat(request.messages().toString()).contains("Those of old.");
                    return write("better");
                })
                .turn(done("bettered a.txt"))
                .build();
        try (Maestro maestro = builder().build()) {
            Submission<StoryResult> story = maestro.submit(STORY);
            awaitNotes("**Maestro: MERGE**", 1);
            say("ann", "/maestro changes Use better words.");
            awaitNotes("**Maestro: QUESTION**", 1);
            assertThat(notes("**Maestro: QUESTION**").get(0))
                    .contains("decides by itself", "````text\nWhich ```words```, @everybody?\n````");
            String question = maestro.inbox().pending().get(0).id();
            say("bob", "/maestro approve " + question);
            awaitNotes("@bob: request " + question + " is a QUESTION, which APPROVED does not answer", 1);
            say("bob", "/maestro say " + question + " Those of old.");
            awaitNotes("**Maestro: MERGE**", 2);
            String first = maestro.auditLog().effects("8").stream()
                    .filter(effect -> effect.kind().equals("MERGE"))
                    .findFirst()
                    .orElseThrow()
                    .id();
            say("bob", "/maestro reject 9/9/9 no");
            awaitNotes("@bob: there is no request `9/9/9` here", 1);
            say("bob", "/maestro reject " + first + " no");
            awaitNotes("@bob: this came too late for request `" + first + "`: `ann` has decided NEEDS_CHANGES.", 1);
            say("bob", "/maestro approve " + maestro.inbox().pending().get(0).id());
            StoryResult unused = merged(story);
        }
        assertThat(repository.show("main", "a.txt")).isEqualTo("better");
        assertThat(notes("**"))
                .hasSize(3)
                .allSatisfy(text -> assertThat(text).containsPattern("has (decided \\*\\*|answered)"));
    }

    @Test
    void ofTwoAtOnceOneCountsAndTheOtherIsTold() throws Exception {
        try (Maestro maestro = builder().build()) {
            Submission<StoryResult> story = maestro.submit(STORY);
            awaitNotes("**Maestro: MERGE**", 1);
            String id = maestro.inbox().pending().get(0).id();
            AtomicReference<Inbox.Result> bob = new AtomicReference<>();
            server.beforeRight(() -> bob.set(maestro.inbox().answer(id, InboxAnswer.approve("bob"))));
            say("ann", "/maestro reject It is wrong.");
            awaitNotes("@ann: this came too late for request `" + id + "`: `bob` has decided APPROVED.", 1);
            assertThat(bob.get().status()).isEqualTo(Inbox.Status.COUNTS);
            StoryResult unused = merged(story);
            await(server, () -> notes("**Maestro").get(0).contains("`bob` has decided **APPROVED**"));
        }
        assertThat(notes("")).hasSize(2);
    }

    @Test
    void whoAnswersInTheInboxAfterACommentIsTold() throws Exception {
        try (Maestro maestro = builder().build()) {
            Submission<StoryResult> story = maestro.submit(STORY);
            awaitNotes("**Maestro: MERGE**", 1);
            String id = maestro.inbox().pending().get(0).id();
            say("ann", "/maestro reject It is wrong.");
            assertThat(story.await().outcome()).isEqualTo(Outcome.REJECTED);
            Inbox.Result late = maestro.inbox().answer(id, InboxAnswer.approve("bob"));
            assertThat(late.status()).isEqualTo(Inbox.Status.TOO_LATE);
            assertThat(late.item().outcome().orElseThrow().toString())
                    .isEqualTo("ann has decided REJECTED: It is wrong.");
        }
        assertThat(notes("**Maestro").get(0)).contains("`ann` has decided **REJECTED**", "It is wrong.");
    }

    @Test
    void aCommentWhileNobodyLivesCountsInTheNextLife() throws Exception {
        String id;
        try (Maestro maestro = builder().build()) {
            Submission<StoryResult> unused = maestro.submit(STORY);
            awaitNotes("**Maestro: MERGE**", 1);
            id = maestro.inbox().pending().get(0).id();
            say("ann", "/maestro merge");
            awaitNotes("@ann: there is no such command", 1);
        }
        say("ann", "/maestro approve");
        try (Maestro maestro = builder().build()) {
            StoryResult unused = merged(maestro.submit(STORY));
            assertThat(maestro.inbox()
                            .find(id)
                            .orElseThrow()
                            .outcome()
                            .orElseThrow()
                            .person())
                    .contains("ann");
        }
        assertThat(notes("")).as("nothing is asked or replied twice").hasSize(2);
        assertThat(notes("**Maestro").get(0)).contains("`ann` has decided **APPROVED**");
    }

    @Full("a story each; CommentsContract has the parts without one")
    @Test
    void whatWasDecidedElsewhereWhileNobodyLivesIsToldBelow() throws Exception {
        try (Maestro maestro = builder().build()) {
            Submission<StoryResult> unused = maestro.submit(STORY);
            awaitNotes("**Maestro: MERGE**", 1);
            server.faults.add("edit-comment", ScriptedFaults.Kind.UNAVAILABLE_BEFORE, Integer.MAX_VALUE);
            String id = maestro.inbox().pending().get(0).id();
            assertThat(maestro.inbox()
                            .answer(id, InboxAnswer.changes("bob", "Mend it."))
                            .status())
                    .isEqualTo(Inbox.Status.COUNTS);
        }
        assertThat(notes("**Maestro").get(0)).contains("Waits for people");
        server.faults.clear();
        coder = ScriptedLlm.builder("coder")
                .turn(write("better"))
                .turn(done("bettered a.txt"))
                .build();
        try (Maestro maestro = builder().build()) {
            Submission<StoryResult> story = maestro.submit(STORY);
            awaitNotes("**Maestro: MERGE**", 2);
            await(server, () -> notes("**Maestro").get(0).contains("`bob` has decided **NEEDS_CHANGES**"));
            say("ann", "/maestro approve " + maestro.inbox().pending().get(0).id());
            StoryResult unused = merged(story);
        }
    }

    /** They would be read again in an hour. */
    @Test
    void aWebhookHasCommentsRead() throws Exception {
        try (Maestro maestro = builder()
                .forge(server.forge().pollInterval(Duration.ofHours(1)).build())
                .build()) {
            Submission<StoryResult> story = maestro.submit(STORY);
            awaitNotes("**Maestro: MERGE**", 1);
            say("ann", "/maestro approve");
            maestro.forgeChanged();
            StoryResult unused = merged(story);
        }
        assertThat(notes("**Maestro").get(0)).contains("`ann` has decided **APPROVED**");
    }

    @Full("a story each; CommentsContract has the parts without one")
    @Test
    void whatACancelledStoryHasAskedIsOver() throws Exception {
        try (Maestro maestro = builder().build()) {
            Submission<StoryResult> story = maestro.submit(STORY);
            awaitNotes("**Maestro: MERGE**", 1);
            story.cancel();
            assertThat(story.await().outcome()).isEqualTo(Outcome.CANCELLED);
            await(server, () -> notes("**Maestro").get(0).contains("Nobody has decided, at "));
        }
        assertThat(server.pull(1).open).isFalse();
    }

    @Full("a story each; CommentsContract has the parts without one")
    @Test
    void whateverTheForgeDoesPeopleAnswerByOtherWays() throws Exception {
        server.faults.add("comments", ScriptedFaults.Kind.FORBIDDEN, Integer.MAX_VALUE);
        try (Maestro maestro = builder().build()) {
            Submission<StoryResult> story = maestro.submit(STORY);
            await(server, () -> server.count("comments 403") > 2);
            InboxItem item = maestro.inbox().pending().get(0);
            assertThat(maestro.inbox()
                            .answer(item.id(), InboxAnswer.approve("bob"))
                            .item()
                            .outcome())
                    .hasValueSatisfying(
                            outcome -> assertThat(outcome.decision()).contains(Decision.APPROVED));
            StoryResult unused = merged(story);
        }
        assertThat(notes("")).isEmpty();
    }
}
