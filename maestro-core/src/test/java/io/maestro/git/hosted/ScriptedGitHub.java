package io.maestro.git.hosted;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.TestRepository;
import io.maestro.git.MergeMethod;
import io.maestro.git.hosted.ScriptedPull.Comment;
import io.maestro.git.hosted.ScriptedPull.Person;
import io.maestro.git.hosted.ScriptedPull.Talk;
import io.maestro.git.hosted.internal.Check;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** GitHub as a script. */
public final class ScriptedGitHub extends ScriptedServer {
    static final String NAME = "acme/shop";
    private static final String ROOT = "/api/v3";
    private static final String REPOSITORY = ROOT + "/repos/" + NAME;

    private static final List<Map.Entry<String, Pattern>> OPERATIONS = List.of(
            operation("list", "GET " + REPOSITORY + "/pulls"),
            operation("create", "POST " + REPOSITORY + "/pulls"),
            operation("read", "GET " + REPOSITORY + "/pulls/(\\d+)"),
            operation("update", "PATCH " + REPOSITORY + "/pulls/(\\d+)"),
            operation("merge", "PUT " + REPOSITORY + "/pulls/(\\d+)/merge"),
            operation("reviews", "GET " + REPOSITORY + "/pulls/(\\d+)/reviews"),
            operation("reviewers", "POST " + REPOSITORY + "/pulls/(\\d+)/requested_reviewers"),
            operation("reply", "POST " + REPOSITORY + "/pulls/(\\d+)/comments/(\\d+)/replies"),
            operation("labels", "POST " + REPOSITORY + "/issues/(\\d+)/labels"),
            operation("comments", "GET " + REPOSITORY + "/issues/(\\d+)/comments"),
            operation("comment", "POST " + REPOSITORY + "/issues/(\\d+)/comments"),
            operation("edit-comment", "PATCH " + REPOSITORY + "/issues/comments/(\\d+)"),
            operation("right", "GET " + REPOSITORY + "/collaborators/([^/]+)/permission"),
            operation("issue", "GET " + REPOSITORY + "/issues/(\\d+)"),
            operation("tip", "GET " + REPOSITORY + "/git/ref/heads/(.+)"),
            operation("repository", "GET " + REPOSITORY),
            operation("rules", "GET " + REPOSITORY + "/rules/branches/(.+)"),
            operation("commit", "GET " + REPOSITORY + "/git/commits/([0-9a-f]+)"),
            operation("checks", "GET " + REPOSITORY + "/commits/([0-9a-f]+)/check-runs"),
            operation("status", "GET " + REPOSITORY + "/commits/([0-9a-f]+)/status"),
            operation("of-commit", "GET " + REPOSITORY + "/commits/([0-9a-f]+)/pulls"),
            operation("compare", "GET " + REPOSITORY + "/compare/([0-9a-f]+)\\.\\.\\.([0-9a-f]+)"),
            operation("annotations", "GET " + REPOSITORY + "/check-runs/(\\d+)/annotations"),
            operation("log", "GET " + REPOSITORY + "/actions/jobs/(\\d+)/logs"),
            operation("queue-runs", "GET " + REPOSITORY + "/actions/runs"),
            operation("installation", "GET " + REPOSITORY + "/installation"),
            operation("access", "POST " + ROOT + "/app/installations/(\\d+)/access_tokens"),
            operation("graphql", "POST /api/graphql"));

    private static final List<Map.Entry<String, String>> GRAPHQL = List.of(
            Map.entry("query { viewer { login } }", "viewer"),
            Map.entry("resolveReviewThread", "resolve"),
            Map.entry("node(id: $id)", "thread"),
            Map.entry("nodes(ids: $ids)", "texts"),
            Map.entry("enqueuePullRequest", "enqueue"),
            Map.entry("dequeuePullRequest", "dequeue"),
            Map.entry("mergeQueueEntry", "queue"),
            Map.entry("mergeQueue(", "has-queue"));

    /** Tells whether an App has made a proof of who it is; nobody has installed one unless set. */
    private Predicate<String> app = proof -> false;

