package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.event.MaestroEvent;
import io.maestro.event.MaestroListener;
import io.maestro.story.CoderState;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.testkit.Reply;
import io.maestro.testkit.Script;
import io.maestro.testkit.ScriptedLlm;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Hosts that call Maestro from where Maestro calls them. */
@Timeout(50)
class HostCallbackTest {
    @TempDir
    Path directory;

    private TestRepository repository;

    @BeforeEach
    void create() {
        repository = TestRepository.create(directory, Map.of("README.md", "r"));
    }

    private static void writes(Script script, String file) {
        script.turn(Reply.toolCall("write_file", Map.of("path", file, "content", "x")));
        script.turn(Reply.toolCall("done", Map.of("summary", "wrote " + file)));
    }

    private Maestro maestro(MaestroListener listener) {
        return Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository.url())
                .coderModel(ScriptedLlm.builder("coder")
                        .story("1", script -> writes(script, "1.txt"))
                        .story("2", script -> writes(script, "2.txt"))
                        .build())
                .architect(new Approving())
                .testCommand("true")
                .tools(tools -> tools.discover(false))
                .listener(listener)
                .build();
    }

    private static Story story(String id) {
        return Story.builder(id, "Story " + id).content("write").express().build();
    }

    /** When the first story comes into CODING. */
    private static MaestroListener inCoding(Consumer<String> action) {
        return event -> {
            if (event instanceof MaestroEvent.StateChanged changed
                    && changed.to() == CoderState.CODING
                    && changed.storyId().equals("1")) {
                action.accept(changed.storyId());
            }
        };
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(40, TimeUnit.SECONDS);
    }

    @Test
    void aListenerMaySubmitAnotherStory() throws Exception {
        AtomicReference<Maestro> own = new AtomicReference<>();
        CompletableFuture<Submission<StoryResult>> second = new CompletableFuture<>();
        try (Maestro maestro = maestro(inCoding(id -> second.complete(own.get().submit(story("2")))))) {
            own.set(maestro);
            assertThat(get(maestro.submit(story("1")).future()).outcome()).isEqualTo(Outcome.MERGED);
            assertThat(get(get(second).future()).outcome()).isEqualTo(Outcome.MERGED);
        }
    }

    @Test
    void aListenerMayCancelItsOwnStory() throws Exception {
        CompletableFuture<Submission<StoryResult>> first = new CompletableFuture<>();
        try (Maestro maestro = maestro(inCoding(id -> first.join().cancel()))) {
            first.complete(maestro.submit(story("1")));
            assertThat(get(first.join().future()).outcome()).isEqualTo(Outcome.CANCELLED);
        }
    }

    @Test
    void aListenerMayCloseMaestro() throws Exception {
        AtomicReference<Maestro> own = new AtomicReference<>();
        CompletableFuture<String> closed = new CompletableFuture<>();
        try (Maestro maestro = maestro(inCoding(id -> {
            own.get().close();
            closed.complete(id);
        }))) {
            own.set(maestro);
            Submission<StoryResult> submission = maestro.submit(story("1"));
            get(closed);
            boolean ended = get(submission.future().handle((result, failure) -> true));
            assertThat(ended).isTrue();
        }
    }

    @Test
    void aFuturesCallbackMaySubmitAndClose() throws Exception {
        try (Maestro maestro = maestro(event -> {})) {
            Submission<StoryResult> first = maestro.submit(story("1"));
            StoryResult second = get(first.future().thenApply(result -> maestro.run(story("2"))));
            assertThat(second.outcome()).isEqualTo(Outcome.MERGED);
            get(maestro.submit(story("1")).future().thenRun(maestro::close));
        }
    }
}
