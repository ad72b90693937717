package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.agent.Limits;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.Price;
import io.maestro.llm.PriceTable;
import io.maestro.llm.Usage;
import io.maestro.record.AuditLog;
import io.maestro.record.CostScope;
import io.maestro.story.Spec;
import io.maestro.story.SpecResult;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import io.maestro.testkit.Turn;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hard limits on cost, of a whole Maestro; each answer of a model costs a dollar. */
class CostCapTest {
    private static final Usage DOLLAR = new Usage(1, 0, 0, 0);

    private static final PriceTable PRICES = PriceTable.builder()
            .model("coder", Price.of("1000000", "0", "0", "0"))
            .model("architect", Price.of("1000000", "0", "0", "0"))
            .build();

    private static final PriceTable PRICES_OF_OUTPUT = PriceTable.builder()
            .model("coder", Price.of("0", "1000000", "0", "0"))
            .model("architect", Price.of("0", "1000000", "0", "0"))
            .build();

    @TempDir
    Path directory;

    private TestRepository repository;
    private ScriptedLlm coder;
    private ScriptedLlm architect;

    @BeforeEach
    void create() {
        repository = TestRepository.create(directory, Map.of("README.md", "a project"));
        coder = repeat("coder", list());
        architect = repeat("architect", approve());
    }

    private static ScriptedLlm repeat(String model, Reply reply) {
        return ScriptedLlm.builder(model).repeat(reply.usage(DOLLAR)).build();
    }

    /** Two calls, so that none comes twice in a row. */
    private static Reply list() {
        return Reply.toolCall("list_files", Map.of()).andToolCall("list_files", Map.of("path", "."));
    }

    private static Reply approve() {
        return Reply.toolCall("review_complete", Map.of("decision", "APPROVED", "feedback", "go on"));
    }

    private Maestro maestro(Limits.Builder limits) {
        return maestro(limits, PRICES);
    }

    private Maestro maestro(Limits.Builder limits, PriceTable prices) {
        return Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(repository.url())
                .coderModel(coder)
                .architectModel(architect)
                .tools(tools -> tools.discover(false))
                .agents(agents -> agents.prices(prices))
                .limits(limits.build())
                .build();
    }

    private static Limits.Builder cap(CostScope scope, int dollars) {
        return Limits.builder().costCap(scope, BigDecimal.valueOf(dollars));
    }

    private static Story story(String id) {
        return Story.builder(id, "Nothing").content("Do nothing").build();
    }

    private int asked() {
        return coder.requests().size() + architect.requests().size();
    }

    @Test
    void noReviewRaisesTheCapOfAStory() {
        try (Maestro maestro = maestro(cap(CostScope.STORY, 5).costPerStory(BigDecimal.valueOf(2)))) {
            StoryResult result = maestro.run(story("1"));
            assertThat(result.outcome()).isEqualTo(Outcome.FAILED);
            assertThat(result.error().orElseThrow())
                    .contains("the hard limit on the cost of story 1, with all its attempts and reviews, is reached")
                    .contains("of 5.00 US dollars are used up")
                    .contains("costCap(STORY, …)");
            assertThat(architect.requests().isEmpty()).as("nobody has granted").isFalse();
            assertThat(asked()).isEqualTo(5);
            assertThat(result.cost().orElseThrow()).isEqualByComparingTo("5");
        }
    }

    @Test
    void aNewAttemptHasTheSameCapAndOtherStoriesHaveTheirOwn() {
        coder = repeat("coder", Reply.toolCall("report_blocked", Map.of("reason", "it hurts")));
        try (Maestro maestro = maestro(cap(CostScope.STORY, 2))) {
            for (int attempt = 1; attempt <= 2; attempt++) {
                assertThat(maestro.run(story("1")).error().orElseThrow()).contains("it hurts");
            }
            StoryResult third = maestro.run(story("1"));
            assertThat(third.attempt()).isEqualTo(3);
            assertThat(third.error().orElseThrow()).contains("story 1, with all its attempts");
            assertThat(asked()).isEqualTo(2);
            assertThat(maestro.run(story("2")).error().orElseThrow()).contains("it hurts");
            assertThat(third.cost().orElseThrow()).isEqualByComparingTo("0");
            assertThat(third.costs())
                    .containsExactly(
                            new StoryResult.Cost(
                                    1,
                                    "coder-001",
                                    "PLANNING",
                                    "coder",
                                    1,
                                    DOLLAR,
                                    Optional.of(new BigDecimal("1.00"))),
                            new StoryResult.Cost(
                                    2,
                                    "coder-001",
                                    "PLANNING",
                                    "coder",
                                    1,
                                    DOLLAR,
                                    Optional.of(new BigDecimal("1.00"))));
            assertThat(maestro.auditLog().costs("1")).hasSize(2);
        }
    }

