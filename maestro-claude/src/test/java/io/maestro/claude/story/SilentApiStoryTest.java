package io.maestro.claude.story;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.Maestro;
import io.maestro.TestRepository;
import io.maestro.agent.Limits;
import io.maestro.claude.ClaudeCodeMode;
import io.maestro.claude.testing.RealClaude;
import io.maestro.claude.testing.RequiresClaude;
import io.maestro.story.CoderState;
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
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole stories with the real CLI and an API that is silent, or answers otherwise than by a stream. */
@RequiresClaude
class SilentApiStoryTest {
    @TempDir
    Path directory;

    private StoryResult run(
            StubApi api, boolean keyInEnvironment, String program, Duration suspendTime, int[] suspended) {
        TestRepository repository = TestRepository.create(directory, Map.of("README.md", "app"));
        ClaudeCodeMode.Builder mode = ClaudeCodeMode.builder()
                .model("claude-sonnet-4-5")
                .program(program)
                .apiKey("sk-ant-planted-51fa")
                .baseUrl(URI.create(api.baseUrl()));
        if (keyInEnvironment) {
            mode.options(all -> all.keyInEnvironment(true));
        }
        try (Maestro maestro = Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository.url())
                .coderMode(mode.build())
                .architect(new Asked())
                .testCommand("test -f feature.txt")
                .limits(Limits.builder()
                        .suspendInterval(Duration.ofMillis(10))
                        .suspendTime(suspendTime)
                        .build())
                .build()) {
            StoryResult result = maestro.run(
                    Story.builder("1", "A feature").content("write feature.txt").build());
            suspended[0] = (int) maestro.auditLog().transitions("1").stream()
                    .filter(transition -> transition.to().equals(CoderState.SUSPEND))
                    .count();
            return result;
        }
    }

    private ApiScript simple() {
        return StoryScript.simple(
                directory.resolve("project/coder-001/feature.txt").toString());
    }

    /** The CLI with a short patience, which no setting of the mode gives it. */
    private String impatient(int seconds) throws IOException {
        Path program = directory.resolve("impatient-claude");
        Files.writeString(
                program,
                "#!/bin/sh\nAPI_TIMEOUT_MS=" + seconds + "000 CLAUDE_CODE_MAX_RETRIES=0 exec '" + RealClaude.program()
                        + "' \"$@\"\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        return program.toString();
    }

    /**
     * The API takes each request and never answers: the story ends, and says why. Over the gateway each request is counted with
     * what it may have used, which is no answer.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Timeout(300)
    @Full("ClaudeWorkFaultsTest has an API that is down with a fake of the CLI")
    void anApiThatNeverAnswersIsWaitedForAndThenEndsTheStory(boolean keyInEnvironment) throws IOException {
        int[] suspended = new int[1];
        try (StubApi api = StubApi.start(ApiScript.always(ApiReply.hang()))) {
            StoryResult result = run(api, keyInEnvironment, impatient(1), Duration.ofSeconds(1), suspended);

            assertThat(result.outcome()).as("%s", result).isEqualTo(StoryResult.Outcome.FAILED);
            assertThat(suspended[0]).as("%s", result).isPositive();
            assertThat(result.error().orElse("")).contains("in SUSPEND");
        }
    }

    /** Silent for a while only. */
    @Test
    @Timeout(300)
    @Full("ClaudeWorkFaultsTest has an API that is down with a fake of the CLI")
    void anApiThatAnswersAgainGoesOnWithTheStory() throws IOException {
        AtomicInteger requests = new AtomicInteger();
        ApiScript script = request -> requests.getAndIncrement() == 0 ? ApiReply.hang() : simple().reply(request);
        int[] suspended = new int[1];
        try (StubApi api = StubApi.start(script)) {
            StoryResult result = run(api, false, impatient(5), Duration.ofMinutes(1), suspended);

            assertThat(result.outcome()).as("%s", result).isEqualTo(StoryResult.Outcome.MERGED);
            assertThat(suspended[0]).as("%s", result).isPositive();
        }
    }

    /** The oldest CLI leaves such an answer out of the usage of its turn. */
    @Test
    @Timeout(120)
    @Full("ResultUsageTest has recordings")
    void withTheKeyInTheEnvironmentEachAnswerIsCountedStreamedOrNot() {
        ApiScript script = request -> {
            ApiReply reply = simple().reply(request);
            return request.turns() == 0 && request.stream() && request.attempt() == 1 ? reply.dropped() : reply;
        };
        try (StubApi api = StubApi.start(script)) {
            StoryResult result = run(api, true, RealClaude.program().toString(), Duration.ofMinutes(1), new int[1]);

            assertThat(result.outcome()).as("%s", result).isEqualTo(StoryResult.Outcome.MERGED);
            List<ApiRequest> whole = api.conversations().stream()
                    .filter(request -> !(request.turns() == 0 && request.stream() && request.attempt() == 1))
                    .toList();
            // When it has told its plan, or that it is done, a CLI may ask once more before it hears that its turn is
            // over, and does not say what that has used.
            long inTurns = whole.stream().filter(request -> request.turns() < 2).count();
            if (RealClaude.isOldest()) {
                assertThat(api.conversations()).anyMatch(request -> !request.stream());
            }
            // Each answer says that it has read 100 tokens when it begins, and written 20 when it ends. One that was
            // cut off
            // is asked for again; what it has read counts if the CLI has told that it began.
            long cut = api.conversations().size() - whole.size();
            assertThat(result.usage().totalTokens())
                    .as("%s", api.requests())
                    .isBetween(120 * inTurns, 100 * cut + 120L * whole.size());
            assertThat(api.requests()).extracting(ApiRequest::isSide).containsOnly(false);
        }
    }
}
