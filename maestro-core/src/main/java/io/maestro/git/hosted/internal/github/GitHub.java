package io.maestro.git.hosted.internal.github;

import io.maestro.git.hosted.internal.ForgeApi;
import io.maestro.git.hosted.internal.HostTokens;
import io.maestro.git.hosted.internal.Product;
import io.maestro.git.hosted.internal.RepositoryName;
import io.maestro.git.hosted.internal.Server;
import io.maestro.git.hosted.internal.TokenSource;
import java.net.URI;
import java.util.List;
import java.util.Map;

/** github.com, and GitHub Enterprise. */
public final class GitHub implements Product {
    @Override
    public String id() {
        return "github";
    }

    @Override
    public String name() {
        return "GitHub";
    }

    @Override
    public String noun() {
        return "pull request";
    }

    @Override
    public String host() {
        return "github.com";
    }

    @Override
    public boolean nests() {
        return false;
    }

    @Override
    public URI api(String host) {
        return isCloud(host) ? URI.create("https://api." + host) : URI.create("https://" + host + "/api/v3");
    }

    @Override
    public String host(URI api) {
        return api.getHost().equals("api.github.com") ? host() : api.getHost();
    }

    private static boolean isCloud(String host) {
        return host.equals("github.com") || host.endsWith(".ghe.com");
    }

    /** The address of GraphQL; a server of one's own has it beside the other API. */
    static URI graphQl(URI api) {
        String text = api.toString();
        return URI.create(
                text.endsWith("/api/v3") ? text.substring(0, text.length() - 2) + "graphql" : text + "/graphql");
    }

    @Override
    public Map<String, String> headers() {
        return Map.of("Accept", "application/vnd.github+json", "X-GitHub-Api-Version", "2022-11-28");
    }

    @Override
    public String pageSize() {
        return "per_page";
    }

    @Override
    public String rights() {
        return "to read and write contents and pull requests, and to read checks, statuses and actions";
    }

    @Override
    public String tokenAdvice() {
        return "set GH_TOKEN (GH_ENTERPRISE_TOKEN for a server of one's own) in the environment, run 'gh auth login'";
    }

    @Override
    public TokenSource tokens(Map<String, String> environment) {
        return new HostTokens(
                environment,
                host -> isCloud(host)
                        ? List.of("GH_TOKEN", "GITHUB_TOKEN")
                        : List.of("GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"),
                List.of("gh", "auth", "token", "--hostname"));
    }

    @Override
    public Server open(ForgeApi api, RepositoryName repository) {
        return new GitHubServer(api, repository);
    }
}