    private Duration tokenTime = Duration.ofHours(1);
    private boolean installed = true;

    private boolean squash = true;
    private final Map<String, List<ObjectNode>> statuses = new HashMap<>();
    private final ArrayNode queueRuns = object().putArray("all");

    public ScriptedGitHub(TestRepository repository) {
        super(repository, OPERATIONS);
    }

    @Override
    String root() {
        return ROOT;
    }

    @Override
    HostedForgeBuilder builder() {
        return HostedForge.gitHub().repository(NAME);
    }

    @Override
    List<String> faults(String method, String path, Map<String, String> query, String body, int status, String answer) {
        return PublishedApi.GITHUB.faults(method, path, query, body, status, answer);
    }

    @Override
    String word(Check.CheckState state) {
        return switch (state) {
            case GREEN -> "success";
            case RED -> "failure";
            case RUNNING -> "";
            case STUCK -> "cancelled";
        };
    }

    @Override
    synchronized void allows(MergeMethod method) {
        squash = method == MergeMethod.SQUASH;
    }

    @Override
    synchronized void queueCheck(int number, String name, Check.CheckState state, String log) {
        String commit = Long.toHexString(nextId()).repeat(14).substring(0, 40);
        String branch = "gh-readonly-queue/" + pull(number).base + "/pr-";
        String made = Instant.EPOCH.plusSeconds(nextId()).toString();
        queueRuns.removeAll();
        queueRuns
                .addObject()
                .put("head_branch", branch + number + "1-cd")
                .put("head_sha", "1".repeat(40))
                .put("created_at", made);
        queueRuns
                .addObject()
                .put("head_branch", branch + number + "-ab")
                .put("head_sha", commit)
                .put("created_at", made);
        check(commit, name, state, log);
    }