    @Test
    void allStoriesTogetherHaveTheCapOfADayAndOfTheRecordAlsoAfterARestart() {
        coder = repeat("coder", Reply.toolCall("report_blocked", Map.of("reason", "it hurts")));
        for (CostScope scope : List.of(CostScope.DAY, CostScope.TOTAL)) {
            try (Maestro maestro = maestro(cap(scope, 2))) {
                maestro.run(story("a" + scope));
                maestro.run(story("b" + scope));
            }
            int before = asked();
            try (Maestro maestro = maestro(cap(scope, 2))) {
                assertThat(maestro.run(story("c" + scope)).error().orElseThrow())
                        .contains(scope == CostScope.DAY ? "this day (UTC)" : "all work in this record")
                        .contains(scope == CostScope.DAY ? "go on tomorrow" : "costCap(TOTAL, …)");
            }
            assertThat(asked()).isEqualTo(before);
        }
    }

    /** Else the cap would be none behind a server that does not count. */
    @Test
    void whatDoesNotSayWhatItHasUsedIsNotFree() {
        coder = ScriptedLlm.builder("coder").repeat(list().usage(null)).build();
        try (Maestro maestro = maestro(cap(CostScope.STORY, 3_000).answerTokens(1_000), PRICES_OF_OUTPUT)) {
            StoryResult result = maestro.run(story("1"));
            assertThat(result.error().orElseThrow()).contains("the hard limit on the cost of story 1");
            assertThat(coder.requests().size()).isEqualTo(3);
            assertThat(result.cost().orElseThrow()).isEqualByComparingTo("3000");
            assertThat(result.usage().outputTokens()).isEqualTo(3_000);
        }
        try (Maestro maestro =
                maestro(Limits.builder().tokensPerStory(30_000).budgetReviews(0).answerTokens(10_000))) {
            assertThat(maestro.run(story("2")).error().orElseThrow()).contains("of 30000 tokens are used up");
        }
    }

    @Test
    void withoutReviewsOfBudgetsALimitIsTheEnd() {
        try (Maestro maestro =
                maestro(Limits.builder().costPerStory(BigDecimal.valueOf(2)).budgetReviews(0))) {
            StoryResult result = maestro.run(story("1"));
            assertThat(result.outcome()).isEqualTo(Outcome.FAILED);
            assertThat(result.error().orElseThrow())
                    .contains("Limits.budgetReviews is 0: 2.00 US dollars of 2.00 US dollars are used up");
            assertThat(architect.requests().size()).isZero();
        }
    }

    @Test
    void aSpecificationHasOneCapWithItsStories() {
        architect = ScriptedLlm.builder("architect")
                .repeat(Turn.any().reply(CostCapTest::plays))
                .build();
        coder = repeat("coder", Reply.toolCall("report_blocked", Map.of("reason", "it hurts")));
        Spec spec = Spec.builder("s", "All").content("Do all.").build();
        // One for scoping, then in turn one for the story and one for its next text.
        try (Maestro maestro = maestro(cap(CostScope.SPEC, 4).storyRetries(100))) {
            SpecResult result = maestro.runSpec(spec);
            assertThat(result.outcome()).isEqualTo(SpecResult.Outcome.FAILED);
            assertThat(result.error().orElseThrow()).contains("specification s, with all its stories, is reached");
            assertThat(asked()).isEqualTo(4);
            assertThat(result.cost().orElseThrow()).isEqualByComparingTo("4");
            assertThat(result.stories().get(0).result().costs())
                    .extracting(StoryResult.Cost::attempt)
                    .containsExactly(1, 2);
            assertThat(maestro.auditLog().costs("s"))
                    .extracting(AuditLog.Cost::state)
                    .containsExactly("SCOPING", "EDITING");
            assertThat(maestro.runSpec(spec).outcome()).isNotEqualTo(SpecResult.Outcome.COMPLETED);
            assertThat(asked()).as("run again").isEqualTo(4);
        }
    }

    @Test
    void aStoryThatHasReachedItsCapIsNotRewritten() {
        architect = ScriptedLlm.builder("architect")
                .repeat(Turn.any().reply(CostCapTest::plays))
                .build();
        coder = repeat("coder", Reply.toolCall("report_blocked", Map.of("reason", "it hurts")));
        try (Maestro maestro = maestro(cap(CostScope.STORY, 2).storyRetries(100))) {
            SpecResult result =
                    maestro.runSpec(Spec.builder("s", "All").content("Do all.").build());
            assertThat(result.outcome()).isEqualTo(SpecResult.Outcome.INCOMPLETE);
            assertThat(coder.requests().size()).isEqualTo(2);
            assertThat(architect.requests().size()).as("scoping, and one edit").isEqualTo(2);
        }
    }

    private static Reply plays(LlmRequest request) {
        Reply reply = request.origin().state().equals("SCOPING")
                ? Reply.toolCall(
                        "submit_stories",
                        Map.of(
                                "requirements",
                                List.of(Map.of(
                                        "title",
                                        "One",
                                        "description",
                                        "Do it",
                                        "acceptance_criteria",
                                        List.of("It works"),
                                        "dependencies",
                                        List.of()))))
                : Reply.toolCall(
                        "story_edit", Map.of("description", "Do it well", "acceptance_criteria", List.of("It works")));
        return reply.usage(DOLLAR);
    }
}
