package io.maestro.examples.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.maestro.git.Forge;
import io.maestro.git.MergeMethod;
import io.maestro.git.hosted.HostedForge;
import io.maestro.git.hosted.MergePolicy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * GitHub, as far as the sample's story needs it: one pull request of the sample's repository, asked for over HTTP on the loopback
 * address. Its people and its check follow a script: the first commit is red, the second one gets a review thread, the third one
 * is approved.
 */
final class SampleForge implements AutoCloseable {
    private static final String NAME = "demo/greeter";
    private static final String TOKEN = "demo-token";
    private static final String SELF = "maestro";
    private static final String REVIEWER = "ann";
    private static final Pattern OF_PULL = Pattern.compile("/pulls/1(/.+)?");
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final Git git;
    private final String repository;
    private final HttpServer server;
    private final List<String> events = new ArrayList<>();
    /** Each commit that the pull request had. */
    private final List<String> heads = new ArrayList<>();
    /** Who said what in the thread. */
    private final List<List<String>> comments = new ArrayList<>();

    private ObjectNode pull;
    private boolean resolved;

    /**
     * Starts it, on any free port.
     *
     * @param repository the bare repository behind it
     */
    SampleForge(Git git, String repository) throws IOException {
        this.git = git;
        this.repository = repository;
        this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::handle);
        server.start();
    }

    /** What a story is merged by. */
    Forge client() {
        return HostedForge.gitHub()
                .baseUrl(url("/api/v3"))
                .repository(NAME)
                .token(() -> TOKEN)
                .merge(MergePolicy.WHEN_APPROVED)
                .method(MergeMethod.SQUASH)
                .pollInterval(Duration.ofMillis(200))
                .checksAppearWithin(Duration.ZERO)
                .build();
    }

    /** What has happened, in order. */
    synchronized List<String> events() {
        return List.copyOf(events);
    }

    private URI url(String path) {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path);
    }

    private static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    private static ArrayNode array() {
        return JsonNodeFactory.instance.arrayNode();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            JsonNode body = MAPPER.readTree(exchange.getRequestBody());
            String path = exchange.getRequestURI().getPath().replaceFirst("^/api/v3/repos/" + NAME, "");
            boolean known =
                    ("Bearer " + TOKEN).equals(exchange.getRequestHeaders().getFirst("Authorization"));
            JsonNode answer = known ? answer(exchange.getRequestMethod() + " " + path, body) : null;
            byte[] bytes = String.valueOf(answer == null ? object().put("message", "Not Found") : answer)
                    .getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(answer != null ? 200 : known ? 404 : 401, bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    /** Null where there is nothing. */
    private synchronized JsonNode answer(String request, JsonNode body) {
        String path = request.substring(request.indexOf(' ') + 1);
        if (pull != null && pull.path("state").asText().equals("open")) {
            look();
        }
        Matcher ofPull = OF_PULL.matcher(path);
        if (ofPull.matches()) {
            return pull == null ? null : ofPull(request, String.valueOf(ofPull.group(1)), body);
        }
        return switch (request) {
            case "GET " -> object().put("allow_squash_merge", true).set("permissions", object().put("push", true));
            case "GET /rules/branches/main" -> array().add(object().put("type", "pull_request"));
            case "GET /pulls" -> pull == null ? array() : array().add(pull);
            case "POST /pulls" -> open(body);
            case "GET /collaborators/" + REVIEWER + "/permission" ->
                object().put("permission", "write")
                        .set("user", object().put("login", REVIEWER).put("type", "User"));
            case "POST /api/graphql" -> threads(body);
            default -> {
                String last = path.substring(path.lastIndexOf('/') + 1);
                if (path.startsWith("/git/ref/heads/")) {
                    String branch = path.substring("/git/ref/heads/".length());
                    yield object().set("object", object().put("sha", tip(branch)));
                }
                yield last.equals("check-runs")
                        ? object().put("total_count", 1).set("check_runs", array().add(check(path)))
                        : last.equals("status")
                                ? object().put("total_count", 0).set("statuses", array())
                                : last.equals("annotations") ? array() : null;
            }
        };
    }

    private JsonNode ofPull(String request, String part, JsonNode body) {
        if (part.equals("/merge")) {
            return merge(body);
        }
        if (part.equals("/reviews")) {
            return heads.size() < 3 ? array() : array().add(approval());
        }
        if (part.startsWith("/comments/")) {
            comments.add(List.of(SELF, body.path("body").asText()));
            events.add(SELF + " answers: "
                    + body.path("body").asText().lines().findFirst().orElse(""));
            return object().put("id", comments.size());
        }
        if (request.startsWith("PATCH ")) {
            pull.put("body", body.path("body").asText());
        }
        return pull;
    }

    private JsonNode open(JsonNode body) {
        pull = object().put("number", 1)
                .put("html_url", url("/" + NAME + "/pull/1").toString())
                .put("state", "open")
                .put("title", body.path("title").asText())
                .put("body", body.path("body").asText())
                .put("mergeable_state", "clean");
        pull.set("user", object().put("login", SELF));
        pull.putObject("head").put("ref", body.path("head").asText()).set("repo", object().put("full_name", NAME));
        pull.putObject("base").put("ref", body.path("base").asText());
        events.add("pull request #1 is opened: " + pull.path("title").asText());
        look();
        return pull;
    }

    /** Those who follow the script look at the last commit. */
    private void look() {
        String head = tip(pull.path("head").path("ref").asText());
        if (heads.contains(head)) {
            return;
        }
        heads.add(head);
        ((ObjectNode) pull.get("head")).put("sha", head);
        String commit = head.substring(0, 7);
        switch (heads.size()) {
            case 1 -> events.add(commit + ": the check 'docs' fails");
            case 2 -> {
                events.add(commit + ": the check 'docs' succeeds");
                comments.add(List.of(REVIEWER, "Which languages are there? I'd like to read it above the method."));
                events.add(REVIEWER + " opens a thread at src/Greeter.java: "
                        + comments.get(0).get(1));
            }
            case 3 -> events.add(commit + ": the check 'docs' succeeds, " + REVIEWER + " approves");
            default -> events.add(commit + ": the check 'docs' succeeds");
        }
    }

    private ObjectNode check(String path) {
        boolean red = path.contains(heads.get(0));
        ObjectNode run = object().put("id", 1).put("name", "docs").put("status", "completed");
        run.put("conclusion", red ? "failure" : "success");
        run.set("app", object().put("slug", "docs-bot"));
        run.putObject("output")
                .put("title", red ? "README.md is not complete" : "All is described")
                .put("summary", red ? "README.md: the languages are not listed" : "");
        return run;
    }

    private ObjectNode approval() {
        ObjectNode review = object().put("id", 1).put("state", "APPROVED").put("commit_id", heads.get(2));
        review.put("body", "");
        return review.set("user", object().put("login", REVIEWER).put("type", "User"));
    }

    private JsonNode threads(JsonNode body) {
        if (body.path("query").asText().contains("resolveReviewThread")) {
            resolved = true;
            events.add("the thread is resolved");
            return object().set("data", object());
        }
        if (body.path("query").asText().contains("nodes(ids:")) {
            ArrayNode texts = array();
            for (int i = 0; i < comments.size(); i++) {
                texts.addObject()
                        .put("id", "C" + (i + 1))
                        .put("body", comments.get(i).get(1));
            }
            return object().set("data", object().set("nodes", texts));
        }
        ArrayNode nodes = array();
        if (!comments.isEmpty()) {
            ObjectNode thread = nodes.addObject().put("id", "T1").put("isResolved", resolved);
            thread.put("path", "src/Greeter.java").put("line", 5);
            ArrayNode said = thread.putObject("comments").putArray("nodes");
            for (List<String> comment : comments) {
                boolean self = comment.get(0).equals(SELF);
                ObjectNode one = said.addObject();
                one.put("id", "C" + said.size())
                        .put("databaseId", said.size())
                        .put("viewerDidAuthor", self)
                        .set("author", object().put("__typename", "User").put("login", comment.get(0)));
            }
        }
        ObjectNode all = object();
        all.putObject("pageInfo").put("hasPreviousPage", false);
        all.set("nodes", nodes);
        ObjectNode data = object();
        data.putObject("viewer").put("login", SELF);
        data.putObject("repository").putObject("pullRequest").set("reviewThreads", all);
        return object().set("data", data);
    }

    private JsonNode merge(JsonNode body) {
        String head = heads.get(heads.size() - 1);
        if (!body.path("sha").asText().equals(head)) {
            return object().put("merged", false).put("message", "Head branch was modified");
        }
        String message = body.path("commit_title").asText() + "\n\n"
                + body.path("commit_message").asText();
        String tip = tip("main");
        String commit = git.run(
                "-C",
                repository,
                "-c",
                "user.name=Demo",
                "-c",
                "user.email=demo@maestro.local",
                "commit-tree",
                "-p",
                tip,
                "-m",
                message,
                head + "^{tree}");
        git.run("-C", repository, "update-ref", "refs/heads/main", commit, tip);
        pull.put("state", "closed").put("merged", true).put("merge_commit_sha", commit);
        events.add("pull request #1 is merged as " + commit.substring(0, 7));
        return object().put("merged", true).put("sha", commit);
    }

    private String tip(String branch) {
        return git.run("-C", repository, "rev-parse", "--verify", "refs/heads/" + branch);
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
