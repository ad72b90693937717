package io.maestro.git.hosted.internal.gitea;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.git.ForgeComments.Comment;
import io.maestro.git.hosted.internal.ApiException;
import io.maestro.git.hosted.internal.Discussion;
import io.maestro.git.hosted.internal.ForgeApi;
import io.maestro.git.hosted.internal.IssueComments;
import io.maestro.git.hosted.internal.Request;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** The conversations of pull requests, which are in one list without pages: of one that is too long the newest comments are read. */
final class GiteaDiscussion implements Discussion {
    /** How old a comment may be where all are too long; the first that is not is taken. */
    private static final List<Duration> AGES =
            List.of(Duration.ofDays(30), Duration.ofDays(1), Duration.ofHours(1), Duration.ofMinutes(5));

    private final ForgeApi api;
    private final IssueComments comments;
    private final GiteaPeople people;

    /** @param path of the repository */
    GiteaDiscussion(ForgeApi api, String path, GiteaPeople people) {
        this.api = api;
        this.comments = new IssueComments(api, path);
        this.people = people;
    }

    @Override
    public List<Comment> of(Request request) {
        List<Comment> found = new ArrayList<>();
        for (JsonNode json : all(comments.pathOf(request))) {
            found.add(IssueComments.comment(json, people.isSelf(json.path("user"))));
        }
        return found;
    }

    private JsonNode all(String list) {
        Iterator<Duration> ages = AGES.iterator();
        String part = list;
        while (true) {
            try {
                return api.get(part);
            } catch (ApiException e) {
                if (!e.isTooLong() || !ages.hasNext()) {
                    throw e;
                }
                api.tellCut(list);
                Instant since = Instant.now().minus(ages.next()).truncatedTo(ChronoUnit.SECONDS);
                part = list + "?since=" + ForgeApi.encodedWhole(since.toString());
            }
        }
    }

    @Override
    public void post(Request request, String text) {
        comments.post(request, text);
    }

    @Override
    public void edit(Request request, long id, String text) {
        comments.edit(id, text);
    }
}
