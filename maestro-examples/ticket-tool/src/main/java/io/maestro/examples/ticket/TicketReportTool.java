package io.maestro.examples.ticket;

import io.maestro.tools.Property;
import io.maestro.tools.Tool;
import io.maestro.tools.ToolArguments;
import io.maestro.tools.ToolContext;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolResult;
import java.util.StringJoiner;

/** Writes findings to a ticket, to show arguments with a list of objects; here it answers what it would write. */
public final class TicketReportTool implements ToolFactory {
    /** Called by {@link java.util.ServiceLoader}. */
    public TicketReportTool() {}

    @Override
    public ToolDefinition definition() {
        return ToolDefinition.builder("ticket_report")
                .description("Adds findings to a ticket of the issue tracker")
                .input(schema -> schema.requiredString("key", "Ticket key, for example APP-42")
                        .required(
                                "findings",
                                Property.array(
                                                "What was found",
                                                Property.object(
                                                        "One finding",
                                                        finding -> finding.requiredString("text", "What is wrong")
                                                                .required(
                                                                        "severity",
                                                                        Property.oneOf("How bad it is", "low", "high"))
                                                                .optional(
                                                                        "line",
                                                                        Property.integer("Where")
                                                                                .between(1, 1_000_000))))
                                        .minItems(1)))
                .build();
    }

    @Override
    public Tool create(ToolContext context) {
        return call -> {
            StringJoiner report = new StringJoiner("\n", call.arguments().string("key") + "\n", "");
            for (ToolArguments finding : call.arguments().objects("findings")) {
                String line = finding.optionalInteger("line").isPresent()
                        ? "line " + finding.optionalInteger("line").getAsLong() + ": "
                        : "";
                report.add(finding.string("severity") + ": " + line + finding.string("text"));
            }
            return ToolResult.ok(report.toString());
        };
    }
}
