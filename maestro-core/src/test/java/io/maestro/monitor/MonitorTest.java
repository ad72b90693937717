package io.maestro.monitor;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.maestro.Maestro;
import io.maestro.Submission;
import io.maestro.error.MaestroException;
import io.maestro.llm.LlmContent;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Store;
import io.maestro.secrets.SecretRedactor;
import io.maestro.story.CoderState;
import io.maestro.story.StoryResult;
import io.maestro.testing.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class MonitorTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path directory;

    private MonitoredProject project;

    @BeforeEach
    void open() {
        project = new MonitoredProject(directory, Duration.ofMillis(5));
    }

    @AfterEach
    void close() {
        project.close();
    }

    private JsonNode board() {
        try {
            return JSON.readTree(project.get("board").body());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private JsonNode inbox(String kind) {
        Await.until(kind + " waits", () -> board().at("/inbox/0/kind").asText().equals(kind));
        return board().at("/inbox/0");
    }

    private JsonNode answer(String id, String more) throws Exception {
        return JSON.readTree(project.post("answer", "{\"id\":\"" + id + "\",\"person\":\"alice\"," + more + "}")
                .body());
    }

    /** What is answered to a request as it stands: the status, and the body. */
    private String raw(String request) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", project.page.getPort())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream()
                    .write((request.replace("\n", "\r\n") + "Connection: close\r\n\r\n")
                            .getBytes(StandardCharsets.UTF_8));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
            int body = answer.indexOf("\r\n\r\n");
            return answer.substring(9, 12) + " " + answer.substring(body + 4).strip();
        }
    }

    @Test
    void nobodyIsAnsweredWithoutTheTokenNorFromAnotherPage() throws Exception {
        String host = "127.0.0.1:" + project.page.getPort();
        String path = project.page.getPath();
        String good = "GET " + path + "machines HTTP/1.1\nHost: " + host + "\n";
        assertThat(raw(good)).startsWith("200 ").contains("PLANNING");
        assertThat(raw(good + "Origin: http://" + host + "\nSec-Fetch-Site: same-origin\n"))
                .startsWith("200 ");
        String token = path.substring(1, path.length() - 1);
        List<String> refused = new ArrayList<>();
        for (String wrong : List.of(
                "/",
                "/machines",
                "//machines",
                "/" + token.substring(1) + "/machines",
                "/" + token + "0/machines",
                "/" + token.substring(0, 63) + "%3" + token.charAt(63) + "/machines",
                "/" + "0".repeat(64) + "/machines",
                "/x/../" + token + "/machines",
                "/" + token)) {
            refused.add(good.replace(path + "machines", wrong));
        }
        for (String header : List.of(
                "Origin: http://evil.example",
                "Origin: null",
                "Origin: https://" + host,
                "Origin: http://" + host + "\nOrigin: http://evil.example",
                "Sec-Fetch-Site: cross-site",
                "Sec-Fetch-Site: same-site")) {
            refused.add(good + header + "\n");
        }
        for (String other : List.of("evil.example:" + project.page.getPort(), "127.0.0.1", "127.0.0.1:1", "")) {
            refused.add(good.replace("Host: " + host, "Host: " + other));
        }
        refused.add(good.replace("Host: " + host + "\n", ""));
        for (String request : refused) {
            assertThat(raw(request)).as(request).matches("403 ?");
        }
    }

    @Test
    void whatSteersIsAskedForAsAPageOfItsOwnDoes() throws Exception {
        String start = project.page.getPath() + "chat HTTP/1.1\nHost: 127.0.0.1:" + project.page.getPort() + "\n";
        String length = "Content-Length: 0\n";
        for (String type :
                List.of("", "Content-Type: text/plain\n", "Content-Type: application/x-www-form-urlencoded\n")) {
            assertThat(raw("POST " + start + type + length)).as(type).startsWith("415");
        }
        for (String method : List.of("OPTIONS", "PUT", "DELETE", "PATCH")) {
            assertThat(raw(method + " " + start + length)).as(method).startsWith("405");
        }
        assertThat(project.post("chat", "{\"person\":\"ada\",\"text\":\"" + "x".repeat(300_000) + "\"}")
                        .statusCode())
                .isEqualTo(413);
        for (String wrong : List.of(
                "{}", "[]", "{\"person\":\"coder-001\",\"text\":\"x\"}", "{\"person\":1,\"text\":2}", "{", "")) {
            HttpResponse<String> answer = project.post("chat", wrong);
            assertThat(answer.statusCode()).as(wrong).isEqualTo(400);
            assertThat(JSON.readTree(answer.body()).path("error").asText())
                    .as(wrong)
                    .isNotBlank();
        }
        assertThat(project.post("rm", "{}").body()).contains("there is no action 'rm'");
        assertThat(project.get("call?story=x&attempt=1&id=2").statusCode()).isEqualTo(404);
        assertThat(project.get("call?story=x&attempt=y&id=2").statusCode()).isEqualTo(400);
        assertThat(project.get("monitor.css/x").statusCode()).isEqualTo(404);
        assertThat(project.maestro.chat().last(10)).isEmpty();
    }

    @Test
    void nothingOfThePageIsKeptFramedOrLoadedFromElsewhere() throws Exception {
        for (String path : List.of(
                "", "monitor.css", "monitor.js", "views.js", "calls.js", "board", "machines", "chat", "calls")) {
            HttpResponse<String> answer = project.get(path);
            assertThat(answer.statusCode()).as(path).isEqualTo(200);
            assertThat(answer.headers().firstValue("Content-Security-Policy").orElseThrow())
                    .startsWith("default-src 'none'")
                    .contains("frame-ancestors 'none'")
                    .doesNotContain("unsafe", "http", "*");
            assertThat(answer.headers().firstValue("X-Frame-Options")).contains("DENY");
            assertThat(answer.headers().firstValue("Cache-Control")).contains("no-store");
            assertThat(answer.headers().firstValue("Referrer-Policy")).contains("no-referrer");
            assertThat(answer.headers().map()).doesNotContainKey("access-control-allow-origin");
            if (path.endsWith(".js") || path.isEmpty()) {
                assertThat(answer.body())
                        .doesNotContain("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(")
                        .doesNotContain("DOMParser", "createContextualFragment", "srcdoc", "new Function", " style=")
                        .doesNotContainPattern("https?://(?!www\\.w3\\.org/2000/svg)");
            }
        }
    }

    @Test
    void aPlanIsChangedAQuestionIsAnsweredAndTheRecordHasIt() throws Exception {
        project.model
                .calls("PLANNING", "submit_plan", "plan", "write bad.txt")
                .calls("CODING", "ask_question", "question", "which name?")
                .calls("CODING", "shell", "cmd", "echo good > good.txt")
                .calls("CODING", "done", "summary", "wrote it");
        Submission<StoryResult> work = project.maestro.submit(MonitoredProject.story("042", "Add <b>good</b>"));
        JsonNode plan = inbox("PLAN_REVIEW");
        String id = plan.path("id").asText();
        JsonNode whole = JSON.readTree(project.get("request?id=" + id).body());
        assertThat(whole.at("/facts/plan").asText()).isEqualTo("write bad.txt");
        assertThat(whole.path("content").asText()).isNotBlank();
        assertThat(project.get("request?id=9/9/9").statusCode()).isEqualTo(404);
        assertThat(answer(id, "\"decision\":\"ANSWER\",\"message\":\"do it\"")
                        .path("error")
                        .asText())
                .contains("is a PLAN_REVIEW, no question");
        assertThat(answer(id, "\"decision\":\"NEEDS_CHANGES\",\"message\":\"\"")
                        .path("error")
                        .asText())
                .contains("say why");
        assertThat(answer(id, "\"decision\":\"maybe\",\"message\":\"\"")
                        .path("error")
                        .asText())
                .isNotBlank();
        assertThat(answer(id, "\"decision\":\"APPROVED\",\"plan\":\"write good.txt\"")
                        .path("text")
                        .asText())
                .isEqualTo("approved: plan of 042 goes on to coding");
        assertThat(answer(id, "\"decision\":\"REJECTED\",\"message\":\"no\"")
                        .path("text")
                        .asText())
                .isEqualTo("too late: alice has decided APPROVED");
        JsonNode question = inbox("QUESTION");
        assertThat(answer(question.path("id").asText(), "\"decision\":\"ANSWER\",\"message\":\"good.txt\"")
                        .path("text")
                        .asText())
                .isEqualTo("answered: 042 goes on with the answer");
        assertThat(work.await().outcome()).isEqualTo(StoryResult.Outcome.MERGED);

        Await.until(
                "the board has it",
                () -> board().at("/stories/0/state").asText().equals("DONE"));
        JsonNode story = JSON.readTree(project.get("story?id=042").body());
        assertThat(story.path("title").asText()).isEqualTo("Add <b>good</b>");
        assertThat(story.at("/requests/0/plan").asText()).isEqualTo("write good.txt");
        assertThat(story.at("/requests/0/by").asText()).isEqualTo("alice");
        assertThat(story.path("diff").asText()).contains("+good");
        assertThat(story.path("transitions"))
                .hasSize(project.maestro.auditLog().transitions("042").size());
        JsonNode calls = JSON.readTree(project.get("calls").body()).path("calls");
        assertThat(calls)
                .hasSize(project.maestro.auditLog().toolExecutions("042").size());
        JsonNode call = JSON.readTree(project.get("call?story=042&agent=coder-001&attempt=1&id=CODING1")
                .body());
        assertThat(call.path("parameters").asText()).contains("echo good");
        assertThat(project.get("report?id=042").body())
                .contains("Add &lt;b&gt;good")
                .contains("Content-Security-Policy");
        assertThat(project.get("report?id=nobody").statusCode()).isEqualTo(404);
    }

    @Test
    void textIsToldWhileItIsWrittenAndEndsWithTheMonitor() throws Exception {
        project.model
                .says("PLANNING", new LlmContent.Text("I look at it, and " + MonitoredProject.SECRET + " is a secret."))
                .calls("PLANNING", "submit_plan", "plan", "p");
        HttpResponse<InputStream> events = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(project.page.resolve("events")).build(),
                        HttpResponse.BodyHandlers.ofInputStream());
        assertThat(events.headers().firstValue("Content-Type")).contains("text/event-stream");
        Submission<StoryResult> work = project.maestro.submit(MonitoredProject.story("042", "Add"));
        List<String> types = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(events.body(), StandardCharsets.UTF_8))) {
            while (!types.contains("RequestOpened")) {
                String line = lines.readLine();
                if (line.startsWith("data: ")) {
                    JsonNode event = JSON.readTree(line.substring(6));
                    types.add(event.path("type").asText());
                    if (types.get(types.size() - 1).equals("TextWritten")) {
                        assertThat(System.currentTimeMillis() - event.path("at").asLong())
                                .as("milliseconds behind")
                                .isLessThan(5_000);
                        text.append(event.path("text").asText());
                    }
                }
            }
            work.cancel();
            project.maestro.close();
            String line = lines.readLine();
            while (line != null) {
                line = lines.readLine();
            }
        } catch (IOException e) {
            assertThat(types).as("it breaks off with the monitor").contains("RequestOpened");
        }
        assertThat(text.toString()).isEqualTo("I look at it, and [REDACTED:known-secret] is a secret.");
        assertThat(types.indexOf("TextWritten")).isLessThan(types.indexOf("ModelAnswered"));
        assertThat(types.stream().filter("TextWritten"::equals).count()).isGreaterThan(5);
        assertThatThrownBy(() -> project.get("")).isInstanceOf(IOException.class);
    }

    @Test
    void aStoryWaitsWhereItStandsAndGoesOn() throws Exception {
        project.model.calls("PLANNING", "submit_plan", "plan", "p");
        for (int i = 0; i < 40; i++) {
            project.model.calls("CODING", "shell", "cmd", "sleep 0.05; echo " + i + " >> log.txt");
        }
        project.model.calls("CODING", "done", "summary", "wrote it");
        Submission<StoryResult> work = project.maestro.submit(MonitoredProject.story("042", "Add"));
        answer(inbox("PLAN_REVIEW").path("id").asText(), "\"decision\":\"APPROVED\"");
        Await.until("it codes", () -> board().at("/agents/0/state").asText().equals("CODING"));
        assertThat(project.post("pause", "{\"id\":\"042\"}").statusCode()).isEqualTo(200);
        Await.until("nobody works", () -> board().path("agents").isEmpty());
        assertThat(board().path("paused").toString()).isEqualTo("[\"042\"]");
        int done = project.maestro.auditLog().toolExecutions("042").size();
        assertThat(board().at("/stories/0/state").asText()).isEqualTo("CODING");
        assertThat(work.result()).isEmpty();
        assertThat(project.post("go-on", "{\"id\":\"042\"}").statusCode()).isEqualTo(200);
        assertThat(work.await().outcome()).isEqualTo(StoryResult.Outcome.MERGED);
        assertThat(project.maestro.auditLog().toolExecutions("042")).hasSizeGreaterThan(done);
        assertThat(board().path("paused")).isEmpty();
    }

    @Test
    void whatIsCancelledIsTriedAgainAlsoWhileItIsPaused() throws Exception {
        project.model.calls("PLANNING", "submit_plan", "plan", "p").calls("CODING", "story_done", "x", "y");
        Submission<StoryResult> work = project.maestro.submit(MonitoredProject.story("042", "Add"));
        JsonNode first = inbox("PLAN_REVIEW");
        project.post("pause", "{\"id\":\"042\"}");
        assertThat(project.post("retry", "{\"id\":\"042\"}").body()).contains("has not failed");
        project.post("cancel", "{\"id\":\"042\"}");
        assertThat(work.await().outcome()).isEqualTo(StoryResult.Outcome.CANCELLED);
        assertThat(board().path("inbox")).isEmpty();
        assertThat(project.post("retry", "{\"id\":\"042\"}").statusCode()).isEqualTo(200);
        JsonNode second = inbox("PLAN_REVIEW");
        assertThat(second.path("id").asText()).isNotEqualTo(first.path("id").asText());
        assertThat(board().at("/stories/0/attempt").asInt()).isEqualTo(2);
        project.post("cancel", "{\"id\":\"042\"}");
        Await.until(
                "it has ended", () -> board().at("/stories/0/state").asText().equals("ERROR"));
    }

    /** Whoever goes on with it ends it. */
    @Test
    void whatNobodyWorksOnHereIsEndedByAWishInTheRecord() throws Exception {
        try (Store record =
                Store.sqlite(directory.resolve("project/.maestro/maestro.db"), SecretRedactor.withDefaults())) {
            record.saveStory(left("043", CoderState.CODING));
            HttpResponse<String> asked = project.post("cancel", "{\"id\":\"043\",\"person\":\"alice\"}");
            assertThat(asked.body()).contains("ends within seconds where another process works on it");
            assertThat(record.cancellations().open())
                    .singleElement()
                    .satisfies(cancellation -> assertThat(cancellation.by()).isEqualTo("by alice"));
            assertThat(project.post("cancel", "{\"id\":\"nobody\"}").body()).contains("nobody");
        }
    }

    @Test
    void whatWaitsToBeMergedIsShownAndCanBeMergedNext() throws Exception {
        try (Store record =
                Store.sqlite(directory.resolve("project/.maestro/maestro.db"), SecretRedactor.withDefaults())) {
            for (String id : List.of("043", "044")) {
                record.saveStory(left(id, CoderState.AWAIT_MERGE));
                record.merges().enter(id, 1, "nobody", "main");
            }
            assertThat(board().path("queue").findValuesAsText("story")).containsExactly("043", "044");
            assertThat(board().at("/queue/0/target").asText()).isEqualTo("main");
            assertThat(board().at("/queue/0/waits").asBoolean()).isTrue();
            assertThat(project.post("merge-next", "{\"id\":\"044\"}").statusCode())
                    .isEqualTo(200);
            assertThat(board().path("queue").findValuesAsText("story")).containsExactly("044", "043");
            assertThat(project.post("merge-next", "{\"id\":\"045\"}").body())
                    .contains("story 045 does not wait to be merged");
        }
    }

    /** The row of a story whose process has ended. */
    private AuditLog.StoryRecord left(String id, CoderState state) {
        return new AuditLog.StoryRecord(
                id,
                project.maestro.sessionId(),
                "Left",
                "Do it.",
                "APP",
                false,
                state,
                1,
                "coder-009",
                null,
                null,
                null,
                "{}",
                null,
                List.of(),
                Instant.now());
    }

    @Test
    void aPortThatIsTakenIsSaid() {
        int port = project.page.getPort();
        assertThatThrownBy(() -> Maestro.builder()
                        .projectDirectory(directory.resolve("other"))
                        .repository(directory.resolve("origin.git").toUri().toString())
                        .coderModel(project.model)
                        .architectModel(project.model)
                        .testCommand("true")
                        .monitor(port)
                        .build())
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("port " + port + " of 127.0.0.1");
        assertThatThrownBy(() -> Maestro.builder().monitor(65_536)).isInstanceOf(IllegalArgumentException.class);
        assertThat(URI.create(project.page.toString()).getPath()).hasSize(66);
    }
}
