package io.maestro.git.hosted.internal.gitea;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.git.GitException;
import io.maestro.git.MergeMethod;
import io.maestro.git.hosted.internal.ForgeApi;
import io.maestro.git.hosted.internal.RepositoryName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Looks beforehand at what the token may do, and at the rules of the repository and of the target branch. */
final class GiteaRights {
    private static final Map<MergeMethod, String> ALLOWED = Map.of(
            MergeMethod.MERGE, "allow_merge_commits",
            MergeMethod.SQUASH, "allow_squash_merge",
            MergeMethod.REBASE, "allow_rebase");

    private final ForgeApi api;
    private final RepositoryName repository;
    private final String path;

    /** @param path of the repository */
    GiteaRights(ForgeApi api, RepositoryName repository, String path) {
        this.api = api;
        this.repository = repository;
        this.path = path;
    }

    private JsonNode branch(String name) {
        return api.get(path + "/branches/" + ForgeApi.encoded(name));
    }

    boolean requiresChecks(String targetBranch) {
        return requiresChecks(branch(targetBranch));
    }

    private static boolean requiresChecks(JsonNode branch) {
        return branch.path("enable_status_check").asBoolean();
    }

    String check(String targetBranch, @Nullable MergeMethod method) {
        JsonNode found = api.get(path);
        if (!found.path("permissions").path("push").asBoolean(true)) {
            throw new GitException("the token may read " + repository
                    + " and not write to it: give its account the right to write, or another token");
        }
        if (!found.path("has_pull_requests").asBoolean(true)) {
            throw new GitException(
                    "the repository " + repository + " has no pull requests: switch them on in its settings");
        }
        String allowed = method == null ? null : ALLOWED.get(method);
        if (allowed != null && !found.path(allowed).asBoolean(true)) {
            throw new GitException("the repository " + repository + " does not allow to merge by " + method
                    + ": allow it in the repository's settings, or set another method");
        }
        JsonNode branch = branch(targetBranch);
        List<String> rules = new ArrayList<>();
        rules.add(branch.path("protected").asBoolean() ? "is protected" : "is not protected");
        if (branch.path("required_approvals").asInt() > 0) {
            rules.add(branch.path("required_approvals").asInt() + " approvals are required");
        }
        if (requiresChecks(branch)) {
            rules.add("checks must succeed");
        }
        return "pull requests of " + repository + " can be made, and merged by "
                + (method == null ? "people" : method) + "; the branch '"
                + targetBranch
                + "' " + String.join(", ", rules)
                + "; let it block merges of requests that are outdated, so that nothing is merged untested";
    }
}
