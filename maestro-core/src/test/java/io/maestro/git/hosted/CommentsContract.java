package io.maestro.git.hosted;

import static io.maestro.git.hosted.StoryTurns.await;
import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.agent.Architect.Kind;
import io.maestro.git.ForgeComments;
import io.maestro.git.ForgeComments.Comment;
import io.maestro.git.ForgeComments.Subject;
import io.maestro.git.GitException;
import io.maestro.git.GitUnavailableException;
import io.maestro.git.hosted.ScriptedPull.Person;
import io.maestro.inbox.Inbox;
import io.maestro.inbox.InboxAnswer;
import io.maestro.inbox.InboxItem;
import io.maestro.inbox.internal.CommentWatch;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.DecisionRequests;
import io.maestro.record.internal.Store;
import io.maestro.story.CoderState;
import io.maestro.testing.Full;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests of one story, asked below its pull request, without the story. */
@Timeout(60)
abstract class CommentsContract extends HostedCase {
    @TempDir
    Path here;

    private Store store;
    Inbox inbox;
    Subject subject;
    private CommentWatch watch;

    @BeforeEach
    void beginWatch() {
        store = Store.sqlite(here.resolve("maestro.db"), text -> text.replace("my-secret", "[gone]"));
        inbox = new Inbox(store.requests(), () -> {});
        String unused = proposed();
        subject = new Subject(proposal.storyId(), 1, proposal.remote(), proposal.branch());
        store.beginSession(new AuditLog.Session("s", "url", Instant.now(), 1, null));
        store.saveStory(new AuditLog.StoryRecord(
                proposal.storyId(),
                "s",
                "Title",
                "Do it.",
                "APP",
                true,
                CoderState.AWAIT_MERGE,
                1,
                "coder-001",
                proposal.branch(),
                null,
                null,
                "{}",
                null,
                List.of(),
                Instant.now()));
        watch();
    }

    @AfterEach
    void endWatch() {
        watch.close();
        store.close();
    }

    private void watch() {
        // Another process with other secrets may have written the record.
        watch = new CommentWatch(forge, inbox, text -> text.replace("our-secret", "[gone]"));
    }

    /** Has requests and comments looked after by a forge that is not quite that of the server. */
    private void watch(ForgeComments other) {
        watch.close();
        watch = new CommentWatch(other, inbox, text -> text);
    }

    private void anotherLife() {
        watch.close();
        restart();
        watch();
    }

    String ask(int step, Kind kind, int approvals) {
        String id = open(step, kind, approvals);
        int before = server.ownNotes(1).size();
        watch.asked(subject, id);
        await(server, () -> server.ownNotes(1).size() > before);
        return id;
    }

    /** In the record alone. */
    private String open(int step, Kind kind, int approvals) {
        String id = proposal.storyId() + "/1/" + step;
        DecisionRequests.Row unused = store.requests()
                .open(
                        new AuditLog.Effect(
                                id,
                                "s",
                                proposal.storyId(),
                                1,
                                "coder-001",
                                kind.name(),
                                "{\"call\":\"" + "x".repeat(5_000) + "\"}",
                                Instant.now(),
                                null,
                                null),
                        Instant.now().plus(Duration.ofHours(1)),
                        approvals);
        return id;
    }

    InboxItem item(String id) {
        return inbox.find(id).orElseThrow();
    }

    void awaitNote(int index, String part) {
        await(
                server,
                () -> server.ownNotes(1).size() > index
                        && server.ownNotes(1).get(index).contains(part));
    }

    void awaitLook() {
        long looks = server.count("comments");
        await(server, () -> server.count("comments") > looks + 2);
    }

    void say(String login, String text) {
        long unused = server.write(1, login, Person.MEMBER, text);
    }

