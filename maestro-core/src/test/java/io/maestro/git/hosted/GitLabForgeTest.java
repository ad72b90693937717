package io.maestro.git.hosted;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.TestRepository;
import io.maestro.git.Forge.Outcome;
import io.maestro.git.GitException;
import io.maestro.git.MergeMethod;
import io.maestro.git.hosted.ScriptedPull.Comment;
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

/** What is GitLab's own. */
class GitLabForgeTest extends HostedCase {
    @Override
    ScriptedGitLab server(TestRepository repository) {
        return new ScriptedGitLab(repository);
    }

    private ScriptedGitLab gitLab() {
        return (ScriptedGitLab) server;
    }

    @Test
    void rightsAndRulesAreLookedAtBeforehand() {
        String url = proposals.repository.url();
        server.requiresChecks();
        assertThat(forge.check(url, "main"))
                .hasValueSatisfying(found -> assertThat(found)
                        .contains("the branch 'main' is protected, pipelines must succeed")
                        .contains("let the merge method be semi-linear"));
        server.requiresUpToDate();
        assertThat(forge.check(url, "main"))
                .hasValueSatisfying(found -> assertThat(found).doesNotContain("semi-linear"));
        server.allows(MergeMethod.REBASE);
        assertThatThrownBy(() -> forge.check(url, "main"))
                .isInstanceOf(GitException.class)
                .hasMessageContaining(
                        "does not merge by MERGE: its merge method is 'ff' and its squash option 'never'");
        server.forbidsWriting();
        assertThatThrownBy(() -> forge.check(url, "main"))
                .isInstanceOf(GitException.class)
                .hasMessageContaining("may read acme/web/shop and not write to it");
    }

    @ParameterizedTest
    @CsvSource({"manual, PENDING", "failed, REFUSED"})
    void eachStatusOfAJobMeansSomething(String status, String outcome) {
        proposed();
        server.check(proposal.commit(), "build", Check.CheckState.GREEN, status, "");
        Outcome found = forge.merge(proposal);
        assertThat(found.getClass().getSimpleName().toUpperCase(Locale.ROOT)).isEqualTo(outcome);
    }

    @ParameterizedTest
    @CsvSource({"created, PENDING", "skipped, MERGED", "canceled, PENDING", "new_word, PENDING"})
    @Full("the short tier has two words")
    void eachOtherStatusOfAJobMeansSomething(String status, String outcome) {
        eachStatusOfAJobMeansSomething(status, outcome);
    }

    @Test
    void ofSeveralRunsOfOneCheckTheNewestCounts() throws IOException {
        standsByRecordedChecks("recorded-checks-gitlab.json");
    }

    @Test
    void aJobThatMayFailStandsInNobodysWay() {
        proposed();
        server.check(proposal.commit(), "maybe", Check.CheckState.RED, "");
        assertThat(forge.merge(proposal)).isInstanceOf(Outcome.Merged.class);
    }

    @Test
    void theCoderIsToldTheFailingPartOfTheLog() {
        proposed();
        String log = "section_start:1700000000:step_script\r\u001b[0K\u001b[0;m\n" + "noise\n".repeat(500)
                + "\u001b[31mAssertion broke\u001b[0;m\nsection_end:1700000001:step_script\r\u001b[0K\n"
                + "\u001b[31;1mERROR: Job failed: exit code 1\u001b[0;m\nCleaning up\n";
        server.check(proposal.commit(), "build", Check.CheckState.RED, log);
        server.check(proposal.commit(), "lint", Check.CheckState.RED, "");
        assertThat(((Outcome.Refused) forge.merge(proposal)).feedback())
                .contains("Checks of the merge request", "- build: failed", "Assertion broke\n", "- lint: failed")
                .contains("ERROR: Job failed: exit code 1")
                .doesNotContain("section_", "Cleaning up", "\u001b")
                .hasSizeLessThan(3000);
    }

    /** Pipelines for merged results run on a commit that is in no branch. */
    @Test
    void aPipelineOfTheMergedResultCounts() throws IOException {
        proposed();
        String together = proposals.pushedByOthers(proposal.branch());
        server.pull(1).shownHead = proposal.commit();
        gitLab().triedTogether(together, "integration", "failed");
        assertThat(((Outcome.Refused) forge.merge(proposal)).feedback()).contains("- integration: failed");
        gitLab().triedTogether(proposal.base(), "other", "failed");
        assertThat(forge.merge(proposal).toString()).doesNotContain("integration: failed");
    }

    @ParameterizedTest
    @CsvSource({
        "need_rebase, has not looked yet",
        "checking, has not looked yet",
        "ci_must_pass, is blocked by rules",
        "a_new_rule, is blocked by rules",
        "draft_status, mark it as ready"
    })
    void whatGitLabIsNotReadyForWaits(String status, String reason) {
        proposed();
        server.pull(1).mergeable = status;
        server.pull(1).draft = status.equals("draft_status");
        assertThat(pending(forge)).contains(reason);
    }

    /** Anybody may write into a thread, and GitLab gives it as a whole or not at all. */
    @Test
    void aThreadThatStrangersHaveMadeTooLongIsOpen() {
        proposed();
        Talk thread = server.thread(1, "bob", Person.MEMBER, "Do not merge.");
        Comment unused = server.say(thread, "eve", Person.STRANGER, "x".repeat(9_000_000));
        assertThat(pending(forge)).contains("too long to be read whole; merge it by hand");
    }

    @Test
    void anApprovalIsOfTheCommitThatWasThereThen() throws IOException {
        forge = server.forge().merge(MergePolicy.WHEN_APPROVED).build();
        proposed();
        server.review(1, "ann", Person.MEMBER, Verdict.APPROVED, proposal.commit(), "");
        proposal = proposals.next(proposal, "later");
        proposed();
        assertThat(pending(forge)).contains("needs an approving review of " + proposal.commit());
        server.review(1, "ann", Person.MEMBER, Verdict.APPROVED, proposal.commit(), "");
        assertThat(forge.merge(proposal)).isInstanceOf(Outcome.Merged.class);
    }
}
