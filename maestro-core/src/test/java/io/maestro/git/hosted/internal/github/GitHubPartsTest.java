package io.maestro.git.hosted.internal.github;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.git.hosted.internal.Check;
import io.maestro.git.hosted.internal.TokenSource;
import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** GitHub's addresses and words. */
class GitHubPartsTest {
    @ParameterizedTest
    @CsvSource({
        "github.com, https://api.github.com, https://api.github.com/graphql",
        "acme.ghe.com, https://api.acme.ghe.com, https://api.acme.ghe.com/graphql",
        "git.example.org, https://git.example.org/api/v3, https://git.example.org/api/graphql"
    })
    void eachServerHasItsAddresses(String host, URI base, URI graphQl) {
        assertThat(new GitHub().api(host)).isEqualTo(base);
        assertThat(GitHub.graphQl(base)).isEqualTo(graphQl);
    }

    @ParameterizedTest
    @CsvSource({
        "success, GREEN",
        "neutral, GREEN",
        "skipped, GREEN",
        "failure, RED",
        "timed_out, RED",
        "startup_failure, RED",
        "cancelled, STUCK",
        "action_required, STUCK",
        "stale, STUCK",
        "a_new_word, STUCK",
        "'', STUCK"
    })
    void eachConclusionMeansSomething(String conclusion, Check.CheckState state) {
        assertThat(GitHubChecks.ofRun("completed", conclusion)).isEqualTo(state);
        assertThat(GitHubChecks.ofRun("in_progress", conclusion)).isEqualTo(Check.CheckState.RUNNING);
        assertThat(GitHubChecks.ofRun("queued", conclusion)).isEqualTo(Check.CheckState.RUNNING);
    }

    @ParameterizedTest
    @CsvSource({"success, GREEN", "failure, RED", "error, RED", "pending, RUNNING", "expected, RUNNING"})
    void eachStateOfAStatusMeansSomething(String word, Check.CheckState state) {
        assertThat(GitHubChecks.ofStatus(word)).isEqualTo(state);
    }

    @Test
    void aTokenOfOneServerIsGivenToNoOther() {
        TokenSource tokens = new GitHub()
                .tokens(Map.of("GITHUB_TOKEN", "second", "GH_TOKEN", " first\n", "GITHUB_ENTERPRISE_TOKEN", "other"));
        assertThat(tokens.token("github.com")).contains("first");
        assertThat(tokens.token("acme.ghe.com")).contains("first");
        assertThat(tokens.token("git.example.org")).contains("other");
        assertThat(tokens.token("github.com.example.org")).contains("other");
        assertThat(tokens).hasToString("***");
    }
}
