package io.maestro.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.maestro.Maestro;
import io.maestro.MaestroBuilder;
import io.maestro.Submission;
import io.maestro.agent.AgentResult;
import io.maestro.agent.Architect;
import io.maestro.claude.ClaudeCodeMode;
import io.maestro.claude.testing.RealClaude;
import io.maestro.claude.testing.RequiresClaude;
import io.maestro.examples.embedding.Recipes;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.inbox.Inbox;
import io.maestro.inbox.InboxAnswer;
import io.maestro.inbox.InboxItem;
import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmMessage;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmStreamListener;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import io.maestro.testkit.Turn;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The recipes of the documents do what they say. */
class RecipesTest {
    @TempDir
    Path directory;

    private MaestroBuilder builder;

    @BeforeEach
    void aRepository() {
        sh("git init --quiet --bare -b main origin.git"
                + " && git clone --quiet origin.git first 2>/dev/null && cd first && git checkout --quiet -B main"
                + " && git -c user.name=a -c user.email=a@b.c commit --quiet --allow-empty -m first"
                + " && git push --quiet origin main");
        builder = Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(directory.resolve("origin.git").toString())
                .testCommand("grep -q Hello hello.txt");
    }

    private String sh(String line) {
        var result = LocalExecutor.builder(directory)
                .build()
                .run(ExecRequest.shell(line).build());
        assertThat(result.succeeded()).as(result.stderr().text()).isTrue();
        return result.stdout().text();
    }

    @Test
    void aScriptIsATool() {
        try (Maestro maestro = Recipes.withACommand(builder)
                .coderModel(ScriptedLlm.builder("coder").build())
                .tools(tools -> tools.discover(false))
                .build()) {
            assertThat(maestro.check().toString()).contains("deploy of ");
        }
    }

    @Test
    void aScriptedStoryIsMergedWithProgressAndCosts() {
        try (Maestro maestro = Recipes.withScript(builder).build()) {
            assertThat(Recipes.isReady(maestro)).isTrue();
            StoryResult result = Recipes.withProgress(
                    maestro,
                    Story.builder("1", "Say hello").content("In hello.txt.").build());
            assertThat(result.outcome()).as(result.toString()).isEqualTo(StoryResult.Outcome.MERGED);
            assertThat(sh("git -C origin.git show main:hello.txt")).isEqualTo("Hello\n");
            Recipes.printCosts(result);
        }
    }

    @Test
    void toolsOfAServerAreBorrowed() throws IOException {
        Path server = directory.resolve("server.sh");
        Files.writeString(
                server,
                """
                while IFS= read -r line; do
                  id=${line#*'"id":"'}; id=${id%%'"'*}
                  case $line in
                  *'"method":"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}}}';;
                  *'"method":"tools/list"'*) result='{"tools":[
                """.strip() + "{\"name\":\"read_text_file\",\"inputSchema\":{\"type\":\"object\"}},"
                        + "{\"name\":\"delete\",\"inputSchema\":{\"type\":\"object\"}}]}';;\n"
                        + "  *) continue;;\n  esac\n"
                        + "  printf '{\"jsonrpc\":\"2.0\",\"id\":\"%s\",\"result\":%s}\\n' \"$id\" \"$result\"\ndone\n");
        try (Maestro maestro = Recipes.withBorrowedTools(Recipes.withScript(builder), "sh", server.toString())
                .build()) {
            assertThat(maestro.check().toString())
                    .contains("files_read_text_file")
                    .doesNotContain("files_delete");
            assertThat(maestro.toolProblems())
                    .singleElement()
                    .asString()
                    .contains("search_files", "no tool of that name");
        }
    }

    @Test
    void aLimitEndsAStoryAndTheRecordTellsIt() {
        PrintStream stdout = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        try (Maestro maestro = Recipes.withLimit(builder).build()) {
            StoryResult result = maestro.run(
                    Story.builder("1", "Say hello").content("In hello.txt.").build());
            assertThat(result.error())
                    .hasValueSatisfying(why -> assertThat(why)
                            .contains("hard limit on the cost of story 1", "1.20 US dollars of 1.00 US dollars"));
            System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
            Recipes.printRecord(directory.resolve("project/.maestro/maestro.db"), "1");
        } finally {
            System.setOut(stdout);
        }
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .contains(" PLANNING: ", " coder-001 submit_plan {", " ERROR: ");
    }

    @Test
    @RequiresClaude
    void claudeCodePlaysAScript() {
        AgentResult result = Recipes.withClaudeAndAScript(
                ClaudeCodeMode.builder().program(RealClaude.program().toString()), directory.resolve("first"));
        assertThat(result.ending()).as(result.text()).isEqualTo(AgentResult.Ending.COMPLETED);
        assertThat(directory.resolve("first/hello.txt")).hasContent("Hello");
    }

