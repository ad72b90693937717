package io.maestro;

import io.maestro.monitor.internal.MonitorServer;
import io.maestro.monitor.internal.MonitorSource;
import io.maestro.team.internal.Team;
import io.maestro.telemetry.Telemetry;
import io.maestro.telemetry.internal.GuardedTelemetry;
import java.util.Objects;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** The setters for who watches the work. Hosts see them as {@link MaestroBuilder}'s own. */
abstract class WatchSetters extends ArchitectSetters {
    private Telemetry telemetry = Telemetry.NONE;
    private OptionalInt monitorPort = OptionalInt.empty();

    WatchSetters() {}

    /**
     * Serves a page on which people watch stories while they run, answer what waits for them, write to the agents, and pause, cancel
     * and retry stories. It is reached from this machine only, at {@link Maestro#monitor()}: the address has a random token, and
     * whoever has it may decide, so show it to nobody else.
     *
     * @param port on 127.0.0.1; 0 for any that is free
     * @return this
     * @throws IllegalArgumentException when it is no port
     */
    public MaestroBuilder monitor(int port) {
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("a port is a number from 0 to 65535, not " + port);
        }
        monitorPort = OptionalInt.of(port);
        return self();
    }

    /**
     * Traces agents, models and tools, such as by {@link io.maestro.telemetry.otel.OpenTelemetryTracing}.
     *
     * @param tracer safe for use by several threads; what it throws is logged, and harms no work
     * @return this
     */
    public MaestroBuilder telemetry(Telemetry tracer) {
        telemetry = new GuardedTelemetry(Objects.requireNonNull(tracer, "tracer"));
        return self();
    }

    Telemetry telemetry() {
        return telemetry;
    }

    /** Listens, if that is wanted. */
    @Nullable
    MonitorServer startMonitor() {
        return monitorPort.isPresent() ? MonitorServer.start(monitorPort.getAsInt()) : null;
    }

    /** Closes the page, then gives back what else is held. */
    static Runnable closing(@Nullable MonitorServer monitor, Runnable others) {
        return () -> {
            if (monitor != null) {
                monitor.close();
            }
            others.run();
        };
    }

    /** From now on the page shows what is there. */
    static void show(@Nullable MonitorServer monitor, Maestro maestro, Team team) {
        if (monitor != null) {
            monitor.show(new MonitorSource(
                    maestro.auditLog(),
                    maestro.inbox(),
                    maestro.chat(),
                    team.limits(),
                    maestro::agents,
                    team::mergedDiff,
                    team.work()));
        }
    }
}
