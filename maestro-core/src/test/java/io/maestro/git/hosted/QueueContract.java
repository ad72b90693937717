package io.maestro.git.hosted;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.git.Forge.Outcome;
import io.maestro.git.GitException;
import io.maestro.git.GitUnavailableException;
import io.maestro.git.MergeMethod;
import io.maestro.git.hosted.ScriptedFaults.Kind;
import io.maestro.git.hosted.ScriptedPull.Person;
import io.maestro.git.hosted.internal.Check;
import io.maestro.testing.Full;
import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Work that goes through a merge queue. */
abstract class QueueContract extends HostedCase {
    @BeforeEach
    void queues() {
        server.queues = true;
        restart();
    }

    @Override
    void restart() {
        forge = server.forge().merge(MergePolicy.AUTO).method(MergeMethod.QUEUE).build();
    }

    private void enqueued() {
        proposed();
        assertThat(pending(forge)).contains("it is in the merge ");
        assertThat(server.pull(1).queued).isTrue();
    }

    /** The coder comes back with another commit, perhaps in another process. */
    private void comesBack() throws IOException {
        proposal = proposals.next(proposal, "better " + proposal.commit());
        restart();
        proposed();
    }

    @Test
    void itIsPutThereOnceAndMergedWhereverTheTargetBranchIs() throws IOException {
        proposed();
        proposals.moves("others.txt");
        assertThat(pending(forge)).contains("it is in the merge ");
        restart();
        assertThat(pending(forge)).contains("is in the merge queue of main");
        proposals.moves("others.txt");
        assertThat(pending(forge)).contains("is in the merge queue of main");
        assertThat(server.count("enqueue")).isEqualTo(1);
        assertThat(server.count("merge")).isZero();

        server.queueMerges(1);
        assertThat(decided()).isEqualTo(new Outcome.Merged(proposals.tip("main"), true));
        assertThat(proposals.tip(proposal.branch())).isEmpty();
    }

    @Test
    void aConflictIsForTheCoder() throws IOException {
        proposed();
        String tip = proposals.moves(proposal.storyId() + ".txt");
        assertThat(forge.merge(proposal)).isEqualTo(new Outcome.Moved(tip));
        assertThat(server.count("enqueue")).isZero();
    }

    @Test
    void whatTheQueueFindsComesBackToTheCoderOnceForEachCommit() throws IOException {
        enqueued();
        server.queueCheck(1, "together", Check.CheckState.RED, "Assertion broke\n");
        server.letsGo(1, "", "failed checks");
        for (int i = 0; i < 2; i++) {
            assertThat(((Outcome.Refused) forge.merge(proposal)).feedback())
                    .contains("- together: ", "Assertion broke");
            restart();
        }
        comesBack();
        assertThat(pending(forge)).contains("it is in the merge ");
        server.queueCheck(1, "together", Check.CheckState.RED, "");
        server.letsGo(1, "", "failed checks");
        assertThat(forge.merge(proposal)).isInstanceOf(Outcome.Refused.class);
        comesBack();
        enqueued();
        server.queueMerges(1);
        assertThat(decided()).isInstanceOf(Outcome.Merged.class);
        assertThat(server.count("enqueue")).isEqualTo(3);
    }

    @Test
    void whatPeopleWantTakesItOutOfTheQueue() throws IOException {
        enqueued();
        server.thread(1, "ann", Person.MEMBER, "Why not better?");
        assertThat(((Outcome.Refused) forge.merge(proposal)).feedback()).contains("Why not better?");
        assertThat(server.pull(1).queued).isFalse();
        assertThat(server.count("dequeue")).isEqualTo(1);
        comesBack();
        assertThat(server.pull(1).threads.get(0).resolved).isTrue();
        enqueued();
        server.queueMerges(1);
        assertThat(decided()).isInstanceOf(Outcome.Merged.class);
    }

    @Test
    void whatIsFoundWhileItWaitsIsTheQueuesBusiness() throws IOException {
        server.requiresUpToDate();
        proposed();
        proposals.moves("others.txt");
        assertThat(pending(forge)).contains("it is in the merge ");
        server.queueCheck(1, "together", Check.CheckState.RED, "");
        assertThat(pending(forge)).contains("is in the merge queue");
        proposals.moves("others.txt");
        assertThat(pending(forge)).contains("is in the merge queue");
        assertThat(server.count("enqueue")).isEqualTo(1);
    }

