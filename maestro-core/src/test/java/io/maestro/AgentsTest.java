package io.maestro;

import static io.maestro.chaos.RolePlay.call;
import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.agent.AgentStatus;
import io.maestro.chaos.RolePlay;
import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.LlmResponse;
import io.maestro.story.Story;
import io.maestro.story.StoryResult.Outcome;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who is said to be at work, asked while models are asked. */
class AgentsTest {
    @TempDir
    Path directory;

    private final AtomicReference<Maestro> maestro = new AtomicReference<>();
    private final List<AgentStatus> seen = new CopyOnWriteArrayList<>();

    @Test
    void codersAndArchitectAreShownWhileTheyWork() throws Exception {
        TestRepository repository = TestRepository.create(directory, Map.of("README.md", "app"));
        LlmClient coder = watching(new RolePlay(
                "coder-model",
                request -> List.of(call("shell", "cmd", "echo x > x.txt"), call("done", "summary", "wrote it"))));
        LlmClient architect = watching(new RolePlay(
                "architect-model",
                request -> List.of(
                        call("read_file", "path", "README.md"),
                        call("review_complete", "decision", "APPROVED", "feedback", "fine"))));
        try (Maestro built = Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository.url())
                .coderModel(coder)
                .architectModel(architect)
                .testCommand("true")
                .build()) {
            maestro.set(built);
            assertThat(built.agents()).isEmpty();
            assertThat(built.run(Story.builder("7", "A story")
                                    .content("x")
                                    .express()
                                    .build())
                            .outcome())
                    .isEqualTo(Outcome.MERGED);
            assertThat(built.agents()).isEmpty();
        }
        assertThat(seen)
                .anySatisfy(status -> {
                    assertThat(status.id()).isEqualTo("coder-001");
                    assertThat(status.role()).isEqualTo("coder");
                    assertThat(status.storyId()).isEqualTo("7");
                    assertThat(status.state()).isEqualTo("CODING");
                    assertThat(status.model()).contains("coder-model");
                    assertThat(status.lastCall()).contains("shell");
                    assertThat(status.usage().totalTokens()).isPositive();
                })
                .anySatisfy(status -> {
                    assertThat(status.id()).isEqualTo("architect-001");
                    assertThat(status.role()).isEqualTo("architect");
                    assertThat(status.state()).isEqualTo("ANSWERING");
                    assertThat(status.model()).contains("architect-model");
                    assertThat(status.lastCall()).contains("read_file");
                })
                .anySatisfy(status -> assertThat(status.state()).isEqualTo("CODE_REVIEW"));
    }

    private LlmClient watching(LlmClient model) {
        return new LlmClient() {
            @Override
            public String model() {
                return model.model();
            }

            @Override
            public LlmResponse complete(LlmRequest request) {
                seen.addAll(maestro.get().agents());
                return model.complete(request);
            }
        };
    }
}
