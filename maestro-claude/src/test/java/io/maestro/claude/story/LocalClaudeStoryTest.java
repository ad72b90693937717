package io.maestro.claude.story;

import static io.maestro.testing.AssertThat.assertThat;
import static io.maestro.testkit.api.ApiScript.call;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.Maestro;
import io.maestro.MaestroBuilder;
import io.maestro.TestRepository;
import io.maestro.agent.Architect;
import io.maestro.claude.ClaudeCodeMode;
import io.maestro.claude.McpWay;
import io.maestro.claude.testing.Fact;
import io.maestro.claude.testing.RealClaude;
import io.maestro.claude.testing.RealClaude.Release;
import io.maestro.claude.testing.RequiresClaude;
import io.maestro.llm.Usage;
import io.maestro.record.AuditLog;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.telemetry.Telemetry;
import io.maestro.testing.Full;
import io.maestro.testkit.api.ApiReply;
import io.maestro.testkit.api.ApiRequest;
import io.maestro.testkit.api.ApiScript;
import io.maestro.testkit.api.StubApi;
import io.maestro.wire.internal.JsonLimits;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whole stories with the real CLI on this machine, and a stub of the API. */
@RequiresClaude
class LocalClaudeStoryTest {
    private static final String KEY = "sk-ant-real-planted-0f3b7a91";

    @TempDir
    Path directory;

    private TestRepository repository;

    @BeforeEach
    void createRepository() {
        repository = TestRepository.create(directory, Map.of("README.md", "app"));
    }

