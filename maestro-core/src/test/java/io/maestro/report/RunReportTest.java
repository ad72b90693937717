package io.maestro.report;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.error.MaestroException;
import io.maestro.record.AuditLog;
import io.maestro.record.AuditLog.Effect;
import io.maestro.record.AuditLog.StoryRecord;
import io.maestro.record.AuditLog.ToolExecution;
import io.maestro.record.internal.Samples;
import io.maestro.record.internal.Store;
import io.maestro.story.ArchitectState;
import io.maestro.story.CoderState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reports from the record: all of it is there, and nothing of it is markup. */
class RunReportTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Instant AT = Instant.parse("2026-11-26T12:00:00Z");

    /** What somebody may write who wants it to be run. */
    private static final List<String> INJECTIONS = List.of(
            "<script>alert(1)</script>",
            "</script><script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "<svg/onload=alert(1)>",
            "\"><script>alert(1)</script>",
            "'><script>alert(1)</script>",
            "\" onmouseover=\"alert(1)",
            "' onmouseover='alert(1)",
            "` onmouseover=`alert(1)",
            "<iframe src=javascript:alert(1)>",
            "<a href=\"javascript:alert(1)\">x</a>",
            "<base href=//evil.example>",
            "<meta http-equiv=refresh content=\"0;url=//evil.example\">",
            "<link rel=stylesheet href=//evil.example>",
            "<style>*{display:none}</style>",
            "</style><script>alert(1)</script>",
            "</pre></details></section><script>alert(1)</script>",
            "</title><script>alert(1)</script>",
            "</textarea><script>alert(1)</script>",
            "<!-- --><script>alert(1)</script>",
            "<![CDATA[<script>alert(1)</script>]]>",
            "<math><mi//xlink:href=\"data:x,<script>alert(1)</script>\">",
            "<form action=//evil.example><input type=submit>",
            "<object data=//evil.example>",
            "<embed src=//evil.example>",
            "<details open ontoggle=alert(1)>",
            "&lt;script&gt;alert(1)&lt;/script&gt;",
            "&#60;script&#62;alert(1)&#60;/script&#62;",
            "<scr\u0000ipt>alert(1)</scr\u0000ipt>",
            "\u202e<script>alert(1)</script>",
            "\ud800<script>alert(1)</script>",
            "{{constructor.constructor('alert(1)')()}}");

    @TempDir
    Path directory;

    private Store store;

    @BeforeEach
    void open() {
        store = Store.sqlite(directory.resolve("record.db"), text -> text);
        store.beginSession(new AuditLog.Session("s1", "r", AT, 1, null));
    }

    @AfterEach
    void close() {
        store.close();
    }

    private void story(String id, String text, CoderState state, @Nullable String spec, List<String> dependsOn) {
        store.saveStory(new StoryRecord(
                id,
                "s1",
                text,
                text,
                "APP",
                false,
                state,
                1,
                "coder-001",
                "maestro/story-" + text,
                state == CoderState.DONE ? "0123456789abcdef0123" : null,
                state == CoderState.ERROR ? text : null,
                "{}",
                spec,
                dependsOn,
                AT.plusSeconds(90)));
    }

    /** A story with a row of each kind, in which a text stands wherever an agent can write. */
    private void live(String id, String text, @Nullable String spec, List<String> dependsOn) throws IOException {
        story(id, text, CoderState.WAITING, spec, dependsOn);
        move(id, text, spec, dependsOn, CoderState.WAITING, CoderState.CODING, AT);
        String quoted = JSON.writeValueAsString(text);
        store.requests()
                .open(
                        new Effect(
                                id + "/1/2",
                                "s1",
                                id,
                                1,
                                "coder-001",
                                "PLAN_REVIEW",
                                "{\"plan\":" + quoted + "}",
                                AT,
                                null,
                                null),
                        AT.plusSeconds(60),
                        1);
        store.requests()
                .reply(
                        id + "/1/2",
                        text,
                        true,
                        text,
                        "{\"decision\":\"APPROVED\",\"message\":" + quoted + ",\"by\":" + quoted + ",\"plan\":" + quoted
                                + "}",
                        AT.plusSeconds(5));
        store.recordToolExecution(new ToolExecution(
                "s1", text, id, 1, "CODING", text, text, null, quoted, text, null, 0, 1_200, AT.plusSeconds(10)));
        store.recordToolExecution(new ToolExecution(
                "s1", text, id, 1, "CODING", "shell", "c2", text, text, null, text, 1, 70_000, AT.plusSeconds(12)));
        store.recordMessage(Samples.message(id, "[]"));
        store.saveTodos(id, 1, "[" + quoted + "]");
        store.post(new AuditLog.ChatPost(0, "s1", id, text, text, AT));
        move(id, text, spec, dependsOn, CoderState.CODING, CoderState.DONE, AT.plusSeconds(90));
    }

    private void move(
            String id,
            String text,
            @Nullable String spec,
            List<String> dependsOn,
            CoderState from,
            CoderState to,
            Instant at) {
        story(id, text, to, spec, dependsOn);
        store.recordTransition(
                new AuditLog.StateTransition("s1", id, 1, "coder-001", from, to, text, at),
                store.story(id).orElseThrow());
    }

    private RunReport report(String id, String diff) {
        return RunReport.of(store, id, commit -> Optional.of(diff));
    }

    private String html(RunReport report) throws IOException {
        Path file = directory.resolve("report.html");
        report.writeHtml(file);
        return Files.readString(file);
    }

    private JsonNode json(RunReport report) throws IOException {
        Path file = directory.resolve("report.json");
        report.writeJson(file);
        return JSON.readTree(file.toFile());
    }

    @Test
    void allThatIsKnownOfAStoryIsThere() throws IOException {
        live("042", "needle", null, List.of());
        String diff = "diff --git a/x b/x\n@@ -1 +1 @@\n-old\n+new\n";

        JsonNode json = json(report("042", diff));
        assertThat(json.path("kind").asText()).isEqualTo("story");
        JsonNode story = json.path("stories").path(0);
        assertThat(story.path("state").asText()).isEqualTo("DONE");
        assertThat(story.path("transitions")).hasSize(2);
        assertThat(story.path("calls")).hasSize(2);
        assertThat(story.path("calls").path(1).path("exit_code").asInt()).isEqualTo(1);
        JsonNode request = story.path("requests").path(0);
        assertThat(request.path("facts").path("plan").asText()).isEqualTo("needle");
        assertThat(request.path("by").asText()).isEqualTo("needle");
        assertThat(request.path("decision").asText()).isEqualTo("APPROVED");
        assertThat(story.path("diff").asText()).isEqualTo(diff);
        assertThat(story.path("chat")).hasSize(1);
        assertThat(Instant.parse(story.at("/transitions/0/at").asText())).isEqualTo(AT);
        assertThat(story.has("data")).as("what only Maestro reads").isFalse();
        assertThat(story.at("/calls/0").has("parent_call_id"))
                .as("there was none")
                .isFalse();

        String html = html(report("042", diff));
        assertThat(html)
                .contains("<span class=del>-old</span>", "<span class=add>+new</span>")
                .contains("2 calls of tools, 1 failed", "1:10 min", "1.200 s")
                .contains("PLAN_REVIEW", "the plan as it was approved", "0123456789abcdef0123")
                .contains("2 changes of state, 1:30 min");
    }

    /** Whether the last one agrees or not. */
    @Test
    void eachVoteOfADecisionOfSeveralIsThere() throws IOException {
        story("042", "T", CoderState.CODING, null, List.of());
        for (String id : List.of("042/1/2", "042/1/3")) {
            store.requests()
                    .open(
                            new Effect(id, "s1", "042", 1, "coder-001", "MERGE", "{}", AT, null, null),
                            AT.plusSeconds(60),
                            2);
            vote(id, "root", "APPROVED", "good", 1);
        }
        vote("042/1/2", "bob", "APPROVED", "mind the weekend", 2);
        vote("042/1/3", "eve", "REJECTED", "not today", 3);
        JsonNode requests = json(RunReport.of(store, "042")).at("/stories/0/requests");
        assertThat(requests.at("/0/votes").toString())
                .isEqualTo(
                        "[{\"person\":\"root\",\"decision\":\"APPROVED\",\"message\":\"good\",\"at\":\"2026-11-26T12:00:01Z\"},"
                                + "{\"person\":\"bob\",\"decision\":\"APPROVED\",\"message\":\"mind the weekend\",\"at\":\"2026-11-26T12:00:02Z\"}]");
        assertThat(requests.at("/1/votes").findValuesAsText("decision")).containsExactly("APPROVED", "REJECTED");
        assertThat(requests.at("/1/votes/1/person").asText()).isEqualTo("eve");
        assertThat(html(RunReport.of(store, "042")))
                .contains(
                        "<b>root</b> has decided <span class=\"APPROVED\">APPROVED</span>: good",
                        "<b>eve</b> has decided <span class=\"REJECTED\">REJECTED</span>: not today");
    }

    private void vote(String id, String person, String decision, String message, int second) {
        store.requests()
                .reply(
                        id,
                        person,
                        decision.equals("APPROVED"),
                        message,
                        "{\"decision\":\"" + decision + "\",\"message\":\"" + message + "\",\"by\":\"" + person + "\"}",
                        AT.plusSeconds(second));
    }

    @Test
    void aSpecificationHasItsStories() throws IOException {
        store.saveSpec(
                new AuditLog.SpecRecord("shop", "s1", "The shop", "A shop.", ArchitectState.ERROR, "{}", "no", AT));
        live("shop-1", "first", "shop", List.of());
        live("shop-2", "second", "shop", List.of("shop-1"));
        live("other", "other story", null, List.of());
        JsonNode json = json(RunReport.of(store, "shop"));
        assertThat(json.path("kind").asText()).isEqualTo("specification");
        assertThat(json.path("stories")).hasSize(2);
        assertThat(json.path("stories").path(1).path("depends_on").path(0).asText())
                .isEqualTo("shop-1");
        assertThat(json.path("stories").path(0).has("diff")).isFalse();
        assertThat(html(RunReport.of(store, "shop")))
                .contains("The shop", "Which story waits for which", "<path class=edge")
                .doesNotContain("other story");
    }

    @Test
    void whatAgentsWriteIsText() throws IOException {
        store.saveSpec(new AuditLog.SpecRecord(
                "spec", "s1", INJECTIONS.get(3), INJECTIONS.get(0), ArchitectState.DONE, "{}", null, AT));
        for (int i = 0; i < INJECTIONS.size(); i++) {
            live("<" + i + ">", INJECTIONS.get(i), "spec", i == 0 ? List.of() : List.of("<" + (i - 1) + ">"));
        }
        String all = String.join("\n", INJECTIONS);
        String html = html(report("spec", all));
        // The page has the elements that it is made of, with their own attributes, and no others.
        String allowed =
                "html|head|meta|title|style|body|header|main|section|h1|h2|h3|div|span|b|bdi|p|pre|a|table|thead|tbody|tr"
                        + "|th|td|details|summary|svg|rect|path|text|form|label|input|select|option|output|script";
        String ownStyleAndScript = html.replaceFirst("(?s)<style>.*?</style>", "<style></style>")
                .replaceFirst("(?s)<script>'use strict'.*</script></body>", "<script></script></body>");
        assertThat(matches("<(?!/?(?:" + allowed + ")[ />]|!DOCTYPE)[^>]{0,30}", ownStyleAndScript))
                .isEmpty();
        assertThat(matches("<[a-z][^>]* on[a-z]+=", ownStyleAndScript.replaceAll("=\"[^\"]*\"", "=x")))
                .isEmpty();
        assertThat(matches("<script", ownStyleAndScript)).hasSize(1);
        assertThat(html)
                .contains("&lt;script&gt;alert(1)&lt;/script&gt;", "&amp;lt;script&amp;gt;", "\\u202e&lt;script")
                .doesNotContain("\u202e", "\u0000")
                .doesNotContain("href=\"//", "src=\"//");
        JsonNode json = json(report("spec", all));
        assertThat(IntStream.range(0, INJECTIONS.size())
                        .mapToObj(
                                i -> json.path("stories").path(i).path("title").asText()))
                .isEqualTo(
                        store.storiesOf("spec").stream().map(StoryRecord::title).toList());
    }

    private static List<String> matches(String pattern, String text) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(MatchResult::group)
                .toList();
    }

    /** A browser runs what the page says by its hash, and nothing else; it loads nothing. */
    @Test
    void thePageSaysWhatMayRun() throws IOException {
        live("042", "text", null, List.of());
        assertThat(html(RunReport.of(store, "042")))
                .containsPattern(
                        "Content-Security-Policy content=\"default-src 'none'; base-uri 'none'; form-action 'none';"
                                + " style-src 'sha256-[\\w+/=]{44}'; script-src 'sha256-[\\w+/=]{44}'\"")
                .doesNotContain("unsafe-inline", " style=", "http://", "https://");
    }

    @Test
    void longRunsAreReadPieceByPiece() throws IOException {
        story("042", "long", CoderState.CODING, null, List.of());
        String answer = "y".repeat(30_000);
        for (int i = 0; i < 450; i++) {
            store.recordToolExecution(new ToolExecution(
                    "s1", "coder-001", "042", 1, "CODING", "shell", "c" + i, null, "{}", answer, null, 0, 5, AT));
        }
        assertThat(json(RunReport.of(store, "042")).path("stories").path(0).path("calls"))
                .hasSize(450);
        assertThat(html(RunReport.of(store, "042")))
                .contains("450 calls of tools, 0 failed", "id=call-449", "10000 more characters in the report as JSON");
    }

    @Test
    void whatIsNotThereIsSaid() {
        assertThatThrownBy(() -> RunReport.of(store, "7"))
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("there is no story and no specification '7'")
                .hasMessageContaining("record.db");
        story("042", "T", CoderState.WAITING, null, List.of());
        Path file = directory.resolve("not/there.html");
        assertThatThrownBy(() -> RunReport.of(store, "042").writeHtml(file))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining(file.toString());
    }
}
