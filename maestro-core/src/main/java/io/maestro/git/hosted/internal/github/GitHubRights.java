package io.maestro.git.hosted.internal.github;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.git.GitException;
import io.maestro.git.MergeMethod;
import io.maestro.git.hosted.internal.ForgeApi;
import io.maestro.git.hosted.internal.RepositoryName;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Looks beforehand at what the token may do and at the rules of the target branch, and asks what people may do. */
final class GitHubRights {
    private static final Map<MergeMethod, String> ALLOWED = Map.of(
            MergeMethod.MERGE, "allow_merge_commit",
            MergeMethod.SQUASH, "allow_squash_merge",
            MergeMethod.REBASE, "allow_rebase_merge");

    /** Those who may triage or read only are none of these. */
    private static final Set<String> WRITES = Set.of("admin", "write");

    private final ForgeApi api;
    private final RepositoryName repository;
    private final String path;
    private final GitHubQueue queue;

    /** @param path of the repository */
    GitHubRights(ForgeApi api, RepositoryName repository, String path, GitHubQueue queue) {
        this.api = api;
        this.repository = repository;
        this.path = path;
        this.queue = queue;
    }

    private JsonNode rules(String targetBranch) {
        return api.find(path + "/rules/branches/" + ForgeApi.encoded(targetBranch))
                .orElseGet(ForgeApi::object);
    }

    /** Those of a classic protection only administrators read; GitHub blocks the request by them. */
    boolean requiresChecks(String targetBranch) {
        for (JsonNode rule : rules(targetBranch)) {
            JsonNode parameters = rule.path("parameters");
            if (!parameters.path("required_status_checks").isEmpty()
                    || !parameters.path("workflows").isEmpty()) {
                return true;
            }
        }
        return false;
    }

    boolean mayWriteNow(String login) {
        return api.find(path + "/collaborators/" + ForgeApi.encodedWhole(login) + "/permission")
                .filter(right -> ForgeApi.text(right.path("user").path("type")).equals("User"))
                .filter(right -> ForgeApi.text(right.path("user").path("login")).equalsIgnoreCase(login))
                .filter(right -> WRITES.contains(ForgeApi.text(right.path("permission"))))
                .isPresent();
    }

    String check(String targetBranch, @Nullable MergeMethod method) {
        JsonNode found = api.get(path);
        if (!found.path("permissions").path("push").asBoolean(true)) {
            throw new GitException("the token may read " + repository
                    + " and not write to it: give its account the right to" + " write, or another token");
        }
        // Only those who may write see this.
        String allowed = method == null ? null : ALLOWED.get(method);
        if (allowed != null && !found.path(allowed).asBoolean(true)) {
            throw new GitException("the repository " + repository + " does not allow to merge by " + method
                    + ": allow it in the repository's settings, or set another method");
        }
        Set<String> rules = new TreeSet<>();
        boolean strict = false;
        for (JsonNode rule : rules(targetBranch)) {
            rules.add(ForgeApi.text(rule.path("type")));
            strict |= rule.path("parameters")
                    .path("strict_required_status_checks_policy")
                    .asBoolean();
        }
        boolean queues = rules.contains("merge_queue");
        if (method == MergeMethod.QUEUE && !queue.isThere(targetBranch)) {
            throw new GitException("the branch '" + targetBranch + "' of " + repository
                    + " has no merge queue: require one in its rules, or set another method");
        }
        if (method != null && method != MergeMethod.QUEUE && queues) {
            throw new GitException("the branch '" + targetBranch + "' of " + repository
                    + " is merged by its merge queue alone: set the method QUEUE");
        }
        return "pull requests of " + repository + " can be made, and merged by "
                + (method == null ? "people" : method) + "; rules of the branch '"
                + targetBranch + "': " + (rules.isEmpty() ? "none that are seen" : String.join(", ", rules))
                + (strict || queues
                        ? ""
                        : "; let them require branches to be up to date, so that nothing is merged untested");
    }
}
