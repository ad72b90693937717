package io.maestro.examples.cli;

import io.maestro.audit.AuditLog;
import io.maestro.audit.Store;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
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
    @Mixin
    private ProjectOptions project;

    @Spec
    private CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        try (Store record = project.record()) {
            Set<String> waiting = record.requests().pendingIds();
            List<Map<String, Object>> specs =
                    record.specs().stream().map(StatusCommand::of).toList();
            List<Map<String, Object>> stories =
                    record.stories().stream().map(story -> of(record, story)).toList();
            if (project.json) {
                out.println(Output.json(
                        Map.of("specifications", specs, "stories", stories, "waiting_for_people", waiting.size())));
                return 0;
            }
            specs.forEach(one -> out.printf("%-20s %-14s %s%n", one.get("id"), one.get("state"), one.get("title")));
            stories.forEach(one -> out.printf(
                    "%-20s %-14s %s%s%n",
                    one.get("id"),
                    one.get("state"),
                    one.get("title"),
                    one.containsKey("error")
                            ? "  (" + Output.line(one.get("error").toString()) + ")"
                            : ""));
            if (!waiting.isEmpty()) {
                out.println(waiting.size() + " wait for people: maestro inbox");
            }
            return 0;
        }
    }

    private static Map<String, Object> of(Store.SpecRecord spec) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("id", spec.id());
        shown.put("state", spec.state().name());
        shown.put("title", Output.line(spec.title()));
        if (spec.error() != null) {
            shown.put("error", spec.error());
        }
        return shown;
    }

    private static Map<String, Object> of(Store record, Store.StoryRecord story) {
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
        List<AuditLog.Cost> costs = record.costs(story.id());
        shown.put(
                "tokens",
                costs.stream().mapToLong(cost -> cost.usage().totalTokens()).sum());
        if (costs.stream().allMatch(cost -> cost.dollars() != null)) {
            shown.put("dollars", costs.stream().map(AuditLog.Cost::dollars).reduce(BigDecimal.ZERO, BigDecimal::add));
        }
        return shown;
    }
}
