package io.maestro.git.hosted.internal.gitlab;

import static io.maestro.git.hosted.internal.ForgeApi.text;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.git.Forge.Proposal;
import io.maestro.git.hosted.internal.ApiException;
import io.maestro.git.hosted.internal.Check;
import io.maestro.git.hosted.internal.ForgeApi;
import io.maestro.git.hosted.internal.PullRequest;
import io.maestro.git.hosted.internal.Server.Merge;
import io.maestro.git.hosted.internal.Server.Queue;
import java.util.List;

/**
 * The merge trains of a project's branches. That a train has let a request go stands in a note that the system writes, and nowhere
 * else.
 */
final class GitLabTrain {
    private static final int NOTES = 100;
    private static final String ADDED = "added this merge request to the merge train";
    private static final String STARTED = "started a merge train";
    private static final String REMOVED = "removed this merge request from the merge train";
    private static final String BECAUSE = " because ";

    private final ForgeApi api;
    private final String project;
    private final GitLabJobs jobs;

    GitLabTrain(ForgeApi api, String project, GitLabJobs jobs) {
        this.api = api;
        this.project = project;
        this.jobs = jobs;
    }

    private String car(PullRequest request) {
        return project + "/merge_trains/merge_requests/" + request.number();
    }

    Queue of(PullRequest request) {
        String status =
                api.find(car(request)).map(json -> text(json.path("status"))).orElse("");
        if (!status.isEmpty() && !status.contains("merged")) {
            return new Queue(true, 0, "", " (" + status + ")");
        }
        for (JsonNode note : api.newest(
                project + "/merge_requests/" + request.number() + "/notes?sort=desc&order_by=created_at", NOTES)) {
            String body = text(note.path("body"));
            if (!note.path("system").asBoolean()) {
                continue;
            }
            if (body.startsWith(ADDED) || body.startsWith(STARTED)) {
                return new Queue(true, 0, "", ", as far as is known");
            }
            if (body.startsWith(REMOVED)) {
                int why = body.indexOf(BECAUSE);
                return new Queue(
                        false,
                        note.path("id").asLong(),
                        why < 0 ? text(note.path("author").path("username")) : "",
                        why < 0 ? "" : " (" + api.line(body.substring(why + BECAUSE.length())) + ")");
            }
        }
        return new Queue(false, 0, "", "");
    }

    Merge add(Proposal proposal, PullRequest request) {
        try {
            JsonNode unused = api.change("POST", car(request), ForgeApi.object().put("sha", proposal.commit()));
            return Merge.refused("it is in the merge train");
        } catch (ApiException e) {
            // Not ready, there already, or another commit than the one that was asked for.
            if (e.status() == 400 || e.status() == 409 || e.status() == 422) {
                return Merge.refused(e.getMessage());
            }
            throw e;
        }
    }

    /** Fine when it is not in it any more. */
    void remove(PullRequest request) {
        try {
            JsonNode unused = api.change(
                    "POST",
                    project + "/merge_requests/" + request.number() + "/cancel_merge_when_pipeline_succeeds",
                    ForgeApi.object());
        } catch (ApiException e) {
            if (e.status() != 404 && e.status() != 405 && e.status() != 406) {
                throw e;
            }
        }
    }

    /** Those of the last pipeline that a train has started for a commit. */
    List<Check> checks(PullRequest request, String commit) {
        for (JsonNode pipeline :
                api.get(project + "/merge_requests/" + request.number() + "/pipelines?per_page=" + NOTES)) {
            if (text(pipeline.path("ref")).endsWith("/train") && jobs.isTryOf(text(pipeline.path("sha")), commit)) {
                return jobs.ofPipeline(pipeline.path("id").asLong());
            }
        }
        return List.of();
    }
}
