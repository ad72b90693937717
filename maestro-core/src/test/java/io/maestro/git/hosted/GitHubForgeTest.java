package io.maestro.git.hosted;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.TestRepository;
import io.maestro.git.Forge.Outcome;
import io.maestro.git.GitException;
import io.maestro.git.GitUnavailableException;
import io.maestro.git.MergeMethod;
import io.maestro.git.hosted.ScriptedFaults.Kind;
import io.maestro.git.hosted.ScriptedPull.Comment;
import io.maestro.git.hosted.ScriptedPull.Person;
import io.maestro.git.hosted.ScriptedPull.Talk;
import io.maestro.git.hosted.ScriptedPull.Verdict;
import io.maestro.git.hosted.internal.Check;
import io.maestro.testing.Full;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is GitHub's own. */
class GitHubForgeTest extends HostedCase {
    @Override
    ScriptedGitHub server(TestRepository repository) {
        return new ScriptedGitHub(repository);
    }

    private ScriptedGitHub gitHub() {
        return (ScriptedGitHub) server;
    }

    @Test
    void whatHasNotChangedIsAskedConditionally() {
        forge = server.forge().merge(MergePolicy.BY_PEOPLE).build();
        proposed();
        pending(forge);
        List<String> before = List.copyOf(server.log);
        pending(forge);
        assertThat(server.log.subList(before.size(), server.log.size()))
                .containsExactlyInAnyOrder(
                        "read 304", "checks 304", "status 304", "reviews 304", "tip 304", "threads 200");
    }

    @Test
    void rightsAndRulesAreLookedAtBeforehand() {
        String url = proposals.repository.url();
        server.requiresChecks();
        assertThat(forge.check(url, "main"))
                .hasValueSatisfying(found -> assertThat(found)
                        .contains("rules of the branch 'main': pull_request, required_status_checks")
                        .contains("let them require branches to be up to date"));
        server.requiresUpToDate();
        assertThat(forge.check(url, "main"))
                .hasValueSatisfying(found -> assertThat(found).doesNotContain("let them"));
        server.allows(MergeMethod.MERGE);
        assertThatThrownBy(
                        () -> server.forge().method(MergeMethod.SQUASH).build().check(url, "main"))
                .isInstanceOf(GitException.class)
                .hasMessageContaining("does not allow to merge by SQUASH");
        server.forbidsWriting();
        assertThatThrownBy(() -> forge.check(url, "main"))
                .isInstanceOf(GitException.class)
                .hasMessageContaining("may read acme/shop and not write to it");
        server.faults.add("*", Kind.UNAUTHORIZED, 1);
        assertThatThrownBy(() -> forge.check(url, "main"))
                .isInstanceOf(GitException.class)
                .hasMessageContaining("has expired");
        server.faults.add("*", Kind.DROPPED_BEFORE, 9);
        assertThatThrownBy(() -> forge.check(url, "main")).isInstanceOf(GitUnavailableException.class);
    }

    @Test
    void ofSeveralRunsOfOneCheckTheNewestCounts() throws IOException {
        standsByRecordedChecks("recorded-checks-github.json");
        // The published description of a run lacks this word; that of a suite has it.
        server.unknown.removeIf(fault -> fault.contains("/conclusion: does not have a value"));
    }

    @Test
    void aRemoteThatIsNoGitHubIsSaid() {
        HostedForge plain = HostedForge.gitHub().token(() -> "t").build();
        assertThatThrownBy(() -> plain.propose(proposal))
                .isInstanceOf(GitException.class)
                .hasMessageContaining("git@github.com:OWNER/NAME.git");
    }

    @ParameterizedTest
    @CsvSource({"neutral, MERGED", "cancelled, PENDING", "'', PENDING"})
    void eachConclusionOfACheckMeansSomething(String conclusion, String outcome) {
        proposed();
        server.check(proposal.commit(), "build", Check.CheckState.GREEN, conclusion, "");
        gitHub().status(proposal.commit(), "ci/other", "success");
        Outcome found = forge.merge(proposal);
        assertThat(found.getClass().getSimpleName().toUpperCase(Locale.ROOT)).isEqualTo(outcome);
        if (found instanceof Outcome.Pending pending) {
            assertThat(pending.reason()).contains("build");
        }
        // Words that the published description does not know are sent all the same.
        server.unknown.removeIf(fault -> fault.contains("/conclusion: does not have a value"));
    }

