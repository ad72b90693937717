/** An example of a tool jar: tools that are found by {@link java.util.ServiceLoader}. */
module io.maestro.examples.ticket {
    requires io.maestro.tools.spi;

    provides io.maestro.tools.ToolFactory with
            io.maestro.examples.ticket.TicketTool,
            io.maestro.examples.ticket.TicketReportTool;
}
