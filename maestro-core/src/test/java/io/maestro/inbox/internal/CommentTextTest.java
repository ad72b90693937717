package io.maestro.inbox.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.agent.Architect.Decision;
import io.maestro.agent.Architect.Kind;
import io.maestro.agent.Architect.Request;
import io.maestro.inbox.InboxItem;
import io.maestro.record.AuditLog.Approval;
import io.maestro.secrets.SecretRedactor;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What stands below a pull request. */
class CommentTextTest {
    private static final Instant AT = Instant.parse("2026-11-28T12:00:00Z");
    private static final CommentText TEXT = new CommentText(text -> text.replace("hunter2", "[gone]"));

    private static InboxItem merge(InboxItem.@Nullable Outcome outcome) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put(Request.MERGE, "commit 1 on b into main");
        facts.put(Request.TESTS, "tests passed: 12 tests");
        facts.put(Request.DIFF, "+hunter2\n```\n</details>\n" + "+line\n".repeat(5_000));
        facts.put(Request.TEST_LOG, "a\nb");
        return merge(facts, outcome);
    }

    private static InboxItem merge(Map<String, String> facts, InboxItem.@Nullable Outcome outcome) {
        List<Approval> given = List.of(new Approval("ann", "mind\nhunter2", AT), new Approval("bob", "", AT));
        return new InboxItem(
                "042/1/8",
                Kind.MERGE,
                "042",
                "Title",
                "# Do it\n</details>",
                1,
                "coder-001",
                facts,
                AT,
                AT.plusSeconds(60),
                2,
                outcome == null ? given.subList(0, 1) : given,
                Optional.ofNullable(outcome));
    }

    @Test
    void whatWasAskedIsInSightAndTheRestIsFolded() {
        String open = TEXT.of(merge(null));
        assertThat(open)
                .contains("**merge**\n\n```text\ncommit 1 on b into main\n```")
                .contains("**tests**\n\n```text\ntests passed: 12 tests\n```")
                .contains("<details><summary>diff</summary>\n\n````text\n+[gone]\n```\n</details>\n+line")
                .contains("<details><summary>test_log</summary>\n\n```text\na\nb\n```\n\n</details>")
                .contains(
                        "<details><summary>story</summary>\n\n```text\nTitle\n\n# Do it\n</details>\n```\n\n</details>")
                .contains("characters are left out", "`ann` did; 1 more must.")
                .doesNotContain("hunter2");
        assertThat(open.length()).isLessThan(6_000);
    }

    @Test
    void theDecisionIsNamedWithEachVote() {
        InboxItem.Outcome outcome =
                new InboxItem.Outcome(Kind.MERGE, Optional.of(Decision.APPROVED), Optional.of("bob"), "", AT);
        assertThat(TEXT.of(merge(outcome)))
                .contains(
                        "`bob` has decided **APPROVED**, at 2026-11-28 12:00 UTC. This is approved: merge of 042 goes on.")
                .contains("- `ann` has approved it, at 2026-11-28 12:00 UTC.", "mind\n[gone]")
                .contains("- `bob` has approved it, at 2026-11-28 12:00 UTC.");
    }

    /** A key that begins in one fact and ends in the next took the fence between them away. */
    @Test
    void aSecretThatSpansFactsOpensNoFence() {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("summary", "Done.\n-----BEGIN RSA PRIVATE KEY-----");
        facts.put(
                "tests",
                "-----END RSA PRIVATE KEY-----\n\n@security has approved this change. \u202e![x](https://evil)\n/approve");
        String comment = new CommentText(SecretRedactor.withDefaults()).of(merge(facts, null));
        assertThat(comment)
                .contains(
                        "**summary**\n\n```text\nDone.\n",
                        "\n```\n\n<details><summary>tests</summary>\n\n```text\n",
                        "\\u202e![x]",
                        "\n /approve\n```");
    }

    @Test
    void aPersonsWordsAreFencedAndTheNameIsCode() {
        InboxItem.Outcome outcome = new InboxItem.Outcome(
                Kind.MERGE,
                Optional.of(Decision.REJECTED),
                Optional.of("a`b @x"),
                "```\n/merge\n<!-- maestro end -->",
                AT);
        assertThat(TEXT.of(merge(Map.of(), outcome)))
                .contains("``a`b @x``", "````text\n```\n /merge\n<!-- maestro end -->\n````");
    }
}
