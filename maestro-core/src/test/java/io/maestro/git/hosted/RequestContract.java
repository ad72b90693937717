package io.maestro.git.hosted;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.git.Forge.Outcome;
import io.maestro.git.Forge.Proposal;
import io.maestro.git.GitUnavailableException;
import io.maestro.git.MergeMethod;
import io.maestro.git.hosted.ScriptedFaults.Kind;
import io.maestro.testing.Full;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** How requests come about and end, whatever goes wrong on the way. */
abstract class RequestContract extends HostedCase {
    @Test
    void aRequestIsMadeOnceAndFoundAgain() {
        String url = proposed();
        restart();
        assertThat(proposed()).isEqualTo(url).contains("/acme/").endsWith("/1");
        assertThat(server.count("create")).isEqualTo(1);
        assertThat(server.pull(1).title).isEqualTo(proposal.title());
        assertThat(server.pull(1).body)
                .contains("## What", "<!-- maestro story=" + proposal.storyId() + " attempt=1 -->");
    }

    /** An answer is lost at every request of both methods. */
    @ParameterizedTest
    @EnumSource(names = {"DROPPED_AFTER", "UNAUTHORIZED"})
    void whateverIsLostAnywhereThereIsOneRequestAndOneMerge(Kind kind) {
        for (String operation : new String[] {"list", "create", "read", "update", "labels"}) {
            server.faults.add(operation, kind, 1);
        }
        forge = server.forge().labels("bot").build();
        proposed();
        for (String operation :
                new String[] {"read", "checks", "status", "reviews", "threads", "tip", "merge", "commit"}) {
            server.faults.add(operation, kind, 1);
        }
        Outcome outcome = decided();

        assertThat(outcome).isInstanceOf(Outcome.Merged.class);
        assertThat(server.pulls()).hasSize(1);
        assertThat(server.count("create 201")).isEqualTo(1);
        assertThat(server.count("merge 200")).isEqualTo(1);
        if (kind != Kind.FORBIDDEN) {
            assertThat(server.pull(1).labels).containsExactly("bot");
        }
        assertThat(((Outcome.Merged) outcome).commit()).isEqualTo(server.pull(1).mergeCommit);
    }

    @ParameterizedTest
    @EnumSource(
            names = {
                "HALF_JSON_AFTER",
                "DROPPED_BEFORE",
                "BAD_GATEWAY_AFTER",
                "UNAVAILABLE_BEFORE",
                "TRUNCATED_AFTER",
                "TOO_MANY",
                "LIMIT_USED_UP",
                "FORBIDDEN"
            })
    @Full("the same way through the code; other faults")
    void whateverElseIsLostAnywhereThereIsOneRequestAndOneMerge(Kind kind) {
        whateverIsLostAnywhereThereIsOneRequestAndOneMerge(kind);
    }

