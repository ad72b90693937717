package io.maestro.git.hosted.internal.gitlab;

import static io.maestro.git.hosted.internal.ForgeApi.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.git.hosted.internal.ForgeApi;
import io.maestro.git.hosted.internal.Listed;
import io.maestro.git.hosted.internal.PullRequest;
import io.maestro.git.hosted.internal.Review;
import io.maestro.git.hosted.internal.Review.ReviewVerdict;
import io.maestro.git.hosted.internal.ReviewThread;
import io.maestro.git.hosted.internal.ReviewThread.Author;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reads and writes what is said about a merge request. GitLab keeps no list of verdicts: who approves and who wants changes
 * stands with the reviewers, when they have said so in notes that the system writes, and of which commit that is in the request's
 * versions.
 */
final class GitLabTalk {
    private static final Set<String> OPEN = Set.of("unreviewed", "review_started");
    private static final String APPROVED = "approved this merge request";
    private static final String CHANGES = "requested changes";

    private final ForgeApi api;
    private final String project;
    private final GitLabPeople people;

    GitLabTalk(ForgeApi api, String project, GitLabPeople people) {
        this.api = api;
        this.project = project;
        this.people = people;
    }

    private String path(PullRequest request) {
        return project + "/merge_requests/" + request.number();
    }

    /** The newest first: the server is asked about a bounded number of people. */
    Listed<ReviewThread> threads(PullRequest request, Predicate<String> writers) {
        List<ReviewThread> threads = new ArrayList<>();
        Listed<JsonNode> all = discussions(request);
        for (int i = all.items().size() - 1; i >= 0; i--) {
            JsonNode discussion = all.items().get(i);
            JsonNode first = discussion.path("notes").path(0);
            if (first.path("resolvable").asBoolean()) {
                threads.add(thread(discussion, first, writers));
            }
        }
        Collections.reverse(threads);
        return new Listed<>(threads, all.whole());
    }

    private Listed<JsonNode> discussions(PullRequest request) {
        return api.latest(path(request) + "/discussions");
    }

    private ReviewThread thread(JsonNode discussion, JsonNode first, Predicate<String> writers) {
        List<ReviewThread.ThreadComment> comments = new ArrayList<>();
        boolean resolved = true;
        for (JsonNode note : discussion.path("notes")) {
            resolved &= !note.path("resolvable").asBoolean()
                    || note.path("resolved").asBoolean();
        }
        for (int i = resolved ? 0 : discussion.path("notes").size(); i > 0; i--) {
            JsonNode note = discussion.path("notes").path(i - 1);
            if (!note.path("system").asBoolean()) {
                JsonNode author = note.path("author");
                comments.add(new ReviewThread.ThreadComment(
                        note.path("id").asLong(),
                        text(author.path("username")),
                        people.author(author, writers),
                        text(note.path("body"))));
            }
        }
        Collections.reverse(comments);
        return ReviewThread.of(
                text(discussion.path("id")),
                resolved,
                place(first),
                first.path("id").asLong(),
                comments,
                true);
    }

    private static String place(JsonNode note) {
        JsonNode position = note.path("position");
        String path = text(position.path("new_path"));
        int line = position.path("new_line").asInt(position.path("old_line").asInt());
        return path.isEmpty() ? "about the whole change" : path + (line > 0 ? ":" + line : "");
    }

    /** What a person has said in notes. */
    private static final class Said {
        long note;
        String at = "";
        private List<String> before = List.of();
        private List<String> since = new ArrayList<>();

        void words(String text) {
            since.add(text);
        }

        /** Belongs to what was written since the verdict before. */
        void verdict(JsonNode json) {
            note = json.path("id").asLong();
            at = text(json.path("created_at"));
            before = since;
            since = new ArrayList<>();
        }

        String all() {
            return Stream.concat(before.stream(), since.stream()).collect(Collectors.joining("\n\n"));
        }
    }

