package io.maestro.git.hosted.internal.gitlab;

import io.maestro.git.hosted.internal.ForgeApi;
import io.maestro.git.hosted.internal.HostTokens;
import io.maestro.git.hosted.internal.Product;
import io.maestro.git.hosted.internal.RepositoryName;
import io.maestro.git.hosted.internal.Server;
import io.maestro.git.hosted.internal.TokenSource;
import java.net.URI;
import java.util.List;
import java.util.Map;

/** gitlab.com, and GitLab on a server of one's own. */
public final class GitLab implements Product {
    @Override
    public String id() {
        return "gitlab";
    }

    @Override
    public String name() {
        return "GitLab";
    }

    @Override
    public String noun() {
        return "merge request";
    }

    @Override
    public String host() {
        return "gitlab.com";
    }

    @Override
    public boolean nests() {
        return true;
    }

    @Override
    public URI api(String host) {
        return URI.create("https://" + host + "/api/v4");
    }

    @Override
    public Map<String, String> headers() {
        return Map.of("Accept", "application/json");
    }

    @Override
    public String pageSize() {
        return "per_page";
    }

    @Override
    public String rights() {
        return "the scope 'api', and its account at least the role Developer in the project";
    }

    @Override
    public String tokenAdvice() {
        return "set GITLAB_TOKEN in the environment (with GITLAB_HOST for a server of one's own), run 'glab auth login'";
    }

    /** The variables are those of {@code glab}, where one token is for one server. */
    @Override
    public TokenSource tokens(Map<String, String> environment) {
        String set = environment.getOrDefault("GITLAB_HOST", "").strip();
        String own = set.isEmpty() ? host() : set.replaceFirst("^https?://", "").replaceFirst("[:/].*", "");
        return new HostTokens(
                environment,
                host -> host.equals(own) ? List.of("GITLAB_TOKEN", "GITLAB_ACCESS_TOKEN") : List.of(),
                List.of("glab", "config", "get", "token", "--host"));
    }

    @Override
    public Server open(ForgeApi api, RepositoryName repository) {
        return new GitLabServer(api, repository);
    }
}
