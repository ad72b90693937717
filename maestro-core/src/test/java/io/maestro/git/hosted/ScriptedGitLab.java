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
import io.maestro.git.hosted.ScriptedPull.Verdict;
import io.maestro.git.hosted.internal.Check;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** GitLab as a script. */
public final class ScriptedGitLab extends ScriptedServer {
    static final String NAME = "acme/web/shop";
    private static final String ROOT = "/api/v4";
    private static final String PROJECT = ROOT + "/projects/acme%2Fweb%2Fshop";
    private static final String REQUEST = PROJECT + "/merge_requests/(\\d+)";

    private static final List<Map.Entry<String, Pattern>> OPERATIONS = List.of(
            operation("list", "GET " + PROJECT + "/merge_requests"),
            operation("create", "POST " + PROJECT + "/merge_requests"),
            operation("read", "GET " + REQUEST),
            operation("update", "PUT " + REQUEST),
            operation("merge", "PUT " + REQUEST + "/merge"),
            operation("threads", "GET " + REQUEST + "/discussions"),
            operation("reply", "POST " + REQUEST + "/discussions/([0-9a-f]+)/notes"),
            operation("resolve", "PUT " + REQUEST + "/discussions/([0-9a-f]+)"),
            operation("note", "POST " + REQUEST + "/notes"),
            operation("reviews", "GET " + REQUEST + "/approvals"),
            operation("states", "GET " + REQUEST + "/reviewers"),
            operation("versions", "GET " + REQUEST + "/versions"),
            operation("status", "GET " + REQUEST + "/pipelines"),
            operation("notes", "GET " + REQUEST + "/notes"),
            operation("queue", "GET " + PROJECT + "/merge_trains/merge_requests/(\\d+)"),
            operation("dequeue", "POST " + REQUEST + "/cancel_merge_when_pipeline_succeeds"),
            operation("enqueue", "POST " + PROJECT + "/merge_trains/merge_requests/(\\d+)"),
            operation("jobs", "GET " + PROJECT + "/pipelines/(\\d+)/jobs"),
            operation("log", "GET " + PROJECT + "/jobs/(\\d+)/trace"),
            operation("tip", "GET " + PROJECT + "/repository/branches/([^/]+)"),
            operation("compare", "GET " + PROJECT + "/repository/merge_base"),
            operation("checks", "GET " + PROJECT + "/repository/commits/([0-9a-f]+)/statuses"),
            operation("of-commit", "GET " + PROJECT + "/repository/commits/([0-9a-f]+)/merge_requests"),
            operation("commit", "GET " + PROJECT + "/repository/commits/([0-9a-f]+)"),
            operation("right", "GET " + PROJECT + "/members/all/(\\d+)"),
            operation("user", "GET " + ROOT + "/users/(\\d+)"),
            operation("users", "GET " + ROOT + "/users"),
            operation("self", "GET " + ROOT + "/user"),
            operation("repository", "GET " + PROJECT));

    private final Map<String, Long> users = new LinkedHashMap<>();
    private final Map<Long, Person> people = new LinkedHashMap<>();
    private String mergeMethod = "merge";
    private String squash = "default_off";
    private long pipeline;
    private String tried = "";
    private int train;
    private String trainHead = "";
    private final List<ObjectNode> triedJobs = new ArrayList<>();

    public ScriptedGitLab(TestRepository repository) {
        super(repository, OPERATIONS);
    }

    @Override
    String root() {
        return ROOT;
    }

    @Override
    HostedForgeBuilder builder() {
        return HostedForge.gitLab().repository(NAME);
    }

    @Override
    List<String> faults(String method, String path, Map<String, String> query, String body, int status, String answer) {
        return List.of();
    }

    @Override
    String word(Check.CheckState state) {
        return switch (state) {
            case GREEN -> "success";
            case RED -> "failed";
            case RUNNING -> "running";
            case STUCK -> "canceled";
        };
    }

    @Override
    public synchronized void requiresUpToDate() {
        super.requiresUpToDate();
        mergeMethod = "rebase_merge";
    }

