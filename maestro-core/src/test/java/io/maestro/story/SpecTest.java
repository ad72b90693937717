package io.maestro.story;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.maestro.error.MaestroException;
import io.maestro.llm.Usage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SpecTest {
    @TempDir
    Path directory;

    @Test
    void isReadFromMarkdown() throws Exception {
        Path file = Files.writeString(directory.resolve("bill ing.v2.md"), "\uFEFF\n# Billing\n\nInvoices.\n");
        Spec spec = Spec.fromMarkdown(file).build();
        assertThat(spec).hasToString("bill-ing-v2 Billing");
        assertThat(spec.content()).isEqualTo("\n# Billing\n\nInvoices.\n");
    }

    @Test
    void aFileThatIsNoSpecificationIsNamed() throws Exception {
        Path missing = directory.resolve("none.md");
        assertThatThrownBy(() -> Spec.fromMarkdown(missing))
                .isInstanceOf(MaestroException.class)
                .hasMessage("there is no specification file " + missing);
        Path empty = Files.writeString(directory.resolve("empty.md"), " \n");
        assertThatThrownBy(() -> Spec.fromMarkdown(empty))
                .isInstanceOf(MaestroException.class)
                .hasMessageStartingWith(
                        "the specification file " + empty + " cannot be used: the title of specification");
    }

    /** The ids of its stories are longer by three characters, and a story's id has 64 at most. */
    @ParameterizedTest
    @ValueSource(
            strings = {"", "a/b", "../x", "a b", "-a", "0123456789012345678901234567890123456789012345678901234567890"})
    void isNoId(String id) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Spec.builder(id, "T"))
                .withMessageStartingWith("not the id of a specification: '" + id + "'");
    }

    @Test
    void titleAndContentMustSaySomething() {
        assertThatIllegalArgumentException().isThrownBy(() -> Spec.builder("s", "two\nlines"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Spec.builder("s", "T").build())
                .withMessageStartingWith("specification s has no content");
    }

    @Test
    void aStoryDependsOnOthers() {
        Story story = Story.builder("s-03", "T")
                .content("C")
                .dependsOn("s-01", "s-02")
                .dependsOn("s-01")
                .build();
        assertThat(story.dependsOn()).containsExactly("s-01", "s-02");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Story.builder("s-03", "T").dependsOn("s-03"))
                .withMessage("story s-03 cannot depend on itself");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Story.builder("s-03", "T").dependsOn("../x"))
                .withMessageStartingWith("not a story id: '../x'");
    }

    @Test
    void theReportHasARowForEachStory() {
        SpecResult result = new SpecResult(
                "billing",
                "Billing",
                SpecResult.Outcome.INCOMPLETE,
                List.of(
                        report("billing-01", "Add | invoices", StoryResult.Outcome.MERGED, "abc123", null),
                        report(
                                "billing-02",
                                "Send them",
                                StoryResult.Outcome.FAILED,
                                null,
                                "in TESTING:\n  no | luck")),
                new Usage(1, 2, 3, 4),
                Optional.empty(),
                Duration.ofSeconds(75),
                Optional.empty());
        assertThat(result.succeeded()).isFalse();
        assertThat(result.toMarkdown()).isEqualTo("""
                        # billing: Billing

                        INCOMPLETE

                        1 of 2 stories are done, in 75 s, with 10 tokens.

                        | story | title | outcome | attempts | commit | error |
                        |---|---|---|---|---|---|
                        | billing-01 | Add \\| invoices | MERGED | 2 | abc123 | - |
                        | billing-02 | Send them | FAILED | 2 | - | in TESTING: no \\| luck |
                        """);
    }

    @Test
    void theReportSaysWhatNobodyCouldTest() {
        StoryResult untested = new StoryResult(
                "b-01",
                1,
                StoryResult.Outcome.MERGED,
                Optional.of(TestOutcome.UNTESTED),
                Optional.of("abc123"),
                Optional.empty(),
                Optional.empty(),
                Usage.NONE,
                Optional.empty(),
                Duration.ZERO,
                List.of());
        SpecResult result = new SpecResult(
                "b",
                "B",
                SpecResult.Outcome.COMPLETED,
                List.of(new SpecResult.StoryReport("T", untested)),
                Usage.NONE,
                Optional.empty(),
                Duration.ZERO,
                Optional.empty());
        assertThat(result.toMarkdown()).contains("| b-01 | T | MERGED UNTESTED | 1 | abc123 | - |");
    }

    @Test
    void aReportWithoutStoriesSaysWhy() {
        SpecResult result = new SpecResult(
                "b",
                "B",
                SpecResult.Outcome.FAILED,
                List.of(),
                Usage.NONE,
                Optional.empty(),
                Duration.ZERO,
                Optional.of("in SCOPING: the model\ncame to no end"));
        assertThat(result.toMarkdown()).isEqualTo("""
                        # b: B

                        FAILED: in SCOPING: the model came to no end

                        0 of 0 stories are done, in 0 s, with 0 tokens.
                        """);
    }

    private static SpecResult.StoryReport report(
            String id, String title, StoryResult.Outcome outcome, String commit, String error) {
        return new SpecResult.StoryReport(
                title,
                new StoryResult(
                        id,
                        2,
                        outcome,
                        Optional.ofNullable(commit),
                        Optional.empty(),
                        Optional.ofNullable(error),
                        Usage.NONE,
                        Optional.empty(),
                        Duration.ZERO));
    }
}
