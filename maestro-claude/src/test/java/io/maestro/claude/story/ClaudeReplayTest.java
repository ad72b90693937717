package io.maestro.claude.story;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.Maestro;
import io.maestro.MaestroRecord;
import io.maestro.TestRepository;
import io.maestro.claude.ClaudeCodeMode;
import io.maestro.claude.testing.RealClaude;
import io.maestro.claude.testing.RequiresClaude;
import io.maestro.error.MaestroException;
import io.maestro.replay.Replay;
import io.maestro.secrets.SecretRedactor;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.testing.Campaign;
import io.maestro.testing.Full;
import io.maestro.testkit.api.ApiScript;
import io.maestro.testkit.api.StubApi;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A story that the real CLI has coded is played again by the real CLI, without an API. */
@RequiresClaude
@Timeout(3600)
class ClaudeReplayTest {
    private static final String TESTS = "test \"$(cat feature.txt)\" = good";

    @TempDir
    Path directory;

    private static ClaudeCodeMode.Builder mode() {
        return ClaudeCodeMode.builder()
                .model("claude-sonnet-4-5")
                .program(RealClaude.program().toString());
    }

    /** It looks, plans, writes what fails the tests, mends it by a command, and is done. */
    private ApiScript script() {
        String file = directory.resolve("project/coder-001/feature.txt").toString();
        return StoryScript.of(
                List.of(
                        ApiScript.call("Bash", "command", "ls", "description", "look"),
                        ApiScript.call(StoryScript.PLAN, "plan", "write " + file)),
                List.of(
                        ApiScript.call("Write", "file_path", file, "content", "bad\n"),
                        ApiScript.call(StoryScript.DONE, "summary", "wrote the feature"),
                        ApiScript.call("Read", "file_path", file),
                        ApiScript.call(
                                "Bash", "command", "echo good > " + file + "; ls > seen.txt", "description", "mend"),
                        ApiScript.call(StoryScript.DONE, "summary", "mended the feature")));
    }

    @Test
    @Full("the CLI works on three stories; ReplayTest plays one of Maestro's own loop")
    void aRecordedStoryGivesTheSameFilesAgain() {
        TestRepository repository = TestRepository.create(directory, Map.of("README.md", "app"));
        try (StubApi api = StubApi.start(script());
                Maestro maestro = Maestro.builder()
                        .projectDirectory(directory.resolve("project"))
                        .repository(repository.url())
                        .coderMode(mode().apiKey("sk-ant-planted-0f3b7a91")
                                .baseUrl(URI.create(api.baseUrl()))
                                .build())
                        .architect(new Asked())
                        .testCommand(TESTS)
                        .build()) {
            StoryResult result = maestro.run(
                    Story.builder("1", "A feature").content("write feature.txt").build());
            assertThat(result.outcome()).as("%s", result).isEqualTo(StoryResult.Outcome.MERGED);
        }
        try (MaestroRecord record =
                MaestroRecord.sqlite(directory.resolve("project/.maestro/maestro.db"), SecretRedactor.withDefaults())) {
            for (int round = 0; round < Campaign.number(1); round++) {
                Replay.Result result = Replay.of(record.auditLog(), "1")
                        .program(mode().build())
                        .run(
                                repository.url(),
                                directory.resolve("replay-" + round),
                                builder -> builder.testCommand(TESTS));
                assertThat(result.result().outcome()).as("%s", result).isEqualTo(StoryResult.Outcome.MERGED);
                assertThat(result.difference()).isEmpty();
                assertThat(result.tree()).isPresent().isEqualTo(result.recordedTree());
            }
            Replay.Result other = Replay.of(record.auditLog(), "1")
                    .program(mode().build())
                    .run(repository.url(), directory.resolve("other"), builder -> builder.testCommand("true"));
            assertThat(other.difference()).as("%s", other).isPresent();
            assertThatThrownBy(() -> Replay.of(record.auditLog(), "1")
                            .run(repository.url(), directory.resolve("none"), builder -> {}))
                    .isInstanceOf(MaestroException.class)
                    .hasMessageContaining("was coded by claude-code: give it by program(…)");
        }
    }
}
