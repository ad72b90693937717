package io.maestro.git.hosted;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.TestRepository;
import io.maestro.git.MergeMethod;
import io.maestro.git.hosted.ScriptedPull.Comment;
import io.maestro.git.hosted.ScriptedPull.Person;
import io.maestro.git.hosted.ScriptedPull.Review;
import io.maestro.git.hosted.ScriptedPull.Talk;
import io.maestro.git.hosted.internal.Check;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Gitea as a script. A page has at most 50 items, however many are asked for. */
public final class ScriptedGitea extends ScriptedServer {
    static final String NAME = "acme/shop";
    private static final int MOST = 50;
    private static final String ROOT = "/api/v1";
    private static final String REPOSITORY = ROOT + "/repos/" + NAME;
    private static final String PULL = REPOSITORY + "/pulls/(\\d+)";

    private static final List<Map.Entry<String, Pattern>> OPERATIONS = List.of(
            operation("list", "GET " + REPOSITORY + "/pulls"),
            operation("create", "POST " + REPOSITORY + "/pulls"),
            operation("read", "GET " + PULL),
            operation("update", "PATCH " + PULL),
            operation("merge", "POST " + PULL + "/merge"),
            operation("reviews", "GET " + PULL + "/reviews"),
            operation("reply", "POST " + PULL + "/reviews"),
            operation("threads", "GET " + PULL + "/reviews/(\\d+)/comments"),
            operation("reviewers", "POST " + PULL + "/requested_reviewers"),
            operation("resolve", "POST " + REPOSITORY + "/pulls/comments/(\\d+)/resolve"),
            operation("labels", "POST " + REPOSITORY + "/issues/(\\d+)/labels"),
            operation("comments", "GET " + REPOSITORY + "/issues/(\\d+)/comments"),
            operation("comment", "POST " + REPOSITORY + "/issues/(\\d+)/comments"),
            operation("edit-comment", "PATCH " + REPOSITORY + "/issues/comments/(\\d+)"),
            operation("timeline", "GET " + REPOSITORY + "/issues/(\\d+)/timeline"),
            operation("known-labels", "GET " + REPOSITORY + "/labels"),
            operation("new-label", "POST " + REPOSITORY + "/labels"),
            operation("right", "GET " + REPOSITORY + "/collaborators/([^/]+)/permission"),
            operation("tip", "GET " + REPOSITORY + "/branches/(.+)"),
            operation("commit", "GET " + REPOSITORY + "/git/commits/([0-9a-f]+)"),
            operation("checks", "GET " + REPOSITORY + "/commits/([0-9a-f]+)/status"),
            operation("compare", "GET " + REPOSITORY + "/compare/([0-9a-f]+)\\.\\.\\.([0-9a-f]+)"),
            operation("self", "GET " + ROOT + "/user"),
            operation("repository", "GET " + REPOSITORY));

    private final Map<String, Long> labels = new LinkedHashMap<>();

    private boolean squash = true;

    public ScriptedGitea(TestRepository repository) {
        super(repository, OPERATIONS);
    }

    @Override
    String root() {
        return ROOT;
    }

    @Override
    HostedForgeBuilder builder() {
        return HostedForge.gitea().repository(NAME);
    }

    @Override
    List<String> faults(String method, String path, Map<String, String> query, String body, int status, String answer) {
        return PublishedApi.GITEA.faults(method, path, query, body, status, answer);
    }

    @Override
    String word(Check.CheckState state) {
        return switch (state) {
            case GREEN -> "success";
            case RED -> "failure";
            case RUNNING -> "pending";
            case STUCK -> "unheard-of";
        };
    }

    @Override
    synchronized void allows(MergeMethod method) {
        squash = method == MergeMethod.SQUASH;
    }

    @Override
    Answer answer(
            String operation,
            List<String> parts,
            Map<String, String> query,
            JsonNode body,
            @Nullable ScriptedPull pull) {
        String first = parts.isEmpty() ? "" : parts.get(0);
        return switch (operation) {
            case "list" -> paged(listed().stream().map(this::json).toList(), query, null);
            case "create" -> create(body);
            case "tip" -> tip(first);
            case "commit" -> {
                ObjectNode commit = object().put("sha", first);
                commit.putArray("parents").addObject().put("sha", history.firstParent(first));
                yield Answer.of(200, commit);
            }
            case "checks" -> {
                List<ObjectNode> all = new ArrayList<>();
                for (Run run : runs.getOrDefault(first, List.of())) {
                    all.add(object().put("id", run.id())
                            .put("context", run.name())
                            .put("status", run.word()));
                }
                yield paged(all, query, "statuses");
            }
            case "compare" ->
                Answer.of(200, object().put("total_commits", history.contains(first, parts.get(1)) ? 0 : 1));
            case "repository" -> {
                ObjectNode repository = object().put("full_name", NAME).put("has_pull_requests", true);
                repository.put("allow_merge_commits", true).put("allow_squash_merge", squash);
                repository.putObject("permissions").put("push", mayWrite);
                yield Answer.of(200, repository);
            }
            case "self" -> Answer.of(200, object().put("login", SELF));
            case "right" -> {
                String login = URLDecoder.decode(first, StandardCharsets.UTF_8);
                yield rightAnswer(login, permissionOf(login));
            }
            case "known-labels" -> {
                List<ObjectNode> all = new ArrayList<>();
                labels.forEach((name, id) -> all.add(object().put("id", id).put("name", name)));
                yield paged(all, query, null);
            }
            case "new-label" -> {
                long id = nextId();
                labels.put(body.path("name").asText(), id);
                yield Answer.of(201, object().put("id", id));
            }
            case "resolve" -> resolve(Long.parseLong(first));
            case "edit-comment" -> {
                edit(Long.parseLong(first), body.path("body").asText());
                yield Answer.of(200, object().put("id", Long.parseLong(first)));
            }
            default -> pull == null ? Answer.failed(404, "Not Found") : ofPull(operation, pull, parts, query, body);
        };
    }

