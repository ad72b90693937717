package io.maestro.examples.cli;

import io.maestro.MaestroRecord;
import io.maestro.inbox.Inbox;
import io.maestro.inbox.InboxItem;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code maestro inbox}. */
@Command(
        name = "inbox",
        mixinStandardHelpOptions = true,
        description = "Shows what waits for people, or one request with all that belongs to it.")
final class InboxCommand implements Callable<Integer> {
    /** Of a text that is longer, unless all of it is wanted. */
    private static final int MOST_LINES = 40;

    @Mixin
    private ProjectOptions project;

    @Parameters(arity = "0..1", paramLabel = "REQUEST", description = "The request to show; default: all that wait.")
    private String request;

    @Option(names = "--full", description = "With a request: shows long texts, such as the difference, to their end.")
    private boolean full;

    @Spec
    private CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        try (MaestroRecord record = project.record()) {
            Inbox inbox = record.inbox();
            List<InboxItem> items = request == null
                    ? inbox.pending()
                    : List.of(inbox.find(request)
                            .orElseThrow(() -> new IllegalArgumentException("there is no request " + request)));
            if (project.json) {
                out.println(Output.json(items.stream().map(InboxCommand::json).toList()));
            } else if (request != null) {
                show(out, items.get(0));
            } else {
                items.forEach(item -> out.printf(
                        "%-20s %-14s until %s  %s: %s%n",
                        item.id(), item.kind(), item.until(), item.storyId(), Output.line(item.storyTitle())));
                if (items.size() == Inbox.MOST) {
                    out.println("There may be more: these are the first " + Inbox.MOST + ".");
                }
            }
            return 0;
        }
    }

    private void show(PrintWriter out, InboxItem item) {
        out.println(item.kind() + " of " + item.coderId() + " for story " + item.storyId() + ": "
                + Output.line(item.storyTitle()));
        out.println("\n## story\n" + shown(item, item.storyContent()));
        item.facts().forEach((name, text) -> out.println("\n## " + Output.line(name) + "\n" + shown(item, text)));
        item.given()
                .forEach(one -> out.println("\n" + Output.line(one.person()) + " has approved it, at " + one.at()
                        + (one.message().isBlank() ? "." : ": " + Output.line(one.message()))));
        out.println();
        out.println(item.outcome()
                .map(outcome -> Output.line(outcome.toString()))
                .orElse("Answer by " + item.until() + ". Otherwise: " + item.otherwise()));
    }

    private String shown(InboxItem item, String text) {
        // An agent's text may look like this command's: only headings begin at the margin.
        List<String> lines =
                Output.safe(text).strip().lines().map(line -> "| " + line).toList();
        int more = lines.size() - MOST_LINES;
        return full || more <= 0
                ? String.join("\n", lines)
                : String.join("\n", lines.subList(0, MOST_LINES)) + "\n… " + more + " more lines: maestro inbox "
                        + item.id() + " --full";
    }

    static Map<String, Object> json(InboxItem item) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("id", item.id());
        shown.put("kind", item.kind().name());
        shown.put("story", item.storyId());
        shown.put("title", item.storyTitle());
        shown.put("coder", item.coderId());
        shown.put("content", item.storyContent());
        shown.put("facts", item.facts());
        shown.put("asked_at", item.askedAt().toString());
        shown.put("until", item.until().toString());
        shown.put("otherwise", item.otherwise());
        shown.put("approvals_needed", item.approvals());
        shown.put(
                "approvals",
                item.given().stream()
                        .map(one -> Map.of(
                                "person",
                                one.person(),
                                "message",
                                one.message(),
                                "at",
                                one.at().toString()))
                        .toList());
        item.outcome().ifPresent(outcome -> {
            shown.put("decision", outcome.decision().map(Enum::name).orElse("NONE"));
            outcome.person().ifPresent(person -> shown.put("decided_by", person));
            shown.put("message", outcome.message());
        });
        return shown;
    }
}
