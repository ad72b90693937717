package io.maestro.story;

import io.maestro.llm.Usage;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What became of a specification.
 *
 * @param specId the specification's id
 * @param title its title
 * @param outcome how it ended
 * @param stories the stories that were made of it, in the order in which they were submitted; may be empty
 * @param usage the tokens of all agents, for all attempts at all stories
 * @param cost what they cost in US dollars; empty when the price of a model that was asked is not known
 * @param duration from WAITING to the end
 * @param error why it failed and what to do; empty unless {@link Outcome#FAILED} or {@link Outcome#CANCELLED}
 */
public record SpecResult(
        String specId,
        String title,
        Outcome outcome,
        List<StoryReport> stories,
        Usage usage,
        Optional<BigDecimal> cost,
        Duration duration,
        Optional<String> error) {
    /**
     * Copies the list.
     *
     * @param specId see the record
     * @param title see the record
     * @param outcome see the record
     * @param stories see the record
     * @param usage see the record
     * @param cost see the record
     * @param duration see the record
     * @param error see the record
     */
    public SpecResult {
        stories = List.copyOf(stories);
    }

    /** How a specification ended. */
    public enum Outcome {
        /** Each of its stories is done. */
        COMPLETED,
        /**
         * Stories were made and worked on, but at least one of them failed or was given up. That is an end, too: what is
         * missing is submitted as a specification with an id of its own.
         */
        INCOMPLETE,
        /** The architect's work came to no end; {@link SpecResult#error()} says why. */
        FAILED,
        /** The host cancelled it or closed Maestro. */
        CANCELLED
    }

    /**
     * A story of the specification.
     *
     * @param title its title, as the latest attempt had it
     * @param result what became of it; the tokens are those of its latest attempt
     */
    public record StoryReport(String title, StoryResult result) {}

    /**
     * Whether all is done.
     *
     * @return true when each story succeeded
     */
    public boolean succeeded() {
        return outcome == Outcome.COMPLETED;
    }

    /**
     * A report for people.
     *
     * @return Markdown: what became of the whole, and a row for each story with its outcome, {@code UNTESTED} where its tests could not be
     *     run, attempts, commit and error
     */
    public String toMarkdown() {
        StringBuilder report = new StringBuilder("# " + specId + ": " + title + "\n\n" + outcome);
        error.ifPresent(reason -> report.append(": ").append(line(reason)));
        report.append("\n\n")
                .append(stories.stream()
                        .filter(story -> story.result().succeeded())
                        .count())
                .append(" of ")
                .append(stories.size())
                .append(" stories are done, in ")
                .append(duration.toSeconds())
                .append(" s, with ")
                .append(usage.totalTokens())
                .append(" tokens");
        cost.ifPresent(dollars -> report.append(" for ")
                .append(dollars.setScale(2, RoundingMode.HALF_UP).toPlainString())
                .append(" US dollars"));
        report.append(".\n");
        if (!stories.isEmpty()) {
            report.append("\n| story | title | outcome | attempts | commit | error |\n|---|---|---|---|---|---|\n");
            stories.forEach(story -> report.append(row(story)));
        }
        return report.toString();
    }

    private static String row(StoryReport story) {
        StoryResult result = story.result();
        return "| "
                + String.join(
                        " | ",
                        result.storyId(),
                        cell(story.title()),
                        result.outcome() + (result.untested() ? " UNTESTED" : ""),
                        String.valueOf(result.attempt()),
                        result.mergeCommit().orElse("-"),
                        result.error().map(SpecResult::cell).orElse("-"))
                + " |\n";
    }

    private static String cell(String text) {
        return line(text).replace("|", "\\|");
    }

    private static String line(String text) {
        return text.strip().replaceAll("\\s*\\R\\s*", " ");
    }
}
