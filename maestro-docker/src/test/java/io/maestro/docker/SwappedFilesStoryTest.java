package io.maestro.docker;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.Maestro;
import io.maestro.TestRepository;
import io.maestro.agent.Architect;
import io.maestro.docker.internal.TestEngine;
import io.maestro.docker.testing.FileSwap;
import io.maestro.docker.testing.RequiresEngine;
import io.maestro.docker.testing.TestContainer;
import io.maestro.docker.testing.TestImages;
import io.maestro.llm.LlmRequest;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.testing.Full;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A tracked file becomes a pipe or a link while the host itself reads it, for a diff and for the commit of the story. */
@Full("SwappedFilesTest does it to the tools of containers; SnapshotTest has a pipe that is there from the start")
@RequiresEngine
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SwappedFilesStoryTest {
    private static final String CANARY = "canary-of-the-host-77ab02";
    private static final int DIFFS = 20;

    @TempDir
    Path directory;

    private final Deque<AutoCloseable> attack = new ArrayDeque<>();

    @Test
    void theStoryEndsWithoutWaitingAndWithoutTheHostsFile() throws Exception {
        TestImages images = TestImages.ofDocker();
        String base = images.base();
        Path canary = Files.writeString(directory.resolve("canary"), CANARY + "\n");
        TestRepository repository = TestRepository.create(directory, Map.of("README.md", "app\n"));
        ScriptedLlm.Builder script = ScriptedLlm.builder("coder")
                .turn(shell("rm README.md; mkfifo README.md"))
                .turn(Reply.toolCall("get_diff", Map.of()))
                .turn(Reply.toolCall("done", Map.of("summary", "a pipe")))
                .turn(shell("rm README.md; echo changed > README.md; echo x > feature.txt"))
                .turn((LlmRequest request) -> {
                    begin(canary);
                    return Reply.toolCall("get_diff", Map.of());
                });
        for (int i = 0; i < DIFFS; i++) {
            // No call is the same as the one before.
            script.turn(Reply.toolCall("get_diff", Map.of("first_line", 1 + i % 2)));
        }
        // Whether it is a file when it is committed is a matter of chance; both end the story.
        script.turn(Reply.toolCall("done", Map.of("summary", "swapped")));
        ScriptedLlm coder = script.build();
        try (Maestro maestro = Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository.url())
                .coderModel(coder)
                .architect(new AgreeingArchitect())
                .testCommand("true")
                .environment(DockerEnvironments.builder()
                        .images(all -> all.base(base))
                        .build())
                .build()) {
            StoryResult result = maestro.run(
                    Story.builder("1", "A story").content("do it").express().build());
            assertThat(result.error().orElse("")).doesNotContain(CANARY);
            assertThat(maestro.auditLog().toolExecutions("1").toString()).doesNotContain(CANARY);
            assertThat(maestro.auditLog().toolExecutions("1"))
                    .filteredOn(call -> call.tool().equals("get_diff"))
                    .hasSizeGreaterThan(DIFFS / 2)
                    .allSatisfy(call -> assertThat(call.durationMillis()).isLessThan(60_000));
        } finally {
            while (!attack.isEmpty()) {
                attack.pop().close();
            }
        }
        TestEngine.await(() -> !FileSwap.isWaitedFor());
        assertThat(repository.show("main", "README.md")).doesNotContain(CANARY);
    }

    private static Reply shell(String line) {
        return Reply.toolCall("shell", Map.of("cmd", line));
    }

    private void begin(Path canary) {
        try (Stream<Path> files = Files.walk(directory.resolve("project"))) {
            Path workspace = files.filter(path -> path.endsWith("feature.txt"))
                    .findFirst()
                    .orElseThrow()
                    .getParent();
            TestContainer agents = FileSwap.container(workspace);
            attack.push(agents);
            attack.push(new FileSwap(agents, workspace, "README.md", canary));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class AgreeingArchitect implements Architect {
        @Override
        public String id() {
            return "agreeing";
        }

        @Override
        public Reply reply(Request request) {
            return new Reply(request.id(), Decision.APPROVED, "");
        }
    }
}
