/** An example of a tool jar: tools that are found by {@link java.util.ServiceLoader}. */
module io.maestro.examples.ticket {
    requires io.maestro.tools.spi;

    // For the methods and records that are no part of an exported API.
    opens io.maestro.examples.ticket to
            io.maestro.tools.spi;

    provides io.maestro.tools.ToolFactory with
            io.maestro.examples.ticket.TicketTool;
    provides io.maestro.tools.ToolProvider with
            io.maestro.examples.ticket.TicketReports;
}
