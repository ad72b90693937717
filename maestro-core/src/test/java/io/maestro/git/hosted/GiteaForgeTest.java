package io.maestro.git.hosted;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.TestRepository;
import io.maestro.git.Forge.Outcome;
import io.maestro.git.GitException;
import io.maestro.git.MergeMethod;
import io.maestro.git.hosted.ScriptedPull.Person;
import io.maestro.git.hosted.ScriptedPull.Talk;
import io.maestro.git.hosted.ScriptedPull.Verdict;
import io.maestro.git.hosted.internal.Check;
import io.maestro.testing.Full;
import java.io.IOException;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is Gitea's own. */
class GiteaForgeTest extends HostedCase {
    @Override
    ScriptedGitea server(TestRepository repository) {
        return new ScriptedGitea(repository);
    }

    @Test
    void rightsAndRulesAreLookedAtBeforehand() {
        String url = proposals.repository.url();
        server.requiresChecks();
        assertThat(forge.check(url, "main"))
                .hasValueSatisfying(found -> assertThat(found)
                        .contains("the branch 'main' is protected, 1 approvals are required, checks must succeed")
                        .contains("let it block merges of requests that are outdated"));
        server.allows(MergeMethod.MERGE);
        assertThatThrownBy(
                        () -> server.forge().method(MergeMethod.SQUASH).build().check(url, "main"))
                .isInstanceOf(GitException.class)
                .hasMessageContaining("does not allow to merge by SQUASH");
        server.forbidsWriting();
        assertThatThrownBy(() -> forge.check(url, "main"))
                .isInstanceOf(GitException.class)
                .hasMessageContaining("may read acme/shop and not write to it");
    }

    @ParameterizedTest
    @CsvSource({"warning, MERGED", "error, REFUSED", "pending, PENDING"})
    void eachStatusMeansSomething(String status, String outcome) {
        proposed();
        server.check(proposal.commit(), "build", Check.CheckState.GREEN, status, "");
        assertThat(forge.merge(proposal).getClass().getSimpleName().toUpperCase(Locale.ROOT))
                .isEqualTo(outcome);
    }

    @ParameterizedTest
    @CsvSource({"skipped, MERGED", "failure, REFUSED", "new_word, PENDING"})
    @Full("the short tier has one status for each outcome")
    void eachOtherStatusMeansSomething(String status, String outcome) {
        eachStatusMeansSomething(status, outcome);
    }

    /** It tells them only to an account that administers the repository. */
    @Test
    void whereRightsAreNotToldOnlyWhoHasGivenAnOfficialReviewIsHeard() {
        server.faults.add("right", ScriptedFaults.Kind.FORBIDDEN, Integer.MAX_VALUE);
        forge = server.forge().merge(MergePolicy.WHEN_APPROVED).build();
        proposed();
        server.review(1, "eve", Person.STRANGER, Verdict.APPROVED, proposal.commit(), "");
        Talk unused = server.thread(1, "bob", Person.MEMBER, "Use a map.");
        assertThat(pending(forge)).contains("needs an approving review");
        server.review(1, "ann", Person.MEMBER, Verdict.APPROVED, proposal.commit(), "");
        Talk thread = server.thread(1, "ann", Person.MEMBER, "Why not a set?");
        assertThat(((Outcome.Refused) forge.merge(proposal)).feedback())
                .contains("Why not a set?")
                .doesNotContain("Use a map.");
        thread.resolved = true;
        assertThat(forge.merge(proposal)).isInstanceOf(Outcome.Merged.class);
    }

    /** Its comments have no pages, and others may write into a review as well. */
    @Test
    void aReviewWhoseCommentsAreTooLongIsToldAndOpen() throws IOException {
        proposed();
        String text = "\u20ac".repeat(3_200_000);
        Talk unused = server.thread(1, "eve", Person.STRANGER, text);
        unused = server.thread(1, "ann", Person.MEMBER, text);
        assertThat(((Outcome.Refused) forge.merge(proposal)).feedback())
                .contains("ann: ", "too long to be read")
                .doesNotContain("eve");
        proposal = proposals.next(proposal, "better");
        proposed();
        assertThat(pending(forge)).contains("an open review thread that is too long to be read whole");
    }

    /** A writer may have answered in each. */
    @ParameterizedTest
    @CsvSource({"1, 9000000", "101, 1"})
    void reviewsOfStrangersThatAreNotReadWaitForAPerson(int count, int length) {
        proposed();
        for (int i = 0; i < count; i++) {
            Talk unused = server.thread(1, "eve", Person.STRANGER, "x".repeat(length));
        }
        assertThat(pending(forge)).contains("too long to be read whole; merge it by hand");
        server.merges(1, "ann", "merge");
        assertThat(forge.merge(proposal)).isInstanceOf(Outcome.Merged.class);
    }

    @Test
    void ofSeveralRunsOfOneCheckTheNewestCounts() throws IOException {
        standsByRecordedChecks("recorded-checks-gitea.json");
    }

    /** It lists no requests of a branch, and gives fewer at once than are asked for. */
    @Test
    void aRequestIsFoundAmongMany() throws IOException {
        proposed();
        for (int i = 0; i < 120; i++) {
            server.opened("other-" + i, "main", "t", "b").shownHead = proposal.base();
        }
        restart();
        assertThat(proposed()).endsWith("/pulls/1");
        assertThat(forge.merge(proposal)).isInstanceOf(Outcome.Merged.class);
    }
}