    /** A program has an account as people have. */
    @Override
    Optional<String> rightOf(String login) {
        return who(login).equals(Optional.of(Person.BOT)) ? Optional.of("read") : super.rightOf(login);
    }

    private Answer permissionOf(String login) {
        Optional<String> permission = permission(login);
        if (permission.isEmpty()) {
            return Answer.failed(404, "user does not exist");
        }
        ObjectNode right = object().put("permission", permission.get());
        right.set("user", user(login));
        return Answer.of(200, right);
    }

    private static Answer paged(List<ObjectNode> all, Map<String, String> query, @Nullable String member) {
        int size = Math.min(MOST, Integer.parseInt(query.getOrDefault("limit", "30")));
        int page = Integer.parseInt(query.getOrDefault("page", "1"));
        Answer answer = page(all, Map.of("limit", Integer.toString(size), "page", Integer.toString(page)), member);
        return new Answer(200, answer.body(), Map.of("X-Total-Count", Integer.toString(all.size())));
    }

    private Answer ofPull(
            String operation, ScriptedPull pull, List<String> parts, Map<String, String> query, JsonNode body) {
        switch (operation) {
            case "read" -> {}
            case "update" -> {
                pull.body = body.path("body").asText(pull.body);
                opens(pull, body.path("state").asText().equals("open"));
                if (body.path("state").asText().equals("closed")) {
                    closes(pull.number, SELF);
                }
                return Answer.of(201, json(pull));
            }
            case "merge" -> {
                return merge(pull, body);
            }
            case "reviews" -> {
                return reviews(pull, query);
            }
            case "threads" -> {
                return Answer.of(200, comments(pull, Long.parseLong(parts.get(1))));
            }
            case "reply" -> {
                return reply(pull, body.path("comments").path(0));
            }
            case "labels" -> {
                body.path("labels")
                        .forEach(id -> labels.forEach((name, known) -> {
                            if (known == id.asLong()) {
                                pull.labels.add(name);
                            }
                        }));
                return Answer.of(200, object().putArray("all"));
            }
            case "reviewers" -> {
                body.path("reviewers").forEach(login -> pull.requested.add(login.asText()));
                return Answer.of(201, object().putArray("all"));
            }
            case "comments" -> {
                ArrayNode all = object().putArray("all");
                Instant since = Instant.parse(query.getOrDefault("since", Instant.EPOCH.toString()));
                Instant before = Instant.parse(query.getOrDefault("before", Instant.MAX.toString()));
                for (ScriptedPull.Note note : pull.notes) {
                    Instant at = note.at().truncatedTo(ChronoUnit.SECONDS);
                    if (at.isBefore(since) || at.isAfter(before)) {
                        continue;
                    }
                    ObjectNode json = all.addObject().put("id", note.id()).put("body", note.text());
                    json.put("created_at", at.toString());
                    json.put(
                            "updated_at", at.plusSeconds(note.edited() ? 60 : 0).toString());
                    json.set("user", user(note.login()));
                }
                return Answer.of(200, all);
            }
            case "comment" -> {
                long id =
                        write(pull.number, SELF, Person.SELF, body.path("body").asText());
                return Answer.of(201, object().put("id", id));
            }
            case "timeline" -> {
                List<ObjectNode> all = new ArrayList<>();
                all.add(object().put("type", "comment").set("user", user(SELF)));
                all.add(object().put("type", "close").set("user", user(pull.by)));
                return paged(all, query, null);
            }
            default -> throw new AssertionError(operation);
        }
        return Answer.of(200, json(pull));
    }

    private Answer create(JsonNode body) {
        String head = body.path("head").asText();
        String base = body.path("base").asText();
        if (hasOpen(head, base)) {
            return Answer.failed(409, "pull request already exists for these targets");
        }
        return Answer.of(
                201,
                json(opened(
                        head,
                        base,
                        body.path("title").asText(),
                        body.path("body").asText())));
    }

