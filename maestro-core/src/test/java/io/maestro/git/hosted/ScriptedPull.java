package io.maestro.git.hosted;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A pull request of {@link ScriptedGitHub}. Guarded by that. */
final class ScriptedPull {
    final int number;
    final String head;
    String base;
    String title;
    String body;
    boolean open = true;
    boolean merged;
    boolean draft;
    String mergeCommit = "";
    String by = "";

    @Nullable
    String shownHead;

    @Nullable
    String mergeable;

    final Set<String> labels = new TreeSet<>();
    final Set<String> requested = new TreeSet<>();
    final List<ObjectNode> reviews = new ArrayList<>();
    final List<Talk> threads = new ArrayList<>();

    ScriptedPull(int number, String head, String base, String title, String body) {
        this.number = number;
        this.head = head;
        this.base = base;
        this.title = title;
        this.body = body;
    }

    /** A review thread. */
    static final class Talk {
        final String id;
        final String path;
        final int line;
        boolean resolved;
        final List<ObjectNode> comments = new ArrayList<>();

        Talk(String id, String path, int line) {
            this.id = id;
            this.path = path;
            this.line = line;
        }

        void say(long comment, String login, String kind, String association, boolean self, String text) {
            ObjectNode one = object();
            one.put("databaseId", comment).put("body", text).put("viewerDidAuthor", self);
            one.put("authorAssociation", association);
            one.putObject("author").put("__typename", kind).put("login", login);
            comments.add(one);
        }

        ObjectNode json() {
            ObjectNode node = object();
            node.put("id", id).put("isResolved", resolved).put("path", path).put("line", line);
            node.put("originalLine", line);
            node.putObject("root")
                    .putArray("nodes")
                    .addObject()
                    .put("databaseId", comments.get(0).path("databaseId").asLong());
            ArrayNode nodes = node.putObject("comments").putArray("nodes");
            comments.forEach(nodes::add);
            return node;
        }
    }

    static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    static ObjectNode user(String login) {
        return object().put("login", login).put("type", login.endsWith("[bot]") ? "Bot" : "User");
    }

    ObjectNode json(String url, String repository, String headSha, String baseSha, boolean full, String state) {
        ObjectNode json = object();
        json.put("number", number)
                .put("html_url", url + "/pull/" + number)
                .put("state", open ? "open" : "closed")
                .put("title", title)
                .put("body", body)
                .put("draft", draft);
        json.set("user", user(ScriptedGitHub.SELF));
        json.put("merged_at", merged ? "2026-01-01T00:00:00Z" : null);
        json.put("merge_commit_sha", mergeCommit.isEmpty() ? null : mergeCommit);
        ObjectNode from = json.putObject("head").put("ref", head).put("sha", headSha);
        from.putObject("repo").put("full_name", repository);
        json.putObject("base").put("ref", base).put("sha", baseSha);
        labels.forEach(label -> json.withArray("labels").addObject().put("name", label));
        requested.forEach(login -> json.withArray("requested_reviewers").add(user(login)));
        if (full) {
            json.put("merged", merged);
            json.put("mergeable_state", state);
            if (merged) {
                json.set("merged_by", user(by));
            }
        }
        return json;
    }
}
