package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.agent.Architect;
import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.runtime.ToolDecision;
import io.maestro.secrets.SecretRedactor;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.story.StoryType;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import io.maestro.testkit.Turn;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What settings of the file in the project directory do to stories that run. */
class ConfigBehaviourTest {
    @TempDir
    Path directory;

    private TestRepository repository;
    private int changes;

    @BeforeEach
    void repository() {
        repository = TestRepository.create(directory, Map.of("README.md", "a project"));
    }

    private MaestroBuilder builder(String config, LlmClient coder) throws IOException {
        Path file = directory.resolve("project/.maestro/config.json");
        Files.createDirectories(file.getParent());
        Files.writeString(file, config);
        return Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository.url())
                .coderModel(coder)
                .architect(new Approving())
                .tools(tools -> tools.discover(false));
    }

    private static Story.Builder story(String id) {
        return Story.builder(id, "Write").content("Write a.txt").express();
    }

    /** Calls a tool, expects an answer of it, and makes a change that no story before has made. */
    private ScriptedLlm.Builder calls(String tool, Map<String, ?> input, String thenReads) {
        return ScriptedLlm.builder("coder")
                .turn(Reply.toolCall(tool, input))
                .turn(Turn.expecting(thenReads)
                        .reply(Reply.toolCall("write_file", Map.of("path", "a.txt", "content", "x" + ++changes))))
                .turn(Reply.toolCall("done", Map.of("summary", "wrote it")));
    }

    private ScriptedLlm writes() {
        return calls("list_files", Map.of(), "").build();
    }

    private StoryResult merged(MaestroBuilder builder, Story story) {
        try (Maestro maestro = builder.build()) {
            StoryResult result = maestro.run(story);
            assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.MERGED);
            return result;
        }
    }

    @Test
    void noMoreStoriesRunThanThereAreCoders() throws Exception {
        CountDownLatch second = new CountDownLatch(1);
        AtomicBoolean together = new AtomicBoolean();
        ScriptedLlm script = ScriptedLlm.builder("coder")
                .story("1", turns -> turns.turn(Reply.toolCall("done", Map.of("summary", "nothing"))))
                .story("2", turns -> turns.turn(Reply.toolCall("done", Map.of("summary", "nothing"))))
                .build();
        LlmClient model = new LlmClient() {
            @Override
            public String model() {
                return script.model();
            }

            @Override
            public LlmResponse complete(LlmRequest request) {
                if (request.origin().storyId().equals("2")) {
                    second.countDown();
                    return script.complete(request);
                }
                try {
                    together.set(second.await(1, TimeUnit.SECONDS));
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                return script.complete(request);
            }
        };
        try (Maestro maestro =
                builder("{\"agents\": {\"max_coders\": 1}}", model).build()) {
            List<Submission<StoryResult>> both = List.of(
                    maestro.submit(story("1").build()),
                    maestro.submit(story("2").build()));
            for (Submission<StoryResult> one : both) {
                assertThat(one.await().outcome()).isEqualTo(Outcome.NO_CHANGE);
            }
        }
        assertThat(together).isFalse();
    }

    @Test
    void testsAreRunByTheCommand() throws IOException {
        Path ran = directory.resolve("ran");
        merged(
                builder("{\"tests\": {\"command\": \"touch '" + ran + "'\"}}", writes()),
                story("1").build());
        assertThat(ran).exists();
    }

    @Test
    void workIsMergedIntoTheTargetBranchInTheNameThatIsSet() throws IOException {
        repository.git("branch", "next", "main");
        String config = """
                {"git": {"target_branch": "next", "user_name": "Robot {AGENT_ID} of X", "user_email": "{AGENT_ID}@x.org"}}
                """;
        merged(builder(config, writes()), story("1").build());
        assertThat(repository.show("next", "a.txt")).isEqualTo("x1");
        assertThat(repository.git("ls-tree", "--name-only", "main")).isEqualTo("README.md");
        assertThat(repository.git("log", "-1", "--format=%an <%ae>, %cn <%ce>", "next^2"))
                .isEqualTo("Robot coder-001 of X <coder-001@x.org>, Robot coder-001 of X <coder-001@x.org>");
    }

    @Test
    void requestsHaveTheTemperatureOfTheState() throws IOException {
        ScriptedLlm coder = writes();
        merged(
                builder("{\"agents\": {\"temperatures\": {\"coding\": 0.25}}}", coder),
                story("1").build());
        assertThat(coder.requests())
                .hasSize(3)
                .extracting(LlmRequest::temperature)
                .containsOnly(OptionalDouble.of(0.25));
    }

    @Test
    void aDeniedToolIsRefused() throws IOException {
        for (String policy : List.of("\"deny\": [\"sh*\"]", "\"allow\": [\"write_file\", \"list_*\"]")) {
            Path ran = directory.resolve("ran");
            ScriptedLlm coder = calls("shell", Map.of("cmd", "touch '" + ran + "'"), "there is no tool 'shell' here")
                    .build();
            String id = policy.contains("deny") ? "1" : "2";
            merged(
                    builder("{\"tools\": {\"policy\": {" + policy + "}}}", coder),
                    story(id).build());
            coder.assertFinished();
            assertThat(ran).doesNotExist();
        }
    }

    @Test
    void limitsOfToolsAreThoseThatAreSetAndCodeWins() throws IOException {
        String file = "{\"tools\": {\"limits\": {\"shell\": {\"characters\": 2000, \"seconds\": 60}}}}";
        ScriptedLlm talks = calls("shell", Map.of("cmd", "yes x | head -c 5000"), "characters left out")
                .build();
        merged(builder(file, talks), story("1").build());
        talks.assertFinished();
        ScriptedLlm sleeps = calls(
                        "shell", Map.of("cmd", "yes x | head -c 5000; sleep 60"), "this is the output so far")
                .build();
        merged(
                builder(file, sleeps).tools(tools -> tools.timeLimit("shell", Duration.ofSeconds(1))),
                story("2").build());
        sleeps.assertFinished();

        String misspelt = "{\"tools\": {\"limits\": {\"raed_file\": {\"seconds\": 1}}}}";
        assertThatThrownBy(() -> builder(misspelt, writes()).build())
                .hasMessageContaining("raed_file")
                .hasMessageContaining("read_file");
        MaestroBuilder builder = builder("{}", writes());
        assertThatThrownBy(() -> builder.tools(tools -> tools.resultLimit("shell", 5)))
                .hasMessageContaining("1024");
        assertThatThrownBy(() -> builder.tools(tools -> tools.timeLimit("shell", Duration.ZERO)))
                .hasMessageContaining("more than zero");
    }

    @Test
    void rulesOfTheFileDecideOnCalls() throws IOException {
        String rules = """
                {"tools": {"policy": {"rules": [
                    {"tools": ["sh*"], "argument": "cmd", "glob": "echo *", "effect": "allow"},
                    {"tools": ["shell"], "roles": ["coder_*"], "states": ["CODING"], "argument": "cmd",
                     "matches": "planted|good", "effect": "deny", "reason": "say it otherwise"},
                    {"tools": ["list_files"], "effect": "ask", "reason": "what for?"}]}}}
                """;
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(Reply.toolCall("shell", Map.of("cmd", "echo planted")))
                .turn(Turn.expecting("planted").reply(Reply.toolCall("shell", Map.of("cmd", "printf planted"))))
                .turn(Turn.expecting("say it otherwise").reply(Reply.toolCall("list_files", Map.of())))
                .turn(Turn.expecting("APPROVED is not what I say")
                        .reply(Reply.toolCall("write_file", Map.of("path", "a.txt", "content", "a"))))
                .turn(Reply.toolCall("done", Map.of("summary", "wrote it")))
                .build();
        List<Architect.Request> asked = new CopyOnWriteArrayList<>();
        Architect person = new Architect() {
            @Override
            public String id() {
                return "alice";
            }

            @Override
            public Reply reply(Request request) {
                if (request.kind() != Kind.TOOL_CALL) {
                    return new Reply(request.id(), Decision.APPROVED, "");
                }
                asked.add(request);
                return new Reply(request.id(), Decision.REJECTED, "APPROVED is not what I say");
            }
        };
        merged(builder(rules, coder).architect(person), story("1").build());
        coder.assertFinished();
        assertThat(asked)
                .singleElement()
                .satisfies(request -> assertThat(request.facts()).containsEntry(Architect.Request.RULE, "what for?"));
    }

    @Test
    void theHostsPolicyHoldsBesideTheFiles() throws IOException {
        ScriptedLlm coder = calls("list_files", Map.of(), "the host says no").build();
        merged(
                builder("{\"tools\": {\"policy\": {\"deny\": [\"shell\"]}}}", coder)
                        .tools(tools -> tools.policy((invocation, definition, arguments) ->
                                definition.name().equals("list_files")
                                        ? ToolDecision.deny("the host says no")
                                        : ToolDecision.allow())),
                story("1").build());
        coder.assertFinished();
    }

    @Test
    void whatAPatternFindsIsTakenOut() throws IOException {
        String config = """
                {"redaction": {"patterns": [
                    {"name": "badge", "keywords": ["BDG-", "bdg:"], "pattern": "(?i)bdg[-:](?<secret>\\\\d+)"}]}}
                """;
        for (boolean own : new boolean[] {false, true}) {
            ScriptedLlm coder = calls(
                            "shell",
                            Map.of("cmd", "echo 'BDG-4711 bdg:4712 AKIAQWERTZUIOPASDFGH'"),
                            "BDG-[REDACTED:badge] bdg:[REDACTED:badge] [REDACTED:")
                    .build();
            MaestroBuilder builder = builder(config, coder);
            if (own) {
                builder.redactor(SecretRedactor.withDefaults());
            }
            merged(builder, story(own ? "1" : "2").build());
            coder.assertFinished();
        }
    }

    @Test
    void commandsSeeTheVariablesThatArePassedOn() throws IOException {
        assertThat(System.getenv("MAESTRO_TEST_API_KEY")).as("set by the build").isNotNull();
        Map<String, String> command = Map.of("cmd", "echo \"it is ${MAESTRO_TEST_API_KEY:+there}\"");
        ScriptedLlm coder = calls("shell", command, "it is there").build();
        merged(
                builder("{\"environment\": {\"pass\": [\"MAESTRO_TEST_API_KEY\"]}}", coder),
                story("1").build());
        coder.assertFinished();
    }

    @Test
    void modelsAreToldWhatTheHostsTemplatesSay() throws IOException {
        Path prompts = Files.createDirectories(directory.resolve("project/prompts"));
        Files.writeString(prompts.resolve("coder-coding.mustache"), "You are {{agentId}} of the host, on {{branch}}.");
        Files.writeString(prompts.resolve("coder-coding-story.mustache"), "Do {{id}}: {{content}}");
        Files.writeString(
                prompts.resolve("architect-code-review.mustache"), "Say it with {{tool}}, {{coderId}} waits.");
        ScriptedLlm coder = writes();
        ScriptedLlm architect = ScriptedLlm.builder("architect")
                .turn(Turn.expecting("Say it with review_complete, coder-001 waits.")
                        .reply(Reply.toolCall("review_complete", Map.of("decision", "APPROVED", "feedback", "good"))))
                .repeat(Reply.toolCall("review_complete", Map.of("decision", "APPROVED", "feedback", "good")))
                .build();
        Path project = directory.resolve("project");
        try (Maestro maestro = Maestro.builder()
                .projectDirectory(project)
                .repository(repository.url())
                .coderModel(coder)
                .architectModel(architect)
                .config("{\"prompts\": {\"directory\": \"prompts\"}}")
                .build()) {
            assertThat(maestro.run(story("1").build()).outcome()).isEqualTo(Outcome.MERGED);
        }
        assertThat(coder.requests())
                .extracting(LlmRequest::system)
                .containsOnly("You are coder-001 of the host, on maestro/story-1.");
        assertThat(coder.requests().get(0).messages().toString()).contains("Do 1: Write a.txt");
        architect.assertFinished();
    }

    @Test
    void toolsForTheEnvironmentAreExplainedWhereTheyAreOffered() throws IOException {
        ScriptedLlm with = writes();
        merged(
                builder("{}", with).tool(stub("container_build")).tool(stub("compose_up")),
                story("1").build());
        assertThat(with.requests().get(0).system())
                .contains("## Tools for the environment\n\nYou have `compose_up`, `container_build`. They change");
        ScriptedLlm without = writes();
        merged(
                builder("{}", without).tool(stub("container_inspect")),
                story("2").build());
        assertThat(without.requests().get(0).system()).doesNotContain("Tools for the environment");
    }

    @Test
    void aStoryOfDevOpsIsSaidToBeOne() throws IOException {
        for (StoryType type : StoryType.values()) {
            ScriptedLlm coder = ScriptedLlm.builder("coder")
                    .turn(Reply.toolCall("submit_plan", Map.of("plan", "none")))
                    .turn(Reply.toolCall("done", Map.of("summary", "nothing")))
                    .build();
            try (Maestro maestro = builder("{}", coder).build()) {
                maestro.run(Story.builder(type.name().toLowerCase(java.util.Locale.ROOT), "T")
                        .content("c")
                        .type(type)
                        .build());
            }
            assertThat(coder.requests()).hasSize(2).allSatisfy(request -> {
                boolean said = request.system().contains("not about the application itself");
                assertThat(said).isEqualTo(type == StoryType.DEVOPS);
            });
        }
    }

    private static ToolFactory stub(String name) {
        return new ToolFactory() {
            @Override
            public ToolDefinition definition() {
                return ToolDefinition.builder(name).description("Does " + name).build();
            }

            @Override
            public Tool create(ToolContext context) {
                return call -> ToolResult.ok("done");
            }
        };
    }
}