    private Answer merge(ScriptedPull pull, JsonNode body) {
        beforeMerge(pull);
        String head = head(pull);
        if (pull.merged || !pull.open || pull.draft || standing(pull) != Standing.CLEAN) {
            return Answer.failed(405, "Please try again later");
        }
        if (!body.path("head_commit_id").asText().equals(head)) {
            return Answer.failed(409, "head out of date");
        }
        String message = body.path("MergeTitleField").asText() + "\n\n"
                + body.path("MergeMessageField").asText();
        merged(pull, head, SELF, body.path("Do").asText(), message);
        return Answer.of(200, object());
    }

    private Answer tip(String branch) {
        String tip = told(URLDecoder.decode(branch, StandardCharsets.UTF_8));
        ObjectNode json = object().put("name", branch).put("protected", true).put("required_approvals", 1);
        json.put("enable_status_check", needsChecks);
        json.putObject("commit").put("id", tip);
        return tip.isEmpty() ? Answer.failed(404, "Not Found") : Answer.of(200, json);
    }

    private static ObjectNode user(String login) {
        return object().put("login", login);
    }

    /** Each comment is of a review of its own. */
    private Answer reviews(ScriptedPull pull, Map<String, String> query) {
        List<ObjectNode> all = new ArrayList<>();
        Map<String, ObjectNode> latest = new HashMap<>();
        for (Review review : pull.reviews) {
            if (review.verdict() == ScriptedPull.Verdict.WITHDRAWN) {
                latest.get(review.login()).put("dismissed", true);
                continue;
            }
            ObjectNode json = object().put("id", review.id());
            json.put(
                    "state",
                    switch (review.verdict()) {
                        case APPROVED -> "APPROVED";
                        case CHANGES_WANTED -> "REQUEST_CHANGES";
                        default -> "COMMENT";
                    });
            json.put(
                    "official",
                    review.verdict() != ScriptedPull.Verdict.COMMENTED
                            && rightOf(review.login()).equals(Optional.of("write")));
            json.put("commit_id", review.commit()).put("body", review.text()).put("dismissed", false);
            json.set("user", user(review.login()));
            latest.put(review.login(), json);
            all.add(json);
        }
        for (String login : pull.requested) {
            all.add(object().put("id", 1).put("state", "REQUEST_REVIEW").set("user", user(login)));
        }
        for (Talk thread : pull.threads) {
            for (Comment comment : thread.comments) {
                ObjectNode json = object().put("id", comment.id() + 1_000_000).put("state", "COMMENT");
                json.put("comments_count", 1).set("user", user(comment.login()));
                all.add(json);
            }
        }
        all.sort(Comparator.comparingLong(review -> review.path("id").asLong() % 1_000_000));
        return paged(all, query, null);
    }

    private ArrayNode comments(ScriptedPull pull, long review) {
        ArrayNode all = object().putArray("all");
        for (Talk thread : pull.threads) {
            for (Comment comment : thread.comments) {
                if (comment.id() + 1_000_000 == review) {
                    ObjectNode json = all.addObject().put("id", comment.id()).put("body", comment.text());
                    json.put("path", thread.path).put("position", thread.line).put("original_position", 0);
                    json.set("user", user(comment.login()));
                    boolean root = thread.comments.get(0) == comment;
                    json.set("resolver", root && thread.resolved ? user(SELF) : null);
                }
            }
        }
        return all;
    }

    private Answer reply(ScriptedPull pull, JsonNode comment) {
        for (Talk thread : pull.threads) {
            if (thread.path.equals(comment.path("path").asText())
                    && thread.line == comment.path("new_position").asInt()) {
                Comment made =
                        say(thread, SELF, Person.SELF, comment.path("body").asText());
                return Answer.of(200, object().put("id", made.id() + 1_000_000));
            }
        }
        return Answer.failed(422, "no such line");
    }

    private Answer resolve(long root) {
        if (!mayResolve) {
            return Answer.failed(404, "Not Found");
        }
        pulls.values().stream()
                .flatMap(pull -> pull.threads.stream())
                .filter(thread -> thread.comments.get(0).id() == root)
                .forEach(thread -> thread.resolved = true);
        return Answer.of(204, object());
    }

    private ObjectNode json(ScriptedPull pull) {
        ObjectNode json = object().put("number", pull.number)
                .put("html_url", http.url("/" + NAME + "/pulls/" + pull.number).toString())
                .put("state", pull.open ? "open" : "closed")
                .put("title", pull.title)
                .put("body", pull.body)
                .put("draft", pull.draft)
                .put("merged", pull.merged)
                .put("mergeable", pull.open && standing(pull) != Standing.CONFLICT);
        json.set("user", user(pull.author));
        json.put("merge_commit_sha", pull.mergeCommit.isEmpty() ? null : pull.mergeCommit);
        ObjectNode from = json.putObject("head").put("ref", pull.head).put("sha", head(pull));
        from.set("repo", pull.forkIsGone ? null : object().put("full_name", NAME));
        json.putObject("base").put("ref", pull.base);
        if (pull.merged) {
            json.set("merged_by", user(pull.by));
        }
        pull.labels.forEach(label -> json.withArray("labels").addObject().put("name", label));
        pull.requested.forEach(login -> json.withArray("requested_reviewers").add(user(login)));
        return json;
    }
}
