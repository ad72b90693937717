package io.maestro.git.hosted;

import static io.maestro.git.hosted.ScriptedPull.object;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.TestRepository;
import io.maestro.git.hosted.internal.Timing;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * GitHub as a script: pull requests, reviews, threads and checks in memory, and a real repository behind them in which merges
 * are made. What people do are its methods.
 */
public final class ScriptedGitHub implements AutoCloseable {
    static final String SELF = "maestro-account";
    static final String NAME = "acme/shop";
    static final String TOKEN = "ghp_scriptedscriptedscripted0123456789";
    private static final String REPOSITORY = "/api/v3/repos/" + NAME;

    final ScriptedFaults faults = new ScriptedFaults();
    /** Each request as {@code METHOD operation status}. */
    final List<String> log = new ArrayList<>();
    /** What was asked of it that it does not know. */
    final List<String> unknown = new ArrayList<>();

    private final ScriptedHttp http;
    private final ScriptedHistory history;
    private final Map<Integer, ScriptedPull> pulls = new LinkedHashMap<>();
    private final Map<String, List<ObjectNode>> runs = new HashMap<>();
    private final Map<String, List<ObjectNode>> statuses = new HashMap<>();
    private final Map<String, String> logs = new HashMap<>();
    private long ids = 1000;
    private int hidden;
    private boolean upToDate;
    final ObjectNode repository = object().put("full_name", NAME).put("allow_squash_merge", false);
    private boolean needsApproval;
    private boolean mayResolve = true;
    private boolean endlessThreads;
    private Consumer<String> beforeMerge = sha -> {};
    private Runnable beforeTip = () -> {};
    private int tips;

    public ScriptedGitHub(TestRepository repository) {
        history = new ScriptedHistory(Path.of(repository.url()));
        http = new ScriptedHttp(this);
    }

    URI url() {
        return http.url("/api/v3");
    }

    /** A forge that asks this server, and waits for nothing that it need not. */
    public HostedForgeBuilder forge() {
        return http.forge(url());
    }

    /** With a shorter time until it is tried again when somebody has to mend something. */
    Timing shortTiming() {
        return new Timing(
                Duration.ofMillis(5), Duration.ZERO, Duration.ofMillis(5), Duration.ofMillis(1), ScriptedHttp.CALL);
    }

    /** With little patience for a server that does not answer. */
    Timing impatient() {
        return new Timing(
                Duration.ofMillis(5),
                Duration.ZERO,
                Duration.ofMillis(5),
                Duration.ofMillis(1),
                Duration.ofMillis(400));
    }

    /** Where a request's branch is. */
    synchronized String head(int number) {
        return history.tip(pull(number).head);
    }

    synchronized ScriptedPull pull(int number) {
        return pulls.get(number);
    }

    synchronized List<ScriptedPull> pulls() {
        return List.copyOf(pulls.values());
    }

    synchronized long count(String prefix) {
        return log.stream().filter(line -> line.startsWith(prefix)).count();
    }

    /** So many lists come that do not show the newest request. */
    synchronized void hides(int lists) {
        hidden = lists;
    }

    public synchronized void requiresUpToDate() {
        upToDate = true;
    }

    synchronized void requiresApproval() {
        needsApproval = true;
    }

    synchronized void forbidsResolving() {
        mayResolve = false;
    }

    /** There is always one more page of them. */
    synchronized void hasEndlessThreads() {
        endlessThreads = true;
    }

    synchronized void beforeMerge(Consumer<String> action) {
        beforeMerge = action;
    }

    /** Does something right before the target branch's tip is told for the nth time from now on. */
    synchronized void beforeTip(int nth, Runnable action) {
        tips = nth;
        beforeTip = action;
    }

    synchronized void check(String commit, String name, String conclusion, String log) {
        long id = ++ids;
        ObjectNode run = object().put("id", id).put("name", name).put("head_sha", commit);
        run.put("status", conclusion.isEmpty() ? "in_progress" : "completed");
        run.put("conclusion", conclusion.isEmpty() ? null : conclusion);
        run.put("html_url", http.url("/runs/" + id).toString());
        run.putObject("app").put("slug", log.isEmpty() ? "some-app" : "github-actions");
        run.putObject("output").put("title", name + " says").put("summary", "a summary");
        List<ObjectNode> all = runs.computeIfAbsent(commit, key -> new ArrayList<>());
        all.removeIf(one -> one.path("name").asText().equals(name));
        all.add(run);
        logs.put(Long.toString(id), log);
    }