    @Override
    String operation(String method, String path, String body) {
        String name = super.operation(method, path, body);
        if (!name.equals("graphql")) {
            return name;
        }
        return GRAPHQL.stream()
                .filter(one -> body.contains(one.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse("threads");
    }

    /** An App is installed whose proofs are good as this says, and whose tokens are good for so long. */
    synchronized void app(Predicate<String> proves, Duration time) {
        app = proves;
        tokenTime = time;
    }

    synchronized void uninstalls() {
        installed = false;
    }

    @Override
    synchronized boolean isAuthorized(String operation, @Nullable String header) {
        return operation.equals("installation") || operation.equals("access")
                ? header != null && app.test(header.substring("Bearer ".length()))
                : super.isAuthorized(operation, header);
    }

    synchronized void status(String commit, String context, String state) {
        List<ObjectNode> all = statuses.computeIfAbsent(commit, key -> new ArrayList<>());
        all.removeIf(one -> one.path("context").asText().equals(context));
        all.add(object().put("context", context).put("state", state).put("description", "said " + state));
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
            case "list" -> list(query);
            case "create" -> create(body);
            case "tip" -> tip(first);
            case "commit" -> {
                ObjectNode commit = object().put("sha", first);
                commit.putArray("parents").addObject().put("sha", history.firstParent(first));
                yield Answer.of(200, commit);
            }
            case "checks" ->
                page(
                        runs.getOrDefault(first, List.of()).stream()
                                .map(run -> json(run, first))
                                .toList(),
                        query,
                        "check_runs");
            case "status" -> page(statuses.getOrDefault(first, List.of()), query, "statuses");
            case "of-commit" -> {
                ArrayNode all = object().putArray("all");
                pulls.values().stream()
                        .filter(one -> head(one).equals(first))
                        .forEach(one -> all.add(json(one, false)));
                yield Answer.of(200, all);
            }
            case "compare" ->
                Answer.of(200, object().put("status", history.contains(parts.get(1), first) ? "ahead" : "diverged"));
            case "repository" -> {
                ObjectNode repository = object().put("full_name", NAME).put("allow_squash_merge", squash);
                repository.putObject("permissions").put("push", mayWrite);
                yield Answer.of(200, repository);
            }
            case "installation" -> installed ? Answer.of(200, object().put("id", 77)) : Answer.failed(404, "Not Found");
            case "access" ->
                Answer.of(
                        201,
                        object().put("token", TOKEN)
                                .put("expires_at", Instant.now().plus(tokenTime).truncatedTo(ChronoUnit.SECONDS) + ""));
            case "rules" -> Answer.of(200, rules());
            case "annotations" -> Answer.of(200, annotations(first));
            case "log" ->
                logs.getOrDefault(first, "").isEmpty()
                        ? Answer.failed(404, "Not Found")
                        : new Answer(
                                302,
                                object(),
                                Map.of("Location", http.url("/blob/" + first).toString()));
            case "threads" -> Answer.of(200, threads(body.path("variables")));
            case "thread" -> Answer.of(200, thread(body.path("variables")));
            case "texts" -> Answer.of(200, texts(body.path("variables").path("ids")));
            case "viewer" -> {
                ObjectNode who = object();
                who.putObject("data").putObject("viewer").put("login", SELF);
                yield Answer.of(200, who);
            }
            case "right" -> rightAnswer(URLDecoder.decode(first, StandardCharsets.UTF_8), right(first));
            case "edit-comment" -> {
                edit(Long.parseLong(first), body.path("body").asText());
                yield Answer.of(200, object().put("id", Long.parseLong(first)));
            }
            case "resolve" -> resolve(body);
            case "queue-runs" -> {
                ObjectNode found = object().put("total_count", queueRuns.size());
                found.set("workflow_runs", queueRuns.deepCopy());
                yield Answer.of(200, found);
            }
            case "has-queue" -> {
                ObjectNode data = object();
                ObjectNode there = data.putObject("data").putObject("repository");
                there.set("mergeQueue", queues ? object().put("id", "MQ_1") : null);
                yield Answer.of(200, data);
            }
            case "queue" ->
                Answer.of(
                        200,
                        queue(pulls.get(body.path("variables").path("number").asInt())));
            case "enqueue" -> enqueue(body.path("variables"));
            case "dequeue" -> {
                String id = body.path("variables").path("id").asText();
                letsGo(Integer.parseInt(id.substring(3)), SELF, "");
                ObjectNode data = object();
                data.putObject("data");
                yield Answer.of(200, data);
            }
            default -> pull == null ? Answer.failed(404, "Not Found") : ofPull(operation, pull, parts, query, body);
        };
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
            }
            case "merge" -> {
                return merge(pull, body);
            }
            case "reviews" -> {
                return page(pull.reviews.stream().map(ScriptedGitHub::json).toList(), query, null);
            }
            case "comments" -> {
                return page(pull.notes.stream().map(ScriptedGitHub::json).toList(), query, null);
            }
            case "comment" -> {
                long id =
                        write(pull.number, SELF, Person.SELF, body.path("body").asText());
                return Answer.of(201, object().put("id", id));
            }
            case "issue" -> {
                ObjectNode issue = object().put("number", pull.number);
                issue.set("closed_by", pull.by.isEmpty() ? null : user(pull.by, Person.MEMBER));
                return Answer.of(200, issue);
            }
            case "labels" -> {
                ArrayNode all = object().putArray("all");
                body.path("labels").forEach(label -> pull.labels.add(label.asText()));
                pull.labels.forEach(label -> all.addObject().put("name", label));
                return Answer.of(200, all);
            }
            case "reviewers" -> {
                body.path("reviewers").forEach(login -> pull.requested.add(login.asText()));
                return Answer.of(201, json(pull, false));
            }
            case "reply" -> {
                return reply(pull, Long.parseLong(parts.get(1)), body);
            }
            default -> throw new AssertionError(operation);
        }
        return Answer.of(200, json(pull, true));
    }

    private Answer right(String encoded) {
        String login = URLDecoder.decode(encoded, StandardCharsets.UTF_8);
        Optional<String> permission = permission(login);
        if (permission.isEmpty()) {
            return Answer.failed(404, login + " is not a user");
        }
        ObjectNode right = object().put("permission", permission.get());
        right.set("user", user(login, who(login).orElseThrow()));
        return Answer.of(200, right);
    }

    /** By association each of them seems to have a say. */
    private static ObjectNode json(ScriptedPull.Note note) {
        Instant at = note.at().truncatedTo(ChronoUnit.SECONDS);
        ObjectNode json = object().put("id", note.id()).put("body", note.text());
        json.put("created_at", at.toString());
        json.put("updated_at", at.plusSeconds(note.edited() ? 60 : 0).toString());
        json.set("user", user(note.login(), note.who()));
        return json.put("author_association", "COLLABORATOR");
    }

    private Answer list(Map<String, String> query) {
        String head = query.getOrDefault("head", "");
        ArrayNode all = object().putArray("all");
        for (ScriptedPull pull : listed()) {
            if (head.equals("acme:" + pull.head) && (query.get("state").equals("all") || pull.open)) {
                all.add(json(pull, false));
            }
        }
        return Answer.of(200, all);
    }

    private Answer create(JsonNode body) {
        String head = body.path("head").asText();
        String base = body.path("base").asText();
        boolean there = hasOpen(head, base);
        if (there || history.tip(head).isEmpty()) {
            ObjectNode failed = object().put("message", "Validation Failed");
            failed.putArray("errors")
                    .addObject()
                    .put("message", there ? "A pull request already exists for acme:" + head + "." : "head is invalid");
            return Answer.of(422, failed);
        }
        ScriptedPull made = opened(
                head, base, body.path("title").asText(), body.path("body").asText());
        return Answer.of(201, json(made, true));
    }

    private Answer merge(ScriptedPull pull, JsonNode body) {
        beforeMerge(pull);
        String head = head(pull);
        if (pull.merged || !pull.open || !List.of("clean", "unstable").contains(state(pull))) {
            return Answer.failed(405, "Pull Request is not mergeable");
        }
        if (!body.path("sha").asText().equals(head)) {
            return Answer.failed(409, "Head branch was modified. Review and try the merge again.");
        }
        String message = body.path("commit_title").asText() + "\n\n"
                + body.path("commit_message").asText();
        merged(pull, head, SELF, body.path("merge_method").asText(), message);
        return Answer.of(
                200, object().put("sha", pull.mergeCommit).put("merged", true).put("message", "done"));
    }

    private Answer reply(ScriptedPull pull, long root, JsonNode body) {
        for (Talk thread : pull.threads) {
            if (thread.comments.get(0).id() == root) {
                Comment made = say(thread, SELF, Person.SELF, body.path("body").asText());
                return Answer.of(201, object().put("id", made.id()));
            }
        }
        return Answer.failed(404, "Not Found");
    }

    private Answer tip(String branch) {
        String tip = told(URLDecoder.decode(branch, StandardCharsets.UTF_8));
        ObjectNode ref = object().put("ref", "refs/heads/" + branch);
        ref.putObject("object").put("sha", tip);
        return tip.isEmpty() ? Answer.failed(404, "Not Found") : Answer.of(200, ref);
    }

    private ArrayNode rules() {
        ArrayNode all = object().putArray("all");
        all.addObject().put("type", "pull_request");
        if (queues) {
            all.addObject().put("type", "merge_queue");
        }
        ArrayNode required = all.addObject()
                .put("type", "required_status_checks")
                .putObject("parameters")
                .put("strict_required_status_checks_policy", upToDate)
                .putArray("required_status_checks");
        if (needsChecks) {
            required.addObject().put("context", "build");
        }
        return all;
    }

    private static ArrayNode annotations(String id) {
        ArrayNode all = object().putArray("all");
        all.addObject().put("path", "src/B.java").put("start_line", 3).put("message", "broken in run " + id);
        return all;
    }

    /** The last ones before a place. */
    private static <T> List<T> last(int most, List<T> all, JsonNode before, ObjectNode page) {
        int end = before.isTextual() ? Integer.parseInt(before.asText()) : all.size();
        int begin = Math.max(0, end - most);
        page.putObject("pageInfo").put("hasPreviousPage", begin > 0).put("startCursor", Integer.toString(begin));
        return all.subList(begin, end);
    }

    private ObjectNode threads(JsonNode variables) {
        ScriptedPull pull = pulls.get(variables.path("number").asInt());
        ObjectNode answer = object();
        ObjectNode data = answer.putObject("data");
        data.putObject("viewer").put("login", SELF);
        ObjectNode all = data.putObject("repository").putObject("pullRequest").putObject("reviewThreads");
        ArrayNode nodes = all.putArray("nodes");
        last(50, pull.threads, variables.path("before"), all).forEach(thread -> nodes.add(json(thread)));
        return answer;
    }

    private ObjectNode thread(JsonNode variables) {
        Talk thread = pulls.values().stream()
                .flatMap(pull -> pull.threads.stream())
                .filter(one -> one.id.equals(variables.path("id").asText()))
                .findFirst()
                .orElseThrow();
        ObjectNode answer = object();
        ObjectNode comments = answer.putObject("data").putObject("node").putObject("comments");
        ArrayNode nodes = comments.putArray("nodes");
        last(100, thread.comments, variables.path("before"), comments).forEach(one -> nodes.add(json(one)));
        return answer;
    }

    private ObjectNode texts(JsonNode ids) {
        Map<String, String> texts = new HashMap<>();
        pulls.values().stream()
                .flatMap(pull -> pull.threads.stream())
                .flatMap(thread -> thread.comments.stream())
                .forEach(comment -> texts.put(nodeId(comment), comment.text()));
        ObjectNode answer = object();
        ArrayNode nodes = answer.putObject("data").putArray("nodes");
        ids.forEach(id -> nodes.addObject().put("id", id.asText()).put("body", texts.get(id.asText())));
        return answer;
    }

    private static String nodeId(Comment comment) {
        return "PRRC_" + comment.id();
    }

    private Answer resolve(JsonNode body) {
        ObjectNode answer = object();
        if (!mayResolve) {
            answer.putArray("errors")
                    .addObject()
                    .put("type", "FORBIDDEN")
                    .put("message", "Resource not accessible by personal access token");
            return Answer.of(200, answer);
        }
        String id = body.path("variables").path("id").asText();
        pulls.values().stream()
                .flatMap(pull -> pull.threads.stream())
                .filter(thread -> thread.id.equals(id))
                .forEach(thread -> thread.resolved = true);
        answer.putObject("data");
        return Answer.of(200, answer);
    }

    private static ObjectNode queue(ScriptedPull pull) {
        ObjectNode answer = object();
        ObjectNode json = answer.putObject("data")
                .putObject("repository")
                .putObject("pullRequest")
                .put("id", "PR_" + pull.number);
        json.set("mergeQueueEntry", pull.queued ? object().put("position", 2) : null);
        ArrayNode nodes = json.putObject("timelineItems").putArray("nodes");
        ScriptedPull.Left left = pull.left;
        if (left != null) {
            ObjectNode event =
                    nodes.addObject().put("createdAt", left.at().toString()).put("reason", left.reason());
            event.putObject("actor")
                    .put("__typename", left.by().isEmpty() ? "Bot" : "User")
                    .put("login", left.by().isEmpty() ? "github-merge-queue" : left.by());
        }
        return answer;
    }

    private Answer enqueue(JsonNode variables) {
        ScriptedPull pull =
                pulls.get(Integer.parseInt(variables.path("id").asText().substring(3)));
        ObjectNode answer = object();
        String state = state(pull);
        if (!queues
                || pull.queued
                || !variables.path("commit").asText().equals(head(pull))
                || !state.equals("clean") && !(queuesBehind && state.equals("behind"))) {
            answer.putArray("errors")
                    .addObject()
                    .put("type", "UNPROCESSABLE")
                    .put("message", "Pull request is " + state);
            return Answer.of(200, answer);
        }
        pull.queued = true;
        answer.putObject("data")
                .putObject("enqueuePullRequest")
                .putObject("mergeQueueEntry")
                .put("position", 2);
        return Answer.of(200, answer);
    }

    private ObjectNode json(Run run, String commit) {
        ObjectNode json = object().put("id", run.id()).put("name", run.name()).put("head_sha", commit);
        String conclusion = run.word();
        json.put("status", conclusion.isEmpty() ? "in_progress" : "completed");
        json.put("conclusion", conclusion.isEmpty() ? null : conclusion);
        json.put("html_url", http.url("/runs/" + run.id()).toString());
        boolean job = !logs.getOrDefault(Long.toString(run.id()), "").isEmpty();
        json.putObject("app").put("slug", job ? "github-actions" : "some-app");
        json.putObject("output").put("title", run.name() + " says").put("summary", "a summary");
        return json;
    }

    private static ObjectNode user(String login, Person who) {
        return object().put("login", login).put("type", who == Person.BOT ? "Bot" : "User");
    }

    private static ObjectNode json(ScriptedPull.Review review) {
        ObjectNode json = object().put("id", review.id());
        json.put(
                "state",
                switch (review.verdict()) {
                    case APPROVED -> "APPROVED";
                    case CHANGES_WANTED -> "CHANGES_REQUESTED";
                    case COMMENTED -> "COMMENTED";
                    case WITHDRAWN -> "DISMISSED";
                });
        json.put("commit_id", review.commit()).put("body", review.text());
        json.set("user", user(review.login(), review.who()));
        return json.put("author_association", "MEMBER");
    }

    private static ObjectNode json(Talk thread) {
        ObjectNode node = object();
        node.put("id", thread.id).put("isResolved", thread.resolved);
        node.put("path", thread.path).put("line", thread.line).put("originalLine", thread.line);
        ObjectNode comments = node.putObject("comments");
        comments.putObject("pageInfo").put("hasNextPage", thread.comments.size() > 100);
        ArrayNode nodes = comments.putArray("nodes");
        thread.comments.stream().limit(100).forEach(comment -> nodes.add(json(comment)));
        return node;
    }

    /** Texts are asked for by themselves. */
    private static ObjectNode json(Comment comment) {
        ObjectNode json = object().put("id", nodeId(comment)).put("databaseId", comment.id());
        json.put("viewerDidAuthor", comment.who() == Person.SELF);
        json.putObject("author")
                .put("__typename", comment.who() == Person.BOT ? "Bot" : "User")
                .put("login", comment.login());
        return json;
    }

    private String state(ScriptedPull pull) {
        String set = pull.mergeable;
        if (set != null || !pull.open) {
            return set != null ? set : "unknown";
        }
        return switch (standing(pull)) {
            case CLEAN -> "clean";
            case CONFLICT -> "dirty";
            case BEHIND -> "behind";
            case UNAPPROVED -> "blocked";
        };
    }

    private ObjectNode json(ScriptedPull pull, boolean full) {
        ObjectNode json = object();
        json.put("number", pull.number)
                .put("html_url", http.url("/" + NAME + "/pull/" + pull.number).toString())
                .put("state", pull.open ? "open" : "closed")
                .put("title", pull.title)
                .put("body", pull.body)
                .put("draft", pull.draft);
        json.set("user", user(pull.author, Person.SELF));
        json.put("merged_at", pull.merged ? "2026-01-01T00:00:00Z" : null);
        json.put("merge_commit_sha", pull.mergeCommit.isEmpty() ? null : pull.mergeCommit);
        ObjectNode from = json.putObject("head").put("ref", pull.head).put("sha", head(pull));
        from.set("repo", pull.forkIsGone ? null : object().put("full_name", NAME));
        json.putObject("base").put("ref", pull.base).put("sha", history.tip(pull.base));
        pull.labels.forEach(label -> json.withArray("labels").addObject().put("name", label));
        pull.requested.forEach(login -> json.withArray("requested_reviewers").add(user(login, Person.MEMBER)));
        if (full) {
            json.put("merged", pull.merged);
            json.put("mergeable_state", state(pull));
            if (pull.merged) {
                json.set("merged_by", user(pull.by, Person.MEMBER));
            }
        }
        return json;
    }
}