    @Test
    void ofSeveralThatWaitOneMustBeNamed() {
        String merge = ask(1, Kind.MERGE, 1);
        String call = ask(2, Kind.TOOL_CALL, 1);
        say("ann", "/maestro approve");
        awaitNote(
                2,
                "@ann: more than one request was asked here, so name the one that you mean, as in `/maestro approve "
                        + merge + "`");
        assertThat(inbox.pending()).hasSize(2);
        say("ann", "/maestro reject " + call + " not this one");
        awaitNote(1, "`ann` has decided **REJECTED**");
        assertThat(item(merge).outcome()).isEmpty();
        say("bob", "/maestro approve " + merge + " mind my-secret, not our-secret");
        awaitNote(0, "`bob` has decided **APPROVED**");
        assertThat(server.ownNotes(1))
                .hasSize(3)
                .allSatisfy(text -> assertThat(text.length()).isLessThan(4_000));
        assertThat(server.ownNotes(1).get(0)).contains("mind [gone], not [gone]", "… 3000 characters are left out …");
    }

    /** Whoever still looks at the page of before means the first one. */
    @Test
    void whoHasNotSeenTheSecondRequestDoesNotDecideOnIt() {
        String call = ask(1, Kind.TOOL_CALL, 1);
        assertThat(server.ownNotes(1).get(0))
                .contains("a comment counts only when it names one, as in `/maestro approve " + call + "`");
        assertThat(inbox.answer(call, InboxAnswer.approve("carol")).status()).isEqualTo(Inbox.Status.COUNTS);
        awaitNote(0, "`carol` has decided **APPROVED**");
        String merge = ask(2, Kind.MERGE, 1);
        say("ann", "/maestro approve");
        awaitNote(2, "@ann: more than one request was asked here");
        assertThat(item(merge).outcome()).isEmpty();
        say("ann", "/maestro approve " + merge);
        awaitNote(1, "`ann` has decided **APPROVED**");
    }

    @Test
    void whoAnswersWhatIsNoQuestionDecidesNothing() {
        String merge = ask(1, Kind.MERGE, 1);
        assertThat(server.ownNotes(1).get(0)).doesNotContain("/maestro say");
        say("ann", "/maestro say not before Monday");
        awaitNote(
                1,
                "@ann: request " + merge + " is a MERGE, no question, so a text (say) decides nothing: approve it, ");
        anotherLife();
        watch.asked(subject, merge);
        awaitLook();
        assertThat(item(merge).outcome()).isEmpty();
        assertThat(server.ownNotes(1)).as("it is replied to once").hasSize(2);
        String question = ask(2, Kind.QUESTION, 1);
        assertThat(server.ownNotes(1).get(2)).contains("`/maestro say " + question + " <text>`");
        say("ann", "/maestro say " + question + " On Monday.");
        awaitNote(2, "`ann` has answered, at ");
    }

    @Test
    void eachPersonIsOneOfFourEyes() {
        String merge = ask(1, Kind.MERGE, 2);
        awaitNote(0, "2 people must approve. Nobody has yet.");
        say("ann", "/maestro approve");
        awaitNote(0, "`ann` did; 1 more must.");
        say("ann", "/maestro approve");
        awaitLook();
        long lists = server.count("list");
        anotherLife();
        watch.asked(subject, merge);
        awaitLook();
        assertThat(server.count("list")).as("it is found once").isEqualTo(lists + 1);
        assertThat(item(merge).given()).hasSize(1);
        say("bob", "/maestro approve");
        awaitNote(0, "`bob` has decided **APPROVED**");
        assertThat(server.ownNotes(1)).hasSize(1);
        assertThat(server.ownNotes(1).get(0))
                .contains(
                        "This is approved: merge of " + proposal.storyId() + " goes on.",
                        "- `ann` has approved it, at ");
    }

