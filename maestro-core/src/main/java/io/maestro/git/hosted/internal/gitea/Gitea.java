package io.maestro.git.hosted.internal.gitea;

import io.maestro.git.hosted.internal.ForgeApi;
import io.maestro.git.hosted.internal.HostTokens;
import io.maestro.git.hosted.internal.Product;
import io.maestro.git.hosted.internal.RepositoryName;
import io.maestro.git.hosted.internal.Server;
import io.maestro.git.hosted.internal.TokenSource;
import java.net.URI;
import java.util.List;
import java.util.Map;

/** Gitea and Forgejo, which have the same API. */
public final class Gitea implements Product {
    @Override
    public String id() {
        return "gitea";
    }

    @Override
    public String name() {
        return "Gitea";
    }

    @Override
    public String noun() {
        return "pull request";
    }

    @Override
    public String host() {
        return "gitea.com";
    }

    @Override
    public boolean nests() {
        return false;
    }

    @Override
    public URI api(String host) {
        return URI.create("https://" + host + "/api/v1");
    }

    @Override
    public Map<String, String> headers() {
        return Map.of("Accept", "application/json");
    }

    @Override
    public String pageSize() {
        return "limit";
    }

    @Override
    public String rights() {
        return "to read and write the repository and issues, and to read the user";
    }

    @Override
    public String tokenAdvice() {
        return "set GITEA_SERVER_TOKEN, and GITEA_SERVER_URL, in the environment";
    }

    /** The variables are those of {@code tea}, where one token is for one server. */
    @Override
    public TokenSource tokens(Map<String, String> environment) {
        String set = environment.getOrDefault("GITEA_SERVER_URL", "").strip();
        String own = set.isEmpty() ? host() : set.replaceFirst("^https?://", "").replaceFirst("[:/].*", "");
        return new HostTokens(
                environment, host -> host.equals(own) ? List.of("GITEA_SERVER_TOKEN") : List.of(), List.of());
    }

    @Override
    public Server open(ForgeApi api, RepositoryName repository) {
        return new GiteaServer(api, repository);
    }
}
