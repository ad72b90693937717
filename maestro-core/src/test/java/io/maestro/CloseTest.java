package io.maestro;

import static io.maestro.chaos.RolePlay.call;
import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.chaos.RolePlay;
import io.maestro.error.MaestroException;
import io.maestro.event.MaestroEvent;
import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.record.AuditLog;
import io.maestro.story.CoderState;
import io.maestro.story.Spec;
import io.maestro.story.SpecResult;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.testing.Full;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** When close returns nothing runs any more, whoever calls it and whatever hears no interrupt; once it is called nothing begins. */
@Timeout(120)
class CloseTest {
    private static final Spec SPEC =
            Spec.builder("s", "A specification").content("Build it.").build();

    @TempDir
    Path directory;

    private TestRepository repository;

    @BeforeEach
    void create() {
        repository = TestRepository.create(directory, Map.of("README.md", "a project"));
    }

    private MaestroBuilder builder(LlmClient coder) {
        return Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository.url())
                .coderModel(coder)
                .architect(new Approving())
                .maxCoders(1)
                .testCommand("true")
                .tools(tools -> tools.discover(false));
    }

    private static Story story(String id) {
        return Story.builder(id, "Story " + id).content("do it").express().build();
    }

    private static LlmClient coder() {
        return new RolePlay(
                "coder",
                request -> List.of(
                        request.origin().state().equals("PLANNING")
                                ? call("submit_plan", "plan", "do it")
                                : call("done", "summary", "nothing to do")));
    }

    private static LlmClient architect() {
        Map<String, Object> story = Map.of(
                "title",
                "one",
                "description",
                "Do it",
                "acceptance_criteria",
                List.of("done"),
                "dependencies",
                List.of());
        return new RolePlay("architect", request -> List.of(call("submit_stories", "requirements", List.of(story))));
    }

    /** Asks another model when it was let go. */
    private static LlmClient after(LlmClient model, Runnable wait) {
        return new LlmClient() {
            @Override
            public String model() {
                return model.model();
            }

            @Override
            public LlmResponse complete(LlmRequest request) {
                wait.run();
                return model.complete(request);
            }
        };
    }

    private static CompletableFuture<Void> closing(Maestro maestro) {
        return CompletableFuture.runAsync(maestro::close, task -> new Thread(task, "closes").start());
    }

    /** As a client that takes an interrupt for its own business, and tries again. */
    private static final class Deaf {
        final CountDownLatch asked = new CountDownLatch(1);
        final AtomicInteger requests = new AtomicInteger();

        LlmClient to(LlmClient model) {
            return after(model, () -> {
                if (requests.incrementAndGet() == 1) {
                    asked.countDown();
                    while (!Thread.interrupted()) {
                        LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(60));
                    }
                }
            });
        }
    }

    @Test
    void aStoryWhoseModelSwallowsTheInterruptStaysWhereItStands() throws Exception {
        Deaf deaf = new Deaf();
        Submission<StoryResult> story;
        try (Maestro maestro = builder(deaf.to(coder())).build()) {
            story = maestro.submit(story("1"));
            deaf.asked.await();
        }
        assertThatThrownBy(story::await)
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("this Maestro was closed while story 1 was in CODING");
        assertThat(deaf.requests).hasValue(1);
        try (Maestro next = builder(coder()).build()) {
            assertThat(next.auditLog().transitions("1"))
                    .extracting(AuditLog.StateTransition::to)
                    .doesNotContain(CoderState.TESTING, CoderState.ERROR);
            assertThat(next.run(story("1")).outcome()).isEqualTo(Outcome.NO_CHANGE);
        }
    }

    @Test
    void aSpecificationWhoseModelSwallowsTheInterruptStaysWhereItStands() throws Exception {
        Deaf deaf = new Deaf();
        Submission<SpecResult> spec;
        try (Maestro maestro =
                builder(coder()).architectModel(deaf.to(architect())).build()) {
            spec = maestro.submitSpec(SPEC);
            deaf.asked.await();
        }
        assertThatThrownBy(spec::await)
                .isInstanceOf(MaestroException.class)
                .hasMessageContaining("this Maestro was closed while specification s was in SCOPING");
        assertThat(deaf.requests).hasValue(1);
        try (Maestro next = builder(coder()).architectModel(architect()).build()) {
            assertThat(next.auditLog().stories()).isEmpty();
            assertThat(next.runSpec(SPEC).outcome()).isEqualTo(SpecResult.Outcome.COMPLETED);
        }
    }

    /** Not even while something takes its time to stop; and who calls it once more does not come back before that either. */
    @Test
    void nothingBeginsAfterTheCallAndEverybodyWaitsForItsEnd() throws Exception {
        CountDownLatch asked = new CountDownLatch(2);
        CountDownLatch over = new CountDownLatch(1);
        LlmClient architect = after(architect(), () -> {
            asked.countDown();
            while (over.getCount() > 0) {
                LockSupport.parkNanos(1_000_000);
            }
        });
        LlmClient coder = after(coder(), () -> {
            asked.countDown();
            while (!Thread.currentThread().isInterrupted()) {
                LockSupport.park();
            }
        });
        Maestro maestro = builder(coder).architectModel(architect).build();
        try {
            Submission<SpecResult> spec = maestro.submitSpec(SPEC);
            Submission<StoryResult> first = maestro.submit(story("1"));
            Submission<StoryResult> second = maestro.submit(story("2"));
            asked.await();
            CompletableFuture<Void> one = closing(maestro);
            for (Submission<?> stopped : List.of(first, second)) {
                assertThatThrownBy(stopped::await).hasMessageContaining("this Maestro was closed ");
            }
            CompletableFuture<Void> two = closing(maestro);
            assertThatThrownBy(() -> two.get(100, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
            assertThat(one).isNotDone();
            over.countDown();
            CompletableFuture.allOf(one, two).get(60, TimeUnit.SECONDS);
            assertThatThrownBy(spec::await).hasMessageContaining("this Maestro was closed ");
        } finally {
            over.countDown();
            maestro.close();
        }
        try (Maestro next = builder(coder()).build()) {
            assertThat(next.auditLog().transitions("2")).isEmpty();
        }
    }

    @Test
    void aListenerMayCallItAndSoMayTheStoryItself() throws Exception {
        for (String caller : List.of("listener", "model")) {
            isClosedBy(caller);
        }
    }

    @Test
    @Full("the tool is waited for twice, 2 s each; aListenerMayCallItAndSoMayTheStoryItself has the same rule")
    void aToolMayCallIt() throws Exception {
        isClosedBy("tool");
    }

    /** It waits for the thread that calls it. Both calls come back, and the story stays. */
    private void isClosedBy(String caller) throws Exception {
        CompletableFuture<Maestro> own = new CompletableFuture<>();
        CompletableFuture<Boolean> back = new CompletableFuture<>();
        Runnable closes = () -> {
            own.join().close();
            own.join().close();
            back.complete(true);
        };
        LlmClient coder = after(
                new RolePlay("coder", request -> List.of(call("end"))), caller.equals("model") ? closes : () -> {});
        MaestroBuilder builder = builder(coder)
                .projectDirectory(directory.resolve(caller))
                .tool(new End(caller.equals("tool") ? closes : () -> {}))
                .listener(event -> {
                    if (caller.equals("listener") && event instanceof MaestroEvent.ToolStarted) {
                        closes.run();
                    }
                });
        try (Maestro maestro = builder.build()) {
            own.complete(maestro);
            Submission<StoryResult> story = maestro.submit(story("1"));
            assertThat(back.get(60, TimeUnit.SECONDS)).as(caller).isTrue();
            assertThatThrownBy(story::await).as(caller).isInstanceOf(MaestroException.class);
        }
        try (Maestro next =
                builder(coder()).projectDirectory(directory.resolve(caller)).build()) {
            assertThat(next.run(story("1")).outcome()).as(caller).isEqualTo(Outcome.NO_CHANGE);
        }
    }

    private record End(Runnable closes) implements ToolFactory {
        @Override
        public ToolDefinition definition() {
            return ToolDefinition.builder("end").description("Closes all").build();
        }

        @Override
        public Tool create(ToolContext context) {
            return call -> {
                closes.run();
                return ToolResult.ok("closed");
            };
        }
    }
}
