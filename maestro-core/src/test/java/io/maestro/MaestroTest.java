package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.maestro.agent.Architect;
import io.maestro.agent.Limits;
import io.maestro.error.MaestroException;
import io.maestro.event.MaestroEvent;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.Executor;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.llm.LlmContent;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmUnavailableException;
import io.maestro.llm.Usage;
import io.maestro.record.AuditLog;
import io.maestro.record.internal.Store;
import io.maestro.secrets.SecretRedactor;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.testkit.Reply;
import io.maestro.testkit.Script;
import io.maestro.testkit.ScriptedLlm;
import io.maestro.testkit.Turn;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import io.maestro.tools.ToolSignal;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MaestroTest {
    @TempDir
    Path directory;

    @Test
    void twoInstancesRunTwoStoriesEachAtTheSameTimeAndShareNothing() throws Exception {
        List<Maestro> instances = new ArrayList<>();
        List<TestRepository> repositories = new ArrayList<>();
        ExecutorService hosts = Executors.newFixedThreadPool(4);
        try {
            List<Future<StoryResult>> results = new ArrayList<>();
            for (String name : List.of("one", "two")) {
                Path home = Files.createDirectory(directory.resolve(name));
                TestRepository repository = TestRepository.create(home, Map.of("README.md", name));
                repositories.add(repository);
                Maestro maestro = Maestro.builder()
                        .projectDirectory(home.resolve("project"))
                        .repository(repository.url())
                        .coderModel(ScriptedLlm.builder("coder of " + name)
                                .story("1", script -> writes(script, "a.txt", name))
                                .story("2", script -> writes(script, "b.txt", name))
                                .build())
                        .architect(new Approving())
                        .testCommand("grep -q " + name + " README.md")
                        .build();
                instances.add(maestro);
                for (String id : List.of("1", "2")) {
                    results.add(hosts.submit(() -> maestro.run(story(id))));
                }
            }
            for (Future<StoryResult> result : results) {
                assertThat(result.get().outcome()).as("%s", result.get()).isEqualTo(Outcome.MERGED);
            }
            for (int i = 0; i < 2; i++) {
                String name = i == 0 ? "one" : "two";
                assertThat(repositories.get(i).show("main", "a.txt")).isEqualTo(name);
                assertThat(repositories.get(i).show("main", "b.txt")).isEqualTo(name);
                assertThat(instances.get(i).auditLog().toolExecutions("1"))
                        .extracting(AuditLog.ToolExecution::sessionId)
                        .containsOnly(instances.get(i).sessionId());
            }
        } finally {
            hosts.shutdownNow();
            instances.forEach(Maestro::close);
        }
    }

    private static void writes(Script script, String file, String content) {
        script.turn(Reply.toolCall("write_file", Map.of("path", file, "content", content)));
        script.turn(Reply.toolCall("done", Map.of("summary", "wrote " + file)));
    }

    @Test
    void guidanceReachesTheCodersNextTurnWithAnApprovalToo() {
        Architect architect = new Architect() {
            @Override
            public String id() {
                return "architect";
            }

            @Override
            public Reply reply(Request request) {
                return new Reply(request.id(), Decision.APPROVED, "advice on " + request.kind());
            }
        };
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(Reply.toolCall("ask_question", Map.of("question", "how?")))
                .turn(Turn.expecting("advice on QUESTION").reply(Reply.toolCall("submit_plan", Map.of("plan", "so"))))
                .turn(Turn.expecting("advice on PLAN_REVIEW")
                        .reply(Reply.toolCall("write_file", Map.of("path", "a", "content", "b"))))
                .turn(Reply.toolCall("done", Map.of("summary", "done")))
                .build();
        try (Maestro maestro = builder(coder).architect(architect).build()) {
            StoryResult result =
                    maestro.run(Story.builder("1", "Advice").content("take it").build());
            assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.MERGED);
            coder.assertFinished();
        }
    }

    @Test
    void theArchitectReadsTheWorkspaceAndNothingElse() throws IOException {
        Path secrets = Files.createDirectory(directory.resolve("secrets"));
        Files.writeString(secrets.resolve("hostname"), "not for agents");
        String links =
                "ln -s " + secrets + " outside; ln -s " + secrets.resolve("hostname") + " link; echo new > new.txt";
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(Reply.toolCall("shell", Map.of("cmd", links)))
                .turn(Reply.toolCall("done", Map.of("summary", "made links")))
                .build();
        ScriptedLlm architect = ScriptedLlm.builder("architect")
                .turn(Turn.expecting("new.txt")
                        .reply(read("new.txt")
                                .andToolCall("read_file", Map.of("path", "link"))
                                .andToolCall("read_file", Map.of("path", "outside/hostname"))
                                .andToolCall("read_file", Map.of("path", "../../secrets/hostname"))
                                .andToolCall(
                                        "read_file",
                                        Map.of(
                                                "path",
                                                secrets.resolve("hostname").toString()))
                                .andToolCall("read_file", Map.of("path", ".git/config"))
                                .andToolCall("read_file", Map.of("path", "new.txt", "coder_id", "../coder-001"))
                                .andToolCall("shell", Map.of("cmd", "id"))))
                .turn(Reply.toolCall("review_complete", Map.of("decision", "REJECTED", "feedback", "no links")))
                .build();
        try (Maestro maestro = builder(coder).architectModel(architect).build()) {
            StoryResult result = maestro.run(story("1"));

            assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.REJECTED);
            List<AuditLog.ToolExecution> reads = maestro.auditLog().toolExecutions("1").stream()
                    .filter(call -> call.agentId().equals("architect-001"))
                    // Tools that only read run side by side, and are recorded as they end.
                    .sorted(Comparator.comparing(AuditLog.ToolExecution::callId))
                    .toList();
            assertThat(reads.get(0).result()).contains("new");
            assertThat(reads.subList(1, 8))
                    .extracting(AuditLog.ToolExecution::error)
                    .doesNotContainNull();
            assertThat(reads).extracting(AuditLog.ToolExecution::state).containsOnly("ANSWERING");
        }
    }

    private static Reply read(String path) {
        return Reply.toolCall("read_file", Map.of("path", path));
    }

    @Test
    void listenersAreToldOfAStoryThatCannotBeginBecauseAnotherHasFailed() throws Exception {
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .repeat(Reply.toolCall("report_blocked", Map.of("reason", "no")))
                .build();
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        try (Maestro maestro = builder(coder)
                .listener(event -> {
                    if (event instanceof MaestroEvent.StateChanged changed
                            && changed.storyId().equals("2")) {
                        told.add(changed.from() + "->" + changed.to() + " " + changed.reason());
                    }
                })
                .build()) {
            assertThat(maestro.run(story("1")).outcome()).isEqualTo(Outcome.FAILED);
            StoryResult second = maestro.run(Story.builder("2", "After 1")
                    .content("needs 1")
                    .dependsOn("1")
                    .build());
            assertThat(second.outcome()).isEqualTo(Outcome.FAILED);
            assertThat(told.poll(30, TimeUnit.SECONDS))
                    .isEqualTo("WAITING->ERROR it depends on story 1, which has failed");
        }
    }

    @Test
    void aModelThatMakesTheSameCallForEverIsStopped() {
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .repeat(Reply.toolCall("shell", Map.of("cmd", "true")))
                .build();
        List<String> facts = new ArrayList<>();
        Architect architect = new Approving() {
            @Override
            public Reply reply(Request request) {
                facts.addAll(request.facts().values());
                return super.reply(request);
            }
        };
        try (Maestro maestro = builder(coder).architect(architect).build()) {
            StoryResult result = maestro.run(story("1"));

            assertThat(result.outcome()).isEqualTo(Outcome.FAILED);
            assertThat(result.error().orElseThrow())
                    .contains("the budget was granted 3 times more", "Limits.budgetReviews");
            assertThat(facts).hasSize(3).allMatch(text -> text.contains("the same call came 5 times in a row: shell"));
            assertThat(coder.requests()).hasSize(20);
        }
    }

    @Test
    void theArchitectsModelDecidesOnABudgetThatIsUsedUp() {
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(Reply.toolCall("write_file", Map.of("path", "a", "content", "b"))
                        .usage(new Usage(900, 200, 0, 0)))
                .turn(Turn.expecting("be quick").reply(Reply.toolCall("done", Map.of("summary", "done"))))
                .build();
        ScriptedLlm architect = ScriptedLlm.builder("architect")
                .turn(Turn.expecting("1100 of 1000 tokens are used up").reply(approve("be quick")))
                .turn(Turn.expecting("A change to review").reply(approve("good")))
                .turn(Turn.expecting("A change to merge").reply(approve("merge")))
                .build();
        try (Maestro maestro = builder(coder)
                .architectModel(architect)
                .limits(Limits.builder().tokensPerStory(1000).build())
                .build()) {
            StoryResult result = maestro.run(story("1"));
            assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.MERGED);
            assertThat(result.usage().totalTokens()).isEqualTo(1100);
        }
    }

    @Test
    void anArchitectWhoseServiceWasDownIsAskedOnce() {
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(Reply.toolCall("done", Map.of("summary", "nothing to do")))
                .build();
        ScriptedLlm architect = ScriptedLlm.builder("architect")
                .turn(Reply.failure(new LlmUnavailableException("HTTP 529", null, null)))
                .turn(Turn.expecting("A change to review").reply(approve("right")))
                .build();
        try (Maestro maestro = builder(coder)
                .architectModel(architect)
                .limits(Limits.builder().suspendInterval(Duration.ofMillis(1)).build())
                .build()) {
            assertThat(maestro.run(story("1")).outcome()).isEqualTo(Outcome.NO_CHANGE);
            assertThat(architect.requests().get(1).messages()).hasSize(1);
            assertThat(architect.requests().get(1).messages().get(0).content()).hasSize(1);
        }
    }

    private static Reply approve(String feedback) {
        return Reply.toolCall("review_complete", Map.of("decision", "APPROVED", "feedback", feedback));
    }

    @Test
    void aHostsOwnExecutorRunsTheCommandsAndItsOwnRulesTakeSecretsOut() {
        List<String> commands = new CopyOnWriteArrayList<>();
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(Reply.toolCall("shell", Map.of("cmd", "echo badge-4711; echo a > a.txt")))
                .turn(Turn.expecting("[REDACTED:badge]").reply(Reply.toolCall("done", Map.of("summary", "done"))))
                .build();
        try (Maestro maestro = builder(coder)
                .architect(new Approving())
                .redactor(SecretRedactor.builder()
                        .rule("badge", "badge-", "badge-[0-9]{4}")
                        .build())
                .executor(workspace -> {
                    LocalExecutor local = LocalExecutor.builder(workspace).build();
                    return new Executor() {
                        @Override
                        public ExecResult run(ExecRequest request) {
                            commands.add(request.toString());
                            return local.run(request);
                        }

                        @Override
                        public String workingDirectory() {
                            return local.workingDirectory();
                        }
                    };
                })
                .build()) {
            StoryResult result = maestro.run(story("1"));
            assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.MERGED);
            assertThat(commands).containsExactly("sh -c echo badge-4711; echo a > a.txt", "sh -c true");
        }
    }

    @Test
    void aToolJarEndsATurnOnlyByASignalThatIsUnderstood() {
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(Reply.toolCall("ship", Map.of("signal", "shipped")))
                .turn(Turn.expecting("'shipped' is none of [ask_question, done, report_blocked]")
                        .reply(Reply.toolCall("ship", Map.of("signal", "done"))))
                .turn(Turn.expecting("has no text 'summary'")
                        .reply(Reply.toolCall("ship", Map.of("signal", "done", "summary", "shipped"))))
                .build();
        ToolFactory ship = new ToolFactory() {
            @Override
            public ToolDefinition definition() {
                return ToolDefinition.builder("ship")
                        .description("ships")
                        .terminal()
                        .input(schema -> schema.requiredString("signal", "").optionalString("summary", ""))
                        .build();
            }

            @Override
            public Tool create(ToolContext context) {
                return call -> ToolResult.builder("shipped")
                        .signal(new ToolSignal(
                                call.arguments().string("signal"),
                                call.arguments().asMap()))
                        .build();
            }
        };
        try (Maestro maestro =
                builder(coder).tool(ship).architect(new Approving()).build()) {
            assertThat(maestro.run(story("1")).outcome()).isEqualTo(Outcome.NO_CHANGE);
            coder.assertFinished();
        }
    }

    @Test
    void faultsOfTheHostNameTheCulprit() {
        Architect silent = new Approving() {
            @Override
            public Reply reply(Request request) {
                return null;
            }
        };
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(Reply.toolCall("done", Map.of("summary", "done")))
                .build();
        try (Maestro maestro = builder(coder).architect(silent).build()) {
            assertThat(maestro.run(story("1")).error().orElseThrow())
                    .contains("approving", silent.getClass().getName(), "CODE_REVIEW");
            assertThatThrownBy(() -> maestro.run(null)).hasMessage("story");
        }
        Architect failing = new Approving() {
            @Override
            public Reply reply(Request request) {
                throw new IllegalStateException("no telephone");
            }
        };
        ScriptedLlm again = ScriptedLlm.builder("coder")
                .turn(Reply.toolCall("done", Map.of("summary", "done")))
                .build();
        try (Maestro maestro = builder(again).architect(failing).build()) {
            assertThat(maestro.run(story("1")).error().orElseThrow())
                    .isEqualTo("in CODE_REVIEW: java.lang.IllegalStateException: no telephone");
        }
        assertThatThrownBy(() -> builder(again).secret("abc")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder(again).commands(commands -> commands.passEnvironment("A=B")))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** A method: javac takes two seconds for it as a lambda. */
    private static Reply writesAfterRefusals(LlmRequest request) {
        List<String> texts = replies(request).stream()
                .filter(LlmContent.ToolReply::error)
                .map(LlmContent.ToolReply::text)
                .toList();
        assertThat(texts).hasSize(5);
        assertThat(texts.get(0)).contains("shel", "shell");
        assertThat(texts.get(1)).contains("object");
        assertThat(texts.get(2)).contains("JSON");
        assertThat(texts.get(3)).contains("$.cmd", "$.command");
        assertThat(texts.get(4)).contains("submit_plan");
        return Reply.toolCall("write_file", Map.of("path", "a", "content", "b"));
    }

    @Test
    void callsOfUnknownToolsAndBrokenArgumentsAreAnsweredAndTheStoryGoesOn() {
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(Reply.toolCall("shel", Map.of("cmd", "ls"))
                        .andRawToolCall("shell", "[1]")
                        .andRawToolCall("shell", "{")
                        .andToolCall("shell", Map.of("command", "ls"))
                        .andToolCall("submit_plan", Map.of("plan", "not while coding")))
                .turn(MaestroTest::writesAfterRefusals)
                .turn(Reply.toolCall("done", Map.of("summary", "done")))
                .build();
        try (Maestro maestro = builder(coder).architect(new Approving()).build()) {
            StoryResult result = maestro.run(story("1"));
            assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.MERGED);
            coder.assertFinished();
        }
    }

    private static List<LlmContent.ToolReply> replies(LlmRequest request) {
        return request.messages().get(request.messages().size() - 1).content().stream()
                .map(LlmContent.ToolReply.class::cast)
                .toList();
    }

    @Test
    void secretsOfTheHostAreInNoRowAndReachNoModel() throws IOException {
        String secret = "hunter2-hunter2-hunter2";
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(Reply.toolCall(
                        "shell", Map.of("cmd", "cat token.txt; echo ghp_0123456789abcdefghijABCDEFGHIJ012345")))
                .turn(request -> {
                    assertThat(replies(request).get(0).text())
                            .doesNotContain(secret, "ghp_0123")
                            .contains("REDACTED");
                    return Reply.toolCall("done", Map.of("summary", "saw " + secret));
                })
                .build();
        TestRepository repository = TestRepository.create(directory, Map.of("token.txt", secret));
        try (Maestro maestro = builder(coder, repository)
                .secret(secret)
                .architect(new Approving())
                .build()) {
            assertThat(maestro.run(story("1")).outcome()).isEqualTo(Outcome.NO_CHANGE);
            coder.assertFinished();
        }
        try (Stream<Path> files = Files.list(directory.resolve("project/.maestro"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                assertThat(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1))
                        .as("%s", file)
                        .doesNotContain(secret, "ghp_0123");
            }
        }
    }

    @Test
    void secretsOfTheRepositoryAreMergedAsTheyWere() throws IOException {
        TestRepository repository =
                TestRepository.create(directory, Map.of("app.properties", "db.password=changeit42\nport=80\n"));
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(Reply.toolCall("read_file", Map.of("path", "app.properties")))
                .turn(request -> {
                    String shown = replies(request).get(0).text();
                    assertThat(shown).isEqualTo("db.password=[REDACTED:password]\nport=80\n");
                    return Reply.toolCall(
                            "write_file", Map.of("path", "app.properties", "content", shown.replace("80", "90")));
                })
                .turn(request -> {
                    assertThat(replies(request).get(0).text()).contains("stands for a secret", "edit_file");
                    return Reply.toolCall(
                            "edit_file",
                            Map.of(
                                    "path",
                                    "app.properties",
                                    "old",
                                    "db.password=[REDACTED:password]\nport=80",
                                    "new",
                                    "db.password=[REDACTED:password]\nport=90"));
                })
                .turn(Reply.toolCall("done", Map.of("summary", "changed the port")))
                .build();
        try (Maestro maestro =
                builder(coder, repository).architect(new Approving()).build()) {
            StoryResult result = maestro.run(story("1"));
            assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.MERGED);
        }
        assertThat(repository.show("main", "app.properties")).isEqualTo("db.password=changeit42\nport=90");
    }

    @Test
    void whatTheTestsWriteIsNotMerged() throws IOException {
        TestRepository repository = TestRepository.create(
                directory, Map.of("t.sh", "n=$(ls generated-* 2>/dev/null | wc -l)\ntouch generated-$((n + 1)).txt\n"));
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(Reply.toolCall("write_file", Map.of("path", "b.txt", "content", "b")))
                .turn(Reply.toolCall("done", Map.of("summary", "wrote b")))
                .build();
        // Somebody else merges while the architect reviews, so that the tests run once more.
        Architect slow = new Approving() {
            @Override
            public Reply reply(Request request) {
                if (request.kind() == Kind.CODE_REVIEW) {
                    repository.commit("other", Map.of("other.txt", "o"));
                }
                return super.reply(request);
            }
        };
        try (Maestro maestro = builder(coder, repository)
                .architect(slow)
                .testCommand("sh t.sh")
                .build()) {
            StoryResult result = maestro.run(
                    Story.builder("1", "Write b").content("b").express().build());
            assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.MERGED);
        }
        assertThat(repository.git("ls-tree", "-r", "--name-only", "main").lines())
                .containsExactly("b.txt", "other.txt", "t.sh");
    }

    @Test
    void aFailedStoryIsRunAgainAsItsNextAttemptAndADoneOneIsNotDoneAgain() {
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(Reply.toolCall("ask_question", Map.of("question", "may I?")))
                .turn(Reply.toolCall("write_file", Map.of("path", "a", "content", "b")))
                .turn(Reply.toolCall("done", Map.of("summary", "done")))
                .build();
        Architect onceNo = new Approving() {
            @Override
            public Reply reply(Request request) {
                return request.kind() == Kind.QUESTION
                        ? new Reply(request.id(), Decision.REJECTED, "no")
                        : super.reply(request);
            }
        };
        try (Maestro maestro = builder(coder).architect(onceNo).build()) {
            assertThat(maestro.run(story("1")).outcome()).isEqualTo(Outcome.REJECTED);
            StoryResult second = maestro.run(story("1"));
            assertThat(second.attempt()).isEqualTo(2);
            assertThat(second.outcome()).as("%s", second).isEqualTo(Outcome.MERGED);
            assertThat(maestro.auditLog().toolExecutions("1"))
                    .extracting(AuditLog.ToolExecution::tool, AuditLog.ToolExecution::attempt)
                    .containsExactly(
                            tuple("ask_question", 1), tuple("write_file", 2), tuple("done", 2), tuple("test", 2));
            StoryResult third = maestro.run(story("1"));
            assertThat(third.mergeCommit()).isEqualTo(second.mergeCommit());
            assertThat(third.attempt()).isEqualTo(2);
            Story other = Story.builder("1", "Other").content("other").build();
            assertThatThrownBy(() -> maestro.run(other))
                    .isInstanceOf(MaestroException.class)
                    .hasMessageContaining("an id of its own");
        }
    }

    @Test
    void aProjectDirectoryBelongsToOneMaestroAtATime() {
        ScriptedLlm unused = ScriptedLlm.builder("unused").build();
        TestRepository repository = TestRepository.create(directory, Map.of("a", "b"));
        try (Maestro first = builder(unused, repository).build()) {
            assertThat(first.toolProblems()).isEmpty();
            assertThatThrownBy(() -> builder(unused, repository).build())
                    .isInstanceOf(MaestroException.class)
                    .hasMessageContaining("in this JVM");
        }
        builder(unused, repository).build().close();
    }

    @Test
    void aProjectDirectoryBelongsToOneRepository() throws IOException {
        TestRepository repository = TestRepository.create(directory, Map.of("a", "b"));
        TestRepository other =
                TestRepository.create(Files.createDirectory(directory.resolve("other")), Map.of("a", "b"));
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(Reply.toolCall("done", Map.of("summary", "nothing to do")))
                .build();
        String mistyped = repository.url() + "x";
        try (Maestro maestro = builder(coder, repository).repository(mistyped).build()) {
            assertThat(maestro.run(story("1")).outcome()).isEqualTo(Outcome.FAILED);
        }
        try (Maestro maestro =
                builder(coder, repository).architect(new Approving()).build()) {
            assertThat(maestro.run(story("1")).outcome()).isEqualTo(Outcome.NO_CHANGE);
        }
        for (String url : List.of(other.url(), mistyped)) {
            assertThatThrownBy(() -> builder(coder, repository).repository(url).build())
                    .isInstanceOf(MaestroException.class)
                    .hasMessageContaining("belongs to the repository " + repository.url() + ",")
                    .hasMessageContaining(" for " + url + ";")
                    .hasMessageContaining("use another project directory");
        }
        // The refusals have given the directory back, and are no sessions.
        try (Maestro maestro = builder(coder, repository).build()) {
            assertThat(maestro.auditLog().sessions())
                    .extracting(AuditLog.Session::repository)
                    .containsExactly(mistyped, repository.url(), repository.url());
            assertThat(maestro.run(story("1")).outcome()).isEqualTo(Outcome.NO_CHANGE);
        }
    }

    @Test
    void theRepositoryOfAProjectDirectoryIsKnownAgainWhenItsNameHoldsASecret() throws IOException {
        TestRepository repository = TestRepository.create(
                Files.createDirectory(directory.resolve("hunter2-hunter2-hunter2")), Map.of("a", "b"));
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(Reply.toolCall("done", Map.of("summary", "nothing to do")))
                .build();
        for (int life = 1; life <= 2; life++) {
            try (Maestro maestro = builder(coder, repository)
                    .secret("hunter2-hunter2-hunter2")
                    .architect(new Approving())
                    .build()) {
                assertThat(maestro.run(story("1")).outcome()).isEqualTo(Outcome.NO_CHANGE);
            }
        }
    }

    @Test
    void aStoryThatIsDoneOnOneBranchIsNotDoneOnAnother() {
        TestRepository repository = TestRepository.create(directory, Map.of("a", "b"));
        repository.git("branch", "release");
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(Reply.toolCall("done", Map.of("summary", "nothing to do")))
                .build();
        try (Maestro maestro =
                builder(coder, repository).architect(new Approving()).build()) {
            assertThat(maestro.run(story("1")).outcome()).isEqualTo(Outcome.NO_CHANGE);
        }
        try (Maestro maestro = builder(coder, repository)
                .git(git -> git.targetBranch("release"))
                .build()) {
            assertThatThrownBy(() -> maestro.run(story("1")))
                    .isInstanceOf(MaestroException.class)
                    .hasMessageContaining("done already, on the branch 'main' and not on 'release'")
                    .hasMessageContaining("an id of its own");
        }
        try (Maestro maestro =
                builder(coder, repository).git(git -> git.targetBranch("main")).build()) {
            assertThat(maestro.run(story("1")).outcome()).isEqualTo(Outcome.NO_CHANGE);
        }
    }

    @Test
    void theAuditLogIsToReadOnly() {
        try (Maestro maestro = builder(ScriptedLlm.builder("unused").build()).build()) {
            AuditLog log = maestro.auditLog();
            assertThat(log).isNotInstanceOf(Store.class).isNotInstanceOf(AutoCloseable.class);
            assertThat(log.sessions()).extracting(AuditLog.Session::id).containsExactly(maestro.sessionId());
            assertThat(log.stories()).isEmpty();
        }
    }

    @Test
    void missingSettingsAreNamed() {
        assertThatThrownBy(() -> Maestro.builder().build()).hasMessageContaining("projectDirectory");
        assertThatThrownBy(() -> Maestro.builder().projectDirectory(directory).build())
                .hasMessageContaining("repository");
        assertThatThrownBy(() -> Maestro.builder()
                        .projectDirectory(directory)
                        .repository("x")
                        .build())
                .hasMessageContaining("coderModel");
    }

    @Test
    void aWorkspaceThatAKilledLifeHasLeftHalfMadeIsEmptiedAndAMarkedOneIsKept() throws Exception {
        Path project = directory.resolve("project");
        Path halfMade = Files.createDirectories(project.resolve("coder-002/src"));
        Path staging = Files.createDirectories(project.resolve(".maestro/git/coder-002/clone"));
        Path kept = Files.createDirectories(project.resolve("coder-003"));
        Path unknown = Files.createDirectories(project.resolve("coder-004"));
        for (Path place : List.of(halfMade, staging, kept, unknown)) {
            Files.writeString(place.resolve("file"), "left");
        }
        Path marks = Files.createDirectories(project.resolve(".maestro/workspaces"));
        Files.writeString(marks.resolve("coder-003"), "042 of-this-attempt\n");
        // Its process was killed before the row could say that this workspace is the story's.
        Files.writeString(marks.resolve("coder-004"), "042 of-no-attempt\n");
        try (Store store = Store.sqlite(project.resolve(".maestro/maestro.db"), text -> text)) {
            store.beginSession(new AuditLog.Session("earlier", "url", Instant.now(), 1, null));
            store.saveStory(new AuditLog.StoryRecord(
                    "042",
                    "earlier",
                    "Title",
                    "Content",
                    "APP",
                    false,
                    CoderState.ERROR,
                    1,
                    "coder-003",
                    null,
                    null,
                    "failed",
                    "{\"workspaceId\":\"of-this-attempt\"}",
                    null,
                    List.of(),
                    Instant.now()));
        }

        builder(ScriptedLlm.builder("unused").build()).build().close();

        assertThat(project.resolve("coder-002")).isEmptyDirectory();
        assertThat(project.resolve(".maestro/git")).doesNotExist();
        assertThat(kept.resolve("file")).exists();
        assertThat(unknown).isEmptyDirectory();
    }

    @Test
    void aClosedMaestroSaysSo() {
        Maestro maestro = builder(ScriptedLlm.builder("unused").build()).build();
        maestro.close();
        maestro.close();
        assertThatThrownBy(() -> maestro.run(story("1"))).hasMessageContaining("closed");
    }

    @Test
    void theNameOfABuiltInToolIsRefused() {
        ToolFactory shell = new ToolFactory() {
            @Override
            public ToolDefinition definition() {
                return ToolDefinition.builder("shell").description("mine").build();
            }

            @Override
            public Tool create(ToolContext context) {
                return call -> ToolResult.ok("");
            }
        };
        assertThatThrownBy(() -> builder(ScriptedLlm.builder("unused").build())
                        .tool(shell)
                        .build())
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("shell");
        // The refusal has given the directory back.
        builder(ScriptedLlm.builder("unused").build()).build().close();
    }

    @Test
    void everythingIsInTheRecord() {
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(Reply.toolCall("shell", Map.of("cmd", "exit 3")))
                .turn(Reply.toolCall("write_file", Map.of("path", "a", "content", "b")))
                .turn(Reply.toolCall("done", Map.of("summary", "done")))
                .build();
        try (Maestro maestro = builder(coder).architect(new Approving()).build()) {
            StoryResult result = maestro.run(story("1"));

            AuditLog.StoryRecord story = maestro.auditLog().story("1").orElseThrow();
            assertThat(story.state()).isEqualTo(CoderState.DONE);
            assertThat(story.mergeCommit()).isEqualTo(result.mergeCommit().orElseThrow());
            assertThat(maestro.auditLog().toolExecutions("1"))
                    .extracting(
                            AuditLog.ToolExecution::tool,
                            AuditLog.ToolExecution::exitCode,
                            AuditLog.ToolExecution::state)
                    .containsExactly(
                            tuple("shell", 3, "CODING"),
                            tuple("write_file", null, "CODING"),
                            tuple("done", null, "CODING"),
                            tuple("test", 0, "TESTING"));
            assertThat(maestro.auditLog().messages("1"))
                    .extracting(AuditLog.Message::role)
                    .containsExactly("system", "user", "assistant", "user", "assistant", "user", "assistant", "user");
            assertThat(maestro.auditLog().effects("1"))
                    .extracting(AuditLog.Effect::kind)
                    .containsExactly("CODE_REVIEW", "MERGE");
            assertThat(maestro.auditLog().effects("1")).allMatch(effect -> effect.reply() != null);
        }
    }

    private static Story story(String id) {
        return Story.builder(id, "Story " + id).content("do it").express().build();
    }

    @Test
    void aPersonDecidesOnTheMergeAndTheModelOnTheRest() {
        List<Architect.Kind> asked = new CopyOnWriteArrayList<>();
        Approving person = new Approving() {
            @Override
            public Reply reply(Request request) {
                asked.add(request.kind());
                return super.reply(request);
            }
        };
        ScriptedLlm reviewer =
                ScriptedLlm.builder("reviewer").turn(approve("good")).build();
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(Reply.toolCall("shell", Map.of("cmd", "echo hello > a.txt")))
                .turn(Reply.toolCall("done", Map.of("summary", "wrote it")))
                .build();
        try (Maestro maestro = builder(coder)
                .architectModel(reviewer)
                .people(people -> people.architect(person, Architect.Kind.MERGE, Architect.Kind.BUDGET_REVIEW))
                .build()) {
            StoryResult result = maestro.run(story("042"));
            assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.MERGED);
        }
        assertThat(asked).containsExactly(Architect.Kind.MERGE);
        assertThat(reviewer.requests()).hasSize(1);
    }

    private MaestroBuilder builder(ScriptedLlm coder) {
        return builder(
                coder,
                Files.exists(directory.resolve("origin.git"))
                        ? TestRepository.existing(directory)
                        : TestRepository.create(directory, Map.of("README.md", "a project")));
    }

    private MaestroBuilder builder(ScriptedLlm coder, TestRepository repository) {
        return Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository.url())
                .coderModel(coder)
                .testCommand("true")
                .tools(tools -> tools.discover(false));
    }
}