    synchronized void status(String commit, String context, String state) {
        List<ObjectNode> all = statuses.computeIfAbsent(commit, key -> new ArrayList<>());
        all.removeIf(one -> one.path("context").asText().equals(context));
        all.add(object().put("context", context).put("state", state).put("description", "said " + state));
    }

    synchronized void review(int number, String login, String association, String state, String commit, String text) {
        ObjectNode review = object().put("id", ++ids)
                .put("state", state)
                .put("commit_id", commit)
                .put("body", text);
        review.set("user", ScriptedPull.user(login));
        review.put("author_association", association);
        pull(number).reviews.add(review);
        pull(number).requested.remove(login);
    }

    synchronized ScriptedPull.Talk thread(int number, String login, String association, String text) {
        ScriptedPull.Talk thread = new ScriptedPull.Talk("PRRT_" + ++ids, "src/A.java", 12);
        thread.say(++ids, login, "User", association, false, text);
        pull(number).threads.add(thread);
        return thread;
    }

    synchronized void say(ScriptedPull.Talk thread, String login, String text) {
        thread.say(++ids, login, "User", "MEMBER", login.equals(SELF), text);
    }

    synchronized void closes(int number, String login) {
        ScriptedPull pull = pull(number);
        pull.shownHead = history.tip(pull.head);
        pull.open = false;
        pull.by = login;
    }

    synchronized void merges(int number, String login, String method) {
        ScriptedPull pull = pull(number);
        String head = history.tip(pull.head);
        pull.mergeCommit = history.merge(pull.base, head, method, "by " + login);
        pull.shownHead = head;
        pull.open = false;
        pull.merged = true;
        pull.by = login;
    }

    /** Answers one request. */
    record Answer(int status, JsonNode body, Map<String, String> headers) {
        static Answer of(int status, JsonNode body) {
            return new Answer(status, body, Map.of());
        }