    @Override
    synchronized void allows(MergeMethod method) {
        mergeMethod = method == MergeMethod.REBASE ? "ff" : "merge";
        squash = method == MergeMethod.SQUASH ? "always" : "never";
    }

    /** The last pipeline has run on a commit and the target branch merged for a try. */
    synchronized void triedTogether(String merged, String job, String status) {
        pipeline = nextId();
        tried = merged;
        triedJobs.add(job(pipeline + 1, job, status));
    }

    @Override
    String operation(String method, String path, String body) {
        String name = super.operation(method, path, body);
        return name.equals("update") && body.contains("add_labels")
                ? "labels"
                : name.equals("update") && body.contains("reviewer_ids") ? "reviewers" : name;
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
                ObjectNode commit = object().put("id", first);
                List<String> parents = first.equals(tried) && train > 0 ? List.of(trainHead) : history.parents(first);
                parents.forEach(commit.putArray("parent_ids")::add);
                yield Answer.of(200, commit);
            }
            case "checks" ->
                page(
                        runs.getOrDefault(first, List.of()).stream()
                                .map(run -> job(run.id(), run.name(), run.word()))
                                .toList(),
                        query,
                        null);
            case "status" -> Answer.of(200, pipelines());
            case "jobs" -> page(triedJobs, query, null);
            case "log" -> {
                String log = logs.getOrDefault(first, "");
                yield log.isEmpty() ? Answer.failed(404, "404 Not Found") : Answer.of(200, object().textNode(log));
            }
            case "of-commit" -> {
                ArrayNode all = object().putArray("all");
                pulls.values().stream().filter(one -> head(one).equals(first)).forEach(one -> all.add(json(one)));
                yield Answer.of(200, all);
            }
            case "compare" -> {
                String base = history.mergeBase(query.get("refs[]"), query.get("refs[]2"));
                yield base.isEmpty()
                        ? Answer.failed(404, "Could not find ref")
                        : Answer.of(200, object().put("id", base));
            }
            case "repository" -> Answer.of(200, project());
            case "self" -> Answer.of(200, user(SELF, Person.SELF));
            case "user" -> {
                long id = Long.parseLong(first);
                yield Answer.of(200, object().put("id", id).put("bot", people.get(id) == Person.BOT));
            }
            case "users" -> {
                ArrayNode all = object().putArray("all");
                all.add(user(query.get("username"), Person.MEMBER));
                yield Answer.of(200, all);
            }
            case "right" -> rightAnswer(login(Long.parseLong(first)), right(Long.parseLong(first)));
            default -> pull == null ? Answer.failed(404, "404 Not found") : ofPull(operation, pull, parts, query, body);
        };
    }

    private String login(long id) {
        return users.entrySet().stream()
                .filter(user -> user.getValue() == id)
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse("");
    }

    private Answer right(long id) {
        Optional<String> permission = users.entrySet().stream()
                .filter(user -> user.getValue() == id)
                .findFirst()
                .flatMap(user -> permission(user.getKey()));
        return people.get(id) == Person.STRANGER || permission.isEmpty()
                ? Answer.failed(404, "404 Not found")
                : Answer.of(
                        200,
                        object().put("id", id)
                                .put("access_level", permission.get().equals("write") ? 30 : 20)
                                .put("state", "active"));
    }

    private Answer ofPull(
            String operation, ScriptedPull pull, List<String> parts, Map<String, String> query, JsonNode body) {
        switch (operation) {
            case "read" -> {}
            case "update" -> {
                pull.body = body.path("description").asText(pull.body);
                opens(pull, body.path("state_event").asText().equals("reopen"));
                if (body.path("state_event").asText().equals("close")) {
                    closes(pull.number, SELF);
                }
            }
            case "labels" ->
                pull.labels.addAll(List.of(body.path("add_labels").asText().split(",", -1)));
            case "reviewers" -> {
                for (JsonNode id : body.path("reviewer_ids")) {
                    users.forEach((name, known) -> {
                        if (known == id.asLong() && latest(pull, name) == null) {
                            pull.requested.add(name);
                        }
                    });
                }
            }
            case "merge" -> {
                return merge(pull, body);
            }
            case "threads" -> {
                return discussions(pull, query);
            }
            case "notes" -> {
                return page(trainNotes(pull), query, null);
            }
            case "queue" -> {
                return pull.queued
                        ? Answer.of(200, object().put("id", pull.number).put("status", "fresh"))
                        : Answer.failed(404, "404 Not Found");
            }
            case "dequeue" -> {
                letsGo(pull.number, SELF, "");
                return Answer.of(201, json(pull));
            }
            case "enqueue" -> {
                if (!queues
                        || pull.queued
                        || !List.of("mergeable", queuesBehind ? "need_rebase" : "")
                                .contains(status(pull))
                        || !body.path("sha").asText().equals(head(pull))) {
                    return Answer.failed(409, "SHA does not match HEAD of source branch");
                }
                pull.queued = true;
                return Answer.of(201, object().putArray("cars"));
            }
            case "note" -> {
                String text = body.path("body").asText();
                for (String word : text.split(" ", -1)) {
                    if (text.startsWith("/request_review ") && word.startsWith("@")) {
                        pull.requested.add(word.substring(1));
                    }
                }
                return Answer.of(202, object().putNull("commands_changes"));
            }
            case "reviews" -> {
                return Answer.of(200, approvals(pull));
            }
            case "states" -> {
                return Answer.of(200, reviewers(pull));
            }
            case "versions" -> {
                List<ObjectNode> all = new ArrayList<>();
                pull.versions.forEach(version -> all.add(
                        0,
                        object().put("head_commit_sha", version.commit())
                                .put("created_at", version.since().toString())));
                return page(all, query, null);
            }
            case "reply" -> {
                return reply(pull, parts.get(1), body);
            }
            case "resolve" -> {
                return resolve(pull, parts.get(1));
            }
            default -> throw new AssertionError(operation);
        }
        return Answer.of(200, json(pull));
    }

    private Answer list(Map<String, String> query) {
        ArrayNode all = object().putArray("all");
        for (ScriptedPull pull : listed()) {
            if (query.get("source_branch").equals(pull.head)
                    && (query.get("state").equals("all") || pull.open)) {
                all.add(json(pull));
            }
        }
        return Answer.of(200, all);
    }

    private Answer create(JsonNode body) {
        String head = body.path("source_branch").asText();
        String base = body.path("target_branch").asText();
        if (hasOpen(head, base)) {
            ObjectNode failed = object();
            failed.putArray("message").add("Another open merge request already exists for this source branch: !1");
            return Answer.of(409, failed);
        }
        return Answer.of(
                201,
                json(opened(
                        head,
                        base,
                        body.path("title").asText(),
                        body.path("description").asText())));
    }

    private Answer merge(ScriptedPull pull, JsonNode body) {
        beforeMerge(pull);
        String head = head(pull);
        if (pull.merged || !pull.open || !status(pull).equals("mergeable")) {
            return Answer.failed(405, "405 Method Not Allowed");
        }
        if (!body.path("sha").asText().equals(head)) {
            return Answer.failed(409, "SHA does not match HEAD of source branch: " + head);
        }
        boolean squashed = body.path("squash").asBoolean();
        String message = body.path(squashed ? "squash_commit_message" : "merge_commit_message")
                .asText();
        merged(pull, head, SELF, squashed ? "squash" : mergeMethod.equals("ff") ? "ff" : "merge", message);
        return Answer.of(200, json(pull));
    }

    @Override
    void merged(ScriptedPull pull, String head, String login, String method, String message) {
        if (method.equals("ff")) {
            pull.mergeCommit = history.forward(pull.base, head);
            pull.shownHead = head;
            pull.open = false;
            pull.merged = true;
            pull.by = login;
        } else {
            super.merged(pull, head, login, method, message);
        }
    }

    private Answer tip(String branch) {
        String name = URLDecoder.decode(branch, StandardCharsets.UTF_8);
        String tip = told(name);
        ObjectNode json = object().put("name", name).put("protected", true);
        json.putObject("commit").put("id", tip);
        return tip.isEmpty() ? Answer.failed(404, "404 Branch Not Found") : Answer.of(200, json);
    }

    private ArrayNode pipelines() {
        ArrayNode all = object().putArray("all");
        if (pipeline > 0) {
            ObjectNode one =
                    all.addObject().put("id", pipeline).put("sha", tried).put("status", "success");
            one.put("ref", "refs/merge-requests/" + train + (train > 0 ? "/train" : "/merge"));
        }
        return all;
    }

    @Override
    synchronized void queueCheck(int number, String name, Check.CheckState state, String log) {
        long id = nextId();
        pipeline = nextId();
        tried = "2".repeat(40);
        train = number;
        trainHead = head(number);
        triedJobs.clear();
        triedJobs.add(job(id, name, word(state)));
        logs.put(Long.toString(id), log);
    }

    /** The newest first. */
    private List<ObjectNode> trainNotes(ScriptedPull pull) {
        List<ObjectNode> notes = new ArrayList<>();
        ScriptedPull.Left left = pull.left;
        if (left != null) {
            String because = left.by().isEmpty() ? " because " + left.reason() : "";
            notes.add(
                    note(nextId(), "ann", Person.MEMBER, "removed this merge request from the merge train, they say"));
            notes.add(note(
                            left.id(),
                            left.by().isEmpty() ? SELF : left.by(),
                            Person.MEMBER,
                            "removed this merge request from the merge train" + because)
                    .put("system", true));
            notes.add(note(nextId(), SELF, Person.SELF, "started a merge train").put("system", true));
        }
        return notes;
    }

    private ObjectNode job(long id, String name, String status) {
        return object().put("id", id)
                .put("name", name)
                .put("status", status)
                .put("allow_failure", name.startsWith("maybe"))
                .put("target_url", http.url("/jobs/" + id).toString());
    }

    private ObjectNode project() {
        ObjectNode project = object().put("path_with_namespace", NAME);
        project.put("merge_trains_enabled", queues);
        project.put("merge_method", mergeMethod).put("squash_option", squash);
        project.put("merge_requests_access_level", "enabled").put("only_allow_merge_if_pipeline_succeeds", needsChecks);
        ObjectNode permissions = project.putObject("permissions");
        permissions.putObject("project_access").put("access_level", mayWrite ? 30 : 20);
        permissions.putNull("group_access");
        return project;
    }

    private ObjectNode user(String login, Person who) {
        long id = users.computeIfAbsent(login, name -> 100L + users.size());
        if (who != Person.MEMBER || !people.containsKey(id)) {
            people.put(id, who);
        }
        return object().put("id", id).put("username", login);
    }

    private static @Nullable Review latest(ScriptedPull pull, String login) {
        Review latest = null;
        for (Review review : pull.reviews) {
            if (review.login().equals(login) && review.verdict() != Verdict.COMMENTED) {
                latest = review;
            }
        }
        return latest;
    }

    private ObjectNode approvals(ScriptedPull pull) {
        ObjectNode all = object();
        ArrayNode by = all.putArray("approved_by");
        for (Review review : pull.reviews) {
            if (review.verdict() == Verdict.APPROVED && latest(pull, review.login()) == review) {
                by.addObject().set("user", user(review.login(), review.who()));
            }
        }
        return all;
    }

    private ArrayNode reviewers(ScriptedPull pull) {
        ArrayNode all = object().putArray("all");
        pull.requested.forEach(name -> {
            ObjectNode one = all.addObject().put("state", "unreviewed");
            one.set("user", user(name, Person.MEMBER));
        });
        for (Review review : pull.reviews) {
            if (latest(pull, review.login()) == review && !pull.requested.contains(review.login())) {
                ObjectNode one = all.addObject();
                one.put(
                        "state",
                        switch (review.verdict()) {
                            case APPROVED -> "approved";
                            case CHANGES_WANTED -> "requested_changes";
                            default -> "unapproved";
                        });
                one.set("user", user(review.login(), review.who()));
            }
        }
        return all;
    }

    /** Also what the system notes about verdicts, and the words that go with them. */
    private Answer discussions(ScriptedPull pull, Map<String, String> query) {
        List<ObjectNode> all = new ArrayList<>();
        for (Review review : pull.reviews) {
            if (!review.text().isEmpty()) {
                all.add(discussion("a" + review.id(), note(review.id(), review.login(), review.who(), review.text())));
            }
            String said = switch (review.verdict()) {
                case APPROVED -> "approved this merge request";
                case CHANGES_WANTED -> "requested changes";
                case WITHDRAWN -> "unapproved this merge request";
                case COMMENTED -> "";
            };
            if (!said.isEmpty()) {
                ObjectNode note = note(review.id(), review.login(), review.who(), said);
                note.put("system", true).put("created_at", review.at().toString());
                all.add(discussion("b" + review.id(), note));
            }
        }
        for (Talk thread : pull.threads) {
            ObjectNode json = object().put("id", thread.id).put("individual_note", false);
            for (Comment comment : thread.comments) {
                ObjectNode note = note(comment.id(), comment.login(), comment.who(), comment.text());
                note.put("resolvable", true).put("resolved", thread.resolved);
                note.putObject("position").put("new_path", thread.path).put("new_line", thread.line);
                json.withArray("notes").add(note);
            }
            all.add(json);
        }
        all.sort(Comparator.comparingLong(
                discussion -> discussion.path("notes").path(0).path("id").asLong()));
        return page(all, query, null);
    }

    private static ObjectNode discussion(String id, ObjectNode note) {
        ObjectNode json = object().put("id", id).put("individual_note", true);
        json.putArray("notes").add(note);
        return json;
    }

    private ObjectNode note(long id, String login, Person who, String text) {
        ObjectNode note =
                object().put("id", id).put("body", text).put("system", false).put("resolvable", false);
        note.set("author", user(login, who));
        return note;
    }

    private Answer reply(ScriptedPull pull, String id, JsonNode body) {
        for (Talk thread : pull.threads) {
            if (thread.id.equals(id)) {
                Comment made = say(thread, SELF, Person.SELF, body.path("body").asText());
                return Answer.of(201, note(made.id(), SELF, Person.SELF, made.text()));
            }
        }
        return Answer.failed(404, "404 Discussion Not Found");
    }

    private Answer resolve(ScriptedPull pull, String id) {
        if (!mayResolve) {
            return Answer.failed(403, "403 Forbidden");
        }
        pull.threads.stream().filter(thread -> thread.id.equals(id)).forEach(thread -> thread.resolved = true);
        return Answer.of(200, object().put("id", id));
    }

    private String status(ScriptedPull pull) {
        String set = pull.mergeable;
        if (set != null || !pull.open) {
            return set != null ? set : "not_open";
        }
        return switch (standing(pull)) {
            case CLEAN -> pull.draft ? "draft_status" : "mergeable";
            case CONFLICT -> "conflict";
            case BEHIND -> "need_rebase";
            case UNAPPROVED -> "not_approved";
        };
    }

    private ObjectNode json(ScriptedPull pull) {
        ObjectNode json = object().put("iid", pull.number)
                .put(
                        "web_url",
                        http.url("/" + NAME + "/-/merge_requests/" + pull.number)
                                .toString())
                .put("state", pull.merged ? "merged" : pull.open ? "opened" : "closed")
                .put("title", pull.title)
                .put("description", pull.body)
                .put("draft", pull.draft)
                .put("sha", head(pull))
                .put("source_branch", pull.head)
                .put("target_branch", pull.base)
                .put("source_project_id", pull.forkIsGone ? null : Integer.valueOf(7))
                .put("target_project_id", 7)
                .put("detailed_merge_status", status(pull));
        boolean forward = pull.mergeCommit.equals(head(pull));
        json.put("merge_commit_sha", pull.merged && !forward ? pull.mergeCommit : null);
        json.putNull("squash_commit_sha");
        json.set("author", user(pull.author, pull.author.equals(SELF) ? Person.SELF : Person.MEMBER));
        if (!pull.by.isEmpty()) {
            json.set(pull.merged ? "merge_user" : "closed_by", user(pull.by, Person.MEMBER));
        }
        pull.labels.forEach(json.putArray("labels")::add);
        return json;
    }
}
