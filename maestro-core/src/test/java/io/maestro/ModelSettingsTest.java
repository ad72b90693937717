package io.maestro;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.agent.Limits;
import io.maestro.agent.ModelState;
import io.maestro.error.MaestroException;
import io.maestro.llm.LlmRequest;
import io.maestro.llm.Price;
import io.maestro.llm.PriceTable;
import io.maestro.llm.Usage;
import io.maestro.record.CostScope;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.story.StoryResult.Outcome;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import io.maestro.testkit.Turn;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a host sets about its models and the bounds of a story: the temperature by state, prices, cost, the time of tests. */
class ModelSettingsTest {
    @TempDir
    Path directory;

    private MaestroBuilder builder(ScriptedLlm coder, ScriptedLlm architect) {
        return Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository(TestRepository.create(directory, Map.of("README.md", "a project"))
                        .url())
                .coderModel(coder)
                .architectModel(architect)
                .tools(tools -> tools.discover(false));
    }

    private static Story story() {
        return Story.builder("1", "Nothing").content("Do nothing").build();
    }

    private static Reply done() {
        return Reply.toolCall("done", Map.of("summary", "nothing to do"));
    }

    private static Reply plan() {
        return Reply.toolCall("submit_plan", Map.of("plan", "do nothing"));
    }

    private static Reply approve() {
        return Reply.toolCall("review_complete", Map.of("decision", "APPROVED", "feedback", "good"));
    }

    @Test
    void eachStateHasItsTemperature() {
        ScriptedLlm coder =
                ScriptedLlm.builder("coder").turn(plan()).turn(done()).build();
        ScriptedLlm architect =
                ScriptedLlm.builder("architect").repeat(approve()).build();
        try (Maestro maestro = builder(coder, architect)
                .agents(agents -> agents.temperature(ModelState.PLANNING, 0.75))
                .agents(agents -> agents.temperature(ModelState.ANSWERING, 0))
                .build()) {
            assertThat(maestro.run(story()).outcome()).isEqualTo(Outcome.NO_CHANGE);
        }
        assertThat(coder.requests())
                .extracting(LlmRequest::temperature)
                .containsExactly(OptionalDouble.of(0.75), OptionalDouble.empty());
        assertThat(architect.requests())
                .hasSize(2)
                .extracting(LlmRequest::temperature)
                .containsOnly(OptionalDouble.of(0));
    }

    @Test
    void aTemperatureThatIsNoneIsRefused() {
        MaestroBuilder builder = Maestro.builder();
        for (double value : new double[] {-0.1, 1.1, Double.NaN}) {
            assertThatThrownBy(() -> builder.agents(agents -> agents.temperature(ModelState.CODING, value)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("the temperature in CODING must be from 0 to 1, is " + value);
        }
        for (ModelState state : ModelState.values()) {
            builder.agents(agents -> agents.temperature(state, 0)).agents(agents -> agents.temperature(state, 1));
        }
    }

    @Test
    void aStoryThatCostsTooMuchIsReviewed() {
        Limits limits = Limits.builder().costPerStory(new BigDecimal("2")).build();
        PriceTable prices = PriceTable.builder()
                .model("coder", Price.of("1000000", "0", "0", "0"))
                .model("architect", Price.of("0", "0", "0", "0"))
                .build();
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(Reply.toolCall("list_files", Map.of()).usage(new Usage(3, 0, 0, 0)))
                .turn(plan())
                .turn(done())
                .build();
        ScriptedLlm architect = ScriptedLlm.builder("architect")
                .turn(Turn.expecting("3.00 US dollars of 2.00 US dollars are used up")
                        .reply(approve()))
                .repeat(approve())
                .build();
        try (Maestro maestro = builder(coder, architect)
                .limits(limits)
                .agents(agents -> agents.prices(prices))
                .build()) {
            StoryResult result = maestro.run(story());
            assertThat(result.outcome()).isEqualTo(Outcome.NO_CHANGE);
            assertThat(result.cost().orElseThrow()).isEqualByComparingTo("3");
            assertThat(maestro.run(story()).cost().orElseThrow())
                    .as("from the record")
                    .isEqualByComparingTo("3");
        }
    }

    @Test
    void theCostOfAModelWithoutAPriceIsNotKnown() {
        ScriptedLlm coder =
                ScriptedLlm.builder("coder").turn(plan()).turn(done()).build();
        ScriptedLlm architect =
                ScriptedLlm.builder("architect").repeat(approve()).build();
        PriceTable prices = PriceTable.builder()
                .model("coder", Price.of("1", "1", "1", "1"))
                .build();
        try (Maestro maestro = builder(coder, architect)
                .agents(agents -> agents.prices(prices))
                .build()) {
            assertThat(maestro.run(story()).cost()).isEmpty();
            assertThat(maestro.run(story()).cost()).as("from the record").isEmpty();
        }
    }

    @Test
    void aModelWithoutAPriceIsRefusedByTheBuildWhenTheCostIsLimited() {
        for (Limits.Builder limits : List.of(
                Limits.builder().costPerStory(BigDecimal.ONE),
                Limits.builder().costCap(CostScope.DAY, BigDecimal.ONE))) {
            for (List<String> models : List.of(List.of("coder", "unknown"), List.of("unknown", "coder"))) {
                assertThatThrownBy(() -> priced(models, limits.build()))
                        .isInstanceOf(MaestroException.class)
                        .hasMessageContainingAll("the price of the model unknown", "prices(…)) of the builder");
            }
            priced(List.of("coder", "coder"), limits.build());
        }
        priced(List.of("coder", "unknown"), Limits.defaults());
    }

    private void priced(List<String> models, Limits limits) {
        Maestro.builder()
                .projectDirectory(directory.resolve("project"))
                .repository("file:///nowhere")
                .coderModel(ScriptedLlm.builder(models.get(0)).build())
                .architectModel(ScriptedLlm.builder(models.get(1)).build())
                .tools(tools -> tools.discover(false))
                .limits(limits)
                .agents(agents -> agents.prices(PriceTable.builder()
                        .model("coder", Price.of("1", "1", "1", "1"))
                        .build()))
                .build()
                .close();
    }

    @Test
    void testsThatTakeTooLongAreStoppedAndTheCoderIsToldSo() {
        ScriptedLlm coder = ScriptedLlm.builder("coder")
                .turn(Reply.toolCall("write_file", Map.of("path", "a", "content", "b")))
                .turn(done())
                .turn(Turn.expecting("tests were killed after 0 s: sleep 1000")
                        .reply(Reply.toolCall("report_blocked", Map.of("reason", "the tests hang"))))
                .build();
        try (Maestro maestro = builder(coder, coder)
                .testCommand("sleep 1000")
                .limits(Limits.builder().testTime(Duration.ofMillis(200)).build())
                .build()) {
            StoryResult result = maestro.run(
                    Story.builder("1", "Slow").content("Write a").express().build());
            assertThat(result.error().orElseThrow()).contains("the tests hang");
        }
        coder.assertFinished();
    }
}
