package io.maestro.git.hosted.internal;

import io.maestro.git.MergeMethod;
import io.maestro.git.hosted.MergePolicy;
import io.maestro.git.internal.GitTimes;
import java.net.URI;
import java.net.http.HttpClient;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is set.
 *
 * @param connection which repository of which server
 * @param policy who merges
 * @param method how
 * @param labels put on each request
 * @param reviewers asked to look at each request; a team is {@code org/team}
 * @param comments whether people are asked below requests, and answer there
 * @param git how long git may show no progress
 * @param timing the other times
 */
public record ForgeSettings(
        ForgeConnection connection,
        MergePolicy policy,
        MergeMethod method,
        List<String> labels,
        List<String> reviewers,
        boolean comments,
        GitTimes git,
        Timing timing) {
    /**
     * How the server is reached.
     *
     * @param product what the server is
     * @param repository {@code owner/name}; null to take it from the remote
     * @param baseUrl where the API is; null to take it from the remote
     * @param token where the token comes from
     * @param client sends requests; follows no redirects
     */
    public record ForgeConnection(
            Product product,
            @Nullable String repository,
            @Nullable URI baseUrl,
            TokenSource token,
            HttpClient client) {}
}
