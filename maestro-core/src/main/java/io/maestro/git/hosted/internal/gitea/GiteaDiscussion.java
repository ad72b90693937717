package io.maestro.git.hosted.internal.gitea;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.git.ForgeComments.Comment;
import io.maestro.git.hosted.internal.ApiException;
import io.maestro.git.hosted.internal.Discussion;
import io.maestro.git.hosted.internal.ForgeApi;
import io.maestro.git.hosted.internal.IssueComments;
import io.maestro.git.hosted.internal.PullRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** The conversations of pull requests, which are in one list without pages: of one that is too long parts are read, without what is too long by itself. */
final class GiteaDiscussion implements Discussion {
    /** Where a list is divided that is too long. */
    private static final List<Duration> AGES =
            List.of(Duration.ZERO, Duration.ofMinutes(5), Duration.ofHours(1), Duration.ofDays(1), Duration.ofDays(30));

    /** How many answers are too long before the rest is left out. */
    private static final int MOST_TOO_LONG = 10;

    /** How many comments are read of a list that is too long. */
    private static final int MOST = 5_000;

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
    public List<Comment> of(PullRequest request) {
        List<Comment> found = new ArrayList<>();
        for (JsonNode json : all(comments.pathOf(request))) {
            found.add(IssueComments.comment(json, people.isSelf(json.path("user"))));
        }
        return found;
    }

    private Iterable<JsonNode> all(String list) {
        try {
            return api.get(list);
        } catch (ApiException e) {
            if (!e.isTooLong()) {
                throw e;
            }
            api.tellCut(list);
            return parts(list);
        }
    }

    /** Part of a list, in seconds of the epoch; a comment on a border may be in both. */
    private record TimeSlice(long since, long before) {}

    /** What is too long is divided again once all others of its size are read, so that it hides only what is close to it. */
    private Iterable<JsonNode> parts(String list) {
        Deque<TimeSlice> parts = new ArrayDeque<>();
        long now = Instant.now().getEpochSecond();
        long before = now + TimeUnit.DAYS.toSeconds(1);
        for (Duration age : AGES) {
            parts.add(new TimeSlice(now - age.toSeconds(), before));
            before = now - age.toSeconds();
        }
        parts.add(new TimeSlice(0, before));
        SortedMap<Long, JsonNode> found = new TreeMap<>();
        int tooLong = 0;
        while (!parts.isEmpty() && tooLong < MOST_TOO_LONG && found.size() < MOST) {
            TimeSlice part = parts.remove();
            try {
                api.get(list + "?since=" + time(part.since()) + "&before=" + time(part.before()))
                        .forEach(json -> found.put(json.path("id").asLong(), json));
            } catch (ApiException e) {
                if (!e.isTooLong()) {
                    throw e;
                }
                tooLong++;
                long middle = (part.since() + part.before()) / 2;
                if (middle > part.since()) {
                    parts.add(new TimeSlice(middle, part.before()));
                    parts.add(new TimeSlice(part.since(), middle));
                }
            }
        }
        return found.values();
    }

    private static String time(long second) {
        return ForgeApi.encodedWhole(Instant.ofEpochSecond(second).toString());
    }

    @Override
    public void post(PullRequest request, String text) {
        comments.post(request, text);
    }

    @Override
    public void edit(PullRequest request, long id, String text) {
        comments.edit(id, text);
    }
}