    /** Whether the first one comes by a comment or by another way, and however it is written. */
    @Test
    void nobodyIsTwoByTheCaseOfAName() {
        String merge = ask(1, Kind.MERGE, 2);
        assertThat(inbox.answer(merge, InboxAnswer.approve(" Ann")).status()).isEqualTo(Inbox.Status.MORE_NEEDED);
        say("ann", "/maestro approve");
        awaitLook();
        assertThat(item(merge).given()).hasSize(1);
        assertThat(inbox.answer(merge, InboxAnswer.approve("Bob")).status()).isEqualTo(Inbox.Status.COUNTS);
        awaitNote(0, "`Bob` has decided **APPROVED**");
        assertThat(server.ownNotes(1)).as("nobody is too late").hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(names = "STRANGER")
    void whoMayNotWriteDecidesNothing(Person who) {
        String merge = ask(1, Kind.MERGE, 1);
        long unused = server.write(1, who == Person.SELF ? ScriptedServer.SELF : "eve", who, "/maestro approve");
        awaitLook();
        assertThat(item(merge).outcome()).isEmpty();
        assertThat(server.ownNotes(1)).hasSize(who == Person.SELF ? 2 : 1);
        assertThat(forge.conversation(subject).orElseThrow().comments())
                .hasSize(2)
                .noneMatch(comment -> forge.mayDecide(subject, comment));
    }

    /** Each person is asked about once, however much is written. */
    @Test
    void manyCommentsOfAStrangerCostNothingAndHideNobodys() {
        String merge = ask(1, Kind.MERGE, 1);
        watch.close();
        for (int i = 0; i < 2_100; i++) {
            long unused = server.write(1, "eve", Person.STRANGER, i < 1_800 ? "more" : "/maestro approve");
        }
        say("ann", "/maestro reject " + merge + " no");
        long reads = server.count("read");
        watch();
        watch.asked(subject, merge);
        awaitNote(0, "`ann` has decided **REJECTED**");
        assertThat(server.count("right")).isEqualTo(2);
        assertThat(server.count("read") - reads).isLessThan(20);
    }

    @Test
    void longCommentsOfAStrangerHideNobodys() {
        String merge = ask(1, Kind.MERGE, 1);
        String text = "\u20ac".repeat(65_000);
        for (int i = 0; i < 45; i++) {
            long unused = server.write(1, "eve", Person.STRANGER, text, Duration.ofDays(2));
        }
        say("ann", "/maestro approve");
        anotherLife();
        watch.asked(subject, merge);
        awaitNote(0, "`ann` has decided **APPROVED**");
        assertThat(server.ownNotes(1)).hasSize(1);
    }

    @Test
    @Full("the short tier has a stranger")
    void maestroItselfDecidesNothing() {
        whoMayNotWriteDecidesNothing(Person.SELF);
    }

    @Test
    void anEditedOrOlderCommentDecidesNothing() {
        say("ann", "/maestro approve");
        String merge = ask(1, Kind.MERGE, 1);
        server.edit(server.write(1, "ann", Person.MEMBER, "fine"), "/maestro approve");
        anotherLife();
        watch.asked(subject, merge);
        awaitLook();
        assertThat(item(merge).outcome()).isEmpty();
        say("ann", "/maestro approve");
        awaitNote(0, "`ann` has decided **APPROVED**");
    }

    /** Who has opened a request by hand is not asked about it. */
    @Test
    void whoHasMadeTheRequestDoesNotDecide() {
        String merge = ask(1, Kind.MERGE, 1);
        server.pull(1).author = "ann";
        say("ann", "/maestro approve");
        awaitLook();
        assertThat(item(merge).outcome()).isEmpty();
        say("bob", "/maestro approve");
        awaitNote(0, "`bob` has decided **APPROVED**");
    }

    @ParameterizedTest
    @ValueSource(strings = {"comment", "edit-comment"})
    void nothingIsWrittenTwiceWhateverIsLost(String operation) {
        server.faults.add(operation, ScriptedFaults.Kind.DROPPED_AFTER, 4);
        String merge = ask(1, Kind.MERGE, 1);
        say("bob", "/maestro approve");
        awaitNote(0, "`bob` has decided **APPROVED**");
        anotherLife();
        long looks = server.count("comments");
        watch.asked(subject, merge);
        await(server, () -> server.count("comments") > looks);
        watch.close();
        assertThat(server.ownNotes(1)).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"comments", "right", "viewer"})
    @Full("the short tier has the operations that write")
    void nothingIsWrittenTwiceWhateverElseIsLost(String operation) {
        nothingIsWrittenTwiceWhateverIsLost(operation);
    }

