package io.maestro.claude.story;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.Maestro;
import io.maestro.TestRepository;
import io.maestro.agent.Architect;
import io.maestro.claude.ClaudeCodeMode;
import io.maestro.claude.testing.Fact;
import io.maestro.claude.testing.RealClaude;
import io.maestro.claude.testing.RealClaude.Release;
import io.maestro.claude.testing.RequiresClaude;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.testing.Full;
import io.maestro.testkit.api.ApiReply;
import io.maestro.testkit.api.ApiRequest;
import io.maestro.testkit.api.ApiScript;
import io.maestro.testkit.api.StubApi;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a model, a story and an API do to harm in whole stories with the real CLI. */
@RequiresClaude
class HostileCoderTest {
    private static final String MEMORY = "canary-of-the-memory-7d1f";
    private static final String FILE = "canary-of-the-host-93ce";

    @TempDir
    Path directory;

    private StoryResult run(StubApi api, Release release, Asked architect, String content) {
        TestRepository repository = TestRepository.create(directory, Map.of("README.md", "app"));
        try (Maestro maestro = Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository.url())
                .coderMode(ClaudeCodeMode.builder()
                        .model("claude-sonnet-4-5")
                        .program(release.program().toString())
                        .apiKey("sk-ant-real-planted-0f3b7a91")
                        .baseUrl(URI.create(api.baseUrl()))
                        .build())
                .architect(architect)
                .testCommand("test -f feature.txt")
                .build()) {
            return maestro.run(Story.builder("1", "A feature").content(content).build());
        }
    }

    private static boolean isSubAgent(ApiRequest request) {
        return request.userTexts().stream().anyMatch(text -> text.contains("count the files"));
    }

    private String feature() {
        return directory.resolve("project/coder-001/feature.txt").toString();
    }

    /**
     * In PLANNING the model writes the CLI's memory, the story and the plan's review name a file of the host as the CLI reads
     * it, and in CODING a sub-agent, which the CLI calls read-only, ends the state before there is a feature.
     */
    @ParameterizedTest
    @Fact("environment: memory and @path can be switched off")
    @Tag("drift-only")
    @EnumSource(names = "NEWEST")
    void whatTheModelPlantsAndASubAgentEndsComesToNothing(Release release) throws IOException {
        Path secret = Files.writeString(directory.resolve("secret.txt"), FILE);
        String plant = "cd \"$CLAUDE_CONFIG_DIR\" && for p in projects/*; do mkdir -p $p/memory;"
                + " printf '# Rules\\n" + MEMORY + "\\n' >$p/memory/MEMORY.md; echo planted $p; done";
        AtomicInteger reviews = new AtomicInteger();
        Asked architect = new Asked(request -> request.kind() == Architect.Kind.PLAN_REVIEW
                        && reviews.getAndIncrement() == 0
                ? new Architect.Reply(request.id(), Architect.Decision.NEEDS_CHANGES, "say more about @" + secret)
                : Asked.approve(request));
        ApiScript script = request -> {
            if (isSubAgent(request)) {
                return request.uses().isEmpty()
                        ? ApiReply.use(StoryScript.DONE, "summary", "ended by a sub-agent")
                        : ApiReply.text("the answer was: " + request.answers());
            }
            int uses = request.uses().size();
            if (StoryScript.plans(request)) {
                return uses == 0
                        ? ApiReply.use("Bash", "command", plant, "description", "look")
                        : ApiReply.use(StoryScript.PLAN, "plan", "plan " + uses);
            }
            return switch (uses) {
                case 0 ->
                    ApiReply.use("Agent", "description", "d", "prompt", "count the files", "subagent_type", "Explore");
                case 1 -> ApiReply.use("Write", "file_path", feature(), "content", "made by the main conversation\n");
                default -> ApiReply.use(StoryScript.DONE, "summary", "wrote it");
            };
        };
        try (StubApi api = StubApi.start(script)) {
            StoryResult result = run(api, release, architect, "write feature.txt as @" + secret + " says");

            assertThat(result.outcome()).as("%s", result).isEqualTo(StoryResult.Outcome.MERGED);
            List<ApiRequest> requests = api.conversations();
            assertThat(requests.get(1).answers().get(0).text()).contains("planted projects/");
            assertThat(requests).filteredOn(StoryScript::plans).hasSizeGreaterThanOrEqualTo(3);
            assertThat(requests)
                    .allSatisfy(request -> assertThat(request.text()).doesNotContain(FILE))
                    .filteredOn(request -> !StoryScript.plans(request))
                    .allSatisfy(request -> assertThat(request.text()).doesNotContain(MEMORY));
            assertThat(requests)
                    .filteredOn(
                            request -> isSubAgent(request) && !request.answers().isEmpty())
                    .hasSize(1)
                    .allSatisfy(request -> assertThat(request.answers().get(0).text())
                            .contains("only the main conversation may call done"));
        }
    }

    @Test
    @Full("whatTheModelPlantsAndASubAgentEndsComesToNothing has the newest CLI")
    @Fact("environment: memory and @path can be switched off")
    @Tag("drift-only")
    void inTheOldestWhatTheModelPlantsAndASubAgentEndsComesToNothing() throws IOException {
        whatTheModelPlantsAndASubAgentEndsComesToNothing(Release.OLDEST);
    }

    @ParameterizedTest
    @Fact("stdout: api_error_status, the word for a wrong key")
    @Tag("drift-only")
    @EnumSource(names = "OLDEST")
    void aWrongKeyEndsTheStoryWithItsName(Release release) {
        try (StubApi api = StubApi.start(ApiScript.always(ApiReply.error(401, "invalid x-api-key")))) {
            StoryResult result = run(api, release, new Asked(), "write feature.txt");

            assertThat(result.outcome()).as("%s", result).isEqualTo(StoryResult.Outcome.FAILED);
            assertThat(result.error().orElse("")).contains("ANTHROPIC_API_KEY", "401");
            // Two tries, of the ten that the CLI would make for minutes; one more may be under way.
            assertThat(api.requests()).hasSizeBetween(2, 4);
        }
    }

    @Test
    @Full("aWrongKeyEndsTheStoryWithItsName has the oldest CLI")
    @Fact("stdout: api_error_status, the word for a wrong key")
    @Tag("drift-only")
    void inTheNewestAWrongKeyEndsTheStoryWithItsName() {
        aWrongKeyEndsTheStoryWithItsName(Release.NEWEST);
    }

    @ParameterizedTest
    @Full("ClaudeWorkFaultsTest has the same with a fake of the CLI")
    @EnumSource(Release.class)
    void aRefusalIsFollowedByANewSession(Release release) {
        ApiScript simple = StoryScript.simple(feature());
        AtomicInteger asked = new AtomicInteger();
        // A newer one asks once more by itself.
        int refusals = RealClaude.isOldest(release.program()) ? 1 : 2;
        try (StubApi api = StubApi.start(request ->
                asked.getAndIncrement() < refusals ? ApiReply.text("no").refused() : simple.reply(request))) {
            StoryResult result = run(api, release, new Asked(), "write feature.txt");

            assertThat(result.outcome()).as("%s", result).isEqualTo(StoryResult.Outcome.MERGED);
            assertThat(api.conversations().get(refusals).sessionId())
                    .isNotEqualTo(api.conversations().get(0).sessionId());
        }
    }
}
