package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.event.MaestroEvent;
import io.maestro.git.Forge;
import io.maestro.git.LocalForge;
import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.runtime.ToolDecision;
import io.maestro.runtime.ToolPolicy;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Code of a host that leaves the thread interrupted on which it is called: nobody has cancelled anything. */
@Timeout(120)
class StrayInterruptTest {
    @TempDir
    Path directory;

    private final AtomicBoolean once = new AtomicBoolean();
    private TestRepository repository;

    @BeforeEach
    void create() {
        repository = TestRepository.create(directory, Map.of("README.md", "r"));
    }

    private void interruptOnce() {
        if (once.compareAndSet(false, true)) {
            Thread.currentThread().interrupt();
        }
    }

    private static ScriptedLlm coder() {
        ScriptedLlm.Builder coder = ScriptedLlm.builder("coder");
        for (String id : new String[] {"1", "2"}) {
            coder.story(
                    id,
                    script -> script.turn(Reply.toolCall("write_file", Map.of("path", id + ".txt", "content", "x")))
                            .turn(Reply.toolCall("done", Map.of("summary", "wrote"))));
        }
        return coder.build();
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

    private static StoryResult run(Maestro maestro, String id) {
        return maestro.run(
                Story.builder(id, "Story " + id).content("write").express().build());
    }

    /** The first story fails and says why; the second one has nothing of it. */
    private static void fails(MaestroBuilder builder, String why) {
        try (Maestro maestro = builder.build()) {
            StoryResult first = run(maestro, "1");
            assertThat(first.outcome()).as("%s", first).isEqualTo(Outcome.FAILED);
            assertThat(first.error().orElseThrow())
                    .startsWith(why)
                    .contains("the thread of story 1 was interrupted by", "and not by Maestro");
            assertThat(run(maestro, "2").outcome()).isEqualTo(Outcome.MERGED);
        }
    }

    /** It interrupts a thread that does nothing but tell it things. */
    @Test
    void aListenerHarmsNobody() {
        List<MaestroEvent> told = new CopyOnWriteArrayList<>();
        try (Maestro maestro = builder(coder())
                .listener(event -> {
                    Thread.currentThread().interrupt();
                    told.add(event);
                })
                .build()) {
            assertThat(run(maestro, "1").outcome()).isEqualTo(Outcome.MERGED);
            assertThat(told).hasSizeGreaterThan(5).last().isInstanceOf(MaestroEvent.StateChanged.class);
        }
    }

    @Test
    void aModelsClient() {
        ScriptedLlm script = coder();
        LlmClient client = new LlmClient() {
            @Override
            public String model() {
                return script.model();
            }

            @Override
            public LlmResponse complete(LlmRequest request) {
                LlmResponse response = script.complete(request);
                interruptOnce();
                return response;
            }
        };
        fails(builder(client), "in CODING: the thread of story 1 was interrupted by the client of model coder");
    }

    private static Forge forge(Runnable onProposal, Runnable afterMerge) {
        Forge local = new LocalForge();
        return new Forge() {
            @Override
            public String id() {
                return local.id();
            }

            @Override
            public Optional<String> propose(Proposal proposal) {
                onProposal.run();
                return local.propose(proposal);
            }

            @Override
            public Outcome merge(Proposal proposal) {
                Outcome outcome = local.merge(proposal);
                afterMerge.run();
                return outcome;
            }
        };
    }

    @Test
    void aForge() {
        Forge forge = forge(this::interruptOnce, () -> {});
        fails(
                builder(coder()).forge(forge),
                "in PREPARE_MERGE: the thread of story 1 was interrupted by the forge local");
    }

    /** What is merged is merged. */
    @Test
    void aForgeThatHasMerged() {
        try (Maestro maestro =
                builder(coder()).forge(forge(() -> {}, this::interruptOnce)).build()) {
            assertThat(run(maestro, "1").outcome()).isEqualTo(Outcome.MERGED);
            assertThat(run(maestro, "2").outcome()).isEqualTo(Outcome.MERGED);
        }
    }

    /** It is the call that fails, and the model goes on. */
    @Test
    void aPolicyFailsTheCallThatItDecidesOn() {
        ToolPolicy policy = (invocation, tool, arguments) -> {
            interruptOnce();
            return ToolDecision.allow();
        };
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .story(
                        "1",
                        script -> script.turn(Reply.toolCall("write_file", Map.of("path", "1.txt", "content", "x")))
                                .turn(Reply.toolCall("write_file", Map.of("path", "1.txt", "content", "y")))
                                .turn(Reply.toolCall("done", Map.of("summary", "wrote"))))
                .build();
        try (Maestro maestro =
                builder(coder).tools(tools -> tools.policy(policy)).build()) {
            assertThat(run(maestro, "1").outcome()).isEqualTo(Outcome.MERGED);
            assertThat(maestro.auditLog().toolExecutions("1").get(0).error()).contains("nothing was run");
        }
        assertThat(coder.requests().get(1).messages().toString()).contains("and not by Maestro");
    }
}
