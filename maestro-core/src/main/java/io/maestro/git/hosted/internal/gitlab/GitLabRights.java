package io.maestro.git.hosted.internal.gitlab;

import static io.maestro.git.hosted.internal.ForgeApi.text;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.git.GitException;
import io.maestro.git.MergeMethod;
import io.maestro.git.hosted.internal.ForgeApi;
import io.maestro.git.hosted.internal.RepositoryName;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Looks beforehand at what the token may do, and at the rules of the project and of the target branch. */
final class GitLabRights {
    private static final int DEVELOPER = 30;

    private final ForgeApi api;
    private final RepositoryName repository;
    private final String project;

    GitLabRights(ForgeApi api, RepositoryName repository, String project) {
        this.api = api;
        this.repository = repository;
        this.project = project;
    }

    String check(String targetBranch, @Nullable MergeMethod method) {
        JsonNode found = api.get(project);
        JsonNode rights = found.path("permissions");
        int level = Math.max(
                rights.path("project_access").path("access_level").asInt(),
                rights.path("group_access").path("access_level").asInt());
        if (level < DEVELOPER) {
            throw new GitException("the token may read " + repository
                    + " and not write to it: give its account at least the role Developer, or another token");
        }
        if (text(found.path("merge_requests_access_level")).equals("disabled")) {
            throw new GitException(
                    "the project " + repository + " has no merge requests: switch them on in its settings");
        }
        String merges = text(found.path("merge_method"));
        String squash = text(found.path("squash_option"));
        boolean trains = found.path("merge_trains_enabled").asBoolean();
        if (method == MergeMethod.QUEUE && !trains) {
            throw new GitException("the project " + repository
                    + " has no merge trains: switch them on in its settings, or set another method");
        }
        if (method != null && !allows(merges, squash, method)) {
            throw new GitException(
                    "the project " + repository + " does not merge by " + method + ": its merge method is '"
                            + merges + "' and its squash option '" + squash
                            + "'; change these in its settings, or set another method");
        }
        boolean strict = trains && method == MergeMethod.QUEUE || merges.equals("ff") || merges.equals("rebase_merge");
        return "merge requests of " + repository + " can be made, and merged by "
                + (method == null ? "people" : method) + "; the branch '"
                + targetBranch + "' " + rules(found, targetBranch)
                + (strict ? "" : "; let the merge method be semi-linear, so that nothing is merged untested");
    }

    /** The rule is the project's. */
    boolean requiresChecks() {
        return requiresPipelines(api.get(project));
    }

    private static boolean requiresPipelines(JsonNode found) {
        return found.path("only_allow_merge_if_pipeline_succeeds").asBoolean();
    }

    private static boolean allows(String merges, String squash, MergeMethod method) {
        return switch (method) {
            case MERGE -> !merges.equals("ff") && !squash.equals("always");
            case SQUASH -> !squash.equals("never");
            case REBASE -> merges.equals("ff") && !squash.equals("always");
            case QUEUE -> true;
        };
    }

    private String rules(JsonNode found, String targetBranch) {
        List<String> rules = new ArrayList<>();
        JsonNode branch = api.get(project + "/repository/branches/" + ForgeApi.encodedWhole(targetBranch));
        rules.add(branch.path("protected").asBoolean() ? "is protected" : "is not protected");
        if (requiresPipelines(found)) {
            rules.add("pipelines must succeed");
        }
        if (found.path("only_allow_merge_if_all_discussions_are_resolved").asBoolean()) {
            rules.add("threads must be resolved");
        }
        return String.join(", ", rules);
    }
}
