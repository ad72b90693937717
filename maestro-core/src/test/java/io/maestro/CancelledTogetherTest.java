package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.llm.LlmClient;
import io.maestro.record.Cancellations;
import io.maestro.record.PostgresServer;
import io.maestro.record.internal.Store;
import io.maestro.story.ArchitectState;
import io.maestro.story.Spec;
import io.maestro.story.SpecResult;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.testing.Await;
import io.maestro.testing.Full;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two Maestros with one PostgreSQL: what one of them works on ends when somebody says so at the other one. */
@Timeout(120)
class CancelledTogetherTest {
    @TempDir
    Path directory;

    private final DataSource database = PostgresServer.newDatabase();
    private TestRepository repository;

    @BeforeEach
    void create() {
        repository = TestRepository.create(directory, Map.of("README.md", "a project"));
    }

    private static LlmClient hangs() {
        return ScriptedLlm.builder("coder")
                .turn(Reply.hang())
                .turn(Reply.hang())
                .build();
    }

    private static LlmClient silent() {
        return ScriptedLlm.builder("silent").build();
    }

    private Maestro maestro(String name, LlmClient coder, LlmClient architect) {
        return Maestro.builder()
                .projectDirectory(directory.resolve(name))
                .repository(repository.url())
                .record(record -> record.dataSource(database))
                .record(record -> record.leaseTime(Duration.ofSeconds(10)))
                .coderModel(coder)
                .architectModel(architect)
                .testCommand("true")
                .tools(tools -> tools.discover(false))
                .build();
    }

    private static boolean isAsked(Maestro maestro) {
        return maestro.agents().stream()
                .anyMatch(
                        agent -> agent.id().startsWith("coder") && agent.model().isPresent());
    }

    @Test
    void aStoryOfAnotherProcess() {
        Story story = Story.builder("1", "Story 1").content("do it").express().build();
        try (Maestro one = maestro("one", hangs(), silent());
                Maestro two = maestro("two", silent(), silent())) {
            Submission<StoryResult> works = one.submit(story);
            Await.until("a coder works", () -> isAsked(one));
            Submission<StoryResult> watches = two.submit(story);
            assertThat(two.cancellations().ask("1", "alice", "")).isEqualTo(Cancellations.Status.ASKED);
            for (Submission<StoryResult> each : List.of(works, watches)) {
                StoryResult result = each.await();
                assertThat(result.outcome()).isEqualTo(Outcome.CANCELLED);
                assertThat(result.error()).contains("in CODING: the story was cancelled by alice");
                assertThat(result.attempt()).isEqualTo(1);
            }
            assertThat(two.cancellations().ask("1", "alice", "")).isEqualTo(Cancellations.Status.ENDED);
        }
    }

    /** Who helps with it does not begin it again. */
    @Test
    @Full("a JVM more; CancelWishTest cancels specifications, aStoryOfAnotherProcess crosses processes")
    void aSpecificationThatAnotherProcessLeads() {
        Spec spec = Spec.builder("s", "A specification").content("Build it.").build();
        LlmClient architect = ScriptedLlm.builder("architect")
                .turn(Reply.toolCall(
                        "submit_stories",
                        Map.of(
                                "requirements",
                                List.of(Map.of(
                                        "title",
                                        "one",
                                        "description",
                                        "Do it",
                                        "acceptance_criteria",
                                        List.of("done"),
                                        "dependencies",
                                        List.of())))))
                .build();
        try (Maestro one = maestro("one", hangs(), architect);
                Maestro two = maestro("two", silent(), silent());
                Store record = Store.postgres(database, null, text -> text)) {
            Submission<SpecResult> leads = one.submitSpec(spec);
            Await.until("a coder works", () -> isAsked(one));
            Await.until(
                    "its leader waits for it",
                    () -> record.spec("s").orElseThrow().state() == ArchitectState.MONITORING);
            Submission<SpecResult> helps = two.submitSpec(spec);
            assertThat(record.cancellations().ask("s", "alice", "")).isEqualTo(Cancellations.Status.ASKED);
            for (Submission<SpecResult> each : List.of(leads, helps)) {
                SpecResult result = each.await();
                assertThat(result.outcome()).as(result.toMarkdown()).isEqualTo(SpecResult.Outcome.CANCELLED);
                assertThat(result.error()).contains("in MONITORING: the specification was cancelled by alice");
            }
            assertThat(record.specTransitions("s"))
                    .filteredOn(row -> row.to().isFinal())
                    .hasSize(1);
            assertThat(record.cancellations().open()).isEmpty();
        }
    }
}