    /** The push itself takes the old commit out, and its checks say nothing of the new one. */
    @Test
    void whatTheQueueSaysOfAnEarlierCommitIsNotTakenForNews() throws IOException {
        enqueued();
        server.queueCheck(1, "together", Check.CheckState.RED, "");
        comesBack();
        server.letsGo(1, "", "source branch was updated");
        enqueued();
        server.letsGo(1, "", "it took too long");
        assertThat(pending(forge)).contains("(it took too long): put it back");
        assertThat(server.count("enqueue")).isEqualTo(2);
    }

    @Test
    void aStoryThatIsResumedIsPutThereAgain() {
        enqueued();
        forge.withdraw(proposal, "it was cancelled");
        server.letsGo(1, "", "closed");
        restart();
        assertThat(pending(forge)).contains("it is in the merge ");
        assertThat(server.pull(1).queued).isTrue();
        server.queueMerges(1);
        assertThat(decided()).isInstanceOf(Outcome.Merged.class);
        assertThat(server.pulls()).hasSize(1);
    }

    @Test
    void aQueueThatTakesNothingThatIsBehindSendsTheStoryBack() throws IOException {
        server.queuesBehind = false;
        server.requiresUpToDate();
        proposed();
        String tip = proposals.moves("others.txt");
        assertThat(pending(forge)).contains("is not merged: ");
        assertThat(forge.merge(proposal)).isEqualTo(new Outcome.Moved(tip));
    }

    @Test
    void whatPeopleWantedAndTookBackLetsItGoOn() {
        enqueued();
        ScriptedPull.Talk thread = server.thread(1, "ann", Person.MEMBER, "Why?");
        assertThat(forge.merge(proposal)).isInstanceOf(Outcome.Refused.class);
        thread.resolved = true;
        restart();
        assertThat(pending(forge)).contains("it is in the merge ");
    }

    @Test
    void whenTheTargetBranchHasMovedItsNewsAreTriedFirst() throws IOException {
        enqueued();
        server.queueCheck(1, "together", Check.CheckState.RED, "");
        server.letsGo(1, "", "failed checks");
        String tip = proposals.moves("others.txt");
        assertThat(forge.merge(proposal)).isEqualTo(new Outcome.Moved(tip));
        comesBack();
        enqueued();
    }

    @Test
    void whoTakesItOutDecides() {
        enqueued();
        server.letsGo(1, "ann", "");
        assertThat(pending(forge)).contains("ann has taken").contains("put it back, or close it");
        restart();
        assertThat(pending(forge)).contains("ann has taken");
        assertThat(server.count("enqueue")).isEqualTo(1);
        server.pull(1).queued = true;
        assertThat(pending(forge)).contains("is in the merge queue");
        server.queueMerges(1);
        assertThat(decided()).isInstanceOf(Outcome.Merged.class);
    }

    @Test
    void aQueueThatDoesNotWorkIsForPeople() {
        enqueued();
        server.queueCheck(1, "together", Check.CheckState.GREEN, "");
        server.letsGo(1, "", "it took too long");
        assertThat(pending(forge)).contains("the merge queue has let").contains("(it took too long)");
        assertThat(server.count("enqueue")).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(names = "DROPPED_AFTER")
    void whateverIsLostItIsThereOnce(Kind kind) {
        proposed();
        for (String operation : new String[] {"queue", "enqueue", "read", "tip"}) {
            server.faults.add(operation, kind, 1);
        }
        for (int i = 0; i < 20 && !server.pull(1).queued; i++) {
            try {
                assertThat(forge.merge(proposal)).isInstanceOf(Outcome.Pending.class);
            } catch (GitUnavailableException e) {
                // Tried again later.
            }
        }
        assertThat(pending(forge)).contains("is in the merge queue");
        assertThat(server.pull(1).queued).isTrue();
    }

    @ParameterizedTest
    @EnumSource(names = {"BAD_GATEWAY_AFTER", "HALF_JSON_AFTER", "TRUNCATED_AFTER", "DROPPED_BEFORE", "TOO_MANY"})
    @Full("the same way through the code; other faults")
    void whateverElseIsLostItIsThereOnce(Kind kind) {
        whateverIsLostItIsThereOnce(kind);
    }

    @Test
    void aBranchWithoutAQueueIsSaidBeforehand() {
        String url = proposals.repository.url();
        assertThat(forge.check(url, "main"))
                .hasValueSatisfying(found -> assertThat(found).contains("merged by QUEUE"));
        server.queues = false;
        assertThatThrownBy(() -> forge.check(url, "main"))
                .isInstanceOf(GitException.class)
                .hasMessageContaining("has no merge ");
        assertThat(server.forge()
                        .merge(MergePolicy.BY_PEOPLE)
                        .method(MergeMethod.QUEUE)
                        .build()
                        .check(url, "main"))
                .hasValueSatisfying(found -> assertThat(found).contains("merged by people"));
    }
}