    Listed<Review> reviews(PullRequest request, Predicate<String> writers) {
        Map<String, Said> approvals = new LinkedHashMap<>();
        Map<String, Said> changes = new LinkedHashMap<>();
        Listed<JsonNode> all = discussions(request);
        for (JsonNode discussion : all.items()) {
            for (JsonNode note : discussion.path("notes")) {
                read(note, discussion.path("individual_note").asBoolean(), approvals, changes);
            }
        }
        Map<String, Review> verdicts = new LinkedHashMap<>();
        for (JsonNode item : api.get(path(request) + "/reviewers")) {
            JsonNode user = item.path("user");
            String name = text(user.path("username"));
            String state = text(item.path("state"));
            Said said = changes.getOrDefault(name, new Said());
            // Whoever is asked again has not taken back what was wanted.
            boolean wants = state.equals("requested_changes") || OPEN.contains(state) && said.note > 0;
            if (wants && people.author(user, writers) == Author.PERSON) {
                long id = said.note > 0 ? said.note : user.path("id").asLong();
                verdicts.put(name, new Review(id, name, ReviewVerdict.CHANGES_WANTED, "", said.all()));
            }
        }
        JsonNode approvedBy = api.get(path(request) + "/approvals").path("approved_by");
        List<JsonNode> versions = approvedBy.isEmpty() ? List.of() : api.list(path(request) + "/versions", null);
        for (JsonNode item : approvedBy) {
            JsonNode user = item.path("user");
            String name = text(user.path("username"));
            if (!verdicts.containsKey(name) && people.author(user, writers) == Author.PERSON) {
                Said said = approvals.getOrDefault(name, new Said());
                String at = text(item.path("approved_at"));
                String commit = headAt(versions, at.isEmpty() ? said.at : at);
                verdicts.put(name, new Review(said.note, name, ReviewVerdict.APPROVED, commit, ""));
            }
        }
        return new Listed<>(List.copyOf(verdicts.values()), all.whole());
    }

    private static void read(JsonNode note, boolean alone, Map<String, Said> approvals, Map<String, Said> changes) {
        String author = text(note.path("author").path("username"));
        String body = text(note.path("body"));
        if (!note.path("system").asBoolean()) {
            if (alone && !note.path("resolvable").asBoolean()) {
                changes.computeIfAbsent(author, name -> new Said()).words(body);
            }
        } else if (body.startsWith(APPROVED)) {
            approvals.computeIfAbsent(author, name -> new Said()).verdict(note);
            changes.remove(author);
        } else if (body.startsWith(CHANGES)) {
            changes.computeIfAbsent(author, name -> new Said()).verdict(note);
        }
    }

    /** The commit that a request had at a time; empty when that is not known. */
    static String headAt(List<JsonNode> versions, String at) {
        String head = "";
        Instant newest = Instant.MIN;
        try {
            Instant time = Instant.parse(at);
            for (JsonNode version : versions) {
                Instant made = Instant.parse(text(version.path("created_at")));
                if (!made.isAfter(time) && made.isAfter(newest)) {
                    newest = made;
                    head = text(version.path("head_commit_sha"));
                }
            }
            return head;
        } catch (DateTimeParseException e) {
            return "";
        }
    }

    /**
     * The user names of reviewers.
     *
     * @param done those who have looked at it, or else those who have not yet
     */
    List<String> reviewers(PullRequest request, boolean done) {
        List<String> names = new ArrayList<>();
        for (JsonNode item : api.get(path(request) + "/reviewers")) {
            if (OPEN.contains(text(item.path("state"))) != done) {
                names.add(text(item.path("user").path("username")));
            }
        }
        return names;
    }

    /** Whoever is a reviewer is asked again by a note with a command, since the list stays as it is. */
    void invite(PullRequest request, Collection<String> names) {
        ObjectNode body = ForgeApi.object();
        ArrayNode ids = body.putArray("reviewer_ids");
        List<String> again = new ArrayList<>();
        List<String> missing = new ArrayList<>(names);
        for (JsonNode item : api.get(path(request) + "/reviewers")) {
            JsonNode user = item.path("user");
            ids.add(user.path("id").asLong());
            String name = text(user.path("username"));
            if (missing.removeIf(one -> one.equalsIgnoreCase(name))) {
                again.add("@" + name);
            }
        }
        for (String name : missing) {
            JsonNode user =
                    api.get("/users?username=" + ForgeApi.encodedWhole(name)).path(0);
            if (user.path("id").asLong() > 0) {
                ids.add(user.path("id").asLong());
            }
        }
        if (!missing.isEmpty()) {
            JsonNode unused = api.change("PUT", path(request), body);
        }
        if (!again.isEmpty()) {
            JsonNode unused = api.change(
                    "POST",
                    path(request) + "/notes",
                    ForgeApi.object().put("body", "/request_review " + String.join(" ", again)));
        }
    }
}