    private MaestroBuilder maestro(StubApi api, Architect architect, ClaudeCodeMode.Builder mode) {
        return Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository.url())
                .coderMode(mode.model("claude-sonnet-4-5")
                        .program(RealClaude.program().toString())
                        .apiKey(KEY)
                        .baseUrl(URI.create(api.baseUrl()))
                        .build())
                .architect(architect)
                .testCommand("test -f feature.txt");
    }

    private Path workspace() {
        return directory.resolve("project/coder-001");
    }

    private static Story story() {
        return Story.builder("1", "A feature").content("write feature.txt").build();
    }

    @Test
    void aStoryIsDone() {
        isDone(McpWay.CONTROL_CHANNEL);
    }

    @ParameterizedTest
    @Full("ClaudeCodeMcpTest calls a tool each way")
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "CONTROL_CHANNEL")
    void aStoryIsDoneOverEachOtherWay(McpWay way) {
        isDone(way);
    }

    private void isDone(McpWay way) {
        try (StubApi api = StubApi.start(
                        StoryScript.simple(workspace().resolve("feature.txt").toString()));
                Maestro maestro = maestro(
                                api, new Asked(), ClaudeCodeMode.builder().options(all -> all.way(way)))
                        .build()) {
            StoryResult result = maestro.run(story());

            assertThat(result.outcome()).as("%s", result).isEqualTo(StoryResult.Outcome.MERGED);
            assertThat(repository.show("main", "feature.txt")).isEqualTo("made by the CLI");
            assertThat(api.conversations())
                    .allSatisfy(
                            request -> assertThat(request.header("X-Api-Key")).contains(KEY));
            assertThat(api.requests()).extracting(ApiRequest::model).containsOnly("claude-sonnet-4-5");
            assertThat(result.usage().totalTokens()).isPositive();
            List<AuditLog.ToolExecution> calls = maestro.auditLog().toolExecutions("1");
            assertThat(calls).extracting(AuditLog.ToolExecution::tool).startsWith("submit_plan", "done");
            // The row of a call carries the id that the model gave it.
            String said = maestro.auditLog().messages("1").stream()
                    .filter(message -> message.role().equals("assistant"))
                    .map(AuditLog.Message::content)
                    .collect(Collectors.joining());
            assertThat(said).contains(calls.get(0).callId(), calls.get(1).callId());
        }
        assertThat(directory.resolve("project/.maestro/state"))
                .satisfiesAnyOf(
                        state -> assertThat(state).doesNotExist(),
                        state -> assertThat(state).isEmptyDirectory());
    }

    /** The CLI's own words, too: its prompt and reminders, and the summary that takes the place of a conversation. */
    @ParameterizedTest
    @Full("ApiGatewayTest and WatchTest have the parts")
    @EnumSource(Release.class)
    void allThatTheModelIsToldIsInTheRecordOnce(Release release) throws IOException {
        Path program = Files.writeString(
                directory.resolve("claude"),
                "#!/bin/sh\nCLAUDE_CODE_AUTO_COMPACT_WINDOW=100000 exec " + release.program() + " \"$@\"\n");
        assertThat(program.toFile().setExecutable(true)).isTrue();
        ApiScript script = request -> {
            if (request.userTexts().stream().anyMatch(text -> text.contains("Respond with TEXT ONLY"))) {
                return ApiReply.text("<summary>a planted summary</summary>");
            }
            if (request.heard("a planted summary")) {
                return ApiReply.use(StoryScript.DONE, "summary", "wrote the feature");
            }
            return StoryScript.plans(request)
                    ? ApiReply.use(
                            StoryScript.PLAN, "plan", "plan " + request.uses().size())
                    : ApiReply.use(
                                    "Write",
                                    "file_path",
                                    workspace().resolve("feature.txt").toString(),
                                    "content",
                                    "x")
                            .usage(new Usage(190_000, 10, 0, 0));
        };
        AtomicInteger reviews = new AtomicInteger();
        Asked architect =
                new Asked(request -> request.kind() == Architect.Kind.PLAN_REVIEW && reviews.getAndIncrement() == 0
                        ? new Architect.Reply(request.id(), Architect.Decision.NEEDS_CHANGES, "say more")
                        : Asked.approve(request));
        try (StubApi api = StubApi.start(script);
                Maestro maestro = maestro(api, architect, ClaudeCodeMode.builder())
                        .coderMode(ClaudeCodeMode.builder()
                                .model("claude-sonnet-4-5")
                                .program(program.toString())
                                .apiKey(KEY)
                                .baseUrl(URI.create(api.baseUrl()))
                                .build())
                        .build()) {
            StoryResult result = maestro.run(story());

            assertThat(result.outcome()).as("%s", result).isEqualTo(StoryResult.Outcome.MERGED);
            Set<String> told = new TreeSet<>();
            for (ApiRequest request : api.requests()) {
                texts("system", request.body().path("system")).forEach(told::add);
                request.messages().forEach(message -> {
                    String role = message.path("role").asText();
                    if (!role.equals("assistant")) {
                        texts(role, message.path("content")).forEach(told::add);
                    }
                });
            }
            assertThat(told).anyMatch(text -> text.contains("a planted summary"));
            List<String> rows = maestro.auditLog().messages("1").stream()
                    .filter(row -> Set.of("system", "user").contains(row.role()))
                    .flatMap(row ->
                            texts(row.role(), JsonLimits.tree(row.content())).map(text -> row.state() + " " + text))
                    .toList();
            assertThat(rows).doesNotHaveDuplicates();
            assertThat(rows.stream()
                            .map(row -> row.substring(row.indexOf(' ') + 1))
                            .collect(Collectors.toSet()))
                    .isEqualTo(told);
        }
    }

    /** Of a text or blocks, with the role, and without what is no text for a model. */
    private static Stream<String> texts(String role, JsonNode content) {
        Stream<String> texts = content.isTextual()
                ? Stream.of(content.asText())
                : StreamSupport.stream(content.spliterator(), false)
                        .filter(block -> block.path("type").asText().equals("text"))
                        .map(block -> block.path("text").asText());
        return texts.filter(text -> !text.startsWith("x-anthropic-billing-header"))
                .map(text -> role + " " + text.strip());
    }

    @Test
    @Full("the CLI works on one more story; TelemetryTest has the commands of Maestro's own tools")
    void commandsOfTheCliGoOnWithTheTrace() {
        Telemetry telemetry = mock(Telemetry.class, delegatesTo(Telemetry.NONE));
        doReturn(Map.of("TRACEPARENT", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"))
                .when(telemetry)
                .variables();
        ApiScript script = StoryScript.of(
                List.of(ApiScript.call(StoryScript.PLAN, "plan", "write the feature")),
                List.of(
                        ApiScript.call("Bash", "command", "echo $TRACEPARENT > feature.txt", "description", "write it"),
                        ApiScript.call(StoryScript.DONE, "summary", "wrote the feature")));
        try (StubApi api = StubApi.start(script);
                Maestro maestro = maestro(api, new Asked(), ClaudeCodeMode.builder())
                        .telemetry(telemetry)
                        .build()) {
            StoryResult result = maestro.run(story());
            assertThat(result.outcome()).as("%s", result).isEqualTo(StoryResult.Outcome.MERGED);
        }
        assertThat(repository.show("main", "feature.txt"))
                .isEqualTo("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
    }

    /** The CLI asks again for the whole answer then, and does not say to which use its call belongs. */
    @Test
    @Full("ClaudeWorkTest makes a call that does not say which use it is")
    void aCallInAnAnswerThatWasNotStreamedEndsTheTurnAtOnce() {
        ApiScript simple = StoryScript.simple(workspace().resolve("feature.txt").toString());
        ApiScript script = request -> {
            ApiReply reply = simple.reply(request);
            boolean ends = request.turns() == 1;
            return ends && request.stream() ? reply.dropped() : reply;
        };
        try (StubApi api = StubApi.start(script);
                Maestro maestro =
                        maestro(api, new Asked(), ClaudeCodeMode.builder()).build()) {
            long start = System.nanoTime();
            StoryResult result = maestro.run(story());

            assertThat(result.outcome()).as("%s", result).isEqualTo(StoryResult.Outcome.MERGED);
            assertThat(api.requests()).as("whole answers").anyMatch(request -> !request.stream());
            // Each of two turns took a minute.
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(100));
            assertThat(maestro.auditLog().toolExecutions("1"))
                    .filteredOn(call -> List.of("submit_plan", "done").contains(call.tool()))
                    .hasSize(2)
                    .extracting(AuditLog.ToolExecution::callId)
                    .allMatch(id -> id.startsWith("toolu_"));
        }
    }

    /** Of the CLI's own short names for models none reaches the API. */
    @Test
    @Full("aStoryIsDone looks at all models that are asked for in a story without sub-agents")
    void aSubAgentUsesNoOtherModel() {
        ApiScript simple = StoryScript.simple(workspace().resolve("feature.txt").toString());
        ApiScript script = request -> StoryScript.plans(request)
                        && request.turns() == 0
                        && request.tools().contains("Task")
                ? ApiReply.use(
                        "Task",
                        "description",
                        "look",
                        "prompt",
                        "look around",
                        "subagent_type",
                        "Explore",
                        "model",
                        "haiku")
                : request.tools().contains(StoryScript.DONE) || StoryScript.plans(request) && request.turns() > 0
                        ? simple.reply(request)
                        : ApiReply.text("nothing there");
        try (StubApi api = StubApi.start(script);
                Maestro maestro =
                        maestro(api, new Asked(), ClaudeCodeMode.builder()).build()) {
            maestro.run(story());
            assertThat(api.requests()).hasSizeGreaterThan(2);
            assertThat(api.requests()).extracting(ApiRequest::model).containsOnly("claude-sonnet-4-5");
        }
    }

    @Test
    @Full("ClaudeWorkTest sends a plan back with a fake of the CLI")
    void aPlanThatIsSentBackReachesTheSameSession() {
        AtomicInteger reviews = new AtomicInteger();
        Asked architect =
                new Asked(request -> request.kind() == Architect.Kind.PLAN_REVIEW && reviews.getAndIncrement() == 0
                        ? new Architect.Reply(request.id(), Architect.Decision.NEEDS_CHANGES, "say where: 7c1d")
                        : Asked.approve(request));
        ApiScript coding = StoryScript.simple(workspace().resolve("feature.txt").toString());
        ApiScript script = request -> StoryScript.plans(request)
                ? ApiReply.use(StoryScript.PLAN, "plan", request.heard("7c1d") ? "in feature.txt" : "somewhere")
                : coding.reply(request);
        try (StubApi api = StubApi.start(script);
                Maestro maestro =
                        maestro(api, architect, ClaudeCodeMode.builder()).build()) {
            StoryResult result = maestro.run(story());

            assertThat(result.outcome()).as("%s", result).isEqualTo(StoryResult.Outcome.MERGED);
            List<ApiRequest> planning =
                    api.conversations().stream().filter(StoryScript::plans).toList();
            assertThat(planning).hasSize(2);
            assertThat(planning.get(1).sessionId()).isEqualTo(planning.get(0).sessionId());
            assertThat(planning.get(1).uses()).extracting(ApiRequest.Use::name).contains(StoryScript.PLAN);
            assertThat(planning.get(1).heard("say where: 7c1d")).isTrue();
        }
    }

    // Waits, beside the others.
    @Execution(ExecutionMode.CONCURRENT)
    @Test
    @Fact("MCP: HTTP, progress keeps a long call alive")
    @Tag("drift-only")
    @Full("waits for 75 s")
    void aQuestionOverHttpWaitsLongerThanTheCliWaitsForPlainAnswers() {
        Asked architect = new Asked(request -> {
            if (request.kind() != Architect.Kind.QUESTION) {
                return Asked.approve(request);
            }
            // Without progress the CLI gives up after 60 s, and whatever is set after 300 s.
            LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(Integer.getInteger("maestro.claude.question.seconds", 75)));
            return new Architect.Reply(request.id(), Architect.Decision.APPROVED, "the blue one");
        });
        String file = workspace().resolve("feature.txt").toString();
        ApiScript script = StoryScript.of(
                List.of(call(StoryScript.QUESTION, "question", "which one?"), call(StoryScript.PLAN, "plan", "p")),
                List.of(call("Write", "file_path", file, "content", "x"), call(StoryScript.DONE, "summary", "s")));
        try (StubApi api = StubApi.start(script);
                Maestro maestro = maestro(
                                api, architect, ClaudeCodeMode.builder().options(all -> all.way(McpWay.HTTP)))
                        .build()) {
            StoryResult result = maestro.run(story());

            assertThat(result.outcome()).as("%s", result).isEqualTo(StoryResult.Outcome.MERGED);
            ApiRequest after = api.conversations().get(1);
            assertThat(after.answers().get(0).text()).contains("the blue one");
        }
    }

    @Test
    @Full("ProgramInstructionsTest has the same without the CLI, OutOfTheBoxTest what the CLI reads by itself")
    void theRepositorySaysToTheCliWhatIsMergedAndNothingElse() {
        repository.commit(
                "instructions",
                Map.of(
                        "AGENTS.md",
                        "rule-of-all @secret.txt",
                        "secret.txt",
                        "never-included",
                        ".claude/skills/x/SKILL.md",
                        "---\ndescription: how-to-x\n---\nguide-of-x\n"));
        ApiScript script = StoryScript.of(
                List.of(
                        call(
                                "Bash",
                                "command",
                                "mkdir -p .claude/skills/y && printf canary- | tee CLAUDE.md .claude/CLAUDE.md CLAUDE.local.md"
                                        + " .claude/skills/x/SKILL.md >AGENTS.md && printf -- '---\\ndescription: canary-\\n---\\n'"
                                        + " >.claude/skills/y/SKILL.md",
                                "description",
                                "plant"),
                        call(StoryScript.PLAN, "plan", "p")),
                List.of(
                        call("mcp__maestro__read_skill", "name", "x"),
                        call(
                                "Write",
                                "file_path",
                                workspace().resolve("feature.txt").toString(),
                                "content",
                                "made by the CLI\n"),
                        call(StoryScript.DONE, "summary", "s")));
        try (StubApi api = StubApi.start(script);
                Maestro maestro =
                        maestro(api, new Asked(), ClaudeCodeMode.builder()).build()) {
            StoryResult result = maestro.run(story());

            assertThat(result.outcome()).as("%s", result).isEqualTo(StoryResult.Outcome.MERGED);
            assertThat(api.conversations())
                    .isNotEmpty()
                    .allSatisfy(request -> assertThat(request.system())
                            .contains("rule-of-all @secret.txt", "- `x`: how-to-x")
                            .doesNotContain("canary-", "never-included"));
            assertThat(api.conversations())
                    .flatExtracting(ApiRequest::answers)
                    .extracting(ApiRequest.Answer::text)
                    .anyMatch(text -> text.contains("guide-of-x"))
                    .noneMatch(text -> text.contains("canary-"));
        }
    }

    @Test
    @Full("ClaudeCodeTest.whatARepositoryBringsIsNotRun has the same without a story")
    void whatTheRepositoryBringsForTheCliIsNotRun() throws Exception {
        Path witness = directory.resolve("witness");
        String touch = "touch " + witness;
        String hooks = "{\"hooks\":{\"SessionStart\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"" + touch
                + "\"}]}],\"PreToolUse\":[{\"matcher\":\"*\",\"hooks\":[{\"type\":\"command\",\"command\":\"" + touch
                + "\"}]}]}}";
        String server = "{\"mcpServers\":{\"evil\":{\"command\":\"sh\",\"args\":[\"-c\",\"" + touch + "\"]}}}";
        repository.commit(
                "hostile",
                Map.of(
                        ".mcp.json", server,
                        ".claude/settings.json", hooks,
                        ".claude/settings.local.json", hooks));
        try (StubApi api = StubApi.start(
                        StoryScript.simple(workspace().resolve("feature.txt").toString()));
                Maestro maestro =
                        maestro(api, new Asked(), ClaudeCodeMode.builder()).build()) {
            StoryResult result = maestro.run(story());

            assertThat(result.outcome()).as("%s", result).isEqualTo(StoryResult.Outcome.MERGED);
        }
        assertThat(Files.exists(witness)).isFalse();
    }
}