    @Test
    void aPersonDecidesOnThePlan() {
        try (Maestro maestro = Recipes.withApproval(Recipes.withScript(builder)).build()) {
            Submission<StoryResult> work = maestro.submit(
                    Story.builder("1", "Say hello").content("In hello.txt.").build());
            String plan = firstOf(maestro.inbox(), Architect.Kind.PLAN_REVIEW);
            Recipes.printRequests(maestro.inbox());
            assertThat(Recipes.approveChangedPlan(maestro.inbox(), plan, "Write hello.txt."))
                    .isTrue();
            assertThat(Recipes.approveChangedPlan(maestro.inbox(), plan, "Write bye.txt."))
                    .isFalse();
            String merge = firstOf(maestro.inbox(), Architect.Kind.MERGE);
            maestro.inbox().answer(merge, InboxAnswer.approve("alice"));
            assertThat(maestro.inbox()
                            .answer(merge, InboxAnswer.reject("bob", "Not now."))
                            .status())
                    .isEqualTo(Inbox.Status.COUNTS);
            assertThat(work.await().error())
                    .hasValueSatisfying(why -> assertThat(why).contains("Not now."));
            Recipes.writeReports(maestro, "1", directory);
            assertThat(directory.resolve("1.html")).content().contains("by bob", "Write hello.txt.");
            assertThat(directory.resolve("1.json")).content().contains("\"by\" : \"bob\"");
        }
    }

    @Test
    void aWebhookDecides() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        try (Maestro maestro = Recipes.withApproval(Recipes.withScript(builder)).build()) {
            server.createContext(
                    "/inbox/",
                    Recipes.webhook(
                            maestro.inbox(),
                            exchange -> Optional.ofNullable(
                                    exchange.getRequestHeaders().getFirst("User"))));
            server.start();
            String url = "http://127.0.0.1:" + server.getAddress().getPort() + "/inbox/";
            Submission<StoryResult> work = maestro.submit(
                    Story.builder("1", "Say hello").content("In hello.txt.").build());
            String plan = url + firstOf(maestro.inbox(), Architect.Kind.PLAN_REVIEW);

            assertThat(post(plan + "?APPROVED", null, "")).isEqualTo("401 ");
            assertThat(post(plan + "?MERGED", "alice", "")).startsWith("400 ");
            assertThat(post(plan, "alice", "")).startsWith("400 ");
            assertThat(post(url + "9/9/9?APPROVED", "alice", "")).startsWith("400 there is no request '9/9/9'");
            assertThat(post(plan + "?REJECTED", "alice", "Not now.")).isEqualTo("200 rejected: 1 ends");
            assertThat(post(plan + "?APPROVED", "bob", ""))
                    .isEqualTo("200 too late: alice has decided REJECTED: Not now.");
            assertThat(work.await().outcome()).isEqualTo(StoryResult.Outcome.REJECTED);
        } finally {
            server.stop(0);
        }
    }

    private static String post(String url, @Nullable String user, String body) throws Exception {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(url)).POST(HttpRequest.BodyPublishers.ofString(body));
        if (user != null) {
            request.header("User", user);
        }
        HttpResponse<String> response =
                HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
        return response.statusCode() + " " + response.body();
    }

    @Test
    void aGatewayIsAskedInAnotherWay() {
        LlmClient client = Recipes.throughGateway(URI.create("http://127.0.0.1:9"), () -> "secret-of-a-test");
        assertThat(client.toString()).contains("my-model").doesNotContain("secret-of-a-test");
    }

    private static String firstOf(Inbox inbox, Architect.Kind kind) {
        for (long end = System.nanoTime() + Duration.ofSeconds(60).toNanos(); System.nanoTime() < end; ) {
            List<InboxItem> pending = inbox.pending();
            if (!pending.isEmpty()) {
                assertThat(pending.get(0).kind()).isEqualTo(kind);
                return pending.get(0).id();
            }
            LockSupport.parkNanos(10_000_000);
        }
        throw new AssertionError("no request came");
    }

    @Test
    void textIsShownWhileItIsWritten() {
        List<String> screen = new ArrayList<>();
        LlmStreamListener listener = screen::add;
        LlmClient model = listener.attachedTo(ScriptedLlm.builder("scripted")
                .turn(Turn.any().reply(Reply.text("Hello")))
                .build());
        model.complete(new LlmRequest(
                new LlmRequest.Origin("coder-001", "1", "CODING"),
                "",
                List.of(LlmMessage.user("Greet.")),
                List.of(),
                100,
                OptionalDouble.empty()));
        assertThat(String.join("", screen)).isEqualTo("Hello");
    }
}
