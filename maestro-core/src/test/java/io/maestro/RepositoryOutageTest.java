package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.agent.Limits;
import io.maestro.event.MaestroEvent;
import io.maestro.record.AuditLog;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A repository that is away for a while, as on a mount that is gone, and one that nobody has ever reached. */
@Timeout(120)
class RepositoryOutageTest {
    @TempDir
    Path directory;

    private final AtomicInteger suspensions = new AtomicInteger();

    private static Story story(String id) {
        return Story.builder(id, "Story " + id).content("do it").express().build();
    }

    private static ScriptedLlm coder(String... stories) {
        ScriptedLlm.Builder model = ScriptedLlm.builder("coder");
        for (String story : stories) {
            model.story(
                    story,
                    script -> script.turn(Reply.toolCall("write_file", Map.of("path", story + ".txt", "content", "x")))
                            .turn(Reply.toolCall("done", Map.of("summary", "wrote it"))));
        }
        return model.build();
    }

    private MaestroBuilder builder(String url, ScriptedLlm coder) {
        return Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(url)
                .coderModel(coder)
                .architect(new Approving())
                .testCommand("true")
                .tools(tools -> tools.discover(false))
                .limits(Limits.builder().suspendInterval(Duration.ofMillis(50)).build());
    }

    private static List<CoderState> states(Maestro maestro, String story) {
        return maestro.auditLog().transitions(story).stream()
                .map(AuditLog.StateTransition::to)
                .toList();
    }

    private static void move(Path from, Path to) {
        try {
            Files.move(from, to);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Brings the repository back when a story has been suspended so often. */
    private void backAfter(int times, MaestroEvent event) {
        if (event instanceof MaestroEvent.StateChanged changed
                && changed.to() == CoderState.SUSPEND
                && suspensions.incrementAndGet() == times) {
            move(directory.resolve("away"), directory.resolve("origin.git"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "file://"})
    void approvedWorkWaitsForARepositoryOnAMountThatIsGone(String scheme) {
        TestRepository repository = TestRepository.create(directory, Map.of("README.md", "a project"));
        Approving architect = new Approving() {
            @Override
            public Reply reply(Request request) {
                if (request.kind() == Kind.MERGE) {
                    move(directory.resolve("origin.git"), directory.resolve("away"));
                }
                return super.reply(request);
            }
        };
        try (Maestro maestro = builder(scheme + repository.url(), coder("1"))
                .architect(architect)
                .listener(event -> backAfter(3, event))
                .build()) {
            StoryResult result = maestro.run(story("1"));

            assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.MERGED);
            assertThat(states(maestro, "1"))
                    .containsSubsequence(CoderState.AWAIT_MERGE, CoderState.SUSPEND, CoderState.AWAIT_MERGE);
            assertThat(suspensions.get()).isGreaterThanOrEqualTo(3);
        }
        assertThat(repository.show("main", "1.txt")).isEqualTo("x");
    }

    @Test
    void aStoryBeginsOnWhatWasFetchedLastWhileTheRepositoryIsAway() {
        TestRepository repository = TestRepository.create(directory, Map.of("README.md", "a project"));
        try (Maestro maestro = builder(repository.url(), coder("1", "2"))
                .listener(event -> backAfter(1, event))
                .build()) {
            assertThat(maestro.run(story("1")).outcome()).isEqualTo(Outcome.MERGED);
            move(directory.resolve("origin.git"), directory.resolve("away"));

            StoryResult result = maestro.run(story("2"));

            assertThat(result.outcome()).as("%s", result).isEqualTo(Outcome.MERGED);
            assertThat(states(maestro, "2"))
                    .containsSubsequence(CoderState.SETUP, CoderState.CODING, CoderState.SUSPEND, CoderState.DONE);
            assertThat(states(maestro, "2").indexOf(CoderState.CODING))
                    .isLessThan(states(maestro, "2").indexOf(CoderState.SUSPEND));
        }
        assertThat(repository.show("main", "2.txt")).isEqualTo("x");
    }

    /** Nobody listens at port 1, and there is no name in the domain invalid. */
    @ParameterizedTest
    @ValueSource(
            strings = {"https://git.invalid/x.git", "http://127.0.0.1:1/x.git", "ssh://127.0.0.1:1/x.git", "no/such.git"
            })
    void aFirstContactThatFailsEndsTheStoryWithACauseAndARemedy(String url) {
        try (Maestro maestro = builder(url, coder()).build()) {
            StoryResult result = maestro.run(story("1"));

            assertThat(result.outcome()).isEqualTo(Outcome.FAILED);
            assertThat(result.error().orElseThrow())
                    .contains("in SETUP", url, "correct the address")
                    .containsPattern(
                            "Could not resolve|onnect(ion refused|.* to server)|not appear to be a git repository");
            assertThat(states(maestro, "1")).doesNotContain(CoderState.SUSPEND);
        }
    }
}