    @ParameterizedTest
    @CsvSource({"create, SILENT_AFTER", "list, MOVED"})
    void timeAndRedirectsDoNoHarm(String operation, Kind kind) {
        forge = server.forge().timing(server.impatient()).build();
        server.faults.add(operation, kind, 1);
        proposed();
        assertThat(decided()).isInstanceOf(Outcome.Merged.class);
        assertThat(server.count("create 201")).isEqualTo(1);
        assertThat(server.count("merge 200")).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"merge, SILENT_AFTER", "read, SLOW", "read, MOVED"})
    @Full("the same way through the code; other operations")
    void timeAndRedirectsDoNoHarmElsewhere(String operation, Kind kind) {
        timeAndRedirectsDoNoHarm(operation, kind);
    }

    @ParameterizedTest
    @CsvSource("BAD_GATEWAY_AFTER, 30")
    void aRequestWhoseAnswerIsLostIsLookedForAlsoWhenListsShowItLate(Kind kind, int hidden) {
        server.faults.add("create", kind, 1);
        server.hides(hidden);
        proposed();
        restart();
        proposed();
        assertThat(server.pulls()).hasSize(1);
        assertThat(server.count("create 201")).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"DROPPED_AFTER, 3", "HALF_JSON_AFTER, 3", "DROPPED_AFTER, 9"})
    @Full("the same way through the code; other faults")
    void aRequestWhoseAnswerIsLostOtherwiseIsLookedForAlso(Kind kind, int hidden) {
        aRequestWhoseAnswerIsLostIsLookedForAlsoWhenListsShowItLate(kind, hidden);
    }

    @Test
    void aRequestOfAPersonIsTakenAndItsWordsStay() {
        server.opened(proposal.branch(), "main", "A person's title", "A person's words.");
        proposed();
        assertThat(server.pulls()).hasSize(1);
        assertThat(server.pull(1).title).isEqualTo("A person's title");
        assertThat(server.pull(1).body)
                .startsWith("A person's words.\n\n<!-- maestro story=")
                .contains("## What");
    }

    @Test
    void aRequestOfAForkThatWasDeletedIsNoneOfOurs() {
        server.openedFromAForkThatIsGone(proposal.branch(), "main");
        assertThat(proposed()).endsWith("/2");
        assertThat(decided()).isInstanceOf(Outcome.Merged.class);
        assertThat(server.pull(1).open).isTrue();
        // GitHub's description says otherwise of lists.
        server.unknown.removeIf(fault -> fault.contains("/head/repo: null found"));
    }

    @Test
    void anUpdateChangesMaestrosSectionOnly() throws IOException {
        proposed();
        ScriptedPull pull = server.pull(1);
        pull.title = "Better title";
        pull.body = "Before.\r\n" + pull.body.replace("Some words.", "edited") + "\n\nAfter.";
        proposal = proposals.next(proposal, "2");
        restart();
        proposed();
        assertThat(pull.title).isEqualTo("Better title");
        assertThat(pull.body)
                .startsWith("Before.\r\n")
                .endsWith("\n\nAfter.")
                .contains("Some words.")
                .doesNotContain("edited");
        assertThat(server.count("update")).isEqualTo(1);
    }

    @Test
    void anOldRequestOfTheSameNameIsNotTakenForThisOne() throws IOException {
        ScriptedPull old = server.opened(
                proposal.branch(), "main", "t", "<!-- maestro story=" + proposal.storyId() + " attempt=1 -->");
        old.shownHead = "1".repeat(40);
        old.open = false;
        old.merged = true;
        proposed();
        assertThat(server.pulls()).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource({"another, 1", "same, 3"})
    void aRequestThatIsRememberedIsNotTakenForAnotherStoryOrAttempt(String story, int attempt) throws IOException {
        proposed();
        server.faults.add("update", Kind.UNAVAILABLE_BEFORE, 9);
        assertThatThrownBy(() -> forge.withdraw(proposal, "It failed.")).isInstanceOf(GitUnavailableException.class);
        server.faults.clear();
        // Somebody deletes its branch.
        server.pull(1).open = false;
        Proposal next = proposals.next(proposal, "2");
        proposal = new Proposal(
                story.equals("same") ? next.storyId() : next.storyId() + "-" + story,
                attempt,
                next.title(),
                next.description(),
                next.repository(),
                next.remote(),
                next.branch(),
                next.commit(),
                next.base(),
                next.targetBranch(),
                List.of(),
                next.text());
        assertThat(proposed()).endsWith("/2");
        assertThat(decided()).isInstanceOf(Outcome.Merged.class);
        assertThat(server.pull(2).merged).isTrue();
    }

    @Test
    void labelsAndReviewersAreSetOnceAndWhatIsRefusedIsNoFailure() {
        forge = server.forge().labels("bot", "maestro").reviewers("ann", "bob").build();
        server.faults.add("labels", Kind.FORBIDDEN, 1);
        proposed();
        proposed();
        proposed();
        assertThat(server.pull(1).labels).containsExactly("bot", "maestro");
        assertThat(server.pull(1).requested).containsExactly("ann", "bob");
        assertThat(server.count("labels")).isEqualTo(2);
        assertThat(server.count("reviewers")).isEqualTo(1);
    }

    @Test
    void withoutATokenTheStoryWaitsAndSaysWhatToDo() {
        forge = server.forge().tokens(host -> Optional.empty()).build();
        assertThat(forge.propose(proposal)).isEmpty();
        Outcome.Pending pending = (Outcome.Pending) forge.merge(proposal);
        assertThat(pending.again()).isEqualTo(Duration.ofMinutes(5));
        assertThat(pending.reason()).contains("there is no token for 127.0.0.1").contains("call token(…)");
    }

    @ParameterizedTest
    @CsvSource("UNAUTHORIZED, has expired")
    void aTokenThatIsNotTakenParksTheStoryAndIsNotShown(Kind kind, String advice) {
        server.faults.add("*", kind, 100);
        assertThat(forge.propose(proposal)).isEmpty();
        assertThat(pending(forge)).contains(advice).doesNotContain(ScriptedServer.TOKEN);
        server.faults.clear();
        assertThat(decided()).isInstanceOf(Outcome.Merged.class);
    }

    @Test
    @Full("the short tier has a token that has expired")
    void aTokenThatMayNotDoThisParksTheStoryAndIsNotShown() {
        aTokenThatIsNotTakenParksTheStoryAndIsNotShown(Kind.FORBIDDEN, "may not do this; it needs ");
    }

    @ParameterizedTest
    @CsvSource({"TOO_MANY, 7, 7", "LIMIT_USED_UP, 38, 42"})
    void aRateLimitIsWaitedForAsLongAsTheServerSays(Kind kind, long least, long most) {
        proposed();
        server.faults.add("*", kind, 1);
        Duration again = ((Outcome.Pending) forge.merge(proposal)).again();
        assertThat(again).isBetween(Duration.ofSeconds(least), Duration.ofSeconds(most));
        server.faults.add("*", kind, 1);
        assertThatThrownBy(() -> forge.propose(proposal))
                .isInstanceOfSatisfying(
                        GitUnavailableException.class,
                        e -> assertThat(e.retryAfter())
                                .hasValueSatisfying(time -> assertThat(time)
                                        .isBetween(Duration.ofSeconds(least), Duration.ofSeconds(most))));
    }

    @Test
    void aServerThatIsDownIsUnavailable() {
        server.faults.add("*", Kind.DROPPED_BEFORE, 100);
        assertThatThrownBy(() -> forge.propose(proposal)).isInstanceOf(GitUnavailableException.class);
        assertThatThrownBy(() -> forge.merge(proposal)).isInstanceOf(GitUnavailableException.class);
    }

    @ParameterizedTest
    @EnumSource(names = "SQUASH")
    void itIsMergedAsItIsSetAndTheBranchIsGone(MergeMethod method) throws IOException {
        server.allows(method);
        forge = server.forge().method(method).build();
        proposed();
        assertThat(decided()).isEqualTo(new Outcome.Merged(proposals.tip("main"), false));
        assertThat(proposals.repository.git("cat-file", "-p", "main"))
                .contains(method == MergeMethod.MERGE ? "\nparent " + proposal.commit() : "tree ");
        if (method != MergeMethod.REBASE) {
            assertThat(proposals.repository.git("log", "-1", "--format=%(trailers)", "main"))
                    .as("fix: and whatever else the description says is none")
                    .isEqualTo("Maestro-Story: " + proposal.storyId() + "\nMaestro-Attempt: 1");
        }
        assertThat(proposals.tip(proposal.branch())).isEmpty();
        restart();
        assertThat(decided()).isEqualTo(new Outcome.Merged(proposals.tip("main"), true));
    }

    @ParameterizedTest
    @EnumSource(names = {"MERGE", "REBASE"})
    @Full("the same way through the code; other methods")
    void itIsMergedByTheOtherMethodsAndTheBranchIsGone(MergeMethod method) throws IOException {
        itIsMergedAsItIsSetAndTheBranchIsGone(method);
    }

    @Test
    void aBranchMayHaveAnyNameThatGitTakes() throws IOException {
        proposal = proposals.into(proposal, "release/1.0#\u00fc%41+&x");
        proposed();
        assertThat(decided()).isEqualTo(new Outcome.Merged(proposals.tip(proposal.targetBranch()), false));
    }
}
