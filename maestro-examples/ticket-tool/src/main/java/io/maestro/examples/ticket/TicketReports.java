package io.maestro.examples.ticket;

import io.maestro.tools.ToolCall;
import io.maestro.tools.ToolFactory;
import io.maestro.tools.ToolProvider;
import io.maestro.tools.ToolResult;
import io.maestro.tools.typed.Argument;
import io.maestro.tools.typed.ToolMethod;
import io.maestro.tools.typed.TypedTools;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;

/** Writes findings to a ticket, to show a method as a tool that calls another one; here it answers what it would write. */
public final class TicketReports implements ToolProvider {
    /** Called by {@link java.util.ServiceLoader}. */
    public TicketReports() {}

    enum Severity {
        LOW,
        HIGH
    }

    record Finding(
            @Argument("What is wrong") String text,
            @Argument("How bad it is") Severity severity,

            @Argument(value = "Where", min = 1, max = 1_000_000)
            Optional<Integer> line) {}

    @Override
    public List<ToolFactory> tools() {
        return TypedTools.ofMethods(this);
    }

    @ToolMethod(name = "ticket_report", description = "Adds findings to a ticket of the issue tracker")
    ToolResult report(
            @Argument("Ticket key, for example APP-42") String key,
            @Argument(value = "What was found", min = 1) List<Finding> findings,
            ToolCall call)
            throws InterruptedException {
        ToolResult ticket = call.tools().call("ticket_read", Map.of("key", key));
        if (ticket.isError()) {
            return ticket;
        }
        StringJoiner report = new StringJoiner("\n", key + " " + ticket.text() + "\n", "");
        for (Finding finding : findings) {
            String line = finding.line().map(number -> "line " + number + ": ").orElse("");
            report.add(finding.severity() + ": " + line + finding.text());
        }
        return ToolResult.ok(report.toString());
    }
}