        static Answer failed(int status, String message) {
            return of(status, object().put("message", message));
        }
    }

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
            operation("graphql", "POST /api/graphql"));

    private static Map.Entry<String, Pattern> operation(String name, String pattern) {
        return Map.entry(name, Pattern.compile(pattern));
    }

    /** The name of what is asked for. */
    static String operation(String method, String path, String body) {
        for (Map.Entry<String, Pattern> one : OPERATIONS) {
            if (one.getValue().matcher(method + " " + path).matches()) {
                return !one.getKey().equals("graphql")
                        ? one.getKey()
                        : body.contains("resolveReviewThread") ? "resolve" : "threads";
            }
        }
        return "unknown";
    }

    synchronized Answer answer(String operation, String method, String path, Map<String, String> query, JsonNode body) {
        Matcher matcher = OPERATIONS.stream()
                .map(one -> one.getValue().matcher(method + " " + path))
                .filter(Matcher::matches)
                .findFirst()
                .orElse(null);
        if (matcher == null) {
            unknown.add(method + " " + path);
            return Answer.failed(404, "Not Found");
        }
        String first = matcher.groupCount() > 0 ? matcher.group(1) : "";
        ScriptedPull pull = first.matches("\\d{1,9}") ? pulls.get(Integer.parseInt(first)) : null;
        return switch (operation) {
            case "list" -> list(query);
            case "create" -> create(body);
            case "tip" -> tip(first);
            case "commit" -> {
                ObjectNode commit = object().put("sha", first);
                commit.putArray("parents").addObject().put("sha", history.firstParent(first));
                yield Answer.of(200, commit);
            }
            case "checks" -> page(runs.getOrDefault(first, List.of()), query, "check_runs");
            case "status" -> page(statuses.getOrDefault(first, List.of()), query, "statuses");
            case "of-commit" -> ofCommit(first);
            case "compare" ->
                Answer.of(
                        200, object().put("status", history.contains(matcher.group(2), first) ? "ahead" : "diverged"));
            case "repository" -> Answer.of(200, repository);
            case "rules" -> Answer.of(200, rules());
            case "annotations" -> Answer.of(200, annotations(first));
            case "log" ->
                logs.getOrDefault(first, "").isEmpty()
                        ? Answer.failed(404, "Not Found")
                        : new Answer(
                                302,
                                object(),
                                Map.of("Location", http.url("/blob/" + first).toString()));
            case "threads" -> Answer.of(200, threads(body));
            case "resolve" -> resolve(body);
            default -> pull == null ? Answer.failed(404, "Not Found") : ofPull(operation, pull, matcher, query, body);
        };
    }

    /** The log of a job, which lies elsewhere. */
    synchronized @Nullable String log(String id) {
        return logs.get(id);
    }

    private Answer ofPull(
            String operation, ScriptedPull pull, Matcher matcher, Map<String, String> query, JsonNode body) {
        switch (operation) {
            case "read" -> {}
            case "update" -> pull.body = body.path("body").asText(pull.body);
            case "merge" -> {
                return merge(pull, body);
            }
            case "reviews" -> {
                return page(pull.reviews, query, null);
            }
            case "issue" -> {
                ObjectNode issue = object().put("number", pull.number);
                issue.set("closed_by", pull.by.isEmpty() ? null : ScriptedPull.user(pull.by));
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
                return reply(pull, Long.parseLong(matcher.group(2)), body);
            }
            default -> throw new AssertionError(operation);
        }
        return Answer.of(200, json(pull, true));
    }

    private ObjectNode json(ScriptedPull pull, boolean full) {
        return pull.json(
                http.url("/" + NAME).toString(),
                NAME,
                head(pull),
                history.tip(pull.base),
                full,
                full ? state(pull) : "");
    }

    private String head(ScriptedPull pull) {
        String shown = pull.shownHead;
        return shown != null ? shown : history.tip(pull.head);
    }

    private String state(ScriptedPull pull) {
        String set = pull.mergeable;
        if (set != null || !pull.open) {
            return set != null ? set : "unknown";
        }
        String head = head(pull);
        String tip = history.tip(pull.base);
        boolean behind = !history.contains(head, tip);
        if (behind && history.conflicts(tip, head)) {
            return "dirty";
        }
        boolean approved =
                pull.reviews.stream().anyMatch(one -> one.path("state").asText().equals("APPROVED"));
        return upToDate && behind ? "behind" : needsApproval && !approved ? "blocked" : "clean";
    }

    private Answer list(Map<String, String> query) {
        String head = query.getOrDefault("head", "");
        ArrayNode all = object().putArray("all");
        List<ScriptedPull> newest = new ArrayList<>(pulls.values());
        int hide = hidden > 0 && !newest.isEmpty() ? newest.get(newest.size() - 1).number : 0;
        hidden = Math.max(0, hidden - 1);
        for (int i = newest.size() - 1; i >= 0; i--) {
            ScriptedPull pull = newest.get(i);
            boolean wanted = head.equals("acme:" + pull.head)
                    && (query.get("state").equals("all") || pull.open)
                    && pull.number != hide;
            if (wanted) {
                all.add(json(pull, false));
            }
        }
        return Answer.of(200, all);
    }

    private Answer ofCommit(String commit) {
        ArrayNode all = object().putArray("all");
        pulls.values().stream().filter(one -> head(one).equals(commit)).forEach(one -> all.add(json(one, false)));
        return Answer.of(200, all);
    }

    private Answer create(JsonNode body) {
        String head = body.path("head").asText();
        String base = body.path("base").asText();
        boolean there =
                pulls.values().stream().anyMatch(one -> one.open && one.head.equals(head) && one.base.equals(base));
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

    /** Opens one, as somebody does by hand. */
    synchronized ScriptedPull opened(String head, String base, String title, String body) {
        ScriptedPull made = new ScriptedPull(pulls.size() + 1, head, base, title, body);
        pulls.put(made.number, made);
        return made;
    }

    private Answer merge(ScriptedPull pull, JsonNode body) {
        beforeMerge.accept(head(pull));
        String head = head(pull);
        if (pull.merged || !pull.open || !List.of("clean", "unstable").contains(state(pull))) {
            return Answer.failed(405, "Pull Request is not mergeable");
        }
        if (!body.path("sha").asText().equals(head)) {
            return Answer.failed(409, "Head branch was modified. Review and try the merge again.");
        }
        String message = body.path("commit_title").asText() + "\n\n"
                + body.path("commit_message").asText();
        pull.mergeCommit =
                history.merge(pull.base, head, body.path("merge_method").asText(), message);
        pull.shownHead = head;
        pull.open = false;
        pull.merged = true;
        pull.by = SELF;
        return Answer.of(
                200, object().put("sha", pull.mergeCommit).put("merged", true).put("message", "done"));
    }

    private Answer reply(ScriptedPull pull, long root, JsonNode body) {
        for (ScriptedPull.Talk thread : pull.threads) {
            if (thread.comments.get(0).path("databaseId").asLong() == root) {
                say(thread, SELF, body.path("body").asText());
                return Answer.of(201, object().put("id", ids));
            }
        }
        return Answer.failed(404, "Not Found");
    }

    private Answer tip(String branch) {
        if (--tips == 0) {
            beforeTip.run();
        }
        String tip = history.tip(URLDecoder.decode(branch, StandardCharsets.UTF_8));
        ObjectNode ref = object().put("ref", "refs/heads/" + branch);
        ref.putObject("object").put("sha", tip);
        return tip.isEmpty() ? Answer.failed(404, "Not Found") : Answer.of(200, ref);
    }

    private ArrayNode rules() {
        ArrayNode all = object().putArray("all");
        all.addObject().put("type", "pull_request");
        all.addObject()
                .put("type", "required_status_checks")
                .putObject("parameters")
                .put("strict_required_status_checks_policy", upToDate);
        return all;
    }

    private static ArrayNode annotations(String id) {
        ArrayNode all = object().putArray("all");
        all.addObject().put("path", "src/B.java").put("start_line", 3).put("message", "broken in run " + id);
        return all;
    }

    private ObjectNode threads(JsonNode body) {
        ScriptedPull pull = pulls.get(body.path("variables").path("number").asInt());
        ObjectNode answer = object();
        ObjectNode data = answer.putObject("data");
        data.putObject("viewer").put("login", SELF);
        ObjectNode all = data.putObject("repository").putObject("pullRequest").putObject("reviewThreads");
        all.putObject("pageInfo").put("hasNextPage", endlessThreads).put("endCursor", "next");
        ArrayNode nodes = all.putArray("nodes");
        pull.threads.forEach(thread -> nodes.add(thread.json()));
        return answer;
    }

    private Answer resolve(JsonNode body) {
        ObjectNode answer = object();
        if (!mayResolve) {
            answer.putArray("errors").addObject().put("type", "FORBIDDEN").put("message", "may not");
            return Answer.of(200, answer);
        }
        String id = body.path("variables").path("id").asText();
        pulls.values()
                .forEach(pull -> pull.threads.stream()
                        .filter(thread -> thread.id.equals(id))
                        .forEach(thread -> thread.resolved = true));
        answer.putObject("data");
        return Answer.of(200, answer);
    }

    private static Answer page(List<ObjectNode> all, Map<String, String> query, @Nullable String member) {
        int size = Integer.parseInt(query.getOrDefault("per_page", "30"));
        int page = Integer.parseInt(query.getOrDefault("page", "1"));
        ObjectNode holder = object().put("total_count", all.size());
        ArrayNode items = holder.putArray(member == null ? "items" : member);
        all.stream().skip((long) size * (page - 1)).limit(size).forEach(items::add);
        return Answer.of(200, member == null ? items : holder);
    }

    synchronized void faulty(List<String> faults) {
        unknown.addAll(faults);
    }

    synchronized void logged(String method, String operation, int status) {
        log.add(method.toUpperCase(Locale.ROOT) + " " + operation + " " + status);
    }

    @Override
    public void close() {
        http.close();
        history.close();
    }
}
