package io.maestro.examples.cli;

import io.maestro.MaestroRecord;
import io.maestro.record.AuditLog;
import io.maestro.record.Cancellation;
import io.maestro.story.TestOutcome;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Spec;

/** {@code maestro status}. */
@Command(
        name = "status",
        mixinStandardHelpOptions = true,
        description = "Shows specifications and stories, where they stand and what they have cost.")
final class StatusCommand implements Callable<Integer> {
    private static final String UNTESTED = TestOutcome.UNTESTED.name();

    @Mixin
    private ProjectOptions project;

    @Spec
    private CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        try (MaestroRecord record = project.record()) {
            AuditLog log = record.auditLog();
            int waiting = record.inbox().pending().size();
            Map<String, String> cancelled = record.cancellations().open().stream()
                    .collect(Collectors.toMap(Cancellation::id, Cancellation::by));
            List<Map<String, Object>> specs = log.specs().stream()
                    .map(one -> with(cancelled.get(one.id()), of(one)))
                    .toList();
            List<Map<String, Object>> stories = log.stories().stream()
                    .map(story -> with(cancelled.get(story.id()), of(log, story)))
                    .toList();
            queue(log, stories);
            if (project.json) {
                out.println(Output.json(
                        Map.of("specifications", specs, "stories", stories, "waiting_for_people", waiting)));
                return 0;
            }
            specs.forEach(one -> print(out, one));
            stories.forEach(one -> print(out, one));
            if (waiting > 0) {
                out.println(waiting + " wait for people: maestro inbox");
            }
            return 0;
        }
    }

    private static void print(PrintWriter out, Map<String, Object> one) {
        Object cancellation = one.get("to_be_cancelled");
        Object merged =
                UNTESTED.equals(one.get("tests")) && one.containsKey("merge_commit") ? "merged " + UNTESTED : null;
        Object more = cancellation == null
                ? one.getOrDefault("error", one.getOrDefault("queue", merged))
                : "to be cancelled " + cancellation;
        out.printf(
                "%-20s %-14s %s%s%n",
                one.get("id"),
                one.get("state"),
                one.get("title"),
                more == null ? "" : "  (" + Output.line(more.toString()) + ")");
    }

    /** Somebody wants it to end, and whoever works on it has not done so yet. */
    private static Map<String, Object> with(String cancellation, Map<String, Object> shown) {
        if (cancellation != null) {
            shown.put("to_be_cancelled", cancellation);
        }
        return shown;
    }

    /** Where stories stand that wait to be merged. */
    private static void queue(AuditLog log, List<Map<String, Object>> stories) {
        Map<String, Integer> places = new HashMap<>();
        for (AuditLog.QueuedMerge one : log.mergeQueue()) {
            int place = places.merge(one.target(), 1, Integer::sum);
            String shown =
                    "number " + place + " in the queue into " + one.target() + (one.waits() ? "" : ", stands aside");
            stories.stream()
                    .filter(story -> one.storyId().equals(story.get("id")))
                    .forEach(story -> story.put("queue", shown));
        }
    }

    private static Map<String, Object> of(AuditLog.SpecRecord spec) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("id", spec.id());
        shown.put("state", spec.state().name());
        shown.put("title", Output.line(spec.title()));
        if (spec.error() != null) {
            shown.put("error", spec.error());
        }
        return shown;
    }

    private static Map<String, Object> of(AuditLog log, AuditLog.StoryRecord story) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("id", story.id());
        shown.put("state", story.state().name());
        shown.put("title", Output.line(story.title()));
        shown.put("attempt", story.attempt());
        if (story.specId() != null) {
            shown.put("specification", story.specId());
        }
        if (story.mergeCommit() != null) {
            shown.put("merge_commit", story.mergeCommit());
        }
        if (story.error() != null) {
            shown.put("error", story.error());
        }
        Output.text(story.data(), "tests").ifPresent(tests -> shown.put("tests", tests));
        List<AuditLog.Cost> costs = log.costs(story.id());
        shown.put(
                "tokens",
                costs.stream().mapToLong(cost -> cost.usage().totalTokens()).sum());
        if (costs.stream().allMatch(cost -> cost.dollars() != null)) {
            shown.put("dollars", costs.stream().map(AuditLog.Cost::dollars).reduce(BigDecimal.ZERO, BigDecimal::add));
        }
        return shown;
    }
}
