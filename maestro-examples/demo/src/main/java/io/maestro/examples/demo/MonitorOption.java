package io.maestro.examples.demo;

import io.maestro.Maestro;
import io.maestro.MaestroBuilder;
import java.io.IOException;
import java.io.PrintStream;
import picocli.CommandLine.Option;

/** {@code --monitor}. */
final class MonitorOption {
    @Option(
            names = "--monitor",
            arity = "0..1",
            fallbackValue = "0",
            paramLabel = "PORT",
            description =
                    "Serves a page to watch and steer; its address is printed. The demo waits for Enter at its end then."
                            + " Default port: any that is free.")
    Integer port;

    /** For picocli. */
    MonitorOption() {}

    MaestroBuilder on(MaestroBuilder builder) {
        return port == null ? builder : builder.monitor(port);
    }

    void begin(PrintStream out, Maestro maestro) {
        maestro.monitor().ifPresent(page -> out.println("monitor     " + page + "\n"));
    }

    /** Until somebody has looked. */
    void end(PrintStream out) throws IOException {
        if (port != null) {
            out.println("\nThe monitor ends when you press Enter.");
            int unused = System.in.read();
        }
    }
}
