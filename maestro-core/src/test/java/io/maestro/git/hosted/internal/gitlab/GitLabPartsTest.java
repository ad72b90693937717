package io.maestro.git.hosted.internal.gitlab;

import static io.maestro.testing.AssertThat.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.git.hosted.internal.Check;
import io.maestro.git.hosted.internal.ForgeApi;
import io.maestro.git.hosted.internal.PullRequest;
import io.maestro.git.hosted.internal.RepositoryName;
import io.maestro.git.hosted.internal.TokenSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** GitLab's addresses and words. */
class GitLabPartsTest {
    @ParameterizedTest
    @CsvSource({
        "https://gitlab.com/acme/shop.git, gitlab.com, acme/shop",
        "https://oauth2:glpat-x@gitlab.com/acme/web/front/shop.git, gitlab.com, acme/web/front/shop",
        "git@git.example.org:acme/web/shop.git, git.example.org, acme/web/shop",
        "ssh://git@altssh.gitlab.com:443/acme/shop.git, gitlab.com, acme/shop"
    })
    void groupsCanBeInGroups(String url, String host, String name) {
        RepositoryName found = RepositoryName.ofUrl(url, true).orElseThrow();
        assertThat(found.host()).isEqualTo(host);
        assertThat(found).hasToString(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"https://gitlab.com/acme/../shop", "https://gitlab.com/shop", "git@gitlab.com:./a/b"})
    void whatIsNoProjectIsNone(String url) {
        assertThat(RepositoryName.ofUrl(url, true)).isEmpty();
    }

    @Test
    void aTokenOfOneServerIsGivenToNoOther() {
        TokenSource cloud = new GitLab().tokens(Map.of("GITLAB_TOKEN", "one"));
        assertThat(cloud.token("gitlab.com")).contains("one");
        assertThat(cloud.token("git.example.org")).isEmpty();
        TokenSource own = new GitLab()
                .tokens(Map.of("GITLAB_TOKEN", "one", "GITLAB_HOST", "https://git.example.org:8443/gitlab"));
        assertThat(own.token("git.example.org")).contains("one");
        assertThat(own.token("gitlab.com")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "success, false, GREEN",
        "skipped, false, GREEN",
        "pending, false, RUNNING",
        "canceling, true, RUNNING",
        "failed, false, RED",
        "failed, true, GREEN",
        "manual, false, STUCK",
        "manual, true, GREEN",
        "canceled, false, STUCK",
        "a_new_word, false, STUCK"
    })
    void eachStatusMeansSomething(String status, boolean mayFail, Check.CheckState state) {
        assertThat(GitLabJobs.state(status, mayFail)).isEqualTo(state);
    }

    @ParameterizedTest
    @CsvSource({
        "mergeable, READY",
        "conflict, STALE",
        "need_rebase, BEHIND",
        "preparing, UNKNOWN",
        "'', UNKNOWN",
        "not_approved, BLOCKED",
        "a_new_word, BLOCKED"
    })
    void eachMergeStatusMeansSomething(String status, PullRequest.Mergeable mergeable) {
        assertThat(GitLabServer.mergeable(status)).isEqualTo(mergeable);
    }

    @Test
    void theCommitOfATimeIsTheLastOneBeforeIt() {
        List<JsonNode> versions = List.of(
                version("c", "2026-01-03T00:00:00.000Z"),
                version("a", "2026-01-01T00:00:00.000Z"),
                version("b", "2026-01-02T00:00:00Z"));
        assertThat(GitLabTalk.headAt(versions, "2026-01-02T00:00:00.001Z")).isEqualTo("b");
        assertThat(GitLabTalk.headAt(versions, "2025-01-02T00:00:00Z")).isEmpty();
        assertThat(GitLabTalk.headAt(versions, "soon")).isEmpty();
    }

    private static JsonNode version(String commit, String at) {
        return ForgeApi.object().put("head_commit_sha", commit).put("created_at", at);
    }
}