    @ParameterizedTest
    @CsvSource({"failure, REFUSED", "new_word, PENDING"})
    @Full("the short tier has three words")
    void eachOtherConclusionOfACheckMeansSomething(String conclusion, String outcome) {
        eachConclusionOfACheckMeansSomething(conclusion, outcome);
    }

    @ParameterizedTest
    @CsvSource("error, Refused")
    void eachStateOfAStatusMeansSomething(String state, String outcome) {
        proposed();
        gitHub().status(proposal.commit(), "ci/old", state);
        assertThat(forge.merge(proposal).getClass().getSimpleName()).isEqualTo(outcome);
    }

    @ParameterizedTest
    @CsvSource({"pending, Pending", "success, Merged"})
    @Full("the short tier has one word")
    void eachOtherStateOfAStatusMeansSomething(String state, String outcome) {
        eachStateOfAStatusMeansSomething(state, outcome);
    }

    @Test
    void theCoderIsToldWhatHasFailedAndWhereAndTheTokenGoesNowhere() {
        proposed();
        String log = "2026-01-01T00:00:00.1234567Z noise\n".repeat(500)
                + "2026-01-01T00:00:00.1234567Z \u001b[31mAssertion broke\u001b[0m\n"
                + "2026-01-01T00:00:01.1234567Z ##[error]Process completed with exit code 1.\n"
                + "2026-01-01T00:00:01.1234567Z Cleaning up\n";
        server.check(proposal.commit(), "build", Check.CheckState.RED, log);
        server.check(proposal.commit(), "lint", Check.CheckState.RED, "");
        server.check(proposal.commit(), "fine", Check.CheckState.GREEN, "");
        assertThat(((Outcome.Refused) forge.merge(proposal)).feedback())
                .contains("- build: failure", "build says", "src/B.java:3: broken in run", "Assertion broke\n")
                .contains("##[error]Process completed with exit code 1.", "- lint: failure")
                .doesNotContain("fine", "2026-01-01", "Cleaning up", "\u001b")
                .hasSizeLessThan(4000);
    }

    @ParameterizedTest
    @CsvSource({"behind, ''", "unknown, has not looked yet", "blocked, is blocked by rules", "draft, has not looked yet"
    })
    void whatGitHubIsNotReadyForWaits(String state, String reason) {
        proposed();
        server.pull(1).mergeable = state;
        server.pull(1).draft = state.equals("draft");
        assertThat(pending(forge)).contains(state.equals("draft") ? "mark it as ready" : reason);
    }

    @ParameterizedTest
    @ValueSource(strings = "clean")
    void peopleMergeWhereTheyAreToAndMaestroLearnsOfIt(String state) {
        forge = server.forge().merge(MergePolicy.BY_PEOPLE).build();
        proposed();
        server.pull(1).mergeable = state;
        server.review(1, "ann", Person.MEMBER, Verdict.APPROVED, proposal.commit(), "");
        assertThat(pending(forge)).contains("is to be merged by people").contains("/acme/shop/pull/1");
        server.merges(1, "ann", "merge");
        assertThat(forge.merge(proposal)).isEqualTo(new Outcome.Merged(server.pull(1).mergeCommit, true));
        assertThat(server.count("merge")).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"blocked", "unstable"})
    @Full("the short tier has what GitHub calls clean")
    void peopleMergeAlsoWhatGitHubCallsBlockedOrUnstable(String state) {
        peopleMergeWhereTheyAreToAndMaestroLearnsOfIt(state);
    }

    /** The words of a writer may be anywhere in it. */
    @Test
    void aThreadThatIsNotReadAsAWholeIsOpen() {
        proposed();
        Talk thread = server.thread(1, "eve", Person.STRANGER, "word");
        for (int i = 1; i < 2_200; i++) {
            boolean writer = i == 100;
            Comment unused =
                    server.say(thread, writer ? "bob" : "eve", writer ? Person.MEMBER : Person.STRANGER, "word");
        }
        assertThat(pending(forge)).contains("an open review thread that is too long to be read whole");
        thread.resolved = true;
        assertThat(forge.merge(proposal)).isInstanceOf(Outcome.Merged.class);
    }

    @Test
    void aMergeIsToldWhenItIsKnownAsWhat() {
        proposed();
        server.merges(1, "ann", "merge");
        String commit = server.pull(1).mergeCommit;
        server.pull(1).mergeCommit = "";
        assertThat(pending(forge)).contains("does not show yet");
        server.pull(1).mergeCommit = commit;
        assertThat(forge.merge(proposal)).isEqualTo(new Outcome.Merged(commit, true));
    }
}