    /** As of a comment of somebody about whom the server tells nothing, for as long as that is so. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatFailsWithOneCommentKeepsNoOtherFromCounting(boolean unavailable) {
        AtomicBoolean fails = new AtomicBoolean(true);
        watch(new PassedOn(forge) {
            @Override
            public boolean mayDecide(Subject below, Comment comment) {
                if (comment.author().equals("eve") && fails.get()) {
                    throw unavailable ? new GitUnavailableException("no", null) : new GitException("no");
                }
                return super.mayDecide(below, comment);
            }
        });
        String call = ask(1, Kind.TOOL_CALL, 1);
        say("eve", "/maestro reject " + call + " never");
        say("ann", "/maestro approve " + call);
        awaitNote(0, "`ann` has decided **APPROVED**");
        String merge = ask(2, Kind.MERGE, 1);
        assertThat(inbox.answer(merge, InboxAnswer.approve("carol")).status()).isEqualTo(Inbox.Status.COUNTS);
        watch.lookSoon();
        awaitNote(1, "`carol` has decided **APPROVED**");
        String last = ask(3, Kind.MERGE, 1);
        fails.set(false);
        awaitNote(3, "@eve: this came too late for request `" + call + "`");
        assertThat(item(last).outcome()).isEmpty();
    }

    @Test
    void whatFailsWithOneRequestKeepsNoOtherFromItsTurn() {
        AtomicBoolean fails = new AtomicBoolean(true);
        AtomicReference<String> refused = new AtomicReference<>("");
        watch(new PassedOn(forge) {
            @Override
            public void post(Subject below, String text) {
                refuse(text);
                super.post(below, text);
            }

            @Override
            public void edit(Subject below, long id, String text) {
                refuse(text);
                super.edit(below, id, text);
            }

            private void refuse(String text) {
                if (fails.get() && text.contains("request=" + refused.get() + " ")) {
                    throw new GitException("no");
                }
            }
        });
        String first = ask(1, Kind.TOOL_CALL, 1);
        refused.set(first);
        String second = ask(2, Kind.MERGE, 1);
        say("ann", "/maestro reject " + first + " no");
        say("ann", "/maestro approve " + second);
        awaitNote(1, "`ann` has decided **APPROVED**");
        refused.set(proposal.storyId() + "/1/3");
        awaitNote(0, "`ann` has decided **REJECTED**");
        watch.asked(subject, open(3, Kind.MERGE, 1));
        String unused = ask(4, Kind.MERGE, 1);
        assertThat(server.ownNotes(1)).hasSize(3);
        fails.set(false);
        await(server, () -> server.ownNotes(1).size() == 4);
    }

    /** A host's own code may do anything. */
    @Test
    void aForgeThatDoesNotTellItsIntervalIsLookedAtAllTheSame() {
        watch(new PassedOn(forge) {
            @Override
            public Duration interval() {
                throw new IllegalStateException("no");
            }
        });
        String merge = ask(1, Kind.MERGE, 1);
        assertThat(inbox.answer(merge, InboxAnswer.approve("carol")).status()).isEqualTo(Inbox.Status.COUNTS);
        watch.lookSoon();
        awaitNote(0, "`carol` has decided **APPROVED**");
    }

    /** A later answer is the inbox's; here it is only told. */
    @Test
    void whatIsDecidedInTheInboxIsToldBelow() {
        String merge = ask(1, Kind.MERGE, 1);
        say("eve", "I would merge it");
        assertThat(inbox.answer(merge, InboxAnswer.reject("carol", "Not today."))
                        .status())
                .isEqualTo(Inbox.Status.COUNTS);
        watch.lookSoon(proposal.storyId());
        awaitNote(0, "`carol` has decided **REJECTED**");
        watch.close();
        assertThat(server.ownNotes(1)).hasSize(1);
    }

    @Test
    void whatIsDecidedInTheLastMomentIsToldBeforeTheEnd() {
        String merge = ask(1, Kind.MERGE, 1);
        awaitLook();
        server.faults.add("comments", ScriptedFaults.Kind.SLOW, Integer.MAX_VALUE);
        assertThat(inbox.answer(merge, InboxAnswer.approve("carol")).status()).isEqualTo(Inbox.Status.COUNTS);
        watch.lookSoon();
        watch.close();
        assertThat(server.ownNotes(1).get(0)).contains("`carol` has decided **APPROVED**");
    }

    @Test
    void nobodyIsAskedWhereThatIsNotWanted() {
        forge = server.forge().answersByComments(false).build();
        assertThat(forge.conversation(subject)).isEmpty();
        assertThat(server.count("comments")).isZero();
    }
}
